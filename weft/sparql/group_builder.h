// Puts the elements of one group together (SPARQL 1.1 Query §18.2.2.5 to §18.2.2.7): triples gather
// into basic graph patterns, joins stay flat, OPTIONAL, MINUS and BIND take what stands before
// them.
#pragma once

#include <unordered_set>
#include <vector>

#include "weft/sparql/algebra.h"
#include "weft/sparql/grammar.h"

namespace weft::sparql {

class GroupBuilder {
 public:
  // `variables` must outlive the builder; hidden variables are added to it.
  explicit GroupBuilder(VariableTable& variables) : variables_(variables) {}

  void add_triples(const std::vector<ParsedTriple>& triples, Place place);
  void add_filter(Expression condition) { filters_.push_back(std::move(condition)); }
  void add_join(NodePtr node);
  void add_optional(ParsedGroup group, Place place);
  void add_minus(NodePtr node, Place place);
  void add_bind(VariableIndex variable, Expression expression, Place place);

  // What the elements so far may bind.
  bool in_scope(VariableIndex variable);
  // The height of the tree so far.
  uint32_t height() const;

  ParsedGroup finish();

 private:
  // One part of a triple term: `component` of `whole` is `term`.
  struct Part {
    VariableIndex whole;
    Function component;
    PatternTerm term;
    bool is_triple;  // `term` is itself a triple term, taken apart by later parts
  };

  PatternTerm flatten(const TemplateTerm& term);
  void add_triple(PatternTerm subject, PatternTerm predicate, PatternTerm object);
  void add_path(PatternTerm subject, const PathExpression& path, PatternTerm object);
  void add_negated_set(const PatternTerm& subject, const PathExpression& path,
                       const PatternTerm& object);
  NodePtr alternative(const PatternTerm& subject, const PathExpression& path,
                      const PatternTerm& object) const;
  void flush();
  NodePtr take_apart(NodePtr node);
  NodePtr seal();

  VariableTable& variables_;
  std::vector<NodePtr> joined_;
  std::vector<TriplePattern> triples_;
  std::vector<NodePtr> paths_;  // of the pending triples: what is not a triple
  std::vector<Part> parts_;
  std::vector<VariableIndex> wholes_;  // of the pending triples: triple terms taken apart
  std::vector<Expression> filters_;
  Place place_;
};

// Joins without the empty pattern; a plain node if there is only one.
NodePtr join_nodes(std::vector<NodePtr> nodes, Place place);

}  // namespace weft::sparql
