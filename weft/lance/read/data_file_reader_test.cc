#include "weft/lance/read/data_file_reader.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/columns/builder.h"
#include "weft/columns/select.h"
#include "weft/lance/write/data_file_writer.h"
#include "weft/storage/counting_store.h"
#include "weft/storage/memory_store.h"

namespace weft::lance::read {
namespace {

using columns::ArrayBuilder;
using columns::TypeId;
using columns::TypePtr;

TypePtr simple(TypeId id) {
  return columns::simple_type(id);
}

columns::Schema wide_schema() {
  const TypePtr row =
      columns::struct_of({{"a", simple(TypeId::kInt64), true, {}},
                          {"b", columns::list_of(simple(TypeId::kString)), true, {}}});
  columns::Schema schema;
  const auto add = [&](const char* name, TypePtr type, bool nullable = true) {
    schema.fields.push_back({name, std::move(type), nullable, {}});
  };
  add("id", simple(TypeId::kInt64), false);
  add("small", simple(TypeId::kInt32));
  add("flag", simple(TypeId::kBool));
  add("real", simple(TypeId::kDouble));
  add("text", simple(TypeId::kString));
  add("long", simple(TypeId::kLargeString));
  add("vector", columns::fixed_size_list_of(simple(TypeId::kFloat), 80), false);
  add("pair", columns::fixed_size_list_of(simple(TypeId::kFloat), 2));
  add("decimal", columns::decimal128(20, 2));
  add("list", columns::list_of(simple(TypeId::kInt32)));
  add("lists", columns::list_of(columns::list_of(simple(TypeId::kString))));
  add("row", row);
  add("rows", columns::list_of(row));
  add("nothing", simple(TypeId::kNull));
  return schema;
}

void append_random(ArrayBuilder& builder, base::Random& random, bool nullable) {
  const TypeId id = builder.type()->id();
  if (id == TypeId::kNull || (nullable && random.below(7) == 0)) {
    builder.append_null();
  } else if (id == TypeId::kBool) {
    builder.append_boolean(random.below(2) == 0);
  } else if (columns::is_binary_like(id)) {
    const uint64_t size = random.below(id == TypeId::kLargeString ? 900 : 24);
    builder.append_text(std::string(size, static_cast<char>('a' + random.below(26))));
  } else if (id == TypeId::kStruct) {
    builder.append_struct();
    for (size_t i = 0; i < builder.type()->children().size(); ++i) {
      append_random(builder.child(i), random, true);
    }
  } else if (columns::is_list_like(id)) {
    const uint64_t items = random.below(5) == 0 ? 0 : random.below(6);
    builder.append_list(items);
    for (uint64_t i = 0; i < items; ++i) {
      append_random(builder.child(0), random, true);
    }
  } else if (id == TypeId::kFixedSizeList) {
    builder.append_fixed_list();
    for (int32_t i = 0; i < builder.type()->list_size(); ++i) {
      builder.child(0).append_float(static_cast<float>(random.below(1000)));
    }
  } else {
    std::vector<uint64_t> words(columns::bit_width(*builder.type()) / 8 / 8 + 1);
    words[0] = random.below(builder.length() % 2000 < 1000 ? 50 : uint64_t{1} << 40U);
    builder.append_fixed(
        std::as_bytes(std::span(words)).first(columns::bit_width(*builder.type()) / 8));
  }
}

columns::Batch random_rows(const columns::Schema& schema, size_t rows, uint64_t seed) {
  base::Random random(seed);
  std::vector<columns::ArrayPtr> arrays;
  for (const columns::Field& field : schema.fields) {
    ArrayBuilder builder(field.type);
    for (size_t i = 0; i < rows; ++i) {
      append_random(builder, random, field.nullable);
    }
    arrays.push_back(builder.finish());
  }
  return columns::Batch::make(std::make_shared<const columns::Schema>(schema), std::move(arrays),
                              rows)
      .value();
}

// A file of these rows in memory.
class DataFile {
 public:
  DataFile(const columns::Batch& rows, layout::FileVersion version, uint64_t page_bytes)
      : store_(disk_), counted_(storage::counting_store(store_, counter_)) {
    write::DataFileOptions options;
    options.version = version;
    options.page_bytes = page_bytes;
    base::InlineExecutor here;
    auto writer = write::DataFileWriter::create(
        store_, "f", layout::schema_fields(*rows.schema()).value(), options, here);
    WEFT_CHECK(writer.ok());
    WEFT_CHECK((*writer)->append(rows).ok());
    WEFT_CHECK((*writer)->finish().ok());
  }

