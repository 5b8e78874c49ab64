// A source whose statistics are wrong on purpose: plans get worse, answers must not.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "weft/base/random.h"
#include "weft/exec/quad_source.h"

namespace weft::exec {

// Looks a few rows up at a time, or (even seeds) nothing.
class SkewedLookup final : public QuadLookup {
 public:
  SkewedLookup(QuadSource& source, uint64_t seed) : source_(source), seed_(seed) {}
  Result<size_t> look_up(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                         size_t rows_max, rdf::IdBatch& rows, std::vector<uint32_t>& ends,
                         const std::stop_token& stop) override {
    rows.clear();
    ends.clear();
    if (seed_ % 2 == 0) {
      return size_t{0};
    }
    // A few rows at a time, and patterns with more of them are left to scans.
    const size_t most = std::min<size_t>(rows_max, 1 + seed_ % 7);
    rdf::IdBatch batch;
    for (const rdf::IdPattern& pattern : patterns) {
      WEFT_TRY(const auto cursor, source_.scan(pattern, permutation, stop));
      rdf::IdBatch found;
      do {
        WEFT_TRY_STATUS(cursor->next(batch));
        found.subject.insert(found.subject.end(), batch.subject.begin(), batch.subject.end());
        found.predicate.insert(found.predicate.end(), batch.predicate.begin(),
                               batch.predicate.end());
        found.object.insert(found.object.end(), batch.object.begin(), batch.object.end());
      } while (batch.size() > 0);
      if (rows.size() + found.size() > most) {
        break;
      }
      rows.subject.insert(rows.subject.end(), found.subject.begin(), found.subject.end());
      rows.predicate.insert(rows.predicate.end(), found.predicate.begin(), found.predicate.end());
      rows.object.insert(rows.object.end(), found.object.begin(), found.object.end());
      ends.push_back(static_cast<uint32_t>(rows.size()));
    }
    return ends.size();
  }

 private:
  QuadSource& source_;
  uint64_t seed_;
};

class SkewedSource final : public QuadSource {
 public:
  // Seed 0: the true statistics.
  SkewedSource(QuadSource& source, uint64_t seed) : source_(source), seed_(seed) {}

  Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) override {
    if (seed_ == 0) {
      return source_.cardinality(pattern);
    }
    const double factor = static_cast<double>(pick(pattern, 7) + 1) / 16;
    return rdf::Cardinality{static_cast<double>(pick(pattern, 3)) * factor * factor, false};
  }
  Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) override {
    if (seed_ == 0) {
      return source_.distinct(pattern, position);
    }
    return static_cast<double>(pick(pattern, 11 + static_cast<uint64_t>(position)) + 1);
  }
  bool has_order(rdf::Permutation permutation) const override {
    return source_.has_order(permutation);
  }
  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids) override {
    return source_.find(tokens, ids);
  }
  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) override {
    return source_.tokens(ids, tokens);
  }
  Result<std::unique_ptr<QuadCursor>> scan(const rdf::IdPattern& pattern,
                                           rdf::Permutation permutation,
                                           std::stop_token stop) override {
    return source_.scan(pattern, permutation, std::move(stop));
  }
  Result<std::vector<ScanCut>> cuts(const rdf::IdPattern& pattern, rdf::Permutation permutation,
                                    size_t pieces, std::stop_token stop) override {
    return source_.cuts(pattern, permutation, pieces, std::move(stop));
  }
  Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                  std::stop_token stop) override {
    return source_.prefetch(patterns, permutation, std::move(stop));
  }
  std::unique_ptr<QuadLookup> lookup() override {
    return std::make_unique<SkewedLookup>(source_, seed_);
  }
  Result<std::vector<rdf::TermId>> graphs() override { return source_.graphs(); }

 private:
  uint64_t pick(const rdf::IdPattern& pattern, uint64_t salt) const {
    base::Random random(seed_ * 31 + pattern.subject * 7 + pattern.predicate * 1'009 +
                        pattern.object * 17 + pattern.graph * 5 + salt);
    return random.chance(1, 2) ? random.below(4) : random.below(100'000);
  }

  QuadSource& source_;
  uint64_t seed_;
};

}  // namespace weft::exec
