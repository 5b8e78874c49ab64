// The dataset that FROM and FROM NAMED describe, over another source: its default graph is the
// merge of the named default graphs (each triple once), its named graphs are those that are listed.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/base/budget.h"
#include "weft/exec/quad_source.h"

namespace weft::exec {

// Graphs of one clause (limit "dataset_graphs_max").
inline constexpr size_t kDatasetGraphsMax = 1'024;

// Thread-safe.
class DatasetSource final : public QuadSource {
 public:
  // Ids of graphs; kNoTerm (a graph that is not there) is left out. `source` and `budget` must
  // outlive it.
  DatasetSource(QuadSource& source, std::vector<rdf::TermId> default_graphs,
                std::vector<rdf::TermId> named_graphs, base::MemoryBudget* budget);

  Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) override;
  Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) override;
  bool has_order(rdf::Permutation permutation) const override;
  bool is_remote() const override { return source_.is_remote(); }
  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids) override;
  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) override;
  Status visit_tokens(std::span<const rdf::TermId> ids, const TakeToken& take) override {
    return source_.visit_tokens(ids, take);
  }
  Result<std::unique_ptr<QuadCursor>> scan(const rdf::IdPattern& pattern,
                                           rdf::Permutation permutation,
                                           std::stop_token stop) override;
  Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                  std::stop_token stop) override;
  Result<std::vector<rdf::TermId>> graphs() override;

 private:
  std::vector<rdf::TermId> graphs_of(const rdf::IdPattern& pattern) const;

  QuadSource& source_;
  std::vector<rdf::TermId> default_graphs_;  // ascending
  std::vector<rdf::TermId> named_graphs_;    // ascending
  base::MemoryBudget* budget_;
};

}  // namespace weft::exec
