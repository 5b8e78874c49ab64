#include <gtest/gtest.h>

#include "weft/lance/layout/encoding.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/layout/file_layout.h"

namespace weft::lance::layout {
namespace {

std::string from_hex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

// Layouts that engines wrote (docs/formats/lance.md, worked bytes).
constexpr std::string_view kLayouts[] = {
    "0a1312040a0208101a040a02082032010338014803",
    "0a0d1a040a02082032010138014803",
    "0a1712040a0208101a0812060a040a02082032010338014803",
    "0a1912040a0208101a0a5a08080212040a02082032010338014803",
    "0a200a040a02081012040a0208101a0812060a040a02082032020306380140014802",
    "0a1512040a0208101a040a020820320103380148035001",
    "0a151a0a5a08080212040a020820320101380148035001",
    "0a220a040a02081012040a0208101a0812060a040a02082032020306380140014802"
    "5001",
};

TEST(PageLayout, WhatEnginesWroteReadsAndIsWrittenByteForByte) {
  for (const std::string_view hex : kLayouts) {
    const std::string bytes = from_hex(hex);
    const Result<PageLayout> layout = parse_page_layout(as_bytes(bytes));
    ASSERT_TRUE(layout.ok()) << hex << " " << layout.error().to_string();
    EXPECT_EQ(serialize_page_layout(*layout), bytes) << hex;
  }
}

TEST(PageLayout, EveryKindOfEncodingSurvives) {
  MiniBlockLayout mini;
  mini.repetition = Encoding::out_of_line_bitpacking(16, 2);
  mini.definition = Encoding::run_length(Encoding::flat(16), Encoding::flat(8));
  mini.values = Encoding::general(
      Scheme::kLz4,
      Encoding::byte_stream_split(Encoding::fixed_size_list(3, Encoding::flat(32), true)));
  mini.dictionary = Encoding::fsst("symbols", Encoding::variable(64));
  mini.dictionary_items = 12;
  mini.layers = {Layer::kItem, Layer::kNullableEmptyableList, Layer::kNullableItem};
  mini.buffers_per_chunk = 2;
  mini.item_count = 1000;
  mini.large_chunks = true;
  FullZipLayout zip;
  zip.repetition_bits = 1;
  zip.definition_bits = 2;
  zip.bits_per_offset = 32;
  zip.slot_count = 9;
  zip.visible_count = 8;
  zip.values = Encoding::inline_bitpacking(8);
  zip.layers = {Layer::kNullableItem};
  ConstantLayout constant;
  constant.layers = {Layer::kNullableItem};
  constant.inline_value = "";
  constant.definition = Encoding::flat(16);
  constant.definition_count = 4;
  for (const PageLayout& layout : {PageLayout(mini), PageLayout(zip), PageLayout(constant)}) {
    const std::string bytes = serialize_page_layout(layout);
    const Result<PageLayout> again = parse_page_layout(as_bytes(bytes));
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_EQ(*again, layout);
  }
}

TEST(PageLayout, WhatIsNotKnownIsRefusedByName) {
  const auto refusal = [](std::string_view hex) {
    const std::string bytes = from_hex(hex);
    const Result<PageLayout> layout = parse_page_layout(as_bytes(bytes));
    EXPECT_FALSE(layout.ok()) << hex;
    EXPECT_EQ(layout.error().kind(), ErrorKind::kUnsupported) << hex;
    return layout.error().to_string();
  };
  EXPECT_NE(refusal("2200").find("blob"), std::string::npos);
  EXPECT_NE(refusal("2a00").find("sparse"), std::string::npos);
  EXPECT_NE(refusal("0a041a026200").find("packed_struct"), std::string::npos);
  EXPECT_NE(refusal("0a041a026a00").find("variable_packed_struct"), std::string::npos);
  EXPECT_NE(refusal("0a041a027a00").find("delta"), std::string::npos);
  EXPECT_NE(refusal("0a091a040a020820320109").find("layer"), std::string::npos);
}

TEST(PageLayout, EncodingsNestToTheLimitAndNoDeeper) {
  for (const size_t depth : {kEncodingDepthMax, kEncodingDepthMax + 1}) {
    Encoding encoding = Encoding::flat(8);
    for (size_t i = 0; i < depth; ++i) {
      encoding = Encoding::general(Scheme::kZstd, std::move(encoding));
    }
    MiniBlockLayout mini;
    mini.values = std::move(encoding);
    const std::string bytes = serialize_page_layout(mini);
    const Result<PageLayout> layout = parse_page_layout(as_bytes(bytes));
    EXPECT_EQ(layout.ok(), depth <= kEncodingDepthMax);
    EXPECT_TRUE(layout.ok() || layout.error().kind() == ErrorKind::kLimit);
  }
}

TEST(PageLayout, EveryCutIsAnErrorOrAnotherLayout) {
  for (const std::string_view hex : kLayouts) {
    const std::string bytes = from_hex(hex);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(parse_page_layout(as_bytes(bytes).first(size)).ok()) << hex << " " << size;
    }
  }
}

// The end of the file of docs/formats/lance.md: one int64 column and one of text.
constexpr std::string_view kColumn =
    "0a2912270a250a1f2f6c616e63652e656e636f64696e67732e436f6c756d6e456e636f64"
    "696e6712020a0012400a020040120202181802223412320a300a1d2f6c616e63652e656e"
    "636f64696e677332312e506167654c61796f7574120f0a0d1a040a020840320101380148"
    "02";
constexpr std::string_view kDescriptor =
    "0a380a181202696420ffffffffffffffffff012a05696e74363438010a1c120173180120"
    "ffffffffffffffffff012a06737472696e67300138021002";

TEST(DataFileLayout, ColumnMetadataIsReadAndWrittenByteForByte) {
  const std::string bytes = from_hex(kColumn);
  const Result<ColumnDescription> column = parse_column(as_bytes(bytes), 634);
  ASSERT_TRUE(column.ok()) << column.error().to_string();
  ASSERT_EQ(column->pages.size(), 1U);
  EXPECT_EQ(column->pages[0].buffers, (std::vector<Extent>{{0, 2}, {64, 24}}));
  EXPECT_EQ(column->pages[0].length, 2U);
  EXPECT_EQ(column->pages[0].layout_url, kPageLayoutUrl);
  EXPECT_EQ(serialize_column(*column), bytes);
}

TEST(DataFileLayout, APageOutsideTheFileIsDamage) {
  const std::string bytes = from_hex(kColumn);
  EXPECT_TRUE(parse_column(as_bytes(bytes), 88).ok());
  const Result<ColumnDescription> column = parse_column(as_bytes(bytes), 87);
  ASSERT_FALSE(column.ok());
  EXPECT_EQ(column.error().kind(), ErrorKind::kCorrupt);
}

TEST(DataFileLayout, TheDescriptorIsReadAndWrittenByteForByte) {
  const std::string bytes = from_hex(kDescriptor);
  const Result<FileDescriptor> descriptor = parse_file_descriptor(as_bytes(bytes));
  ASSERT_TRUE(descriptor.ok()) << descriptor.error().to_string();
  EXPECT_EQ(descriptor->row_count, 2U);
  ASSERT_EQ(descriptor->fields.size(), 2U);
  EXPECT_EQ(descriptor->fields[1].name, "s");
  EXPECT_EQ(descriptor->fields[1].id, 1);
  EXPECT_EQ(descriptor->fields[1].parent_id, -1);
  EXPECT_TRUE(descriptor->fields[1].nullable);
  EXPECT_FALSE(descriptor->fields[0].nullable);
  EXPECT_EQ(serialize_file_descriptor(*descriptor), bytes);
}

TEST(DataFileLayout, TheFooterSurvivesAndOtherVersionsAreNamed) {
  Footer footer{1, 2, 3, 1, 2, FileVersion::kV22};
  for (const FileVersion version : {FileVersion::kV20, FileVersion::kV21, FileVersion::kV22}) {
    footer.version = version;
    const std::string bytes = serialize_footer(footer);
    ASSERT_EQ(bytes.size(), kFooterBytes);
    const Result<Footer> again = parse_footer(as_bytes(bytes), 10'000);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, footer);
  }
  std::string next = serialize_footer(footer);
  next[34] = 3;
  const Result<Footer> refused = parse_footer(as_bytes(next), 10'000);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(refused.error().fact("version"), "2.3");
}

TEST(DataFileLayout, ColumnsToTheLimitAndNoMore) {
  for (const uint64_t count : {kFileColumnsMax, kFileColumnsMax + 1}) {
    Footer footer{0, 0, 0, 1, static_cast<uint32_t>(count), FileVersion::kV21};
    const std::string bytes = serialize_footer(footer);
    const Result<Footer> parsed = parse_footer(as_bytes(bytes), uint64_t{1} << 30U);
    EXPECT_EQ(parsed.ok(), count <= kFileColumnsMax);
  }
}

TEST(LanceSchema, TypesSurviveBothWays) {
  using columns::TypeId;
  const auto simple = [](TypeId id) { return columns::simple_type(id); };
  columns::Schema schema;
  int number = 0;
  const auto add = [&](columns::TypePtr type, bool nullable = true) {
    schema.fields.push_back({"c" + std::to_string(number++), std::move(type), nullable, {}});
  };
  for (size_t i = 0; i <= static_cast<size_t>(TypeId::kLargeBinary); ++i) {
    add(simple(static_cast<TypeId>(i)), i % 2 == 0);
  }
  add(simple(TypeId::kDate32));
  add(simple(TypeId::kDate64));
  add(columns::time32(columns::TimeUnit::kMilli));
  add(columns::time64(columns::TimeUnit::kNano));
  add(columns::timestamp(columns::TimeUnit::kMicro));
  add(columns::timestamp(columns::TimeUnit::kSecond, "Europe/Zurich"));
  add(columns::timestamp(columns::TimeUnit::kSecond, "+01:00"));
  add(columns::duration(columns::TimeUnit::kNano));
  add(columns::decimal128(20, 2));
  add(columns::decimal256(50, -1));
  add(columns::fixed_binary(16));
  add(columns::fixed_size_list_of(simple(TypeId::kFloat), 64));
  add(columns::fixed_size_list_of(columns::fixed_size_list_of(simple(TypeId::kBool), 3), 2));
  add(columns::dictionary_of(simple(TypeId::kInt8), simple(TypeId::kString)));
  add(columns::map_of(simple(TypeId::kString), {"value", simple(TypeId::kInt64), true, {}}));
  columns::TypePtr row =
      columns::struct_of({{"a", simple(TypeId::kInt64), false, {}},
                          {"b", columns::list_of(simple(TypeId::kString)), true, {}}});
  add(columns::list_of(row));
  add(columns::large_list_of({"item", columns::list_of(simple(TypeId::kInt16)), false, {}}));
  const Result<std::vector<SchemaField>> fields = schema_fields(schema);
  ASSERT_TRUE(fields.ok()) << fields.error().to_string();
  const Result<columns::Schema> again = column_schema(*fields);
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_EQ(*again, schema) << again->to_string();
  EXPECT_EQ(fields->back().logical_type, "int16");
  for (const SchemaField& field : *fields) {
    const std::string bytes = serialize_schema_field(field);
    const Result<SchemaField> one = parse_schema_field(as_bytes(bytes));
    ASSERT_TRUE(one.ok());
    EXPECT_EQ(*one, field);
  }
}

TEST(LanceSchema, UnknownFieldsOfAFieldStay) {
  SchemaField field;
  field.name = "x";
  field.logical_type = "int32";
  field.unknown = from_hex("f00101");  // field 30
  const std::string bytes = serialize_schema_field(field);
  const Result<SchemaField> again = parse_schema_field(as_bytes(bytes));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->unknown, field.unknown);
}

TEST(LanceSchema, WhatIsNotSupportedIsNamed) {
  for (const std::string_view type :
       {"month_day_nano", "fixed_size_list:string:3", "fixed_size_list:float:0", "dict:string",
        "decimal:128:39:2", "decimal:64:3:2", "time32:us", "time64:s", "timestamp:y:-", "",
        "fixed_size_binary:-1", "fixed_size_list:fixed_size_list:float:65536:65536"}) {
    EXPECT_FALSE(leaf_type(type).ok()) << type;
  }
  std::vector<SchemaField> fields(1);
  fields[0] = {.name = "b",
               .logical_type = "large_binary",
               .metadata = {{"lance-encoding:blob", "true"}},
               .unknown = {}};
  const Result<columns::Schema> blob = column_schema(fields);
  ASSERT_FALSE(blob.ok());
  EXPECT_NE(blob.error().to_string().find("blob"), std::string::npos);
}

TEST(LanceSchema, DamagedTreesAreRefused) {
  const auto field = [](int32_t id, int32_t parent, std::string type) {
    SchemaField out;
    out.name = "f" + std::to_string(id);
    out.id = id;
    out.parent_id = parent;
    out.logical_type = std::move(type);
    return out;
  };
  const std::vector<std::vector<SchemaField>> cases = {
      {field(0, 1, "int32"), field(1, -1, "struct")},  // parent comes later
      {field(0, -1, "int32"), field(0, -1, "int32")},  // one id twice
      {field(0, -1, "list")},                          // no item
      {field(0, -1, "int32"), field(1, 0, "int32")},   // a child of a number
      {field(0, -1, "map"), field(1, 0, "int32")},     // entries are no struct
      {field(0, 0, "struct")},                         // its own parent
  };
  for (const std::vector<SchemaField>& fields : cases) {
    const Result<columns::Schema> schema = column_schema(fields);
    ASSERT_FALSE(schema.ok());
    EXPECT_EQ(schema.error().kind(), ErrorKind::kCorrupt) << schema.error().to_string();
  }
}

TEST(LanceSchema, NestsToTheLimitAndNoDeeper) {
  for (const size_t depth : {kSchemaDepthMax, kSchemaDepthMax + 1}) {
    std::vector<SchemaField> fields(depth + 1);
    for (size_t i = 0; i <= depth; ++i) {
      fields[i].name = "f";
      fields[i].id = static_cast<int32_t>(i);
      fields[i].parent_id = static_cast<int32_t>(i) - 1;
      fields[i].logical_type = i == depth ? "int32" : "struct";
    }
    const Result<std::vector<SchemaNode>> tree = schema_tree(fields);
    EXPECT_EQ(tree.ok(), depth <= kSchemaDepthMax);
  }
}

}  // namespace
}  // namespace weft::lance::layout
