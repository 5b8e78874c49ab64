// For tests: random logs over few terms, some of them spelled in several ways, and folds of them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/quads/fold_state.h"
#include "weft/quads/test_segment.h"
#include "weft/storage/memory_store.h"

namespace weft::quads {

using Quads = std::set<TestQuad>;

struct TestEntry {
  Quads dels;
  Quads adds;
};

inline std::string canonical(const std::string& token) {
  return token.empty() ? token : rdf::canonical_token(token).value();
}
inline TestQuad canonical(const TestQuad& quad) {
  return {canonical(quad.subject), canonical(quad.predicate), canonical(quad.object),
          canonical(quad.graph)};
}

// The naive fold.
inline Quads visible_after(const std::vector<TestEntry>& log, size_t entries) {
  Quads visible;
  for (size_t i = 0; i < entries; ++i) {
    for (const TestQuad& quad : log[i].dels) {
      visible.erase(canonical(quad));
    }
    for (const TestQuad& quad : log[i].adds) {
      visible.insert(canonical(quad));
    }
  }
  return visible;
}

inline std::shared_ptr<Fold> open_fold(const std::vector<TestEntry>& log,
                                       const FoldResources& resources,
                                       const std::string& journal = {}, bool three_orders = false) {
  std::vector<std::shared_ptr<rete::Segment>> segments;
  std::vector<SegmentUse> uses;
  for (size_t entry = 0; entry < log.size(); ++entry) {
    for (const manifest::Role role : {manifest::Role::kDels, manifest::Role::kAdds}) {
      const Quads& quads = role == manifest::Role::kDels ? log[entry].dels : log[entry].adds;
      if (!quads.empty()) {
        uses.push_back({.entry = entry, .role = role, .segment = segments.size()});
        auto segment = std::make_shared<TestSegment>(quads);
        if (three_orders) {
          segment->mutable_facts().permutation_mask = 7;
        }
        segments.push_back(std::move(segment));
      }
    }
  }
  std::unique_ptr<storage::ObjectReader> reader;
  if (!journal.empty()) {
    reader = storage::read_buffer("j.changes", storage::Buffer::copy_of(as_bytes(journal)));
  }
  return FoldState::create(SegmentSet::of_open(std::move(segments), std::move(uses)),
                           std::move(reader), std::nullopt, resources)
      .value();
}

inline rdf::TermId id_of(Fold& fold, const std::string& token) {
  std::vector<rdf::TermId> ids;
  const std::string_view view = token;
  EXPECT_TRUE(fold.find(std::span(&view, 1), ids, {}).ok());
  return ids.at(0);
}

inline std::vector<std::string> tokens_of(Fold& fold, const std::vector<rdf::TermId>& ids) {
  std::vector<std::string> tokens;
  const Status status = fold.tokens(ids, tokens, {});
  EXPECT_TRUE(status.ok());
  return tokens;
}

inline rdf::IdBatch all_rows(Fold& fold, const rdf::IdPattern& pattern,
                             rdf::Permutation permutation) {
  rdf::IdBatch all;
  auto cursor = fold.scan(pattern, permutation, {});
  EXPECT_TRUE(cursor.ok()) << cursor.error().to_string();
  rdf::IdBatch batch;
  do {
    const Status status = (*cursor)->next(batch);
    EXPECT_TRUE(status.ok());
    all.subject.insert(all.subject.end(), batch.subject.begin(), batch.subject.end());
    all.predicate.insert(all.predicate.end(), batch.predicate.begin(), batch.predicate.end());
    all.object.insert(all.object.end(), batch.object.begin(), batch.object.end());
    all.graph.insert(all.graph.end(), batch.graph.begin(), batch.graph.end());
  } while (batch.size() > 0);
  return all;
}

class RandomLog {
 public:
  explicit RandomLog(uint64_t seed) : random_(seed) {}

  std::vector<TestEntry> make() {
    std::vector<TestEntry> log(random_.below(6));
    for (TestEntry& entry : log) {
      const uint64_t kind = random_.below(4);
      if (kind != 1) {
        entry.adds = quads(random_.chance(1, 3) ? 40 : 6);
      }
      if (kind == 1 || kind == 3) {
        entry.dels = quads(8);
      }
    }
    return log;
  }

  std::string term(bool predicate) {
    static const std::vector<std::string> kPool = {
        "<http://ex/a>",
        "<http://ex/b>",
        "<http://ex/p>",
        "<http://ex/q>",
        "<http://ex/caf\\u00E9>",
        "<http://ex/caf\xC3\xA9>",
        "_:b0",
        "_:b1",
        "\"hi\"@en-US",
        "\"hi\"@en-us",
        "\"1\"",
        "\"1\"^^<http://www.w3.org/2001/XMLSchema#string>",
        "\"caf\\u00e9\"",
        "\"caf\xC3\xA9\"",
        "<<<http://ex/a> <http://ex/p> \"1\">>",
        "<<<http://ex/a> <http://ex/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#string>>>",
        "\"01\"^^<http://www.w3.org/2001/XMLSchema#integer>",
        "<http://ex/c>",
        "<http://ex/d>"};
    return kPool[random_.below(predicate ? 6 : kPool.size())];
  }
  std::string graph() {
    static const std::vector<std::string> kPool = {
        "", "", "", "<http://ex/g>", "_:b0", "<http://ex/caf\\u00E9>", "<http://ex/a>"};
    return kPool[random_.below(kPool.size())];
  }
  TestQuad quad() { return {term(false), term(true), term(false), graph()}; }
  Quads quads(size_t count_max) {
    Quads quads;
    const uint64_t count = random_.below(count_max);
    for (uint64_t i = 0; i < count; ++i) {
      quads.insert(quad());
    }
    return quads;
  }
  base::Random& random() { return random_; }

 private:
  base::Random random_;
};

}  // namespace weft::quads
