#include "weft/quads/fold.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/quads/test_log.h"

namespace weft::quads {
namespace {

std::vector<TestQuad> named(Fold& fold, const rdf::IdBatch& rows, const std::string& graph) {
  const auto subjects = tokens_of(fold, rows.subject);
  const auto predicates = tokens_of(fold, rows.predicate);
  const auto objects = tokens_of(fold, rows.object);
  const auto graphs = tokens_of(fold, rows.graph);
  std::vector<TestQuad> quads;
  for (size_t i = 0; i < rows.size(); ++i) {
    quads.push_back({subjects[i], predicates[i], objects[i], graphs.empty() ? graph : graphs[i]});
  }
  return quads;
}

Quads all_quads(Fold& fold) {
  Quads quads;
  for (const rdf::GraphScope scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
    for (const TestQuad& quad :
         named(fold, all_rows(fold, {.scope = scope}, rdf::Permutation::kSpo), "")) {
      EXPECT_TRUE(quads.insert(quad).second) << "twice: " << quad.subject << quad.object;
    }
  }
  return quads;
}

// Subjects and objects ascend among rows equal before; predicates stand together; no row twice.
void expect_order(const rdf::IdBatch& rows, rdf::Permutation permutation) {
  const auto positions = rdf::positions(permutation);
  const auto column = [&](rdf::Position position) -> const std::vector<rdf::TermId>& {
    return position == rdf::Position::kSubject     ? rows.subject
           : position == rdf::Position::kPredicate ? rows.predicate
                                                   : rows.object;
  };
  std::set<std::vector<rdf::TermId>> closed;
  for (size_t i = 1; i < rows.size(); ++i) {
    std::vector<rdf::TermId> prefix = {rows.graph.empty() ? 0 : rows.graph[i]};
    if (!rows.graph.empty() && rows.graph[i] != rows.graph[i - 1]) {
      ASSERT_LT(rows.graph[i - 1], rows.graph[i]);
      continue;
    }
    bool differs = false;
    for (const rdf::Position position : positions) {
      const auto& ids = column(position);
      if (ids[i] != ids[i - 1]) {
        differs = true;
        if (position == rdf::Position::kPredicate) {
          prefix.push_back(ids[i]);
          std::vector<rdf::TermId> before = prefix;
          before.back() = ids[i - 1];
          closed.insert(before);
          ASSERT_FALSE(closed.contains(prefix)) << "predicates are not together";
        } else {
          ASSERT_LT(ids[i - 1], ids[i]);
        }
        break;
      }
      prefix.push_back(ids[i]);
    }
    ASSERT_TRUE(differs) << "a row twice";
  }
}

// The pieces between the cuts of a scan are `rows`, each once.
void expect_pieces(Fold& fold, const rdf::IdPattern& pattern, rdf::Permutation permutation,
                   const rdf::IdBatch& rows) {
  const auto cuts = fold.cuts(pattern, permutation, 5, {});
  ASSERT_TRUE(cuts.ok());
  rdf::IdBatch together;
  for (size_t piece = 0; piece <= cuts->size(); ++piece) {
    const auto cursor = fold.scan(pattern, permutation, {}).value();
    Fold::Cut low{};
    Fold::Cut high{UINT64_MAX, 0};
    if (piece < cuts->size()) {
      high = (*cuts)[piece];
      ASSERT_TRUE(cursor->stop_before(high.first, high.second).ok());
    }
    if (piece > 0) {
      low = (*cuts)[piece - 1];
      ASSERT_TRUE(cursor->seek(low.first, low.second).ok());
    }
    ASSERT_LT(low, high);
    rdf::IdBatch batch;
    do {
      ASSERT_TRUE(cursor->next(batch).ok());
      for (size_t i = 0; i < batch.size(); ++i) {
        std::vector<rdf::TermId> keys;
        for (const rdf::Position position : rdf::positions(permutation)) {
          if (pattern.at(position) == rdf::kNoTerm) {
            keys.push_back(position == rdf::Position::kSubject     ? batch.subject[i]
                           : position == rdf::Position::kPredicate ? batch.predicate[i]
                                                                   : batch.object[i]);
          }
        }
        keys.resize(2);
        const auto is_before = [&keys](const Fold::Cut& cut) {
          return keys[0] != cut.first ? keys[0] < cut.first
                                      : cut.second != rdf::kNoTerm && keys[1] < cut.second;
        };
        if (!is_before(low) && is_before(high)) {
          together.subject.push_back(batch.subject[i]);
          together.predicate.push_back(batch.predicate[i]);
          together.object.push_back(batch.object[i]);
        }
      }
    } while (batch.size() > 0);
  }
  if (!cuts->empty()) {
    EXPECT_EQ(together.subject, rows.subject);
    EXPECT_EQ(together.predicate, rows.predicate);
    EXPECT_EQ(together.object, rows.object);
  }
}

// Every scan of one fold against the model.
void expect_scans(Fold& fold, const Quads& visible, RandomLog& random, bool three_orders) {
  for (int round = 0; round < 12; ++round) {
    rdf::IdPattern pattern;
    TestQuad wanted = canonical(random.quad());
    const bool bound[3] = {random.random().chance(1, 2), random.random().chance(1, 2),
                           random.random().chance(1, 2)};
    const auto scope = static_cast<rdf::GraphScope>(random.random().below(3));
    wanted.graph = canonical(random.graph());
    pattern.scope = scope;
    if (scope == rdf::GraphScope::kOne && wanted.graph.empty()) {
      continue;
    }
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
    bind(scope == rdf::GraphScope::kOne, pattern.graph, wanted.graph);
    Quads expected;
    for (const TestQuad& quad : visible) {
      const bool in_scope = scope == rdf::GraphScope::kDefault ? quad.graph.empty()
                            : scope == rdf::GraphScope::kOne   ? quad.graph == wanted.graph
                                                               : !quad.graph.empty();
      if (in_scope && (!bound[0] || quad.subject == wanted.subject) &&
          (!bound[1] || quad.predicate == wanted.predicate) &&
          (!bound[2] || quad.object == wanted.object)) {
        expected.insert(quad);
      }
    }
    if (!known) {
      EXPECT_TRUE(expected.empty()) << "a visible term was not found";
      continue;
    }
    const auto permutation =
        static_cast<rdf::Permutation>(random.random().below(three_orders ? 3 : 6));
    const rdf::IdBatch rows = all_rows(fold, pattern, permutation);
    expect_order(rows, permutation);
    expect_pieces(fold, pattern, permutation, rows);
    const std::string graph = scope == rdf::GraphScope::kOne ? wanted.graph : "";
    const std::vector<TestQuad> quads = named(fold, rows, graph);
    EXPECT_EQ(Quads(quads.begin(), quads.end()), expected);
    const auto cardinality = fold.cardinality(pattern);
    ASSERT_TRUE(cardinality.ok());
    if (cardinality->exact) {
      EXPECT_EQ(cardinality->rows, static_cast<double>(expected.size()));
    }
  }
}

void expect_fold(const std::vector<TestEntry>& log, const FoldResources& resources,
                 RandomLog& random, bool three_orders) {
  const auto fold = open_fold(log, resources, {}, three_orders);
  const Quads visible = visible_after(log, log.size());
  EXPECT_EQ(fold->quad_count({}).value(), visible.size());
  EXPECT_EQ(all_quads(*fold), visible);
  std::set<std::string> graphs;
  for (const TestQuad& quad : visible) {
    if (!quad.graph.empty()) {
      graphs.insert(quad.graph);
    }
  }
  const auto ids = fold->graphs({}).value();
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  const auto names = tokens_of(*fold, ids);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), graphs);
  EXPECT_EQ(names.size(), graphs.size());
  expect_scans(*fold, visible, random, three_orders);
  for (size_t entries = 0; entries <= log.size(); ++entries) {
    const Quads before = visible_after(log, entries);
    Quads after = before;
    const Status status = fold->changes_since(
        entries,
        [&](std::span<const Fold::Change> changes) {
          for (const Fold::Change& change : changes) {
            const auto t = tokens_of(*fold, {change.subject, change.predicate, change.object});
            const TestQuad quad = {
                t[0], t[1], t[2],
                change.graph == rdf::kNoTerm ? "" : tokens_of(*fold, {change.graph})[0]};
            EXPECT_TRUE(change.added ? after.insert(quad).second : after.erase(quad) == 1);
          }
          return ok_status();
        },
        {});
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(after, visible);
  }
}

