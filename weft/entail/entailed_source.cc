#include "weft/entail/entailed_source.h"

#include <algorithm>
#include <utility>

#include "weft/entail/axioms.h"

namespace weft::entail {
namespace {

using rdf::IdPattern;
using rdf::TermId;

// Container membership properties are looked for in steps of so many, until a step finds none.
constexpr size_t kMembersStep = 64;
// The highest number that is looked for (limit of what is taken, not an error).
constexpr size_t kMembersMax = 65'536;

// Tokens of rdf:_1, rdf:_2, … that `source` knows.
Result<std::vector<std::string>> members_in_use(exec::QuadSource& source) {
  std::vector<std::string> members;
  for (size_t first = 1; first <= kMembersMax; first += kMembersStep) {
    std::vector<std::string> asked;
    for (size_t i = 0; i < kMembersStep; ++i) {
      asked.push_back(rdf_token("_" + std::to_string(first + i)));
    }
    const std::vector<std::string_view> views(asked.begin(), asked.end());
    std::vector<TermId> ids;
    WEFT_TRY_STATUS(source.find(views, ids));
    const size_t before = members.size();
    for (size_t i = 0; i < kMembersStep; ++i) {
      if (ids[i] != rdf::kNoTerm) {
        members.push_back(std::move(asked[i]));
      }
    }
    if (members.size() == before) {
      break;
    }
  }
  return members;
}

}  // namespace

Result<std::unique_ptr<EntailedSource>> EntailedSource::create(Regime regime,
                                                               exec::QuadSource& source,
                                                               base::MemoryBudget* budget,
                                                               exec::Interrupt interrupt) {
  std::unique_ptr<EntailedSource> entailed(new EntailedSource());
  entailed->budget_ = budget;
  std::vector<std::string> members;
  if (regime != Regime::kSimple) {
    WEFT_TRY(members, members_in_use(source));
  }
  exec::VectorSource::Builder builder;
  add_axioms(regime, members, builder);
  entailed->axioms_ = std::move(builder).build();
  entailed->stated_ = exec::UnionSource::with(source, *entailed->axioms_, budget);
  WEFT_TRY(entailed->schema_, Schema::read(regime, *entailed->stated_, interrupt.stop()));
  entailed->derived_ = std::make_unique<DerivedRows>(regime, *entailed->stated_, entailed->schema_,
                                                     std::move(interrupt));
  return entailed;
}

Result<rdf::Cardinality> EntailedSource::cardinality(const IdPattern& pattern) {
  WEFT_TRY(rdf::Cardinality rows, stated_->cardinality(pattern));
  if (derived_->may_have(pattern)) {
    WEFT_TRY(const double more, derived_->estimate(pattern));
    rows.rows += more;
    rows.exact = false;
  }
  return rows;
}

Result<double> EntailedSource::distinct(const IdPattern& pattern, rdf::Position position) {
  WEFT_TRY(const double stated, stated_->distinct(pattern, position));
  if (!derived_->may_have(pattern)) {
    return stated;
  }
  WEFT_TRY(const rdf::Cardinality rows, cardinality(pattern));
  // Of what follows, half of the terms are taken to be new.
  WEFT_TRY(const rdf::Cardinality before, stated_->cardinality(pattern));
  return std::max(1.0, stated + (rows.rows - before.rows) / 2);
}

bool EntailedSource::has_order(rdf::Permutation permutation) const {
  return stated_->has_order(permutation);
}

Status EntailedSource::find(std::span<const std::string_view> tokens, std::vector<TermId>& ids) {
  return stated_->find(tokens, ids);
}

Status EntailedSource::tokens(std::span<const TermId> ids, std::vector<std::string>& tokens) {
  return stated_->tokens(ids, tokens);
}

Result<std::unique_ptr<exec::QuadCursor>> EntailedSource::scan(const IdPattern& pattern,
                                                               rdf::Permutation permutation,
                                                               std::stop_token stop) {
  WEFT_TRY(std::unique_ptr<exec::QuadCursor> stated, stated_->scan(pattern, permutation, stop));
  if (!derived_->may_have(pattern)) {
    return stated;
  }
  exec::GatherRows gather = [this, pattern, permutation, stop = std::move(stop)](
                                std::vector<exec::UnionRow>& rows, exec::MemoryCharge& charge) {
    return derived_->gather(pattern, permutation, stop, rows, charge);
  };
  return std::unique_ptr<exec::QuadCursor>(
      std::make_unique<exec::UnionCursor>(pattern, permutation, std::move(stated),
                                          rdf::kFirstComputedTerm, std::move(gather), budget_));
}

Status EntailedSource::prefetch(std::span<const IdPattern> patterns, rdf::Permutation permutation,
                                std::stop_token stop) {
  return stated_->prefetch(patterns, permutation, std::move(stop));
}

Result<std::vector<TermId>> EntailedSource::graphs() {
  return stated_->graphs();
}

}  // namespace weft::entail
