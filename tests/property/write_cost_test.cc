// What writes cost, counted at the store: calls, serial steps, bytes. Nothing here depends on time.
// With WEFT_NIGHTLY=1 also at 10,000 commits and 10 million rows. Figures: docs/benchmarks.md.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "weft/catalog/branches.h"
#include "weft/gqexec/mutation.h"
#include "weft/graph/branch.h"
#include "weft/graph/create.h"
#include "weft/graph/load.h"
#include "weft/graph/open_graph.h"
#include "weft/storage/counting_store.h"
#include "weft/storage/memory_store.h"

namespace weft {
namespace {

using storage::Operation;
using storage::StoreCounts;

constexpr uint64_t kStepsMax = 4;
constexpr uint64_t kColdStepsMax = 14;
// Of a cold insert that does not fold; one that does reads each of the files that it folds.
constexpr uint64_t kColdGets = 4;
constexpr uint64_t kCallsMax = 16;
constexpr uint64_t kBarriersMax = 3;
constexpr uint64_t kColdBytesMax = uint64_t{256} << 10U;

bool is_nightly() {
  return std::getenv("WEFT_NIGHTLY") != nullptr;  // NOLINT(concurrency-mt-unsafe): nobody sets any
}

uint64_t bytes_read(const StoreCounts& counts) {
  return counts[Operation::kRead].bytes + counts[Operation::kGet].bytes;
}

// Each makes what it puts durable before the next one begins.
uint64_t barriers(const StoreCounts& counts) {
  return counts[Operation::kPutIfAbsent].calls + counts[Operation::kPutIfMatch].calls +
         counts[Operation::kPublish].calls + counts[Operation::kSyncExisting].calls;
}

// Appending to a file that is not there yet is no call.
uint64_t calls(const StoreCounts& counts) {
  return counts.items() - counts[Operation::kAppend].items;
}

void tell(const std::string& what, const StoreCounts& counts) {
  std::string by_operation;
  for (size_t i = 0; i < storage::kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (counts[operation].items > 0) {
      by_operation += " " + std::string(storage::operation_name(operation)) + "=" +
                      std::to_string(counts[operation].items);
    }
  }
  std::printf("%-44s steps %2llu  calls %3llu  barriers %llu  read %8llu B %s\n", what.c_str(),
              static_cast<unsigned long long>(counts.rounds),
              static_cast<unsigned long long>(calls(counts)),
              static_cast<unsigned long long>(barriers(counts)),
              static_cast<unsigned long long>(bytes_read(counts)), by_operation.c_str());
}

class WriteCost : public testing::Test {
 protected:
  static std::string schema_of(int tables) {
    std::string text =
        "node Person { name: String @key  age: I32? }\nedge Knows: Person -> Person\n";
    for (int i = 2; i < tables; ++i) {
      text += "node Other" + std::to_string(i) + " { name: String @key  text: String? }\n";
    }
    return text;
  }

  void create(int tables) {
    const auto made = graph::create_graph(cold(), ana(), {.schema_text = schema_of(tables)});
    ASSERT_TRUE(made.ok()) << made.error().to_string();
  }
  void open() { open_ = std::make_unique<graph::OpenGraph>(*counted_, clock_, executor_); }
  catalog::CatalogPlace warm() { return open_->place(random_); }
  // Of a process that has just begun; until the next one does.
  catalog::CatalogPlace cold() {
    fresh_ = std::make_unique<graph::OpenGraph>(*counted_, clock_, executor_);
    return fresh_->place(random_);
  }
  graph::Authority ana() { return {"ana", everything_}; }

  void load_rows(uint64_t from, uint64_t to) {
    std::string lines;
    for (uint64_t i = from; i < to; ++i) {
      lines +=
          R"({"type":"Person","data":{"name":"p)" + std::to_string(i) + R"(","age":1}})" + "\n";
    }
    load(cold(), lines);
  }
  void load(const catalog::CatalogPlace& place, std::string_view lines,
            graph::LoadMode mode = graph::LoadMode::kAppend) {
    codec::MemoryInputView input(lines);
    const auto done = graph::load(place, ana(), {.mode = mode}, input, {});
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    ASSERT_TRUE(done->receipt->has_followed);
  }
  void insert(const catalog::CatalogPlace& place, const std::string& name) {
    const std::string parameters = R"({"n":")" + name + R"("})";
    const gqexec::MutationRequest request{
        .text = "query add($n: String) { insert Person { name: $n, age: 7 } }",
        .parameters = parameters};
    const auto done = gqexec::mutate(place, ana(), request, {});
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    ASSERT_TRUE(done->receipt->has_followed);
  }
  template <typename Do>
  StoreCounts cost_of(const std::string& what, const Do& act) {
    counter_.reset();
    act();
    const StoreCounts counts = counter_.counts();
    tell(what, counts);
    return counts;
  }