  std::unique_ptr<DataFileReader> open(ReadOptions options = {}) {
    auto reader = DataFileReader::open(counted_->open("f").value(), options);
    WEFT_CHECK(reader.ok());
    return std::move(reader).value();
  }
  std::string bytes() { return to_text(store_.get("f", 1U << 30U).value().bytes.view()); }
  uint64_t bytes_read() const { return counter_.counts()[storage::Operation::kRead].bytes; }
  uint64_t reads() const { return counter_.counts()[storage::Operation::kRead].calls; }
  void reset_count() { counter_.reset(); }

 private:
  storage::MemoryDisk disk_;
  storage::MemoryStore store_;
  storage::StoreCounter counter_;
  std::unique_ptr<storage::ObjectStore> counted_;
};

std::string differing_column(const columns::Batch& left, const columns::Batch& right) {
  if (left.row_count() != right.row_count()) {
    return "row count";
  }
  for (size_t i = 0; i < left.column_count(); ++i) {
    if (!left.column(i)->check().ok() || !columns::equal(*left.column(i), *right.column(i))) {
      return left.schema()->fields[i].name;
    }
  }
  return "";
}

TEST(SmallDataFiles, AreReadAtOnce) {
  const columns::Batch rows = random_rows(wide_schema(), 3, 7);
  DataFile file(rows, layout::FileVersion::kV21, 1U << 20U);
  const auto reader = file.open();
  const Result<columns::Batch> whole = reader->read(*reader->project_own(), {0, 3});
  ASSERT_TRUE(whole.ok()) << whole.error().to_string();
  EXPECT_EQ(differing_column(*whole, rows), "");
  EXPECT_EQ(file.reads(), 1U);
}

class DataFileReading : public testing::TestWithParam<std::pair<layout::FileVersion, uint64_t>> {};

TEST_P(DataFileReading, WhatWasWrittenIsReadWholeInRangesAndRowByRow) {
  const columns::Batch rows = random_rows(wide_schema(), 5000, 7);
  DataFile file(rows, GetParam().first, GetParam().second);
  const auto reader = file.open();
  ASSERT_EQ(reader->row_count(), 5000U);
  const Result<Projection> all = reader->project_own();
  ASSERT_TRUE(all.ok()) << all.error().to_string();
  EXPECT_EQ(*all->schema, *rows.schema());
  const Result<columns::Batch> whole = reader->read(*all, {0, 5000});
  ASSERT_TRUE(whole.ok()) << whole.error().to_string();
  EXPECT_EQ(differing_column(*whole, rows), "");
  base::Random random(11);
  for (int i = 0; i < 60; ++i) {
    const uint64_t begin = random.below(5000);
    const uint64_t end = begin + random.below(std::min<uint64_t>(5001 - begin, i < 30 ? 20 : 3000));
    const Result<columns::Batch> part = reader->read(*all, {begin, end});
    ASSERT_TRUE(part.ok()) << part.error().to_string();
    ASSERT_EQ(differing_column(*part, rows.slice(begin, end - begin)), "") << begin << " " << end;
  }
  for (int i = 0; i < 40; ++i) {
    std::vector<uint64_t> wanted(random.below(i < 20 ? 4 : 400));
    for (uint64_t& row : wanted) {
      row = random.below(5000);
    }
    const Result<columns::Batch> taken = reader->take(*all, wanted);
    ASSERT_TRUE(taken.ok()) << taken.error().to_string();
    ASSERT_EQ(differing_column(*taken, *columns::take(rows, wanted)), "");
  }
  EXPECT_TRUE(reader->verify().ok());
}

TEST_P(DataFileReading, AScanGivesAllRowsInBoundedBatches) {
  const columns::Batch rows = random_rows(wide_schema(), 3000, 8);
  DataFile file(rows, GetParam().first, GetParam().second);
  ReadOptions options;
  options.batch_rows_max = 700;
  const auto reader = file.open(options);
  const Projection all = reader->project_own().value();
  const auto scan = reader->scan(all, {10, 2990}).value();
  uint64_t row = 10;
  while (true) {
    const Result<std::optional<columns::Batch>> batch = scan->next();
    ASSERT_TRUE(batch.ok()) << batch.error().to_string();
    if (!*batch) {
      break;
    }
    ASSERT_LE((*batch)->row_count(), 700U);
    ASSERT_EQ(differing_column(**batch, rows.slice(row, (*batch)->row_count())), "");
    row += (*batch)->row_count();
  }
  EXPECT_EQ(row, 2990U);
}

INSTANTIATE_TEST_SUITE_P(Versions, DataFileReading,
                         testing::Values(std::pair(layout::FileVersion::kV21, 1U << 23U),
                                         std::pair(layout::FileVersion::kV21, 1U << 14U),
                                         std::pair(layout::FileVersion::kV22, 1U << 23U),
                                         std::pair(layout::FileVersion::kV22, 1U << 14U)));

TEST(DataFileReaderThreads, ManyThreadsGiveTheSameRows) {
  const columns::Batch rows = random_rows(wide_schema(), 4000, 9);
  DataFile file(rows, layout::FileVersion::kV21, 1U << 15U);
  base::ThreadPool pool(4);
  base::MemoryBudget budget("test", uint64_t{1} << 30U);
  ReadOptions options;
  options.executor = &pool;
  options.budget = &budget;
  options.batch_rows_max = 300;
  {
    const auto reader = file.open(options);
    const Projection all = reader->project_own().value();
    EXPECT_EQ(differing_column(*reader->read(all, {0, 4000}), rows), "");
    const auto scan = reader->scan(all, {0, 4000}).value();
    uint64_t row = 0;
    while (const std::optional<columns::Batch> batch = scan->next().value()) {
      ASSERT_EQ(differing_column(*batch, rows.slice(row, batch->row_count())), "");
      row += batch->row_count();
    }
    EXPECT_EQ(row, 4000U);
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
  EXPECT_GT(budget.peak_bytes(), 0U);
}

TEST(DataFileReader, OnlyBytesOfTheProjectedColumnsAreRead) {
  const columns::Batch rows = random_rows(wide_schema(), 20'000, 10);
  DataFile file(rows, layout::FileVersion::kV21, 1U << 16U);
  const uint64_t size = file.bytes().size();
  file.reset_count();
  const auto reader = file.open();
  const Projection narrow = reader->project_own({"small"}).value();
  ASSERT_TRUE(reader->read(narrow, {0, 20'000}).ok());
  // 20,000 values of at most 64 bits, the end of the file and some metadata.
  EXPECT_LT(file.bytes_read(), 20'000 * 8 + 100'000);
  EXPECT_LT(file.bytes_read(), size / 10);
  file.reset_count();
  ASSERT_TRUE(reader->read(narrow, {5000, 5001}).ok());
  EXPECT_LT(file.bytes_read(), 20'000U);
}

TEST(DataFileReader, OneRowReadsItsChunksAndSlots) {
  const columns::Batch rows = random_rows(wide_schema(), 20'000, 12);
  DataFile file(rows, layout::FileVersion::kV22, 1U << 20U);
  const auto reader = file.open();
  const Projection all = reader->project_own().value();
  const std::vector<uint64_t> first = {3};
  ASSERT_TRUE(reader->take(all, first).ok());
  file.reset_count();
  const std::vector<uint64_t> second = {4};
  ASSERT_TRUE(reader->take(all, second).ok());
  EXPECT_LT(file.bytes_read(), 200'000U);
  const Projection vector = reader->project_own({"vector"}).value();
  ASSERT_TRUE(reader->take(vector, second).ok());
  file.reset_count();
  ASSERT_TRUE(reader->take(vector, first).ok());
  EXPECT_EQ(file.bytes_read(), 80U * sizeof(float));
}

TEST(DataFileReader, MemoryHasABoundAndAScanKeepsIt) {
  const columns::Batch rows = random_rows(wide_schema(), 20'000, 13);
  DataFile file(rows, layout::FileVersion::kV21, 1U << 16U);
  ReadOptions options;
  options.memory_bytes_max = 3U << 20U;
  base::MemoryBudget budget("test", 4U << 20U);
  options.budget = &budget;
  const auto reader = file.open(options);
  const Projection all = reader->project_own().value();
  const Result<columns::Batch> whole = reader->read(all, {0, 20'000});
  ASSERT_FALSE(whole.ok());
  EXPECT_EQ(whole.error().kind(), ErrorKind::kLimit);
  const auto scan = reader->scan(all, {0, 20'000}).value();
  uint64_t row = 0;
  while (true) {
    const Result<std::optional<columns::Batch>> batch = scan->next();
    ASSERT_TRUE(batch.ok()) << batch.error().to_string();
    if (!*batch) {
      break;
    }
    row += (*batch)->row_count();
  }
  EXPECT_EQ(row, 20'000U);
  EXPECT_LE(budget.peak_bytes(), budget.limit_bytes());
}

TEST(DataFileReader, FieldsThatTheFileLacksAreNull) {
  columns::Schema schema;
  schema.fields = {{"id", simple(TypeId::kInt64), false, {}}};
  DataFile file(random_rows(schema, 10, 1), layout::FileVersion::kV21, 1U << 20U);
  const auto reader = file.open();
  schema.fields.push_back({"later", columns::list_of(simple(TypeId::kString)), true, {}});
  const auto fields = layout::schema_fields(schema).value();
  const std::vector<int32_t> ids = {0};
  const std::vector<int32_t> columns = {0};
  const Projection all = reader->project(fields, ids, columns).value();
  const Result<columns::Batch> batch = reader->read(all, {2, 9});
  ASSERT_TRUE(batch.ok());
  EXPECT_EQ(batch->column(1)->null_count(), 7U);
  EXPECT_EQ(reader->project(fields, ids, columns, {"x"}).error().kind(), ErrorKind::kNotFound);
  const std::vector<int32_t> beyond = {1};
  EXPECT_EQ(reader->project(fields, ids, beyond).error().kind(), ErrorKind::kCorrupt);
}

TEST(DataFileReader, RowsOutsideOfTheFileAreRefused) {
  columns::Schema schema;
  schema.fields = {{"id", simple(TypeId::kInt64), false, {}}};
  DataFile file(random_rows(schema, 10, 1), layout::FileVersion::kV21, 1U << 20U);
  const auto reader = file.open();
  const Projection all = reader->project_own().value();
  EXPECT_TRUE(reader->read(all, {10, 10}).ok());
  EXPECT_EQ(reader->read(all, {0, 11}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(reader->read(all, {4, 3}).error().kind(), ErrorKind::kInvalid);
  const std::vector<uint64_t> beyond = {10};
  EXPECT_EQ(reader->take(all, beyond).error().kind(), ErrorKind::kInvalid);
  std::vector<uint64_t> many(kTakeRowsMax);
  EXPECT_TRUE(reader->take(all, many).ok());
  many.push_back(0);
  EXPECT_EQ(reader->take(all, many).error().kind(), ErrorKind::kLimit);
}

TEST(DataFileReader, FlippedBytesAreAnErrorOrOtherRows) {
  const columns::Batch rows = random_rows(wide_schema(), 25, 14);
  DataFile file(rows, layout::FileVersion::kV22, 1U << 20U);
  const std::string good = file.bytes();
  ReadOptions options;
  options.memory_bytes_max = 64U << 20U;
  size_t refused = 0;
  for (size_t i = 0; i < good.size(); i += 5) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    const auto reader = DataFileReader::open(
        storage::read_buffer("bad", storage::Buffer::from(std::move(bad))), options);
    const Status status = reader.ok() ? (*reader)->verify() : Status(reader.error());
    if (!status.ok()) {
      ++refused;
      EXPECT_NE(status.error().kind(), ErrorKind::kInternal);
    }
  }
  EXPECT_GT(refused, good.size() / 250);
  for (size_t size = 0; size < good.size(); size += 131) {
    const auto reader = DataFileReader::open(
        storage::read_buffer("cut", storage::Buffer::from(good.substr(0, size))), options);
    EXPECT_FALSE(reader.ok() && (*reader)->verify().ok());
  }
}

}  // namespace
}  // namespace weft::lance::read
