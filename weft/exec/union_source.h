// Several sources as one: a quad is in the union if it is in one of them, and once if in several.
// One dictionary over all, so that joins across sources resolve; blank nodes of different sources
// are different nodes.
//
// The *base*, best the largest source, is streamed in its own order. Of each other source the rows
// that a pattern matches are gathered when a scan is first read, given the union's ids, sorted, and
// merged into the stream; they are reserved from the budget (24 to 32 bytes each, kLimit beyond).
//
// U1  Rows are those of QuadSource::scan over the merged quads.  (test: RandomQuery, over a union)
// U2  A source that lacks a term which a pattern names is not scanned.
// Thread-safe.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/budget.h"
#include "weft/exec/interrupt.h"
#include "weft/exec/quad_source.h"
#include "weft/exec/union_terms.h"

namespace weft::exec {

// Sources of one union (limit "union_sources_max").
inline constexpr size_t kUnionSourcesMax = 256;

class UnionSource final : public QuadSource {
 public:
  // Sources (one or more) and budget must outlive it. Reads how many quads each source has, to
  // choose the base. `interrupt` is asked while rows are gathered. Errors: kLimit
  // (kUnionSourcesMax), those of the sources.
  static Result<std::unique_ptr<UnionSource>> create(std::vector<QuadSource*> sources,
                                                     base::MemoryBudget* budget,
                                                     Interrupt interrupt = Interrupt({}, nullptr,
                                                                                     0));

  // `beside` (few quads) read with `base`; equal labels of blank nodes are one node in both. May be
  // done over a union, once. All must outlive it.
  static std::unique_ptr<UnionSource> with(QuadSource& base, QuadSource& beside,
                                           base::MemoryBudget* budget);

  Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) override;
  Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) override;
  bool has_order(rdf::Permutation permutation) const override;
  bool is_remote() const override;
  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids) override;
  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) override;
  Result<std::unique_ptr<QuadCursor>> scan(const rdf::IdPattern& pattern,
                                           rdf::Permutation permutation,
                                           std::stop_token stop) override;
  Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                  std::stop_token stop) override;
  Result<std::vector<rdf::TermId>> graphs() override;

 private:
  // A pattern in the ids of one source.
  struct LocalPattern {
    size_t source = 0;
    rdf::IdPattern pattern;
  };

  UnionSource(std::vector<QuadSource*> sources, size_t base, base::MemoryBudget* budget,
              UnionTermOptions options, Interrupt interrupt);
  // Those sources that have all terms of `pattern`.
  Result<std::vector<LocalPattern>> local_patterns(const rdf::IdPattern& pattern);
  // Replaces `locals` with the patterns that source `source` may match.
  Status translate(size_t source, std::span<const rdf::IdPattern> patterns,
                   std::vector<rdf::IdPattern>& locals);

  std::vector<QuadSource*> sources_;
  size_t base_;
  base::MemoryBudget* budget_;
  Interrupt interrupt_;
  UnionTerms terms_;
};

}  // namespace weft::exec
