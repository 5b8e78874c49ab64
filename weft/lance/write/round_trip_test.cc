// Random arrays of random types, written and read back: every value must be the same, for every
// version, size of page and cut into batches.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/columns/builder.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/write/data_file_writer.h"
#include "weft/storage/memory_store.h"

namespace weft::lance::write {
namespace {

using columns::ArrayBuilder;
using columns::Batch;
using columns::Field;
using columns::simple_type;
using columns::TypeId;
using columns::TypePtr;
using layout::FileVersion;

class Rows {
 public:
  explicit Rows(uint64_t seed) : random_(seed) {}

  base::Random& random() { return random_; }

  TypePtr leaf() {
    static const std::vector<TypePtr> kLeaves = {
        simple_type(TypeId::kBool),
        simple_type(TypeId::kInt8),
        simple_type(TypeId::kUint16),
        simple_type(TypeId::kInt32),
        simple_type(TypeId::kInt64),
        simple_type(TypeId::kUint64),
        simple_type(TypeId::kHalf),
        simple_type(TypeId::kFloat),
        simple_type(TypeId::kDouble),
        simple_type(TypeId::kString),
        simple_type(TypeId::kLargeBinary),
        simple_type(TypeId::kDate32),
        columns::timestamp(columns::TimeUnit::kMicro, "UTC"),
        columns::duration(columns::TimeUnit::kNano),
        columns::decimal128(20, 3),
        columns::decimal256(60, 3),
        columns::fixed_binary(16),
        columns::fixed_binary(300),
        columns::fixed_size_list_of(simple_type(TypeId::kFloat), 3),
        columns::fixed_size_list_of(simple_type(TypeId::kFloat), 70),
        columns::fixed_size_list_of(simple_type(TypeId::kBool), 9)};
    return kLeaves[random_.below(kLeaves.size())];
  }

  TypePtr type(uint64_t depth) {
    if (depth == 0) {
      return leaf();
    }
    const bool nullable = random_.below(4) != 0;
    switch (random_.below(3)) {
      case 0:
        return columns::list_of({"item", type(depth - 1), nullable, {}});
      case 1:
        return columns::large_list_of({"item", type(depth - 1), nullable, {}});
      default: {
        std::vector<Field> members;
        for (uint64_t n = 1 + random_.below(2); n > 0; --n) {
          members.push_back({"m" + std::to_string(n), type(depth - 1), nullable, {}});
        }
        return columns::struct_of(std::move(members));
      }
    }
  }

  // What a column is like all over: how many nulls, how long lists, how various values.
  struct Style {
    uint64_t null_of_16 = 0;
    uint64_t list_items = 3;
    uint64_t empty_of_16 = 4;
    uint64_t distinct = 0;  // 0: all
    uint64_t text_bytes = 12;
  };
  Style style() {
    return {.null_of_16 = random_.below(3) == 0 ? 15 : random_.below(5),
            .list_items = 1 + random_.below(6),
            .empty_of_16 = random_.below(4) == 0 ? 15 : random_.below(8),
            .distinct = random_.below(2) == 0 ? 1 + random_.below(9) : 0,
            .text_bytes = random_.below(5) == 0 ? uint64_t{900} : 14};
  }

  void append(ArrayBuilder& builder, bool nullable, const Style& style) {
    const columns::Type& type = *builder.type();
    if (nullable && random_.below(16) < style.null_of_16) {
      builder.append_null();
      return;
    }
    if (type.id() == TypeId::kStruct) {
      builder.append_struct();
      for (size_t i = 0; i < type.children().size(); ++i) {
        append(builder.child(i), type.children()[i].nullable, style);
      }
    } else if (columns::is_list_like(type.id())) {
      const uint64_t items =
          random_.below(16) < style.empty_of_16 ? 0 : 1 + random_.below(style.list_items);
      builder.append_list(items);
      for (uint64_t i = 0; i < items; ++i) {
        append(builder.child(0), type.children()[0].nullable, style);
      }
    } else if (type.id() == TypeId::kFixedSizeList) {
      builder.append_fixed_list();
      for (int32_t i = 0; i < type.list_size(); ++i) {
        append(builder.child(0), false, style);
      }
    } else {
      append_value(builder, style);
    }
  }

