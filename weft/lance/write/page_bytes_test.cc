// Pages against the bytes printed in docs/formats/lance.md, which the engines wrote or read.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/columns/builder.h"
#include "weft/lance/write/leaf.h"
#include "weft/lance/write/page_encoder.h"
#include "weft/lance/write/shredder.h"

namespace weft::lance::write {
namespace {

using columns::ArrayBuilder;
using columns::simple_type;
using columns::TypeId;
using columns::TypePtr;
using layout::FileVersion;

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out.push_back(kDigits[static_cast<uint8_t>(c) >> 4U]);
    out.push_back(kDigits[static_cast<uint8_t>(c) & 15U]);
  }
  return out;
}

// "LAYOUT BUFFER|BUFFER" of the only page that the array becomes.
std::string page_text(const TypePtr& type, bool nullable, FileVersion version,
                      const std::function<void(ArrayBuilder&)>& fill) {
  ArrayBuilder builder(type);
  fill(builder);
  const columns::ArrayPtr array = builder.finish();
  columns::Schema schema;
  schema.fields.push_back({"c", type, nullable, {}});
  const auto fields = layout::schema_fields(schema);
  EXPECT_TRUE(fields.ok());
  const auto leaves = leaves_of(*fields, version);
  EXPECT_TRUE(leaves.ok());
  EXPECT_EQ(leaves->size(), 1U);
  PageRows rows;
  EXPECT_TRUE(shred(*array, leaves->front(), 0, array->length(), rows).ok());
  const auto pages = encode_page(rows, leaves->front(), version);
  EXPECT_TRUE(pages.ok());
  EXPECT_EQ(pages->size(), 1U);
  std::string out = hex(layout::serialize_page_layout(pages->front().layout));
  char separator = ' ';
  for (const PageBuffer& buffer : pages->front().buffers) {
    const ByteView bytes = buffer.view();
    out += separator + hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    separator = '|';
  }
  return out;
}

void three_integers(ArrayBuilder& builder, bool with_null) {
  builder.append_integer(1);
  with_null ? builder.append_null() : builder.append_integer(2);
  builder.append_integer(3);
}

TEST(PageBytes, Integers) {
  const auto nulls = [](ArrayBuilder& builder) { three_integers(builder, true); };
  const auto plain = [](ArrayBuilder& builder) { three_integers(builder, false); };
  const TypePtr int32 = simple_type(TypeId::kInt32);
  EXPECT_EQ(page_text(int32, true, FileVersion::kV21, nulls),
            "0a1312040a0208101a040a02082032010338014803 "
            "3000|030006000c00fefe000001000000fefe010000000000000003000000fefefefe");
  EXPECT_EQ(page_text(int32, false, FileVersion::kV21, plain),
            "0a0d1a040a02082032010138014803 2000|00000c00fefefefe010000000200000003000000fefefefe");
  EXPECT_EQ(page_text(int32, true, FileVersion::kV22, nulls),
            "0a1512040a0208101a040a020820320103380148035001 "
            "30000000|0300060"
            "00c000000000001000000fefe010000000000000003000000fefefefe");
  EXPECT_EQ(page_text(simple_type(TypeId::kInt64), true, FileVersion::kV21, nulls),
            "0a1312040a0208101a040a02084032010338014803 "
            "4000|030006001800fefe000001000000fefe01000000000000000000000000000000030000000000000"
            "0");
}

TEST(PageBytes, Booleans) {
  EXPECT_EQ(page_text(simple_type(TypeId::kBool), true, FileVersion::kV21,
                      [](ArrayBuilder& builder) {
                        builder.append_boolean(true);
                        builder.append_null();
                        builder.append_boolean(false);
                      }),
            "0a1312040a0208101a040a02080132010338014803 "
            "2000|030006000100fefe000001000000fefe01fefefefefefefe");
}

