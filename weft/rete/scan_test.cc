// Scans, counts and lookups against the rows of one full scan.
#include <algorithm>
#include <array>
#include <atomic>
#include <map>

#include <gtest/gtest.h>

#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/rete/segment.h"
#include "weft/rete/testing/segment_maker.h"
#include "weft/rete/testing/segment_probe.h"

namespace weft::rete {
namespace {

using rdf::GraphScope;
using rdf::Permutation;
using LocalRow = std::array<uint32_t, 4>;  // graph, subject, predicate, object

std::shared_ptr<Segment> open_bytes(const std::string& bytes, SegmentOptions options = {},
                                    bool is_remote = false, ReadCounters* counters = nullptr) {
  auto segment = Segment::open(bytes_reader(bytes, is_remote, {}, counters), options);
  EXPECT_TRUE(segment.ok()) << segment.error().to_string();
  return *segment;
}

void take(const LocalBatch& batch, NodeId graph, std::vector<LocalRow>& rows) {
  for (size_t i = 0; i < batch.size(); ++i) {
    rows.push_back({batch.graph.empty() ? graph : batch.graph[i], batch.subject[i],
                    batch.predicate[i], batch.object[i]});
  }
}

std::vector<LocalRow> scan_all(Segment& segment, const LocalPattern& pattern,
                               Permutation permutation) {
  std::vector<LocalRow> rows;
  auto cursor = segment.scan(pattern, permutation, {});
  EXPECT_TRUE(cursor.ok()) << cursor.error().to_string();
  LocalBatch batch;
  while (true) {
    const Status status = (*cursor)->next(batch);
    EXPECT_TRUE(status.ok()) << status.error().to_string();
    if (!status.ok() || batch.size() == 0) {
      return rows;
    }
    EXPECT_LE(batch.size(), SegmentCursor::kBatchRows);
    take(batch, pattern.scope == GraphScope::kOne ? pattern.graph : 0, rows);
  }
}

// The row in the order of a permutation, graph first.
std::array<uint32_t, 4> key_of(const LocalRow& row, Permutation permutation) {
  std::array<uint32_t, 4> key{row[0], 0, 0, 0};
  for (size_t i = 0; i < 3; ++i) {
    key[i + 1] = row[1 + static_cast<size_t>(rdf::positions(permutation)[i])];
  }
  return key;
}

bool matches(const LocalRow& row, const LocalPattern& pattern) {
  return (pattern.scope == GraphScope::kDefault ? row[0] == 0
          : pattern.scope == GraphScope::kOne   ? row[0] == pattern.graph
                                                : row[0] != 0) &&
         (pattern.subject == 0 || row[1] == pattern.subject) &&
         (pattern.predicate == 0 || row[2] == pattern.predicate) &&
         (pattern.object == 0 || row[3] == pattern.object);
}

std::vector<LocalRow> expected_rows(const std::vector<LocalRow>& all, const LocalPattern& pattern,
                                    Permutation permutation) {
  std::vector<LocalRow> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
               [&](const LocalRow& row) { return matches(row, pattern); });
  std::sort(rows.begin(), rows.end(), [&](const LocalRow& a, const LocalRow& b) {
    return key_of(a, permutation) < key_of(b, permutation);
  });
  return rows;
}

// Rows of both scopes; graphs known to the segment.
std::vector<LocalRow> everything(Segment& segment) {
  std::vector<LocalRow> all = scan_all(segment, {}, Permutation::kSpo);
  LocalPattern named;
  named.scope = GraphScope::kAllNamed;
  const std::vector<LocalRow> in_graphs = scan_all(segment, named, Permutation::kSpo);
  all.insert(all.end(), in_graphs.begin(), in_graphs.end());
  EXPECT_EQ(all.size(), segment.facts().quad_count);
  return all;
}

// A pattern that binds a random part of a random row, sometimes with a term that is not there.
LocalPattern random_pattern(base::Random& random, const std::vector<LocalRow>& all,
                            const TermCounts& counts) {
  const LocalRow& row = all[random.below(all.size())];
  LocalPattern pattern;
  pattern.subject = random.chance(1, 2) ? row[1] : 0;
  pattern.predicate = random.chance(1, 2) ? row[2] : 0;
  pattern.object = random.chance(1, 2) ? row[3] : 0;
  if (random.chance(1, 20)) {
    pattern.subject = 1 + static_cast<uint32_t>(random.below(counts.nodes()));
  }
  pattern.scope = static_cast<GraphScope>(random.below(3));
  if (pattern.scope == GraphScope::kOne) {
    pattern.graph = row[0] != 0 ? row[0] : 1 + static_cast<uint32_t>(random.below(counts.nodes()));
  }
  return pattern;
}

void check_patterns(Segment& segment, size_t rounds) {
  const std::vector<LocalRow> all = everything(segment);
  if (all.empty()) {
    return;
  }
  const auto counts = segment.term_counts();
  ASSERT_TRUE(counts.ok());
  base::Random random(7);
  for (size_t round = 0; round < rounds; ++round) {
    const LocalPattern pattern = random_pattern(random, all, *counts);
    const auto permutation = static_cast<Permutation>(random.below(6));
    if (!segment.has_permutation(permutation)) {
      EXPECT_FALSE(segment.scan(pattern, permutation, {}).ok());
      continue;
    }
    const std::vector<LocalRow> expected = expected_rows(all, pattern, permutation);
    ASSERT_EQ(scan_all(segment, pattern, permutation), expected);
    const auto count = segment.count(pattern, {});
    ASSERT_TRUE(count.ok()) << count.error().to_string();
    if (count->exact) {
      ASSERT_EQ(count->rows, static_cast<double>(expected.size()));
    } else {
      ASSERT_GE(count->rows, 0);
    }
  }
}

// Jumps forward at random and never misses a row at or behind the key.
void check_seeks(Segment& segment, size_t rounds) {
  const std::vector<LocalRow> all = everything(segment);
  const auto counts = segment.term_counts();
  ASSERT_TRUE(counts.ok());
  base::Random random(11);
  for (size_t round = 0; round < rounds && !all.empty(); ++round) {
    const LocalPattern pattern = random_pattern(random, all, *counts);
    const auto permutation = static_cast<Permutation>(random.below(6));
    if (!segment.has_permutation(permutation)) {
      continue;
    }
    const std::vector<LocalRow> expected = expected_rows(all, pattern, permutation);
    auto cursor = segment.scan(pattern, permutation, {});
    ASSERT_TRUE(cursor.ok());
    std::array<uint32_t, 4> low{};
    std::vector<LocalRow> got;
    std::vector<LocalRow> due;
    LocalBatch batch;
    size_t at = 0;  // rows of `expected` before it are behind us
    for (int step = 0; step < 6; ++step) {
      if (!expected.empty() && random.chance(2, 3)) {
        // A key near a row further on, not always one that exists.
        const size_t further =
            at + random.below(expected.size() - std::min(at, expected.size() - 1));
        low = key_of(expected[std::min(further, expected.size() - 1)], permutation);
        low[1 + random.below(3)] += static_cast<uint32_t>(random.below(3));
        const RowKey key{pattern.scope == GraphScope::kAllNamed ? low[0] : 0, low[1], low[2],
                         low[3]};
        ASSERT_TRUE((*cursor)->seek(key).ok());
        while (at < expected.size() && key_of(expected[at], permutation) < low) {
          ++at;
        }
      }
      ASSERT_TRUE((*cursor)->next(batch).ok());
      std::vector<LocalRow> rows;
      take(batch, pattern.scope == GraphScope::kOne ? pattern.graph : 0, rows);
      if (rows.empty()) {
        ASSERT_EQ(at, expected.size());
        break;
      }
      // Rows before the key may come or not; those from it on must come, in order.
      size_t skip = 0;
      while (skip < rows.size() && at < expected.size() && rows[skip] != expected[at]) {
        ASSERT_LT(key_of(rows[skip], permutation), low);
        ++skip;
      }
      for (; skip < rows.size(); ++skip, ++at) {
        ASSERT_LT(at, expected.size());
        ASSERT_EQ(rows[skip], expected[at]);
      }
    }
  }
}

void check_terms(Segment& segment) {
  const auto counts = segment.term_counts();
  ASSERT_TRUE(counts.ok());
  std::vector<NodeId> nodes;
  std::vector<PredicateId> predicates;
  for (uint32_t i = 1; i <= counts->nodes(); ++i) {
    nodes.push_back(i);
  }
  for (uint32_t i = 1; i <= counts->predicates; ++i) {
    predicates.push_back(i);
  }
  TokenTable tokens;
  ASSERT_TRUE(segment.tokens_of(nodes, predicates, tokens, {}).ok());
  ASSERT_EQ(tokens.size(), nodes.size() + predicates.size());
  // Backwards, and each token is found again.
  std::vector<std::string_view> views;
  for (size_t i = tokens.size(); i-- > 0;) {
    views.push_back(tokens[i]);
  }
  views.push_back("<http://nowhere/>");
  views.push_back("");
  views.push_back("~~~~");
  std::vector<LocalTerm> found;
  ASSERT_TRUE(segment.find(views, TermRoles::kBoth, found, {}).ok());
  for (size_t i = 0; i < tokens.size(); ++i) {
    const size_t original = tokens.size() - 1 - i;
    if (original < nodes.size()) {
      EXPECT_EQ(found[i].node, nodes[original]) << views[i];
    } else {
      EXPECT_EQ(found[i].predicate, predicates[original - nodes.size()]) << views[i];
    }
  }
  for (size_t i = tokens.size(); i < views.size(); ++i) {
    EXPECT_EQ(found[i], LocalTerm{}) << views[i];
  }
  // Shuffled ids give the same tokens.
  base::Random random(3);
  std::vector<NodeId> shuffled = nodes;
  for (size_t i = shuffled.size(); i > 1; --i) {
    std::swap(shuffled[i - 1], shuffled[random.below(i)]);
  }
  TokenTable again;
  ASSERT_TRUE(segment.tokens_of(shuffled, {}, again, {}).ok());
  for (size_t i = 0; i < shuffled.size(); ++i) {
    ASSERT_EQ(again[i], tokens[shuffled[i] - 1]);
  }
  EXPECT_EQ(segment.tokens_of(std::vector<NodeId>{0}, {}, again, {}).error().kind(),
            ErrorKind::kInternal);
  EXPECT_EQ(
      segment.tokens_of(std::vector<NodeId>{counts->nodes() + 1}, {}, again, {}).error().kind(),
      ErrorKind::kInternal);
}

BuildOptions small_blocks() {
  BuildOptions options;
  options.tile_bytes = 1024;
  options.chunk_bytes = 1024;
  return options;
}

TEST(Scan, EveryPatternInEveryOrderGivesItsRows) {
  const auto segment = open_bytes(make_segment(random_quads(21, 5000, 12), small_blocks()));
  check_patterns(*segment, 600);
}

TEST(Scan, OneGroupOverManyTilesIsWhole) {
  std::vector<QuadText> quads;
  for (int i = 0; i < 3000; ++i) {
    quads.push_back({"<http://e/hub>", "<http://e/p>", "\"" + std::to_string(i) + "\"",
                     i % 2 == 0 ? "" : "<http://e/g>"});
    quads.push_back(
        {"<http://e/s" + std::to_string(i) + ">", "<http://e/type>", "<http://e/C>", ""});
  }
  const auto segment = open_bytes(make_segment(quads, small_blocks()));
  check_patterns(*segment, 200);
  check_seeks(*segment, 200);
}

TEST(Scan, ManyGraphsShareTiles) {
  const auto segment = open_bytes(make_segment(random_quads(22, 6000, 1500), small_blocks()));
  check_patterns(*segment, 300);
  check_seeks(*segment, 300);
}

TEST(Scan, SeekNeverLosesARow) {
  const auto segment = open_bytes(make_segment(random_quads(23, 5000, 12), small_blocks()));
  check_seeks(*segment, 600);
}

TEST(Scan, FilesOfOthersAnswerEveryPattern) {
  const std::string folder = test_data("rete-golden");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/rete-golden is absent";
  }
  for (const char* name :
       {"graphs-few.05old.rete", "graphs-few.05.rete", "graphs-few.06.rete",
        "graphs-few.p3.06.rete", "graphs-few.codec0.06.rete", "graphs-many.05.rete",
        "graphs-many.06.rete", "graphs-many.order.06.rete", "blocks.min.05.rete",
        "blocks.min.06.rete", "leaves.min.06.rete", "star.min.05.rete", "terms.05.rete",
        "empty.min.05.rete"}) {
    SCOPED_TRACE(name);
    const auto segment = open_bytes(read_whole(folder + "/" + name));
    check_patterns(*segment, 150);
    check_seeks(*segment, 100);
    check_terms(*segment);
  }
}