 private:
  void append_value(ArrayBuilder& builder, const Style& style) {
    const uint64_t number =
        style.distinct == 0 ? random_.next() : random_.below(style.distinct) * 0x1234567U;
    const columns::Type& type = *builder.type();
    if (type.id() == TypeId::kBool) {
      builder.append_boolean((number & 1U) != 0);
    } else if (columns::is_binary_like(type.id())) {
      std::string text;
      for (uint64_t n = number % (style.text_bytes + 1); n > 0; --n) {
        text.push_back(static_cast<char>('a' + (number >> (n % 8)) % 17));
      }
      builder.append_text(text);
    } else {
      std::string bytes(columns::bit_width(type) / 8, '\0');
      for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(number >> (i % 8 * 8));
      }
      builder.append_fixed(as_bytes(bytes));
    }
  }

  base::Random random_;
};

void expect_same(const Batch& got, const Batch& want, uint64_t seed) {
  ASSERT_EQ(got.column_count(), want.column_count());
  ASSERT_EQ(got.row_count(), want.row_count());
  for (size_t i = 0; i < want.column_count(); ++i) {
    for (size_t row = 0; row < want.row_count(); ++row) {
      ASSERT_TRUE(columns::equal_at(*got.column(i), row, *want.column(i), row))
          << "seed " << seed << ", column " << i << " " << want.column(i)->type()->to_string()
          << ", row " << row << ": " << columns::element_text(*got.column(i), row) << ", wanted "
          << columns::element_text(*want.column(i), row);
    }
  }
}

Batch random_batch(Rows& rows, uint64_t row_count) {
  columns::Schema schema;
  std::vector<columns::ArrayPtr> arrays;
  for (uint64_t n = 1 + rows.random().below(6); n > 0; --n) {
    const bool nullable = rows.random().below(4) != 0;
    Field field{"c" + std::to_string(n), rows.type(rows.random().below(4)), nullable, {}};
    ArrayBuilder builder(field.type);
    const Rows::Style style = rows.style();
    for (uint64_t i = 0; i < row_count; ++i) {
      rows.append(builder, nullable, style);
    }
    arrays.push_back(builder.finish());
    schema.fields.push_back(std::move(field));
  }
  return Batch::make(std::make_shared<const columns::Schema>(std::move(schema)), std::move(arrays),
                     row_count)
      .value();
}

TEST(RoundTrip, RandomTypesAndContents) {
  constexpr uint64_t kSizes[] = {1, 7, 130, 1100, 3000};
  for (uint64_t seed = 0; seed < 120; ++seed) {
    Rows rows(seed);
    const Batch batch = random_batch(rows, kSizes[rows.random().below(std::size(kSizes))]);
    storage::MemoryDisk disk;
    storage::MemoryStore store(disk);
    base::InlineExecutor executor;
    DataFileOptions options;
    options.version = seed % 2 == 0 ? FileVersion::kV21 : FileVersion::kV22;
    options.page_bytes = rows.random().below(2) == 0 ? 4096 : uint64_t{1} << 20U;
    auto writer = DataFileWriter::create(store, "f", layout::schema_fields(*batch.schema()).value(),
                                         options, executor);
    ASSERT_TRUE(writer.ok()) << writer.error().to_string();
    for (size_t at = 0; at < batch.row_count();) {
      const size_t count =
          std::min<size_t>(1 + rows.random().below(batch.row_count()), batch.row_count() - at);
      const Status status = (*writer)->append(batch.slice(at, count));
      ASSERT_TRUE(status.ok()) << "seed " << seed << " " << status.error().to_string();
      at += count;
    }
    const auto summary = (*writer)->finish();
    ASSERT_TRUE(summary.ok()) << summary.error().to_string();
    auto file = read::DataFileReader::open(store.open("f").value());
    ASSERT_TRUE(file.ok()) << "seed " << seed << " " << file.error().to_string();
    const auto projection = (*file)->project_own();
    ASSERT_TRUE(projection.ok()) << projection.error().to_string();
    const auto back = (*file)->read(*projection, {0, batch.row_count()});
    ASSERT_TRUE(back.ok()) << "seed " << seed << " " << back.error().to_string();
    expect_same(*back, batch, seed);
  }
}

}  // namespace
}  // namespace weft::lance::write
