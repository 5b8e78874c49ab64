#include "weft/graph/key_index.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "weft/columns/builder.h"
#include "weft/graph/create.h"
#include "weft/graph/key_lookup.h"
#include "weft/graph/load.h"
#include "weft/graph/testing/graph_place.h"
#include "weft/graph/value_text.h"
#include "weft/storage/counting_store.h"

namespace weft::graph {
namespace {

using codec::Digest16;

std::vector<KeyEntry> entries_of(size_t count) {
  std::vector<KeyEntry> entries;
  for (size_t i = 0; i < count; ++i) {
    entries.push_back({id_digest("key " + std::to_string(i)), i});
  }
  std::ranges::sort(entries);
  return entries;
}

TEST(KeyIndexText, GoesThereAndBack) {
  KeyIndex index;
  index.row_id_end = 1'000'000;
  index.gaps = {{3, 9}};
  index.waiting = entries_of(5);
  index.runs = {{"_weft/keys-a.run", 77, id_digest("x")}};
  const std::string text = serialize_key_index(index);
  EXPECT_EQ(parse_key_index(text).value(), index);
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parse_key_index(text.substr(0, size)).ok()) << size;
  }
  EXPECT_EQ(parse_key_index("00").error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(parse_key_index("03").error().kind(), ErrorKind::kUnsupported);
}

class KeyIndexTest : public testing::Test, public GraphPlace {
 protected:
  void SetUp() override {
    ASSERT_TRUE(create_graph(place(), ana(), {.schema_text = kPeople}).ok());
  }
  void cities(size_t from, size_t to, LoadMode mode) {
    std::string lines;
    for (size_t i = from; i < to; ++i) {
      lines += R"({"type":"City","data":{"name":")" + std::to_string(i) + "\"}}\n";
    }
    codec::MemoryInputView input(lines);
    const auto done = load(place(), ana(), {.mode = mode}, input, {});
    ASSERT_TRUE(done.ok()) << done.error().to_string();
  }
  // How many of the ids [0, to) are found, each at its row.
  size_t found(size_t to) {
    const auto graph = open_snapshot(place()).value();
    const TypeTable& table = *graph->find_node("City");
    columns::ArrayBuilder ids(columns::simple_type(columns::TypeId::kString));
    for (size_t i = 0; i < to; ++i) {
      ids.append_text(std::to_string(i));
    }
    const auto addresses = table.find(ids.finish()).value();
    size_t count = 0;
    for (size_t i = 0; i < to; ++i) {
      if (addresses[i] == TypeTable::kNoAddress) {
        continue;
      }
      ++count;
      const auto row = (*table.reader())->take_addresses({"id"}, std::vector{addresses[i]});
      EXPECT_EQ(row->column(0)->text(0), std::to_string(i));
    }
    return count;
  }
  KeyIndex index() {
    const auto graph = open_snapshot(place()).value();
    return key_index_of((*graph->find_node("City")->reader())->snapshot()).value();
  }
};

TEST_F(KeyIndexTest, CoversWhatManyCommitsInsert) {
  size_t end = 0;
  for (const size_t count : {1, 2, 60, 5, 1, 300, 7, 70, 3}) {
    cities(end, end + count, LoadMode::kAppend);
    end += count;
    cities(end - std::min<size_t>(count, 3), end, LoadMode::kMerge);
  }
  EXPECT_EQ(found(end + 50), end);
  const KeyIndex now = index();
  EXPECT_EQ(now.row_id_end, end);
  EXPECT_TRUE(now.gaps.empty());
  EXPECT_LE(now.runs.size(), 3U);
  cities(5, 8, LoadMode::kOverwrite);
  EXPECT_EQ(found(end), 3U);
  EXPECT_TRUE(index().runs.empty());
}

// Format 1 had runs of another form: all rows are read, and the next commit begins anew.
TEST_F(KeyIndexTest, AnIndexOfTheFormatBeforeCoversNothing) {
  cities(0, 100, LoadMode::kAppend);
  const auto graph = open_snapshot(place()).value();
  const lance::Snapshot now = (*graph->find_node("City")->reader())->snapshot();
  const std::string text = *lance::find_entry(now.manifest().config, kKeyIndexEntry);
  ASSERT_THAT(text, testing::StartsWith("02"));
  std::string file(as_text(now.file().view()));
  const size_t at = file.find(text);
  ASSERT_NE(at, std::string::npos);
  file[at + 1] = '1';
  const lance::Snapshot before =
      lance::Snapshot::from_bytes(now.location(), storage::Buffer::from(std::move(file)),
                                  now.naming())
          .value();
  const std::vector<Digest16> one{id_digest("7")};
  const auto none = [](size_t, uint64_t) { ADD_FAILURE(); };
  using Gaps = std::vector<KeyIndex::Gap>;
  EXPECT_EQ(find_row_ids(before, one, none).value(), (Gaps{{0, 100}}));
  EXPECT_TRUE(runs_of(before)->empty());
  lance::StageOptions options;
  options.operation = "x";
  options.random = &random_;
  const auto next = extend_key_index(before, one, false, options).value();
  const KeyIndex extended = parse_key_index(next.config.second).value();
  EXPECT_EQ(extended.gaps, (Gaps{{0, 100}}));
  EXPECT_EQ(extended.row_id_end, 101U);
  EXPECT_EQ(extended.waiting, (std::vector<KeyEntry>{{one[0], 100}}));
}

TEST_F(KeyIndexTest, ALookUpInAManyRowsReadsLittle) {
  constexpr size_t kRows = 200'000;
  cities(0, kRows, LoadMode::kAppend);
  storage::StoreCounter counter;
  const auto counting = storage::counting_store(store_, counter);
  const catalog::CatalogPlace counted{
      .store = *counting, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  std::string lines;
  for (size_t i = 0; i < 32; ++i) {
    lines += R"({"type":"City","data":{"name":")" + std::to_string(kRows - 16 + i) + "\"}}\n";
  }
  codec::MemoryInputView input(lines);
  const auto done = load(counted, ana(), {.mode = LoadMode::kMerge}, input, {});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  const storage::StoreCounts counts = counter.counts();
  const uint64_t bytes =
      counts[storage::Operation::kRead].bytes + counts[storage::Operation::kGet].bytes;
  RecordProperty("bytes_read", static_cast<int>(bytes));
  RecordProperty("calls", static_cast<int>(counts.calls()));
  RecordProperty("rounds", static_cast<int>(counts.rounds));
  EXPECT_LE(bytes, uint64_t{256} << 10U);
}

}  // namespace
}  // namespace weft::graph
