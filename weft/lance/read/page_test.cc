// Pages by their bytes, as engines wrote them (docs/formats/lance.md), and pages that lie.
#include "weft/lance/read/page.h"

#include <limits>

#include <gtest/gtest.h>

#include "weft/lance/layout/encoding.h"
#include "weft/lance/read/assemble.h"
#include "weft/lance/read/page_source.h"
#include "weft/storage/memory_store.h"

namespace weft::lance::read {
namespace {

using columns::TypeId;
using columns::TypePtr;
using layout::Encoding;
using layout::Layer;

constexpr uint64_t kMemoryBytes = uint64_t{16} << 20U;

std::string from_hex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

// One page, alone in a file.
class PageFile {
 public:
  PageFile(TypePtr type, uint64_t rows, std::string layout, const std::vector<std::string>& buffers)
      : field_{"c", std::move(type), true, {}} {
    page_.length = rows;
    page_.layout = std::move(layout);
    page_.layout_url = layout::kPageLayoutUrl;
    std::string file;
    for (const std::string& buffer : buffers) {
      file.append((64 - file.size() % 64) % 64, 'H');
      page_.buffers.push_back({file.size(), buffer.size()});
      file += buffer;
    }
    object_ = storage::read_buffer("page", storage::Buffer::from(std::move(file)));
    WEFT_CHECK(append_leaf_paths(field_.type, paths_).ok());
  }

  Result<columns::ArrayPtr> read(IndexRange rows, uint64_t memory_bytes = kMemoryBytes) {
    ReadMemory kept(nullptr, memory_bytes);
    ReadMemory memory(nullptr, memory_bytes);
    WEFT_TRY(const std::unique_ptr<Page> page, make_page(paths_[0], page_, kept));
    const auto request = page->request({rows}, memory);
    PageRequest* const one = request.get();
    WEFT_TRY_STATUS(fetch(*object_, std::span(&one, 1), 0, memory, {}));
    std::vector<LeafOutput> outputs;
    outputs.emplace_back(paths_[0], &memory);
    WEFT_TRY_STATUS(request->decode(outputs[0]));
    WEFT_TRY(columns::ArrayPtr array, assemble(field_, paths_, outputs, rows.size(), memory));
    WEFT_TRY_STATUS(array->check());
    return array;
  }

