#include "weft/lance/rows/table_reader.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "weft/columns/select.h"
#include "weft/lance/rows/testing/golden.h"
#include "weft/storage/local_store.h"

namespace weft::lance {
namespace {

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// All rows of a table against `values`, and a few of them by position and by address.
void compare(TableReader& table, const json::Value& values, uint64_t rows) {
  EXPECT_EQ(table.row_count(), rows);
  const auto scan = table.scan();
  ASSERT_TRUE(scan.ok()) << scan.error().to_string();
  uint64_t row = 0;
  std::vector<uint64_t> addresses;
  std::vector<columns::Batch> batches;
  while (true) {
    const Result<std::optional<TableRows>> some = (*scan)->next();
    ASSERT_TRUE(some.ok()) << some.error().to_string();
    if (!*some) {
      break;
    }
    const columns::Batch& batch = (*some)->batch;
    ASSERT_EQ(batch.column_count(), values.members().size());
    ASSERT_EQ((*some)->offsets.size(), batch.row_count());
    for (size_t k = 0; k < batch.column_count(); ++k) {
      const std::string& name = batch.schema()->fields[k].name;
      const json::Value* const column = values.find(name);
      ASSERT_NE(column, nullptr) << name;
      for (size_t i = 0; i < batch.row_count(); ++i) {
        ASSERT_EQ(golden_difference(*batch.column(k), i, column->items()[row + i]), "")
            << name << ", row " << row + i;
      }
    }
    for (const uint32_t offset : (*some)->offsets) {
      addresses.push_back(row_address((*some)->fragment_id, offset));
    }
    row += batch.row_count();
    batches.push_back(batch);
  }
  ASSERT_EQ(row, rows);
  if (rows == 0) {
    return;
  }
  const std::vector<uint64_t> positions = {rows - 1, 0, rows / 2, 0};
  const auto taken = table.take({}, positions);
  ASSERT_TRUE(taken.ok()) << taken.error().to_string();
  std::vector<uint64_t> wanted;
  for (size_t i = 0; i < positions.size(); ++i) {
    wanted.push_back(addresses[positions[i]]);
    for (size_t k = 0; k < taken->column_count(); ++k) {
      const std::string& name = taken->schema()->fields[k].name;
      ASSERT_EQ(golden_difference(*taken->column(k), i, values.find(name)->items()[positions[i]]),
                "")
          << name;
    }
  }
  const auto by_address = table.take_addresses({}, wanted);
  ASSERT_TRUE(by_address.ok()) << by_address.error().to_string();
  EXPECT_TRUE(columns::equal(*by_address, *taken));
}

class GoldenTable : public testing::TestWithParam<const char*> {};

TEST_P(GoldenTable, EveryVersionAndBranchIsAsRecorded) {
  const std::string folder = golden_folder();
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent";
  }
  const std::string name = GetParam();
  const auto expected = json::parse(whole_file(folder + "/" + name + ".expect.json"));
  ASSERT_TRUE(expected.ok()) << expected.error().to_string();
  const auto store =
      storage::open_local_store(folder + "/" + name + (name == "lancedb40" ? ".lance" : ""));
  ASSERT_TRUE(store.ok());
  TableLocation location;
  location.store = store->get();
  const auto latest = open_latest(location);
  ASSERT_TRUE(latest.ok()) << latest.error().to_string();
  for (const json::Member& version : expected->find("versions")->members()) {
    SCOPED_TRACE(version.name);
    const auto snapshot = open_version(location, std::stoull(version.name), latest->naming());
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().to_string();
    const auto table = TableReader::open(*snapshot);
    ASSERT_TRUE(table.ok()) << table.error().to_string();
    compare(**table, *version.value.find("values"), *version.value.find("rows")->as_uint64());
    const auto verified = (*table)->verify();
    EXPECT_TRUE(verified.ok()) << verified.error().to_string();
  }
  const json::Value* const branches = expected->find("branches");
  for (const json::Member& branch :
       branches == nullptr ? json::Value::Object() : branches->members()) {
    SCOPED_TRACE(branch.name);
    location.branch = branch.name;
    const auto snapshot = open_latest(location);
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().to_string();
    const auto table = TableReader::open(*snapshot);
    ASSERT_TRUE(table.ok()) << table.error().to_string();
    compare(**table, *branch.value.find("values"), *branch.value.find("rows")->as_uint64());
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, GoldenTable,
                         testing::Values("types_20", "types_21", "types_22", "strings_21",
                                         "strings_22", "runs_21", "runs_22", "nested_20",
                                         "nested_21", "nested_22", "vectors_21", "vectors_22",
                                         "wide_22", "deletes_22", "evolve_22", "rowids_22",
                                         "indexed_22", "branches_22", "mixed_files", "v1names_21",
                                         "config_22", "empty_22", "lancedb40"),
                         [](const auto& param) { return std::string(param.param); });

TEST(TableReader, WhatIsNotThereIsNamed) {
  const std::string folder = golden_folder();
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent";
  }
  const auto store = storage::open_local_store(folder + "/deletes_22");
  ASSERT_TRUE(store.ok());
  TableLocation location;
  location.store = store->get();
  const auto snapshot = open_version(location, 2);
  ASSERT_TRUE(snapshot.ok());
  const auto table = TableReader::open(*snapshot).value();
  EXPECT_EQ(table->scan({"nosuch"}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(table->scan({}, {77}).error().kind(), ErrorKind::kNotFound);
  const std::vector<uint64_t> beyond = {table->row_count()};
  EXPECT_EQ(table->take({}, beyond).error().kind(), ErrorKind::kInvalid);
  const std::vector<uint64_t> deleted = {3};  // version 2 deleted id 3
  EXPECT_EQ(table->take_addresses({}, deleted).error().kind(), ErrorKind::kNotFound);
  const std::vector<uint64_t> many(read::kTakeRowsMax + 1);
  EXPECT_EQ(table->take({}, many).error().kind(), ErrorKind::kLimit);
}

}  // namespace
}  // namespace weft::lance
