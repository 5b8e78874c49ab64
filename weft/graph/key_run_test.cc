#include "weft/graph/key_run.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "weft/graph/key_run_layout.h"
#include "weft/graph/testing/graph_place.h"
#include "weft/graph/value_text.h"
#include "weft/storage/counting_store.h"
#include "weft/storage/object_memory.h"

namespace weft::graph {
namespace {

using codec::Digest16;

std::vector<KeyEntry> entries_of(size_t from, size_t to) {
  std::vector<KeyEntry> entries;
  for (size_t i = from; i < to; ++i) {
    entries.push_back({id_digest("key " + std::to_string(i)), i});
  }
  std::ranges::sort(entries);
  return entries;
}

std::vector<Digest16> digests_of(const std::vector<size_t>& keys) {
  std::vector<Digest16> digests;
  for (const size_t key : keys) {
    digests.push_back(id_digest("key " + std::to_string(key)));
  }
  std::ranges::sort(digests);
  return digests;
}

class KeyRunTest : public testing::Test, public GraphPlace {
 protected:
  NamedRun put(const std::vector<KeyEntry>& entries, const std::string& name = "x.run") {
    NamedRun run{name, {.path = name, .entries = entries.size(), .root_hash = {}}};
    file_ = serialize_run(entries, run.run.root_hash);
    EXPECT_TRUE(store_.put_if_absent(name, as_bytes(file_)).ok());
    return run;
  }
  void put_again(const std::string& file) {
    ASSERT_TRUE(store_.remove("x.run").ok());
    ASSERT_TRUE(store_.put_if_absent("x.run", as_bytes(file)).ok());
  }
  // Row ids of the keys that are found, ascending.
  std::vector<uint64_t> find(storage::ObjectStore& store, const std::vector<NamedRun>& runs,
                             const std::vector<size_t>& keys) {
    const std::vector<Digest16> digests = digests_of(keys);
    std::vector<uint64_t> found;
    const Status done = find_in_runs(store, runs, digests, [&](size_t index, uint64_t row_id) {
      EXPECT_EQ(id_digest("key " + std::to_string(row_id)), digests[index]);
      found.push_back(row_id);
    });
    EXPECT_TRUE(done.ok());
    std::ranges::sort(found);
    return found;
  }
  // Of a look-up.
  storage::StoreCounts cost(storage::ObjectStore& counted, const std::vector<NamedRun>& runs,
                            const std::vector<size_t>& keys, size_t found) {
    counter_.reset();
    EXPECT_EQ(find(counted, runs, keys).size(), found);
    return counter_.counts();
  }