 private:
  columns::Field field_;
  layout::PageDescription page_;
  std::vector<LeafPath> paths_;
  std::unique_ptr<storage::ObjectReader> object_;
};

struct WorkedPage {
  const char* name;
  TypePtr type;
  const char* layout;
  std::vector<const char*> buffers;
  std::vector<const char*> rows;
};

std::vector<WorkedPage> worked_pages() {
  const auto simple = [](TypeId id) { return columns::simple_type(id); };
  const TypePtr pair = columns::fixed_size_list_of(simple(TypeId::kFloat), 2);
  const TypePtr texts = columns::list_of(simple(TypeId::kString));
  return {
      {"int32",
       simple(TypeId::kInt32),
       "0a1312040a0208101a040a02082032010338014803",
       {"3000", "030006000c00fefe000001000000fefe010000000000000003000000fefefefe"},
       {"1", "null", "3"}},
      {"int64",
       simple(TypeId::kInt64),
       "0a0d1a040a02084032010138014803",
       {"3000", "00001800fefefefe010000000000000002000000000000000300000000000000"},
       {"1", "2", "3"}},
      {"bool",
       simple(TypeId::kBool),
       "0a1312040a0208101a040a02080132010338014803",
       {"2000", "030006000100fefe000001000000fefe01fefefefefefefe"},
       {"true", "null", "false"}},
      {"string",
       simple(TypeId::kString),
       "0a1712040a0208101a0812060a040a02082032010338014803",
       {"4000", "030006001400fefe000001000000fefe1000000012000000120000001200000061624848fefefefe"},
       {"\"ab\"", "null", "\"\""}},
      {"binary",
       simple(TypeId::kBinary),
       "0a111a0812060a040a02082032010138014803",
       {"3000", "00001400fefefefe1000000011000000130000001300000001020348fefefefe"},
       {"0x01", "0x0203", "0x"}},
      {"vector",
       pair,
       "0a1912040a0208101a0a5a08080212040a02082032010338014803",
       {"4000", "030006001800fefe000001000000fefe0000003f0000803f0000000000000000000000400000003f"},
       {"[0.5, 1]", "null", "[2, 0.5]"}},
      {"list",
       texts,
       "0a200a040a02081012040a0208101a0812060a040a02082032020306380140014802",
       {"4000", "0400080008001000010000000100010000000100020003000c0000000d0000000d00000061484848",
        "03000000000000000000000000000000"},
       {"[\"a\", null]", "null", "[]"}},
      {"full_list",
       texts,
       "0a1a0a040a0208101a0812060a040a02082032020102380140014804",
       {"4000", "040008001800fefe0100000001000100140000001500000016000000170000001800000061626364",
        "03000000000000000000000000000000"},
       {"[\"a\", \"b\"]", "[\"c\"]", "[\"d\"]"}},
      {"list_22",
       texts,
       "0a220a040a02081012040a0208101a0812060a040a020820320203063801400148025001",
       {"50000000",
        "04000800080010000000fefefefefefe010000000100010000000100020003000c0000000d0000000d000000"
        "61484848",
        "03000000000000000000000000000000"},
       {"[\"a\", null]", "null", "[]"}},
      {"string_22",
       simple(TypeId::kString),
       "0a1912040a0208101a0812060a040a020820320103380148035001",
       {"40000000",
        "0300060014000000000001000000fefe1000000012000000120000001200000061624848fefefefe"},
       {"\"ab\"", "null", "\"\""}},
  };
}

TEST(Page, WorkedBytesGiveTheirValuesInEveryRange) {
  for (const WorkedPage& worked : worked_pages()) {
    SCOPED_TRACE(worked.name);
    std::vector<std::string> buffers;
    for (const char* hex : worked.buffers) {
      buffers.push_back(from_hex(hex));
    }
    PageFile file(worked.type, 3, from_hex(worked.layout), buffers);
    for (uint64_t begin = 0; begin < 3; ++begin) {
      for (uint64_t end = begin + 1; end <= 3; ++end) {
        const Result<columns::ArrayPtr> array = file.read({begin, end});
        ASSERT_TRUE(array.ok()) << array.error().to_string();
        std::string expected = "[";
        for (uint64_t i = begin; i < end; ++i) {
          expected += (i == begin ? "" : ", ") + std::string(worked.rows[i]);
        }
        EXPECT_EQ(columns::array_text(**array), expected + "]");
      }
    }
  }
}

TEST(Page, EveryDamagedByteOfABufferIsFoundOrGivesOtherValues) {
  for (const WorkedPage& worked : worked_pages()) {
    SCOPED_TRACE(worked.name);
    std::vector<std::string> good;
    for (const char* hex : worked.buffers) {
      good.push_back(from_hex(hex));
    }
    for (size_t k = 0; k < good.size(); ++k) {
      for (size_t i = 0; i < good[k].size() * 8; ++i) {
        std::vector<std::string> buffers = good;
        buffers[k][i / 8] = static_cast<char>(buffers[k][i / 8] ^ (1 << (i % 8)));
        const Result<columns::ArrayPtr> array =
            PageFile(worked.type, 3, from_hex(worked.layout), buffers).read({0, 3});
        if (!array.ok()) {
          EXPECT_TRUE(array.error().kind() == ErrorKind::kCorrupt ||
                      array.error().kind() == ErrorKind::kLimit)
              << array.error().to_string();
        }
      }
    }
  }
}

layout::ConstantLayout all_null() {
  layout::ConstantLayout layout;
  layout.layers = {Layer::kNullableItem};
  return layout;
}

TEST(Page, RowsWithoutBytesAreBoundedByTheMemory) {
  PageFile file(columns::simple_type(TypeId::kInt64), kPageRowsMax,
                layout::serialize_page_layout(all_null()), {});
  const Result<columns::ArrayPtr> some = file.read({kPageRowsMax - 10, kPageRowsMax});
  ASSERT_TRUE(some.ok()) << some.error().to_string();
  EXPECT_EQ((*some)->null_count(), 10U);
  const Result<columns::ArrayPtr> all = file.read({0, kPageRowsMax});
  ASSERT_FALSE(all.ok());
  EXPECT_EQ(all.error().kind(), ErrorKind::kLimit);
  PageFile beyond(columns::simple_type(TypeId::kInt64), kPageRowsMax + 1,
                  layout::serialize_page_layout(all_null()), {});
  EXPECT_EQ(beyond.read({0, 1}).error().kind(), ErrorKind::kCorrupt);
}

TEST(Page, AConstantIsRepeated) {
  layout::ConstantLayout layout;
  layout.layers = {Layer::kItem};
  layout.inline_value = std::string("\x07\0\0\0", 4);
  PageFile file(columns::simple_type(TypeId::kInt32), 5, layout::serialize_page_layout(layout), {});
  EXPECT_EQ(columns::array_text(*file.read({1, 4}).value()), "[7, 7, 7]");
  layout.inline_value = "\x07";
  PageFile narrow(columns::simple_type(TypeId::kInt32), 5, layout::serialize_page_layout(layout),
                  {});
  EXPECT_EQ(narrow.read({0, 1}).error().kind(), ErrorKind::kCorrupt);
}

TEST(Page, SizesThatCompressedValuesClaimAreBoundedByTheMemory) {
  layout::FullZipLayout layout;
  layout.bits_per_offset = 32;
  layout.slot_count = 1;
  layout.visible_count = 1;
  layout.layers = {Layer::kItem};
  layout.values = Encoding::general(layout::Scheme::kZstd, Encoding::variable(32));
  std::string value;
  const uint64_t claimed = uint64_t{1} << 40U;
  value.append(reinterpret_cast<const char*>(&claimed), sizeof(claimed));
  value += from_hex("28b52ffd2000010000");
  std::string slot(4, '\0');
  slot[0] = static_cast<char>(value.size());
  slot += value;
  const std::string index = {'\0', static_cast<char>(slot.size())};
  PageFile file(columns::simple_type(TypeId::kString), 1, layout::serialize_page_layout(layout),
                {slot, index});
  EXPECT_EQ(file.read({0, 1}).error().kind(), ErrorKind::kLimit);
}

TEST(Page, AChunkHasAsManyItemsAsItsLimitAndNoMore) {
  // Bits, so that many items take few bytes.
  for (const uint64_t items : {uint64_t{1} << 15U, (uint64_t{1} << 15U) + 1}) {
    layout::MiniBlockLayout layout;
    layout.values = Encoding::flat(1);
    layout.layers = {Layer::kItem};
    layout.item_count = items;
    layout.large_chunks = true;
    const auto bytes = static_cast<uint32_t>((items + 7) / 8);
    std::string chunk(8, '\0');
    std::memcpy(chunk.data() + 2, &bytes, sizeof(bytes));
    chunk.append(bytes, '\xff');
    chunk.append((8 - chunk.size() % 8) % 8, '\0');
    const auto word = static_cast<uint32_t>((chunk.size() / 8 - 1) << 4U);
    const std::string words(reinterpret_cast<const char*>(&word), sizeof(word));
    PageFile file(columns::simple_type(TypeId::kBool), items, layout::serialize_page_layout(layout),
                  {words, chunk});
    const Result<columns::ArrayPtr> array = file.read({0, items});
    EXPECT_EQ(array.ok(), items <= uint64_t{1} << 15U);
    EXPECT_TRUE(array.ok() || array.error().kind() == ErrorKind::kCorrupt);
  }
}

TEST(ReadMemory, GrowsToItsBoundAndNoFurther) {
  base::MemoryBudget budget("test", 100);
  {
    ReadMemory memory(&budget, 80);
    EXPECT_TRUE(memory.grow(80).ok());
    EXPECT_EQ(memory.grow(1).error().kind(), ErrorKind::kLimit);
    ReadMemory other(&budget, 80);
    EXPECT_TRUE(other.grow(20).ok());
    EXPECT_EQ(other.grow(1).error().kind(), ErrorKind::kLimit);
    EXPECT_EQ(memory.grow(std::numeric_limits<uint64_t>::max()).error().kind(), ErrorKind::kLimit);
    EXPECT_EQ(budget.used_bytes(), 100U);
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
}

TEST(ReadCoalesced, RangesCloseTogetherAreReadAsOne) {
  std::string text(1000, '\0');
  for (size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>(i % 251);
  }
  const auto object = storage::read_buffer("text", storage::Buffer::from(std::string(text)));
  const std::vector<storage::Range> ranges = {{900, 50}, {10, 5}, {20, 5},
                                              {12, 10},  {0, 0},  {940, 60}};
  for (const uint64_t gap : {0U, 10U, 2000U}) {
    ReadMemory memory(nullptr, 10'000);
    const auto buffers = read_coalesced(*object, ranges, gap, memory, {});
    ASSERT_TRUE(buffers.ok());
    for (size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_EQ(as_text((*buffers)[i].view()), text.substr(ranges[i].offset, ranges[i].size));
    }
    EXPECT_GE(memory.used_bytes(), 115U);
  }
}

}  // namespace
}  // namespace weft::lance::read