TEST(Scan, TermsAreFoundBothWays) {
  check_terms(*open_bytes(make_segment(random_quads(24, 5000, 12), small_blocks())));
  check_terms(*open_bytes(make_segment(random_quads(25, 20, 0))));
  check_terms(*open_bytes(make_segment({})));
}

TEST(Scan, GraphsAreListedWithTheirCounts) {
  const auto segment = open_bytes(make_segment(random_quads(26, 4000, 1200), small_blocks()));
  std::map<uint32_t, uint64_t> expected;
  for (const LocalRow& row : everything(*segment)) {
    if (row[0] != 0) {
      ++expected[row[0]];
    }
  }
  const auto graphs = segment->graphs({});
  ASSERT_TRUE(graphs.ok());
  ASSERT_EQ((*graphs)->size(), expected.size());
  EXPECT_EQ(segment->facts().graph_count, expected.size());
  for (const GraphEntry& entry : **graphs) {
    EXPECT_EQ(entry.quad_count, expected[entry.graph]);
    EXPECT_EQ(*segment->quads_in_graph(entry.graph, {}), entry.quad_count);
  }
  const auto counts = segment->term_counts();
  for (uint32_t node = 1; node <= counts->nodes(); ++node) {
    if (!expected.contains(node)) {
      ASSERT_EQ(*segment->quads_in_graph(node, {}), 0U);
    }
  }
}

