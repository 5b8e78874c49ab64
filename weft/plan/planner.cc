#include "weft/plan/planner.h"

#include <set>
#include <utility>

#include "weft/plan/compiler.h"
#include "weft/rdf/term.h"
#include "weft/sparql/traversal.h"

namespace weft::plan {
namespace {

using sparql::Expression;
using sparql::Node;

void collect_predicates(const sparql::PathExpression& path, std::set<std::string>& tokens) {
  if (path.kind == sparql::PathExpression::Kind::kIri) {
    tokens.insert(path.iri);
  }
  for (const sparql::PathExpression& part : path.parts) {
    collect_predicates(part, tokens);
  }
}

void collect_constants(const Node& node, std::set<std::string>& tokens, bool& ranges) {
  const auto take = [&](const sparql::PatternTerm& term) {
    if (const auto* token = std::get_if<std::string>(&term)) {
      tokens.insert(*token);
    }
  };
  if (const auto* bgp = std::get_if<sparql::Bgp>(&node.operation)) {
    for (const sparql::TriplePattern& triple : bgp->triples) {
      take(triple.subject);
      take(triple.predicate);
      take(triple.object);
    }
  } else if (const auto* path = std::get_if<sparql::Path>(&node.operation)) {
    take(path->subject);
    take(path->object);
    collect_predicates(path->path, tokens);
  } else if (const auto* graph = std::get_if<sparql::GraphPattern>(&node.operation)) {
    take(graph->graph);
    ranges = ranges || std::holds_alternative<Variable>(graph->graph);
  } else if (std::holds_alternative<sparql::Service>(node.operation)) {
    return;  // evaluated elsewhere
  } else if (const auto* values = std::get_if<sparql::Values>(&node.operation)) {
    for (const auto& row : values->rows) {
      for (const auto& token : row) {
        if (token) {
          tokens.insert(*token);
        }
      }
    }
  }
  sparql::for_each_part(
      node, [&](const Node& child) { collect_constants(child, tokens, ranges); },
      [&](const Expression& expression) {
        sparql::for_each_expression(expression, [&](const Expression& part) {
          if (const auto* exists = std::get_if<Expression::Exists>(&part.form)) {
            collect_constants(*exists->pattern, tokens, ranges);
          } else if (const auto* constant = std::get_if<Expression::Constant>(&part.form);
                     constant != nullptr && rdf::kind_of(constant->token) == rdf::TermKind::kIri) {
            tokens.insert(constant->token);  // FILTER(?x = <iri>) becomes a join
          }
        });
      });
}

}  // namespace

std::vector<std::string> constants_of(const sparql::Query& query) {
  std::set<std::string> tokens;
  bool ranges = false;
  collect_constants(*query.pattern, tokens, ranges);
  if (!query.with_graph.empty()) {
    tokens.insert(query.with_graph);
  }
  return {tokens.begin(), tokens.end()};
}

bool ranges_over_graphs(const sparql::Query& query) {
  std::set<std::string> tokens;
  bool ranges = false;
  collect_constants(*query.pattern, tokens, ranges);
  return ranges;
}

Result<Plan> make_plan(const sparql::Query& query, const Environment& environment) {
  return Compiler(query, environment).run();
}

}  // namespace weft::plan