  std::string file_;
  storage::StoreCounter counter_;
  std::unique_ptr<storage::ObjectStore> counted_ = storage::counting_store(store_, counter_);
};

TEST_F(KeyRunTest, FindsWhatIsThereAndNothingElse) {
  for (const size_t count : {size_t{1}, size_t{31}, size_t{32}, size_t{33}, size_t{256},
                             size_t{257}, size_t{4096}, size_t{4097}, size_t{20'000}}) {
    ASSERT_TRUE(store_.remove("x.run").ok());
    const std::vector<KeyEntry> entries = entries_of(0, count);
    const NamedRun run = put(entries);
    EXPECT_EQ(root_offset(count), RunLayout(count).root_begin());
    EXPECT_EQ(file_.size(), RunLayout(count).file_bytes());
    EXPECT_EQ(read_runs(store_, {run}).value().front(), entries);
    for (const size_t asked : {size_t{3}, size_t{9}, count}) {
      std::vector<size_t> keys;
      for (size_t i = 0; i < asked; ++i) {
        keys.push_back(i * 7);
      }
      EXPECT_EQ(find(store_, {run}, keys).size(), std::min(asked, (count + 6) / 7)) << count;
    }
  }
}

// A digest may stand in a run more than once (values), also over the edges of blocks.
TEST_F(KeyRunTest, FindsAllRowsOfADigest) {
  std::vector<KeyEntry> entries = entries_of(0, 3'000);
  for (uint64_t row = 10'000; row < 10'100; ++row) {
    entries.push_back({id_digest("key 7"), row});
  }
  std::ranges::sort(entries);
  const NamedRun run = put(entries);
  const std::vector<Digest16> digests = digests_of({7});
  std::vector<uint64_t> found;
  ASSERT_TRUE(find_in_runs(store_, {run}, digests, [&](size_t, uint64_t row_id) {
                found.push_back(row_id);
              }).ok());
  EXPECT_EQ(found.size(), 101U);
}

TEST(RunLayoutTest, APageIsNoLargerThanTheRoot) {
  for (const uint64_t entries : {uint64_t{20'000}, uint64_t{200'000}, uint64_t{1'000'000},
                                 uint64_t{10'000'000}, kRunEntriesMax}) {
    const RunLayout layout(entries);
    EXPECT_LE(layout.page(0).size, layout.root().size) << entries;
    EXPECT_GE(layout.page(0).size * 8, layout.root().size) << entries;
    EXPECT_LE(layout.root().size + layout.page(0).size, uint64_t{96} << 10U) << entries;
  }
}

// The roots of all runs are one step, their pages another one; an absent key needs no block.
TEST_F(KeyRunTest, RunsAreLookedUpSideBySide) {
  std::vector<NamedRun> runs;
  size_t from = 0;
  for (const size_t count : {40'000, 20'000, 10'000, 300, 70}) {
    runs.push_back(put(entries_of(from, from + count), std::to_string(count)));
    from += count;
  }
  const storage::StoreCounts absent = cost(*counted_, runs, {1'000'000}, 0);
  EXPECT_EQ(absent.rounds, 2U);
  EXPECT_EQ(absent[storage::Operation::kRead].items, 8U);  // of two of the runs all pages
  EXPECT_LE(absent[storage::Operation::kRead].bytes, 20'000U);
  const storage::StoreCounts present = cost(*counted_, runs, {50'000}, 1);
  EXPECT_EQ(present.rounds, 3U);
  EXPECT_EQ(present[storage::Operation::kRead].items, 9U);
  std::vector<size_t> many;
  for (size_t key = 0; key < 100; ++key) {
    many.push_back(key * 1'000);
  }
  // The two small ones and that of 10,000 as a whole, together.
  EXPECT_EQ(cost(*counted_, runs, many, 71).rounds, 4U);
}

TEST_F(KeyRunTest, OfAbsentKeysOneInTwoThousandNeedsABlock) {
  const NamedRun run = put(entries_of(0, 20'000));
  uint64_t blocks = 0;
  for (size_t key = 0; key < 20'000; ++key) {
    blocks += cost(*counted_, {run}, {100'000 + key}, 0)[storage::Operation::kRead].items - 2;
  }
  EXPECT_GE(blocks, 1U);
  EXPECT_LE(blocks, 30U);
}

// A process that goes on looking up reads all pages once, and then nothing for a key that is not
// there; the first look-ups do not pay for it.
TEST_F(KeyRunTest, PagesThatAreAskedForAgainAndAgainAreKept) {
  const std::vector<NamedRun> runs{put(entries_of(0, 200'000), "large"),
                                   put(entries_of(200'000, 230'000), "small")};
  storage::ObjectMemory memory(uint64_t{64} << 20U);
  const auto store = storage::remembering_store(*counted_, memory,
                                                [](std::string_view, uint64_t) { return true; });
  const uint64_t tails = RunLayout(200'000).tail().size + RunLayout(30'000).file_bytes();
  const storage::StoreCounts first = cost(*store, runs, {1'000'000}, 0);
  EXPECT_EQ(first.rounds, 2U);
  EXPECT_LE(first[storage::Operation::kRead].bytes, 8'400U);
  const storage::StoreCounts second = cost(*store, runs, {1'000'001}, 0);
  EXPECT_EQ(second.rounds, 1U);
  EXPECT_LE(second[storage::Operation::kRead].bytes, tails + storage::kRememberedBlockBytes);
  uint64_t read = 0;
  for (size_t key = 1'000'002; key < 1'000'200; ++key) {
    read += cost(*store, runs, {key}, 0)[storage::Operation::kRead].items;
  }
  EXPECT_EQ(read, 0U);
  // One that is there needs its block, of the run that is too large to be kept as a whole.
  EXPECT_EQ(cost(*store, runs, {77}, 1)[storage::Operation::kRead].items, 1U);
  EXPECT_EQ(cost(*store, runs, {200'077}, 1)[storage::Operation::kRead].items, 0U);
}

TEST_F(KeyRunTest, DamageIsNamed) {
  constexpr size_t kEntries = 3'000;
  const std::vector<KeyEntry> entries = entries_of(0, kEntries);
  const NamedRun run = put(entries);
  const RunLayout layout(kEntries);
  const std::string whole = file_;
  // A byte of each block, and each byte of the pages and of the root.
  std::vector<size_t> places;
  for (uint64_t at = 5; at < layout.pages_begin(); at += kBlockBytes + 7) {
    places.push_back(at);
  }
  for (uint64_t at = layout.pages_begin(); at < layout.file_bytes(); ++at) {
    places.push_back(at);
  }
  for (const size_t at : places) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    put_again(damaged);
    const auto read = read_runs(store_, {run});
    ASSERT_FALSE(read.ok()) << at;
    EXPECT_EQ(read.error().kind(), ErrorKind::kCorrupt) << at;
    // What a look-up reads is checked too: that of a key below the damaged byte.
    size_t entry = at / kKeyEntryBytes;
    if (at >= layout.pages_begin()) {
      const uint64_t in_page = at - layout.pages_begin();
      const uint64_t page = std::min(in_page / layout.page(0).size, layout.pages - 1);
      entry = page * layout.blocks_per_page * kEntriesPerBlock;
    }
    const std::vector<Digest16> digests{entries[entry].digest};
    const Status found = find_in_runs(store_, {run}, digests, [](size_t, uint64_t) {});
    ASSERT_FALSE(found.ok()) << at;
    EXPECT_EQ(found.error().kind(), ErrorKind::kCorrupt) << at;
    EXPECT_EQ(found.error().fact("object"), "x.run");
  }
  put_again(whole.substr(1));
  EXPECT_EQ(read_runs(store_, {run}).error().kind(), ErrorKind::kCorrupt);
  ASSERT_TRUE(store_.remove("x.run").ok());
  const auto gone = read_runs(store_, {run});
  EXPECT_EQ(gone.error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(gone.error().fact("object"), "x.run");
  for (const uint64_t count : {uint64_t{0}, kRunEntriesMax + 1}) {
    EXPECT_EQ(read_runs(store_, {{"x.run", {"x.run", count, {}}}}).error().kind(),
              ErrorKind::kCorrupt);
  }
}

}  // namespace
}  // namespace weft::graph
