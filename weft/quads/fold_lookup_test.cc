// Fold::lookup against scans, which fold_test.cc holds against the model.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/quads/fold.h"
#include "weft/quads/test_log.h"

namespace weft::quads {
namespace {

using Row = std::vector<rdf::TermId>;

std::vector<Row> rows_of(const rdf::IdBatch& batch, size_t begin, size_t end) {
  std::vector<Row> rows;
  for (size_t i = begin; i < end; ++i) {
    rows.push_back({batch.subject[i], batch.predicate[i], batch.object[i]});
  }
  return rows;
}

// What was seen over all of a test: none of it may be missing.
struct Seen {
  size_t rows = 0;
  size_t cut_short = 0;  // batches of which only the first patterns were done
  size_t refused = 0;
};

// `rows` and `ends` are what look_up says of the first `done` of `patterns`.
void expect_same_as_scans(Fold& fold, std::span<const rdf::IdPattern> patterns,
                          rdf::Permutation permutation, const rdf::IdBatch& rows,
                          const std::vector<uint32_t>& ends) {
  ASSERT_LE(ends.size(), patterns.size());
  ASSERT_EQ(rows.predicate.size(), rows.size());
  ASSERT_EQ(rows.object.size(), rows.size());
  ASSERT_EQ(ends.empty() ? 0 : ends.back(), rows.size());
  ASSERT_TRUE(rows.graph.empty());
  size_t begin = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    ASSERT_LE(begin, ends[i]);
    const rdf::IdBatch scanned = all_rows(fold, patterns[i], permutation);
    EXPECT_EQ(rows_of(rows, begin, ends[i]), rows_of(scanned, 0, scanned.size()))
        << "pattern " << i;
    begin = ends[i];
  }
}

// A batch of patterns that bind the same positions, the leading one of `permutation` among them.
std::vector<rdf::IdPattern> batch_of_patterns(Fold& fold, RandomLog& random,
                                              rdf::Permutation permutation) {
  rdf::IdPattern like;
  if (random.random().chance(1, 3)) {
    like.scope = rdf::GraphScope::kOne;
    std::string graph;
    while (graph.empty()) {
      graph = random.graph();
    }
    like.graph = id_of(fold, canonical(graph));
    if (like.graph == rdf::kNoTerm) {
      return {};
    }
  }
  bool bound[3] = {random.random().chance(1, 2), random.random().chance(1, 2),
                   random.random().chance(1, 2)};
  bound[static_cast<size_t>(rdf::positions(permutation)[0])] = true;
  std::vector<rdf::IdPattern> patterns;
  const uint64_t count = 1 + random.random().below(12);
  for (uint64_t i = 0; i < count; ++i) {
    rdf::IdPattern pattern = like;
    const TestQuad wanted = canonical(random.quad());
    bool known = true;
    const auto bind = [&](bool is_bound, rdf::TermId& id, const std::string& token) {
      if (is_bound) {
        id = id_of(fold, token);
        known = known && id != rdf::kNoTerm;
      }
    };
    bind(bound[0], pattern.subject, wanted.subject);
    bind(bound[1], pattern.predicate, wanted.predicate);
    bind(bound[2], pattern.object, wanted.object);
    if (known) {
      patterns.push_back(pattern);
    }
  }
  return patterns;
}

void expect_look_ups(Fold& fold, RandomLog& random, size_t orders, Seen& seen) {
  const auto used = fold.lookup();  // by all rounds
  for (int round = 0; round < 20; ++round) {
    const auto permutation = static_cast<rdf::Permutation>(random.random().below(orders));
    const std::vector<rdf::IdPattern> patterns = batch_of_patterns(fold, random, permutation);
    const size_t rows_max = random.random().chance(1, 3) ? 1 + random.random().below(6) : 1'000;
    rdf::IdBatch rows;
    std::vector<uint32_t> ends = {7};  // both are replaced
    rdf::IdBatch rows_again;
    std::vector<uint32_t> ends_again;
    const auto again = used->look_up(patterns, permutation, rows_max, rows_again, ends_again, {});
    const auto done = fold.lookup()->look_up(patterns, permutation, rows_max, rows, ends, {});
    ASSERT_TRUE(done.ok()) << done.error().to_string();
    ASSERT_EQ(*done, ends.size());
    EXPECT_LE(rows.size(), rows_max);
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    ASSERT_EQ(ends_again, ends);
    ASSERT_EQ(rows_of(rows_again, 0, rows_again.size()), rows_of(rows, 0, rows.size()));
    seen.rows += rows.size();
    seen.refused += !patterns.empty() && *done == 0 && rows_max == 1'000 ? 1 : 0;
    seen.cut_short += *done > 0 && *done < patterns.size() ? 1 : 0;
    expect_same_as_scans(fold, patterns, permutation, rows, ends);
  }
}

// Random changes in the journal's own text.
std::string random_journal(RandomLog& random) {
  std::string text;
  const uint64_t count = random.random().below(30);
  for (uint64_t i = 0; i < count; ++i) {
    const TestQuad quad = canonical(random.quad());
    // A journal holds what RDF allows only.
    if (quad.subject.starts_with('"') || quad.subject.starts_with("<<") ||
        !quad.predicate.starts_with('<')) {
      continue;
    }
    text += random.random().chance(1, 3) ? "- " : "+ ";
    text += quad.subject + " " + quad.predicate + " " + quad.object + " ";
    text += quad.graph.empty() ? ".\n" : quad.graph + " .\n";
  }
  return text;
}

// Segments as our own writer makes them: canonical tokens only, so that no look-up is refused.
std::vector<TestEntry> canonical_log(const std::vector<TestEntry>& log) {
  std::vector<TestEntry> result;
  for (const TestEntry& entry : log) {
    TestEntry same;
    for (const TestQuad& quad : entry.dels) {
      same.dels.insert(canonical(quad));
    }
    for (const TestQuad& quad : entry.adds) {
      same.adds.insert(canonical(quad));
    }
    result.push_back(same);
  }
  return result;
}

// So many uses that overlays are decoded.
void use_often(Fold& fold) {
  for (int i = 0; i < 64; ++i) {
    EXPECT_TRUE(fold.scan({}, rdf::Permutation::kSpo, {}).ok());
  }
}

TEST(FoldLookup, AgreesWithScansWhateverOverlaysAndJournalSay) {
  Seen seen;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    RandomLog random(seed);
    const std::vector<TestEntry> log = canonical_log(random.make());
    const std::string journal = seed % 2 == 0 ? random_journal(random) : "";
    const auto fold = open_fold(log, {}, journal, seed % 3 == 0);
    use_often(*fold);
    expect_look_ups(*fold, random, seed % 3 == 0 ? 3 : 6, seen);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_EQ(seen.refused, 0U);
  EXPECT_GT(seen.rows, 10'000U);
  EXPECT_GT(seen.cut_short, 100U);
}

TEST(FoldLookup, AgreesWhereNoOverlayIsDecodedAsAWhole) {
  Seen seen;
  TestSegment::force_file_size(1'000'000);
  for (uint64_t seed = 20'000; seed < 20'300; ++seed) {
    RandomLog random(seed);
    const std::vector<TestEntry> log = canonical_log(random.make());
    base::MemoryBudget budget("test", 1'000'000);
    FoldResources resources;
    resources.budget = &budget;
    const auto fold = open_fold(log, resources, seed % 2 == 0 ? random_journal(random) : "");
    use_often(*fold);
    expect_look_ups(*fold, random, 6, seen);
    EXPECT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  TestSegment::force_file_size(0);
  EXPECT_EQ(seen.refused, 0U);
  EXPECT_GT(seen.rows, 5'000U);
}

TEST(FoldLookup, TermsSpelledInSeveralWaysAreLeftToScansOrRight) {
  Seen seen;
  for (uint64_t seed = 30'000; seed < 30'300; ++seed) {
    RandomLog random(seed);
    const auto fold = open_fold(random.make(), {}, seed % 2 == 0 ? random_journal(random) : "");
    use_often(*fold);
    expect_look_ups(*fold, random, 6, seen);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(seen.refused, 0U);
  EXPECT_GT(seen.rows, 500U);
}

Quads people(int begin, int end) {
  Quads quads;
  for (int i = begin; i < end; ++i) {
    quads.insert(
        {"<s" + std::to_string(1000 + i) + ">", "<p>", "<o" + std::to_string(i % 7) + ">", ""});
  }
  return quads;
}

TEST(FoldLookup, AKeyWithMoreRowsThanAskedForIsLeftToItsScan) {
  const auto fold =
      open_fold({{.dels = {}, .adds = people(0, 140)}, {.dels = {}, .adds = people(140, 280)}}, {});
  use_often(*fold);
  const std::vector<rdf::IdPattern> patterns = {{.object = id_of(*fold, "<o3>")},
                                                {.object = id_of(*fold, "<o4>")}};
  rdf::IdBatch rows;
  std::vector<uint32_t> ends;
  const auto looked_up = [&](size_t rows_max) {
    return fold->lookup()
        ->look_up(patterns, rdf::Permutation::kOsp, rows_max, rows, ends, {})
        .value();
  };
  EXPECT_EQ(looked_up(39), 0U);
  EXPECT_EQ(rows.size(), 0U);
  EXPECT_EQ(looked_up(40), 1U);  // 20 of the base and 20 of the overlay
  EXPECT_EQ(rows.size(), 40U);
  EXPECT_EQ(looked_up(79), 1U);
  EXPECT_EQ(looked_up(80), 2U);
}

TEST(FoldLookup, TheFirstFewUsesAreLeftToScans) {
  const auto fold =
      open_fold({{.dels = {}, .adds = people(0, 20)}, {.dels = {}, .adds = people(20, 30)}}, {});
  const std::vector<rdf::IdPattern> patterns = {{.object = id_of(*fold, "<o3>")}};
  rdf::IdBatch rows;
  std::vector<uint32_t> ends;
  EXPECT_EQ(fold->lookup()->look_up(patterns, rdf::Permutation::kOsp, 99, rows, ends, {}).value(),
            0U);
  use_often(*fold);
  EXPECT_EQ(fold->lookup()->look_up(patterns, rdf::Permutation::kOsp, 99, rows, ends, {}).value(),
            1U);
  EXPECT_EQ(rows.size(), 4U);
}

TEST(FoldLookup, AllNamedGraphsAtOnceAreLeftToScans) {
  const auto fold = open_fold({{.dels = {}, .adds = {{"<a>", "<p>", "<b>", "<g>"}}}}, {});
  const std::vector<rdf::IdPattern> patterns = {
      {.subject = id_of(*fold, "<a>"), .scope = rdf::GraphScope::kAllNamed}};
  rdf::IdBatch rows;
  std::vector<uint32_t> ends;
  EXPECT_EQ(fold->lookup()->look_up(patterns, rdf::Permutation::kSpo, 99, rows, ends, {}).value(),
            0U);
}

}  // namespace
}  // namespace weft::quads