TEST(FoldProperty, AgreesWithTheNaiveFoldWhateverTheLog) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    RandomLog random(seed);
    const std::vector<TestEntry> log = random.make();
    expect_fold(log, {}, random, seed % 3 == 0);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(FoldProperty, AgreesWhenNoSegmentIsSmallEnoughToBeDecodedWhole) {
  for (uint64_t seed = 10'000; seed < 10'800; ++seed) {
    RandomLog random(seed);
    const std::vector<TestEntry> log = random.make();
    std::vector<TestEntry> padded = log;
    FoldResources resources;
    // Half of it is for decoded segments; each of these is estimated beyond that.
    base::MemoryBudget budget("test", 1'000'000);
    resources.budget = &budget;
    const auto fold_log = [&] { expect_fold(padded, resources, random, seed % 3 == 0); };
    TestSegment::force_file_size(1'000'000);
    fold_log();
    TestSegment::force_file_size(0);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_EQ(budget.used_bytes(), 0U);
  }
}

TEST(Fold, DeletesComeBeforeAddsWithinAnEntry) {
  const TestQuad quad = {"<a>", "<p>", "<b>", ""};
  const auto fold = open_fold({{.dels = {}, .adds = {quad}}, {.dels = {quad}, .adds = {quad}}}, {});
  EXPECT_EQ(all_quads(*fold), Quads{quad});
}

