// A QuadSource in memory: small graphs, tests, and the measure that other sources are held to.
//
// Keeps each of its permutations as one sorted array, and counts what was asked of it, so that a
// test can say "this query touched so many rows". Predicates are deliberately kept in an order that
// is not the order of their ids: what relies on more than the contract fails here first.
// Thread-safe once built.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weft/base/result.h"
#include "weft/exec/quad_source.h"
#include "weft/rdf/ids.h"
#include "weft/rdf/quad.h"

namespace weft::exec {

struct VectorSourceOptions {
  bool six_permutations = true;  // else spo, pos and osp only
  size_t batch_rows = 1024;      // of its scans
};

class VectorSource final : public QuadSource {
 public:
  using Options = VectorSourceOptions;

  // What was asked since the last reset_counts(). `rounds` are calls that a remote source would
  // answer with one or more round trips: find, tokens, prefetch, and scans that no prefetch
  // announced are counted apart.
  struct Counts {
    uint64_t scans = 0;
    uint64_t rows = 0;
    uint64_t finds = 0;
    uint64_t token_calls = 0;
    uint64_t prefetches = 0;
    uint64_t cardinalities = 0;
  };

  // Collects quads of canonical tokens; duplicates count once.
  class Builder final : public rdf::QuadSink {
   public:
    Builder();
    ~Builder() override;
    Status accept(std::span<const rdf::QuadView> quads) override;
    // An empty graph is the default graph.
    void add(std::string_view subject, std::string_view predicate, std::string_view object,
             std::string_view graph = {});
    std::unique_ptr<VectorSource> build(Options options = {}) &&;

   private:
    friend class VectorSource;
    struct Row {
      uint32_t graph;  // 0: default
      uint32_t term[3];
    };
    uint32_t intern(std::string_view token);
    std::vector<std::string> tokens_;  // of id index + 1
    std::unordered_map<std::string, uint32_t> ids_;
    std::vector<Row> rows_;
  };

  ~VectorSource() override;

  Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) override;
  Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) override;
  bool has_order(rdf::Permutation permutation) const override;
  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids) override;
  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) override;
  Result<std::unique_ptr<QuadCursor>> scan(const rdf::IdPattern& pattern,
                                           rdf::Permutation permutation,
                                           std::stop_token stop) override;
  Result<std::vector<ScanCut>> cuts(const rdf::IdPattern& pattern, rdf::Permutation permutation,
                                    size_t pieces, std::stop_token stop) override;
  Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                  std::stop_token stop) override;
  Result<std::vector<rdf::TermId>> graphs() override;

  Counts counts() const;
  void reset_counts();

 private:
  class Cursor;
  // One row in the order of its permutation; a predicate is kept as its order key.
  struct Triple {
    uint32_t key[3];
    friend auto operator<=>(const Triple&, const Triple&) = default;
  };
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };
  struct GraphRange {
    uint32_t graph = 0;
    Range rows;
  };

  VectorSource(Builder&& built, Options options);
  // Rows of `graph_rows` whose first keys are the bound terms of `pattern`. The number of bound
  // leading positions is stored in `bound`.
  Range narrow(const rdf::IdPattern& pattern, rdf::Permutation permutation, Range graph_rows,
               size_t& bound) const;
  std::vector<Range> graph_ranges(const rdf::IdPattern& pattern) const;
  rdf::Permutation best_order(const rdf::IdPattern& pattern) const;

  Options options_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<GraphRange> graphs_;  // by id; the default graph (0) first if it has rows
  std::vector<Triple> orders_[rdf::kPermutationCount];
  std::atomic<uint64_t> scans_ = 0;
  std::atomic<uint64_t> rows_ = 0;
  std::atomic<uint64_t> finds_ = 0;
  std::atomic<uint64_t> token_calls_ = 0;
  std::atomic<uint64_t> prefetches_ = 0;
  std::atomic<uint64_t> cardinalities_ = 0;
};

}  // namespace weft::exec
