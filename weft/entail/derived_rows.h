// The triples that follow from a graph and match a pattern, without those that it says.
//
// Each rule of RDFS (RDF 1.1 Semantics, section 9.2.1) becomes scans of the graph, with the schema
// closed beforehand: subjects of `ex:lives` are people, so `?x a ex:Person` reads `?x ex:lives ?y`.
// Nothing is stored. Literals are no subjects (SPARQL 1.1 Entailment Regimes, section 2).
#pragma once

#include <stop_token>
#include <utility>
#include <vector>

#include "weft/entail/regime.h"
#include "weft/entail/schema.h"
#include "weft/exec/interrupt.h"
#include "weft/exec/memory_charge.h"
#include "weft/exec/quad_source.h"
#include "weft/exec/union_cursor.h"

namespace weft::entail {

// A scan of the graph, and what each of its rows entails.
struct DerivedRead {
  enum class Gives : uint8_t {
    kStatements,      // the same with each predicate of `targets`
    kTypesOfSubject,  // the subject is in each class of `targets`
    kTypesOfObject,   // the object is, unless it is a literal
    kTypesOfPredicate,
    kClassesAbove,  // the object is a class: the subject is in all above it
  };
  rdf::IdPattern pattern;
  Gives gives = Gives::kStatements;
  std::vector<rdf::TermId> targets;
};

// Thread-safe.
class DerivedRows {
 public:
  // `source` (which has the axioms) and `schema` must outlive this object.
  // `interrupt` is asked once per batch.
  DerivedRows(Regime regime, exec::QuadSource& source, const Schema& schema,
              exec::Interrupt interrupt)
      : regime_(regime), source_(source), schema_(schema), interrupt_(std::move(interrupt)) {}

  // False if nothing can follow.
  bool may_have(const rdf::IdPattern& pattern) const;
  // How many there may be; repeated ones counted often.
  Result<double> estimate(const rdf::IdPattern& pattern) const;
  // Appends them in no order, some of them repeatedly, some of them stated as well.
  Status gather(const rdf::IdPattern& pattern, rdf::Permutation permutation, std::stop_token stop,
                std::vector<exec::UnionRow>& rows, exec::MemoryCharge& charge) const;

 private:
  class Sink;
  class Run;

  std::vector<DerivedRead> reads(const rdf::IdPattern& pattern) const;
  void add_statement_reads(const rdf::IdPattern& pattern, std::vector<DerivedRead>& reads) const;
  void add_type_reads(const rdf::IdPattern& pattern, std::vector<DerivedRead>& reads) const;
  void add_class_reads(const rdf::IdPattern& pattern, std::vector<DerivedRead>& reads) const;
  void add_property_reads(const ClassesOfProperties& of, DerivedRead::Gives gives,
                          const rdf::IdPattern& pattern, std::vector<DerivedRead>& reads) const;
  void add_universal_reads(const rdf::IdPattern& pattern, std::vector<DerivedRead>& reads) const;

  Status run(const DerivedRead& read, std::stop_token stop, Sink& sink) const;
  // Rows of rdfs:subClassOf or rdfs:subPropertyOf.
  Status add_hierarchy(const rdf::IdPattern& pattern, const Hierarchy& hierarchy,
                       rdf::TermId predicate, std::stop_token stop, Sink& sink) const;
  // The terms in `wanted` class: `only`, if it is, or all of them.
  Result<TermSet> members(rdf::TermId only, rdf::TermId wanted, std::stop_token stop,
                          base::MemoryBudget* budget) const;
  bool is_hierarchy(const rdf::IdPattern& pattern, rdf::TermId predicate) const;

  Regime regime_;
  exec::QuadSource& source_;
  const Schema& schema_;
  exec::Interrupt interrupt_;
};

}  // namespace weft::entail