  // A look-up by a process that was not there before costs little; one that has made as many as the
  // index has MiB of pages (object_memory.h, R4) reads nothing for keys that it never asked for.
  void warm_up(uint64_t rows);
  // A table of so many rows, each number of them a commit.
  void check_insert(const std::vector<uint64_t>& loads, int tables, int depth);

  base::SystemClock clock_;
  base::Random random_{17};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
  storage::StoreCounter counter_;
  std::unique_ptr<storage::ObjectStore> counted_ = storage::counting_store(store_, counter_);
  std::unique_ptr<graph::OpenGraph> open_;
  std::unique_ptr<graph::OpenGraph> fresh_;
  graph::AllowEverything everything_;
};

void WriteCost::warm_up(uint64_t rows) {
  constexpr uint64_t kPageBytesPerRow = 3;
  // Eight commits fold: the last rows lie in fragments of their own as they did before.
  constexpr uint64_t kFold = 8;
  const uint64_t commits = (((rows * kPageBytesPerRow) >> 20U) / kFold + 1) * kFold;
  for (uint64_t i = 0; i < commits; ++i) {
    insert(warm(), "warming" + std::to_string(i));
  }
}

void WriteCost::check_insert(const std::vector<uint64_t>& loads, int tables, int depth) {
  create(tables);
  uint64_t rows = 0;
  for (const uint64_t count : loads) {
    load_rows(rows, rows + count);
    rows += count;
  }
  const std::string at = std::to_string(rows) + " rows, " + std::to_string(tables) + " tables, " +
                         std::to_string(depth) + " commits";
  const StoreCounts first = cost_of("first insert, " + at, [&] { insert(cold(), "first"); });
  EXPECT_LE(bytes_read(first), kColdBytesMax);
  open();
  for (int i = 2; i < depth; ++i) {
    insert(warm(), "depth" + std::to_string(i));
  }
  warm_up(rows);
  const StoreCounts opened = cost_of("open, " + at, [&] {
    const auto graph = graph::open_snapshot(cold());
    ASSERT_TRUE(graph.ok()) << graph.error().to_string();
  });
  EXPECT_LE(opened.rounds, kStepsMax);
  EXPECT_LE(calls(opened), 8U);
  const auto check_warm = [&](const StoreCounts& counts) {
    EXPECT_LE(counts.rounds, kStepsMax);
    EXPECT_LE(calls(counts), kCallsMax);
    EXPECT_LE(barriers(counts), kBarriersMax);
    EXPECT_EQ(bytes_read(counts), 0U);
  };
  check_warm(cost_of("warm insert, " + at, [&] { insert(warm(), "warm"); }));
  check_warm(cost_of("warm load of a row, " + at,
                     [&] { load(warm(), R"({"type":"Person","data":{"name":"loaded"}})"); }));
  check_warm(cost_of("warm upsert, " + at, [&] {
    load(warm(), R"({"type":"Person","data":{"name":"warm"}})", graph::LoadMode::kMerge);
  }));
  load(warm(), R"({"edge":"Knows","from":"warm","to":"warm"})");
  check_warm(cost_of("warm edge, " + at,
                     [&] { load(warm(), R"({"edge":"Knows","from":"warm","to":"loaded"})"); }));
  // One of eight or more folds the tail of the table.
  for (int i = 0; i < 8; ++i) {
    const StoreCounts cold_insert =
        cost_of("cold insert, " + at, [&] { insert(cold(), "cold" + std::to_string(i)); });
    EXPECT_LE(bytes_read(cold_insert), kColdBytesMax);
    EXPECT_LE(cold_insert.rounds, kColdStepsMax + cold_insert[Operation::kGet].calls - kColdGets);
  }
}

TEST_F(WriteCost, OfASmallGraph) {
  check_insert({100}, 2, 10);
}
TEST_F(WriteCost, OfTenThousandRows) {
  check_insert({10'000}, 2, 10);
}
// Each load leaves a run of the key index beside the larger ones of before.
TEST_F(WriteCost, OfSeveralRuns) {
  check_insert({200'000, 40'000, 8'000, 1'600, 320, 70}, 2, 10);
}
TEST_F(WriteCost, OfTwoHundredTables) {
  check_insert({10'000}, 200, 10);
}
TEST_F(WriteCost, OfALongHistory) {
  check_insert({100}, 2, is_nightly() ? 10'000 : 300);
}
TEST_F(WriteCost, OfTenMillionRows) {
  if (!is_nightly()) {
    GTEST_SKIP() << "with WEFT_NIGHTLY=1";
  }
  check_insert({10'000'000}, 2, 10);
}

// Of each row that came by a commit of its own the format keeps in every manifest in which versions
// it was made and last changed. A commit puts two manifests of the table: the staged one and the
// head.
constexpr uint64_t kVersionBytesPerRow = 24;
constexpr uint64_t kManifestsPerCommit = 2;

// Commits of one row each, by one writer: fragments stay few, and the last commits cost what the
// first ones did, but for what the format adds.
TEST_F(WriteCost, OfManySmallCommits) {
  create(2);
  open();
  const int commits = is_nightly() ? 10'000 : 300;
  uint64_t calls_early = 0;
  uint64_t bytes_early = 0;
  uint64_t calls_late = 0;
  uint64_t bytes_late = 0;
  for (int i = 0; i < commits; ++i) {
    counter_.reset();
    insert(warm(), "row" + std::to_string(i));
    const StoreCounts counts = counter_.counts();
    if (i < 10) {
      calls_early = std::max(calls_early, calls(counts));
      bytes_early = std::max(bytes_early, counts[Operation::kPutIfAbsent].bytes);
    } else if (i >= commits - 64) {
      // All that the folding of a power of eight brings is among the last 64.
      calls_late = std::max(calls_late, calls(counts));
      bytes_late += counts[Operation::kPutIfAbsent].bytes;
    }
  }
  bytes_late /= 64;
  std::printf(
      "calls %llu, then %llu; bytes put %llu, then %llu\n",
      static_cast<unsigned long long>(calls_early), static_cast<unsigned long long>(calls_late),
      static_cast<unsigned long long>(bytes_early), static_cast<unsigned long long>(bytes_late));
  EXPECT_LE(calls_late, 2 * calls_early);
  EXPECT_LE(bytes_late, 2 * bytes_early + kManifestsPerCommit * kVersionBytesPerRow *
                                              static_cast<uint64_t>(commits));
  const auto graph = graph::open_snapshot(cold()).value();
  const auto reader = graph->find_node("Person")->reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->row_count(), static_cast<uint64_t>(commits));
  EXPECT_LE((*reader)->snapshot().manifest().fragments.size(), lance::kTailFragmentsMax);
  EXPECT_LE(graph->view().snapshot().manifest().fragments.size(), lance::kTailFragmentsMax + 1);
}

TEST_F(WriteCost, OfABranch) {
  create(2);
  load_rows(0, 100);
  open();
  const catalog::CatalogPlace place = warm();
  insert(place, "warming");
  const StoreCounts counts = cost_of("branch", [&] {
    const auto made = graph::create_branch(place, ana(), "review", {});
    ASSERT_TRUE(made.ok()) << made.error().to_string();
  });
  EXPECT_LE(calls(counts), 4U);
  EXPECT_EQ(counts[Operation::kPutIfAbsent].items, 1U);
  const StoreCounts fresh = cost_of("branch, opened anew", [&] {
    const auto made = graph::create_branch(cold(), ana(), "other", {});
    ASSERT_TRUE(made.ok()) << made.error().to_string();
  });
  // Three of them open the graph.
  EXPECT_LE(calls(fresh), 5U);
  EXPECT_EQ(fresh[Operation::kPutIfAbsent].items, 1U);
}

}  // namespace
}  // namespace weft