TEST(Fold, ATombstoneActsInItsOwnGraphOnly) {
  const TestQuad in_default = {"<a>", "<p>", "<b>", ""};
  const TestQuad in_g = {"<a>", "<p>", "<b>", "<g>"};
  const auto fold =
      open_fold({{.dels = {}, .adds = {in_default, in_g}}, {.dels = {in_g}, .adds = {}}}, {});
  EXPECT_EQ(all_quads(*fold), Quads{in_default});
  EXPECT_TRUE(fold->graphs({}).value().empty());
}

TEST(Fold, TheJournalComesLast) {
  const TestQuad quad = {"<a>", "<p>", "<b>", ""};
  const auto fold = open_fold({{.dels = {}, .adds = {quad}}}, {},
                              "- <a> <p> <b> .\n+ <c> <p> \"x\"@EN <g> .\n+ <d> <p> <e> .\n"
                              "- <d> <p> <e> .\n+ <a> <p> <to");
  EXPECT_EQ(all_quads(*fold), (Quads{{"<c>", "<p>", "\"x\"@en", "<g>"}}));
  EXPECT_EQ(fold->quad_count({}).value(), 1U);
  ASSERT_TRUE(fold->facts().journal.has_value());
  EXPECT_EQ(fold->facts().journal->change_count, 4U);
  EXPECT_GT(fold->facts().journal->cut_bytes, 0U);
}

TEST(Fold, NothingAtAllIsAnEmptyGraph) {
  const auto fold = open_fold({}, {});
  EXPECT_EQ(fold->quad_count({}).value(), 0U);
  EXPECT_TRUE(all_quads(*fold).empty());
  EXPECT_EQ(id_of(*fold, "<a>"), rdf::kNoTerm);
  EXPECT_FALSE(fold->facts().base.has_value());
}

TEST(Fold, RowsBeforeASoughtKeyMayBeLeftOut) {
  Quads base;
  Quads more;
  for (int i = 100; i < 160; ++i) {
    (i % 5 == 0 ? more : base).insert({"<a>", "<p>", "<o" + std::to_string(i) + ">", ""});
  }
  const auto fold = open_fold({{.dels = {}, .adds = base}, {.dels = {}, .adds = more}}, {});
  const rdf::IdPattern pattern{.subject = id_of(*fold, "<a>"), .predicate = id_of(*fold, "<p>")};
  const rdf::IdBatch all = all_rows(*fold, pattern, rdf::Permutation::kSpo);
  for (size_t first = 0; first < all.size(); first += 7) {
    auto cursor = fold->scan(pattern, rdf::Permutation::kSpo, {}).value();
    ASSERT_TRUE(cursor->seek(all.object[first], rdf::kNoTerm).ok());
    std::vector<rdf::TermId> rest;
    rdf::IdBatch batch;
    do {
      ASSERT_TRUE(cursor->next(batch).ok());
      rest.insert(rest.end(), batch.object.begin(), batch.object.end());
    } while (batch.size() > 0);
    const std::vector<rdf::TermId> expected(all.object.begin() + static_cast<ptrdiff_t>(first),
                                            all.object.end());
    EXPECT_EQ(rest, expected);
  }
}

TEST(Fold, OverlaysBeyondTheBudgetAreALimitThatNamesTheRemedy) {
  Quads many;
  for (int i = 0; i < 2'000; ++i) {
    many.insert({"<a" + std::to_string(i) + ">", "<p>", "<o>", ""});
  }
  Quads base = many;
  base.insert({"<b>", "<p>", "<o>", ""});
  const std::vector<TestEntry> log = {{.dels = {}, .adds = base}, {.dels = many, .adds = {}}};
  base::MemoryBudget small("overlays", 100'000);
  FoldResources resources;
  resources.budget = &small;
  const auto fold = open_fold(log, resources);
  const auto cursor = fold->scan({}, rdf::Permutation::kSpo, {});
  ASSERT_FALSE(cursor.ok());
  EXPECT_EQ(cursor.error().kind(), ErrorKind::kLimit);
  EXPECT_THAT(cursor.error().to_string(), testing::HasSubstr("weft manifest compact"));
  // What touches little still works.
  EXPECT_EQ(all_rows(*fold, {.subject = id_of(*fold, "<b>")}, rdf::Permutation::kSpo).size(), 1U);
}

}  // namespace
}  // namespace weft::quads