TEST(Scan, ARequestedStopEndsIt) {
  const auto segment = open_bytes(make_segment(random_quads(27, 100, 0)));
  std::stop_source source;
  auto cursor = segment->scan({}, Permutation::kSpo, source.get_token());
  ASSERT_TRUE(cursor.ok());
  source.request_stop();
  LocalBatch batch;
  EXPECT_EQ((*cursor)->next(batch).error().kind(), ErrorKind::kCancelled);
}

TEST(Scan, ACursorOutlivesTheHandleOfItsSegment) {
  auto segment = open_bytes(make_segment(random_quads(28, 300, 0)));
  auto cursor = segment->scan({}, Permutation::kSpo, {});
  segment.reset();
  LocalBatch batch;
  ASSERT_TRUE((*cursor)->next(batch).ok());
  EXPECT_GT(batch.size(), 100U);
}

TEST(Scan, ATinyCacheChangesNothing) {
  SegmentOptions options;
  options.cache = std::make_shared<BlockCache>(4096);
  const auto segment = open_bytes(make_segment(random_quads(29, 3000, 5), small_blocks()), options);
  check_patterns(*segment, 100);
  EXPECT_LE(options.cache->counters().held_bytes, 4096U);
}

TEST(Remote, AFewReadsAnswerASelectivePattern) {
  const std::string bytes = make_segment(random_quads(30, 60'000, 0));
  ReadCounters counters;
  const auto segment = open_bytes(bytes, {}, true, &counters);
  EXPECT_EQ(counters.calls, 1U);
  const std::vector<std::string_view> tokens = {"<http://example.org/s17>",
                                                "<http://example.org/p3>"};
  std::vector<LocalTerm> found;
  ASSERT_TRUE(segment->find(tokens, TermRoles::kBoth, found, {}).ok());
  ASSERT_NE(found[0].node, 0U);
  ASSERT_NE(found[1].predicate, 0U);
  LocalPattern pattern;
  pattern.subject = found[0].node;
  const std::vector<LocalRow> rows = scan_all(*segment, pattern, Permutation::kSpo);
  ASSERT_FALSE(rows.empty());
  std::vector<NodeId> objects;
  for (const LocalRow& row : rows) {
    objects.push_back(row[3]);
  }
  TokenTable texts;
  ASSERT_TRUE(segment->tokens_of(objects, {}, texts, {}).ok());
  EXPECT_LE(counters.calls, 6U);
  EXPECT_LE(counters.ranges, 16U);
}

TEST(Remote, PrefetchLeavesNothingToRead) {
  BuildOptions options = small_blocks();
  const std::string bytes = make_segment(random_quads(31, 40'000, 3), options);
  ReadCounters counters;
  const auto segment = open_bytes(bytes, {}, true, &counters);
  std::vector<LocalPattern> patterns;
  for (NodeId subject = 10; subject < 400; subject += 40) {
    patterns.push_back({.subject = subject});
  }
  ASSERT_TRUE(segment->prefetch(patterns, Permutation::kSpo, {}).ok());
  const uint64_t before = counters.calls;
  EXPECT_LE(before, 4U);
  for (const LocalPattern& pattern : patterns) {
    scan_all(*segment, pattern, Permutation::kSpo);
  }
  EXPECT_EQ(counters.calls, before);
}

TEST(SegmentThreads, ManyThreadsAskOneSegment) {
  const std::string bytes = make_segment(random_quads(32, 4000, 6), small_blocks());
  base::ThreadPool pool(4);
  SegmentOptions options;
  options.cache = std::make_shared<BlockCache>(uint64_t{64} << 10U);
  options.executor = &pool;
  const auto segment = open_bytes(bytes, options);
  const auto alone = open_bytes(bytes);
  const std::vector<LocalRow> all = everything(*alone);
  const auto counts = alone->term_counts();
  std::atomic<size_t> wrong = 0;
  const Status status = pool.for_each(8, [&](size_t index) -> Status {
    base::Random random(index);
    for (int round = 0; round < 40; ++round) {
      const LocalPattern pattern = random_pattern(random, all, *counts);
      const auto permutation = static_cast<Permutation>(random.below(6));
      if (scan_all(*segment, pattern, permutation) != expected_rows(all, pattern, permutation)) {
        ++wrong;
      }
      TokenTable tokens;
      WEFT_TRY_STATUS(segment->tokens_of(
          std::vector<NodeId>{1 + static_cast<uint32_t>(random.below(counts->nodes()))}, {}, tokens,
          {}));
    }
    return ok_status();
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(wrong, 0U);
}

TEST(SegmentThreads, FirstQuestionsRace) {
  const std::string folder = test_data("rete-golden");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/rete-golden is absent";
  }
  base::ThreadPool pool(4);
  for (const char* name : {"graphs-few.05old.rete", "graphs-few.06.rete"}) {
    const auto segment = open_bytes(read_whole(folder + "/" + name));
    std::atomic<uint64_t> rows = 0;
    ASSERT_TRUE(pool.for_each(4,
                              [&](size_t) -> Status {
                                rows += scan_all(*segment, {}, Permutation::kSpo).size();
                                return ok_status();
                              })
                    .ok());
    EXPECT_EQ(rows % 4, 0U);
    EXPECT_GT(rows, 0U);
  }
}

}  // namespace
}  // namespace weft::rete