TEST(PageBytes, Texts) {
  const auto fill = [](ArrayBuilder& builder) {
    builder.append_text("ab");
    builder.append_null();
    builder.append_text("");
  };
  EXPECT_EQ(
      page_text(simple_type(TypeId::kString), true, FileVersion::kV21, fill),
      "0a1712040a0208101a0812060a040a02082032010338014803 "
      "4000|030006001400fefe000001000000fefe1000000012000000120000001200000061624848fefefefe");
  EXPECT_EQ(page_text(simple_type(TypeId::kString), true, FileVersion::kV22, fill),
            "0a1912040a0208101a0812060a040a020820320103380148035001 "
            "40000000|0300060014000000000001000000fefe10000000120000001200000012000000616248"
            "48fefefefe");
}

TEST(PageBytes, FixedSizeLists) {
  const auto vectors = columns::fixed_size_list_of(simple_type(TypeId::kFloat), 2);
  EXPECT_EQ(page_text(vectors, false, FileVersion::kV21,
                      [](ArrayBuilder& builder) {
                        for (const float value : {0.5F, 1.0F, 1.0F, 1.0F, 2.0F, 0.5F}) {
                          if (builder.child(0).length() % 2 == 0) {
                            builder.append_fixed_list();
                          }
                          builder.child(0).append_float(value);
                        }
                      }),
            "0a131a0a5a08080212040a02082032010138014803 "
            "3000|00001800fefefefe0000003f0000803f0000803f0000803f000000400000003f");
}

TEST(PageBytes, Lists) {
  const auto texts = columns::list_of(simple_type(TypeId::kString));
  const auto fill = [](ArrayBuilder& builder) {
    builder.append_list(2);
    builder.child(0).append_text("a");
    builder.child(0).append_null();
    builder.append_null();
    builder.append_list(0);
  };
  EXPECT_EQ(page_text(texts, true, FileVersion::kV21, fill),
            "0a200a040a02081012040a0208101a0812060a040a02082032020306380140014802 "
            "4000|0400080008001000010000000100010000000100020003000c0000000d0000000d000000614848"
            "48|03000000000000000000000000000000");
  EXPECT_EQ(page_text(texts, true, FileVersion::kV22, fill),
            "0a220a040a02081012040a0208101a0812060a040a020820320203063801400148025001 "
            "50000000|04000800080010000000fefefefefefe010000000100010000000100020003000c0000000d"
            "0000000d00000061484848|03000000000000000000000000000000");
}

// A null struct in a list is a null of the list inside it too (an engine's bytes).
TEST(PageBytes, NullStructsReachTheNextListInside) {
  const auto inner =
      columns::struct_of({{"m", columns::list_of(simple_type(TypeId::kInt32)), true, {}}});
  const std::string text =
      page_text(columns::list_of(inner), true, FileVersion::kV21, [](ArrayBuilder& builder) {
        builder.append_list(1);
        builder.child(0).append_struct();
        builder.child(0).child(0).append_list(1);
        builder.child(0).child(0).child(0).append_integer(5);
        builder.append_list(0);
        builder.append_list(1);
        builder.child(0).append_null();
      });
  EXPECT_EQ(text.substr(text.find(' ') + 1),
            "3000|0300060006000400020002000200fefe000003000200fefe05000000fefefefe|"
            "03000000000000000000000000000000");
}

TEST(PageBytes, NothingButNulls) {
  for (const FileVersion version : {FileVersion::kV21, FileVersion::kV22}) {
    EXPECT_EQ(page_text(simple_type(TypeId::kInt32), true, version,
                        [](ArrayBuilder& builder) { builder.append_null(); }),
              "12032a0103");
  }
}

// 2.2 of one value: in the layout, or in a buffer of its own.
TEST(PageBytes, OneValue) {
  EXPECT_EQ(page_text(simple_type(TypeId::kInt32), false, FileVersion::kV22,
                      [](ArrayBuilder& builder) {
                        builder.append_integer(5);
                        builder.append_integer(5);
                      }),
            "12092a0101320405000000");
  EXPECT_EQ(page_text(simple_type(TypeId::kString), false, FileVersion::kV22,
                      [](ArrayBuilder& builder) {
                        builder.append_text("same");
                        builder.append_text("same");
                      }),
            "12032a0101 0200000008000000040000000000000004000000"
            "73616d65");
}

}  // namespace
}  // namespace weft::lance::write
