// Reads the data files of the golden tables, which engines wrote, and compares every value.
#include "weft/lance/rows/testing/golden.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/names.h"
#include "weft/storage/local_store.h"

namespace weft::lance {
namespace {

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// The columns of one fragment, joined from its files.
class FragmentRows {
 public:
  FragmentRows(storage::ObjectStore& store, const Manifest& manifest, const Fragment& fragment)
      : store_(store), manifest_(manifest), fragment_(fragment) {}

  // Null if no file of the fragment has the field.
  Result<columns::ArrayPtr> column(const std::string& name) {
    for (const DataFile& file : fragment_.files) {
      WEFT_TRY(auto object, store_.open("data/" + file.path));
      WEFT_TRY(const auto reader, read::DataFileReader::open(std::move(object)));
      WEFT_TRY(const read::Projection projection,
               reader->project(manifest_.fields, file.fields, file.column_indices, {name}));
      if (projection.fields[0].columns.empty()) {
        continue;
      }
      WEFT_TRY(const columns::Batch batch, reader->read(projection, {0, reader->row_count()}));
      WEFT_TRY_STATUS(batch.column(0)->check());
      return batch.column(0);
    }
    return columns::ArrayPtr();
  }

 private:
  storage::ObjectStore& store_;
  const Manifest& manifest_;
  const Fragment& fragment_;
};

void compare_version(storage::ObjectStore& store, const Manifest& manifest,
                     const json::Value& expected) {
  uint64_t first_row = 0;
  for (const Fragment& fragment : manifest.fragments) {
    if (fragment.deletion_file) {
      return;  // which rows are left is for the table to say
    }
    FragmentRows rows(store, manifest, fragment);
    for (const json::Member& member : expected.find("values")->members()) {
      const Result<columns::ArrayPtr> column = rows.column(member.name);
      ASSERT_TRUE(column.ok()) << member.name << ": " << column.error().to_string();
      for (size_t i = 0; i < fragment.physical_rows; ++i) {
        const json::Value& value = member.value.items()[first_row + i];
        if (*column == nullptr) {
          ASSERT_TRUE(value.is_null()) << member.name << " " << i;
          continue;
        }
        const std::string difference = golden_difference(**column, i, value);
        ASSERT_EQ(difference, "") << member.name << ", row " << i;
      }
    }
    first_row += fragment.physical_rows;
  }
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, EveryValueIsAsRecorded) {
  const std::string folder = golden_folder();
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent";
  }
  const std::string name = GetParam();
  const Result<json::Value> expected =
      json::parse(whole_file(folder + "/" + name + ".expect.json"));
  ASSERT_TRUE(expected.ok()) << expected.error().to_string();
  const std::string ending = name == "lancedb40" ? ".lance" : "";
  const auto store = storage::open_local_store(folder + "/" + name + ending);
  ASSERT_TRUE(store.ok());
  const auto listed = (*store)->list(std::string(kVersionsFolder));
  ASSERT_TRUE(listed.ok());
  size_t compared = 0;
  for (const storage::ObjectInfo& info : *listed) {
    const auto version = parse_manifest_name(info.name.substr(kVersionsFolder.size()));
    if (!version) {
      continue;
    }
    const auto bytes = (*store)->get(info.name, kManifestFileBytesMax);
    ASSERT_TRUE(bytes.ok());
    const auto file = parse_manifest_file(bytes->bytes.view());
    ASSERT_TRUE(file.ok()) << file.error().to_string();
    const json::Value* const values =
        expected->find("versions")->find(std::to_string(version->version));
    if (values != nullptr) {
      SCOPED_TRACE(version->version);
      compare_version(**store, file->manifest, *values);
      ++compared;
    }
  }
  EXPECT_NE(compared, 0U);
}

INSTANTIATE_TEST_SUITE_P(Tables, Golden,
                         testing::Values("types_20", "types_21", "types_22", "strings_21",
                                         "strings_22", "runs_21", "runs_22", "nested_20",
                                         "nested_21", "nested_22", "vectors_21", "vectors_22",
                                         "wide_22", "evolve_22", "rowids_22", "mixed_files",
                                         "v1names_21", "config_22", "empty_22", "lancedb40",
                                         "deletes_22"),
                         [](const auto& param) { return std::string(param.param); });

// What must be refused, by name.
void expect_refusal(const std::string& table, const std::string& word) {
  const std::string folder = golden_folder();
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent";
  }
  const auto store = storage::open_local_store(folder + "/" + table);
  ASSERT_TRUE(store.ok());
  const auto listed = (*store)->list("data/");
  ASSERT_TRUE(listed.ok());
  for (const storage::ObjectInfo& info : *listed) {
    if (!info.name.ends_with(".lance")) {
      continue;
    }
    auto object = (*store)->open(info.name);
    ASSERT_TRUE(object.ok());
    const auto reader = read::DataFileReader::open(std::move(*object));
    const Status status = reader.ok() ? (*reader)->verify() : Status(reader.error());
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind(), ErrorKind::kUnsupported);
    EXPECT_NE(status.error().to_string().find(word), std::string::npos)
        << status.error().to_string();
  }
}

TEST(GoldenRefusals, FileVersion23) {
  expect_refusal("next_23", "2.3");
}
TEST(GoldenRefusals, BlobColumns) {
  expect_refusal("blob_22", "blob");
}

}  // namespace
}  // namespace weft::lance
