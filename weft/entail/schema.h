// What a graph says of its classes and properties, read once: the part of RDFS entailment that does
// not depend on the rest of the data.
//
// The statements of all graphs of a source are taken together, and hold in each of them. Those that
// are made through subproperties of rdfs:subClassOf and so on count as well.
#pragma once

#include <stop_token>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "weft/base/result.h"
#include "weft/entail/regime.h"
#include "weft/exec/quad_source.h"
#include "weft/rdf/ids.h"

namespace weft::entail {

// Statements that a schema may have (limit "entailment_schema_max").
inline constexpr size_t kSchemaStatementsMax = 1'000'000;
// Pairs of a property and a class that its subjects or objects are in ("entailment_pairs_max").
inline constexpr size_t kSchemaPairsMax = 10'000'000;

// Ids of the vocabulary; kNoTerm for what a regime does not have.
struct Vocabulary {
  rdf::TermId type = rdf::kNoTerm;
  rdf::TermId property = rdf::kNoTerm;
  rdf::TermId resource = rdf::kNoTerm;
  rdf::TermId rdfs_class = rdf::kNoTerm;
  rdf::TermId datatype = rdf::kNoTerm;
  rdf::TermId literal = rdf::kNoTerm;
  rdf::TermId member = rdf::kNoTerm;
  rdf::TermId membership = rdf::kNoTerm;  // rdfs:ContainerMembershipProperty
  rdf::TermId sub_class_of = rdf::kNoTerm;
  rdf::TermId sub_property_of = rdf::kNoTerm;
  rdf::TermId domain = rdf::kNoTerm;
  rdf::TermId range = rdf::kNoTerm;
};

using TermSet = std::unordered_set<rdf::TermId>;

// Edges between terms, both ways, and what can be reached along them.
class Hierarchy {
 public:
  // False if it was there.
  bool add(rdf::TermId lower, rdf::TermId upper);
  // `term` and all above it, or below it.
  TermSet up(rdf::TermId term) const { return reach(up_, term); }
  TermSet down(rdf::TermId term) const { return reach(down_, term); }
  bool has_upper(rdf::TermId term) const { return up_.contains(term); }
  // All terms with something above them.
  std::vector<rdf::TermId> lowers() const;

 private:
  using Edges = std::unordered_map<rdf::TermId, TermSet>;
  static TermSet reach(const Edges& edges, rdf::TermId from);

  Edges up_;
  Edges down_;
};

// The classes that the subjects (or objects) of each property are in, by its domain (range) and
// those of the properties above it; classes above them included, rdfs:Resource and what is above it
// not.
struct ClassesOfProperties {
  std::unordered_map<rdf::TermId, std::vector<rdf::TermId>> classes;     // by property
  std::unordered_map<rdf::TermId, std::vector<rdf::TermId>> properties;  // by class
};

// Immutable once read, and so thread-safe.
class Schema {
 public:
  // `source` has the axioms, too. Errors: kLimit (kSchemaStatementsMax); those of the source.
  static Result<Schema> read(Regime regime, exec::QuadSource& source, std::stop_token stop);

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const Hierarchy& classes() const { return classes_; }
  const Hierarchy& properties() const { return properties_; }
  const ClassesOfProperties& of_subjects() const { return of_subjects_; }
  const ClassesOfProperties& of_objects() const { return of_objects_; }
  // rdfs:Resource and what is above it: the classes that everything is in.
  const TermSet& universal() const { return universal_; }

 private:
  using Classes = std::unordered_map<rdf::TermId, std::vector<rdf::TermId>>;

  Status find_vocabulary(Regime regime, exec::QuadSource& source);
  Status read_statements(exec::QuadSource& source, std::stop_token stop);
  Status index();
  TermSet classes_of(const Classes& declared, rdf::TermId property) const;
  Status index(const Classes& declared, size_t& pairs, ClassesOfProperties& out) const;

  Vocabulary vocabulary_;
  Hierarchy classes_;
  Hierarchy properties_;
  Classes domains_;
  Classes ranges_;
  ClassesOfProperties of_subjects_;
  ClassesOfProperties of_objects_;
  TermSet universal_;
};

}  // namespace weft::entail
