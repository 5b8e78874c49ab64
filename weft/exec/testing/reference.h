// A second evaluator for tests: SPARQL 1.1 Query §18 word by word, over maps of strings, without
// ids, plans, indexes or batches. Slow, and short enough to be read against the standard.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "weft/rdf/value.h"
#include "weft/sparql/algebra.h"

namespace weft::exec::reference {

using Solution = std::map<sparql::VariableIndex, std::string>;  // bound variables to tokens
using Multiset = std::vector<Solution>;
using Triple = std::array<std::string, 3>;
using Graph = std::set<Triple>;

struct Dataset {
  Graph default_graph;
  std::map<std::string, Graph> named;
};

bool compatible(const Solution& a, const Solution& b);
// Extends `solution` so that the pattern term is `token`; false if it is something else.
bool bind(const sparql::PatternTerm& term, const std::string& token, Solution& solution);

class Evaluator {
 public:
  Evaluator(const sparql::Query& query, const Dataset& dataset) : query_(query) {
    dataset_ = chosen(dataset);
  }
  // Without the effect of ORDER BY on the sequence; LIMIT and OFFSET only below the top.
  Multiset run() const { return eval(*query_.pattern, dataset_.default_graph); }

 private:
  struct Term {  // undefined: token empty
    std::string token;
    rdf::Value value;
  };
  Dataset chosen(const Dataset& dataset) const;
  Multiset eval(const sparql::Node& node, const Graph& graph) const;
  Multiset eval_modifier(const sparql::Node& node, const Graph& graph) const;
  Multiset eval_bgp(const sparql::Bgp& bgp, const Graph& graph) const;
  Multiset eval_left_join(const sparql::LeftJoin& join, const Graph& graph) const;
  Multiset eval_minus(const sparql::Minus& minus, const Graph& graph) const;
  Multiset eval_graph(const sparql::GraphPattern& pattern) const;
  Multiset eval_group(const sparql::Group& group, const Graph& graph) const;
  std::optional<std::string> aggregate(const sparql::Aggregate& aggregate,
                                       const std::vector<const Solution*>& members,
                                       const Graph& graph) const;
  Multiset eval_path(const sparql::Path& path, const Graph& graph) const;
  bool exists(const sparql::Expression::Exists& exists, const Solution& solution,
              const Graph& graph) const;
  // `graph` is the active one, for EXISTS.
  Term term(const sparql::Expression& expression, const Solution& solution,
            const Graph& graph) const;
  Term call(const sparql::Expression::Call& call, const Solution& solution,
            const Graph& graph) const;
  std::optional<bool> truth(const sparql::Expression& expression, const Solution& solution,
                            const Graph& graph) const;
  bool holds(const std::vector<sparql::Expression>& conditions, const Solution& solution,
             const Graph& graph) const;

  const sparql::Query& query_;
  Dataset dataset_;
};

}  // namespace weft::exec::reference
