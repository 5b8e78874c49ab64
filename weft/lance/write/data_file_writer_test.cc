#include "weft/lance/write/data_file_writer.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/columns/builder.h"
#include "weft/lance/write/leaf.h"
#include "weft/storage/memory_store.h"

namespace weft::lance::write {
namespace {

using columns::ArrayBuilder;
using columns::Batch;
using columns::simple_type;
using columns::TypeId;
using layout::FileVersion;

columns::SchemaPtr mixed_schema() {
  columns::Schema schema;
  schema.fields = {
      {"id", simple_type(TypeId::kInt64), false, {}},
      {"s", simple_type(TypeId::kString), true, {}},
      {"l", columns::list_of(simple_type(TypeId::kInt32)), true, {}},
      {"v", columns::fixed_size_list_of(simple_type(TypeId::kFloat), 8), true, {}},
  };
  return std::make_shared<const columns::Schema>(std::move(schema));
}

Batch mixed_rows(uint64_t count, uint64_t seed) {
  base::Random random(seed);
  const columns::SchemaPtr schema = mixed_schema();
  std::vector<ArrayBuilder> builders;
  for (const columns::Field& field : schema->fields) {
    builders.emplace_back(field.type);
  }
  for (uint64_t i = 0; i < count; ++i) {
    builders[0].append_integer(static_cast<int64_t>(random.below(100'000)));
    if (random.chance(1, 6)) {
      builders[1].append_null();
    } else {
      builders[1].append_text("text " + std::to_string(random.below(1000)));
    }
    const uint64_t items = random.below(5);
    builders[2].append_list(items);
    for (uint64_t k = 0; k < items; ++k) {
      builders[2].child(0).append_integer(static_cast<int64_t>(k));
    }
    if (random.chance(1, 9)) {
      builders[3].append_null();
    } else {
      builders[3].append_fixed_list();
      for (int k = 0; k < 8; ++k) {
        builders[3].child(0).append_float(static_cast<float>(random.below(50)));
      }
    }
  }
  std::vector<columns::ArrayPtr> arrays;
  for (ArrayBuilder& builder : builders) {
    arrays.push_back(builder.finish());
  }
  return Batch::make(schema, std::move(arrays), count).value();
}

struct Written {
  std::string bytes;
  DataFileSummary summary;
};

Written write(const std::vector<Batch>& batches, const DataFileOptions& options, size_t threads) {
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::ThreadPool executor(threads);
  auto writer = DataFileWriter::create(store, "f", layout::schema_fields(*mixed_schema()).value(),
                                       options, executor)
                    .value();
  for (const Batch& batch : batches) {
    EXPECT_TRUE(writer->append(batch).ok());
  }
  Written out;
  out.summary = writer->finish().value();
  out.bytes = to_text(store.get("f", uint64_t{1} << 30U).value().bytes.view());
  EXPECT_EQ(out.bytes.size(), out.summary.size_bytes);
  return out;
}

TEST(DataFileWriterThreads, BytesDoNotDependOnBatchesOrThreads) {
  const Batch rows = mixed_rows(20'000, 1);
  for (const FileVersion version : {FileVersion::kV21, FileVersion::kV22}) {
    const DataFileOptions options{.version = version, .page_bytes = 16'384};
    const Written whole = write({rows}, options, 1);
    EXPECT_EQ(whole.summary.row_count, 20'000U);
    EXPECT_EQ(whole.summary.field_ids, (std::vector<int32_t>{0, 1, 3, 4}));
    EXPECT_EQ(whole.summary.column_indices, (std::vector<int32_t>{0, 1, 2, 3}));
    base::Random random(7);
    for (size_t threads = 1; threads <= 3; ++threads) {
      std::vector<Batch> parts;
      for (uint64_t at = 0; at < rows.row_count();) {
        const uint64_t count = std::min<uint64_t>(1 + random.below(5000), rows.row_count() - at);
        parts.push_back(rows.slice(at, count));
        at += count;
      }
      EXPECT_EQ(write(parts, options, threads).bytes, whole.bytes);
    }
  }
}

TEST(DataFileWriter, BytesUnderNullsLeaveNoTrace) {
  columns::Schema schema;
  schema.fields = {{"i", simple_type(TypeId::kInt32), true, {}}};
  std::vector<std::string> files;
  for (const int32_t hidden : {0, 77}) {
    columns::ArrayParts parts;
    parts.type = simple_type(TypeId::kInt32);
    parts.length = 2;
    parts.validity = columns::Buffer::from(std::vector<uint8_t>{1});
    parts.values = columns::Buffer::from(std::vector<int32_t>{5, hidden});
    storage::MemoryDisk disk;
    storage::MemoryStore store(disk);
    base::InlineExecutor executor;
    const auto writer =
        DataFileWriter::create(store, "f", layout::schema_fields(schema).value(), {}, executor)
            .value();
    ASSERT_TRUE(writer
                    ->append(Batch::make(std::make_shared<const columns::Schema>(schema),
                                         {columns::Array::make(parts)}, 2)
                                 .value())
                    .ok());
    ASSERT_TRUE(writer->finish().ok());
    files.push_back(to_text(store.get("f", 1 << 20).value().bytes.view()));
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST(DataFileWriter, UnfinishedLeavesNothing) {
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::InlineExecutor executor;
  {
    const auto writer = DataFileWriter::create(
        store, "f", layout::schema_fields(*mixed_schema()).value(), {}, executor);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->append(mixed_rows(100, 1)).ok());
    EXPECT_GT((*writer)->size_so_far(), 1000U);
  }
  EXPECT_TRUE(store.list("", true).value().empty());
}

TEST(DataFileWriter, ATakenNameIsNotReplaced) {
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  ASSERT_TRUE(store.put_if_absent("f", as_bytes("other")).ok());
  base::InlineExecutor executor;
  const auto writer = DataFileWriter::create(
                          store, "f", layout::schema_fields(*mixed_schema()).value(), {}, executor)
                          .value();
  const auto done = writer->finish();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(as_text(store.get("f", 100).value().bytes.view()), "other");
}

TEST(DataFileWriter, NullsWhereNoneMayBeAreNamed) {
  columns::Schema schema;
  schema.fields = {
      {"s",
       columns::struct_of(
           {{"l", columns::list_of({"item", simple_type(TypeId::kInt32), false, {}}), true, {}}}),
       true,
       {}}};
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::InlineExecutor executor;
  const auto writer =
      DataFileWriter::create(store, "f", layout::schema_fields(schema).value(), {}, executor)
          .value();
  ArrayBuilder builder(schema.fields[0].type);
  builder.append_struct();
  builder.child(0).append_list(1);
  builder.child(0).child(0).append_null();
  const auto batch =
      Batch::make(std::make_shared<const columns::Schema>(schema), {builder.finish()}, 1);
  const Status status = writer->append(*batch);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(status.error().fact("field"), "s.l.item");
}

TEST(DataFileWriter, OtherTypesAndNumbersOfColumnsAreRefused) {
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::InlineExecutor executor;
  const auto writer = DataFileWriter::create(
                          store, "f", layout::schema_fields(*mixed_schema()).value(), {}, executor)
                          .value();
  columns::Schema other;
  other.fields = {{"id", simple_type(TypeId::kInt64), false, {}}};
  const auto batch = Batch::make(std::make_shared<const columns::Schema>(other),
                                 {ArrayBuilder(other.fields[0].type).finish()}, 0);
  EXPECT_EQ(writer->append(*batch).error().kind(), ErrorKind::kInvalid);
}

TEST(DataFileWriter, OptionsOutOfRangeAndMapsIn21AreRefused) {
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::InlineExecutor executor;
  const auto fields = layout::schema_fields(*mixed_schema()).value();
  const auto kind = [&](const DataFileOptions& options) {
    return DataFileWriter::create(store, "f", fields, options, executor).error().kind();
  };
  EXPECT_EQ(kind({.version = FileVersion::kV20}), ErrorKind::kUnsupported);
  EXPECT_EQ(kind({.page_bytes = 4095}), ErrorKind::kInvalid);
  EXPECT_EQ(kind({.page_bytes = (uint64_t{1} << 30U) + 1}), ErrorKind::kInvalid);
  EXPECT_TRUE(DataFileWriter::create(store, "f", fields, {.page_bytes = 4096}, executor).ok());
  columns::Schema maps;
  maps.fields = {{"m",
                  columns::map_of(simple_type(TypeId::kString),
                                  {"value", simple_type(TypeId::kInt32), true, {}}),
                  true,
                  {}}};
  const auto map_fields = layout::schema_fields(maps).value();
  EXPECT_EQ(DataFileWriter::create(store, "f", map_fields, {}, executor).error().kind(),
            ErrorKind::kUnsupported);
  EXPECT_TRUE(
      DataFileWriter::create(store, "f", map_fields, {.version = FileVersion::kV22}, executor)
          .ok());
}

// What becomes of a file with one column.
Status write_column(const columns::Field& field, const columns::ArrayPtr& array,
                    const DataFileOptions& options = {}) {
  const columns::Schema schema{{field}, {}};
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::InlineExecutor executor;
  WEFT_TRY(const auto fields, layout::schema_fields(schema));
  WEFT_TRY(const auto writer, DataFileWriter::create(store, "f", fields, options, executor));
  if (array != nullptr) {
    WEFT_TRY(const Batch batch, Batch::make(std::make_shared<const columns::Schema>(schema),
                                            {array}, array->length()));
    WEFT_TRY_STATUS(writer->append(batch));
  }
  return writer->finish().ok() ? Status() : Status(Error(ErrorKind::kInternal, "finish"));
}

TEST(DataFileWriter, AValueBeyondTheLimitIsRefused) {
  for (const TypeId id : {TypeId::kString, TypeId::kLargeBinary}) {
    for (const bool with_null : {false, true}) {
      ArrayBuilder builder(simple_type(id));
      builder.append_text("short");
      if (with_null) {
        builder.append_null();
      }
      builder.append_text(std::string(1000, 'x'));
      const columns::ArrayPtr array = builder.finish();
      const columns::Field field{"text", simple_type(id), true, {}};
      EXPECT_TRUE(write_column(field, array, {.value_bytes_max = 1000}).ok());
      const Status status = write_column(field, array, {.value_bytes_max = 999});
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().kind(), ErrorKind::kLimit);
      EXPECT_EQ(status.error().fact("field"), "text");
    }
  }
  const columns::Field field{"n", simple_type(TypeId::kInt8), true, {}};
  EXPECT_TRUE(write_column(field, nullptr, {.value_bytes_max = kValueBytesMax}).ok());
  EXPECT_EQ(write_column(field, nullptr, {.value_bytes_max = kValueBytesMax + 1}).error().kind(),
            ErrorKind::kInvalid);
}

TEST(DataFileWriter, ListsAreNestedUpToTheLimit) {
  const auto status_of = [](size_t depth) {
    columns::TypePtr type = simple_type(TypeId::kInt32);
    for (size_t i = 0; i < depth; ++i) {
      type = columns::list_of(type);
    }
    ArrayBuilder builder(type);
    ArrayBuilder* inner = &builder;
    for (size_t i = 0; i < depth; ++i) {
      inner->append_list(1);
      inner = &inner->child(0);
    }
    inner->append_integer(7);
    return write_column({"l", type, true, {}}, builder.finish());
  };
  EXPECT_TRUE(status_of(kListLayersMax).ok());
  const Status status = status_of(kListLayersMax + 1);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kLimit);
}

TEST(DataFileWriter, ListsOfBitsHaveALimit) {
  const auto status_of = [](uint64_t items) {
    const columns::TypePtr type =
        columns::fixed_size_list_of(simple_type(TypeId::kBool), static_cast<int32_t>(items));
    ArrayBuilder builder(type);
    for (int row = 0; row < 3; ++row) {
      builder.append_fixed_list();
      for (uint64_t i = 0; i < items; ++i) {
        builder.child(0).append_boolean(i % 3 == 0);
      }
    }
    return write_column({"bits", type, true, {}}, builder.finish());
  };
  EXPECT_TRUE(status_of(kBitListItemsMax).ok());
  const Status status = status_of(kBitListItemsMax + 1);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kUnsupported);
}

TEST(DataFileWriter, MemoryBeyondTheBudgetIsALimit) {
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::InlineExecutor executor;
  base::MemoryBudget small("memory_bytes_max", 200'000);
  const auto fields = layout::schema_fields(*mixed_schema()).value();
  const auto refused = DataFileWriter::create(store, "f", fields, {}, executor, &small).value();
  EXPECT_EQ(refused->append(mixed_rows(20'000, 1)).error().kind(), ErrorKind::kLimit);
  base::MemoryBudget enough("memory_bytes_max", 64'000'000);
  {
    const auto writer =
        DataFileWriter::create(store, "g", fields,
                               {.page_bytes = 65'536, .memory_bytes_max = 2'000'000}, executor,
                               &enough)
            .value();
    const Batch rows = mixed_rows(20'000, 1);
    for (uint64_t i = 0; i < 6; ++i) {
      ASSERT_TRUE(writer->append(rows).ok());
    }
    ASSERT_TRUE(writer->finish().ok());
  }
  // 7 MB of rows went through (a memory store copies all it has at every append).
  EXPECT_LT(enough.peak_bytes(), 6'000'000U);
  EXPECT_EQ(enough.used_bytes(), 0U);
}

}  // namespace
}  // namespace weft::lance::write
