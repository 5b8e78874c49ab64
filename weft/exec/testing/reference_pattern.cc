// Property paths and the substitution behind EXISTS.
#include <algorithm>

#include "weft/exec/testing/reference.h"
#include "weft/rdf/term.h"
#include "weft/sparql/traversal.h"

namespace weft::exec::reference {
namespace {

using sparql::Expression;
using sparql::Function;
using sparql::Node;

}  // namespace

bool compatible(const Solution& a, const Solution& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& binding) {
    const auto other = b.find(binding.first);
    return other == b.end() || other->second == binding.second;
  });
}

bool bind(const sparql::PatternTerm& term, const std::string& token, Solution& solution) {
  if (const auto* constant = std::get_if<std::string>(&term)) {
    return *constant == token;
  }
  return solution.try_emplace(std::get<sparql::VariableIndex>(term), token).first->second == token;
}

namespace {

// The nodes that `path` leads to from `node`, each once.
std::set<std::string> reached(const sparql::PathExpression& path, const std::string& node,
                              const Graph& graph, bool inverse) {
  using Kind = sparql::PathExpression::Kind;
  std::set<std::string> ends;
  const auto collect = [&](const auto& wanted, bool backwards) {
    for (const Triple& triple : graph) {
      if (triple[backwards ? 2 : 0] == node && wanted(triple[1])) {
        ends.insert(triple[backwards ? 0 : 2]);
      }
    }
  };
  switch (path.kind) {
    case Kind::kIri:
      collect([&](const std::string& p) { return p == path.iri; }, inverse);
      break;
    case Kind::kInverse:
      return reached(path.parts[0], node, graph, !inverse);
    case Kind::kSequence: {
      ends = {node};
      for (size_t i = 0; i < path.parts.size(); ++i) {
        std::set<std::string> next;
        for (const std::string& middle : ends) {
          next.merge(
              reached(path.parts[inverse ? path.parts.size() - 1 - i : i], middle, graph, inverse));
        }
        ends = std::move(next);
      }
      break;
    }
    case Kind::kAlternative:
      for (const sparql::PathExpression& part : path.parts) {
        ends.merge(reached(part, node, graph, inverse));
      }
      break;
    case Kind::kZeroOrOne:
      ends = reached(path.parts[0], node, graph, inverse);
      ends.insert(node);
      break;
    case Kind::kOneOrMore:
    case Kind::kZeroOrMore: {
      std::vector<std::string> open = {node};
      if (path.kind == Kind::kZeroOrMore) {
        ends.insert(node);
      }
      while (!open.empty()) {
        const std::string from = open.back();
        open.pop_back();
        for (const std::string& end : reached(path.parts[0], from, graph, inverse)) {
          if (ends.insert(end).second) {
            open.push_back(end);
          }
        }
      }
      break;
    }
    case Kind::kNegatedSet:
      for (const bool backwards : {false, true}) {
        std::set<std::string> excluded;
        bool named = !backwards && path.parts.empty();
        for (const sparql::PathExpression& part : path.parts) {
          if ((part.kind == Kind::kInverse) == backwards) {
            named = true;
            excluded.insert(backwards ? part.parts[0].iri : part.iri);
          }
        }
        if (named) {
          collect([&](const std::string& p) { return !excluded.contains(p); },
                  backwards != inverse);
        }
      }
      break;
  }
  return ends;
}

}  // namespace

Multiset Evaluator::eval_path(const sparql::Path& path, const Graph& graph) const {
  std::set<std::string> starts;
  if (const auto* constant = std::get_if<std::string>(&path.subject)) {
    starts = {*constant};
  } else {
    for (const Triple& triple : graph) {
      starts.insert(triple[0]);
      starts.insert(triple[2]);
    }
    if (const auto* end = std::get_if<std::string>(&path.object)) {
      starts.insert(*end);
    }
  }
  Multiset result;
  for (const std::string& start : starts) {
    for (const std::string& end : reached(path.path, start, graph, false)) {
      Solution solution;
      if (bind(path.subject, start, solution) && bind(path.object, end, solution)) {
        result.push_back(std::move(solution));
      }
    }
  }
  return result;
}

namespace {

// Replaces variables by their terms (SPARQL 1.1 Query §18.6, substitute). Inside a subquery only
// what it projects is meant.
class Substitution {
 public:
  explicit Substitution(const Solution& solution) : solution_(solution) {}

  void node(Node& node) {
    if (auto* bgp = std::get_if<sparql::Bgp>(&node.operation)) {
      for (sparql::TriplePattern& triple : bgp->triples) {
        term(triple.subject);
        term(triple.predicate);
        term(triple.object);
      }
    } else if (auto* path = std::get_if<sparql::Path>(&node.operation)) {
      term(path->subject);
      term(path->object);
    } else if (auto* join = std::get_if<sparql::Join>(&node.operation)) {
      all(join->parts);
    } else if (auto* alternatives = std::get_if<sparql::Union>(&node.operation)) {
      all(alternatives->parts);
    } else if (auto* left_join = std::get_if<sparql::LeftJoin>(&node.operation)) {
      this->node(*left_join->left);
      this->node(*left_join->right);
      all(left_join->conditions);
    } else if (auto* filter = std::get_if<sparql::Filter>(&node.operation)) {
      this->node(*filter->input);
      all(filter->conditions);
    } else if (auto* minus = std::get_if<sparql::Minus>(&node.operation)) {
      this->node(*minus->left);
      this->node(*minus->right);
    } else if (auto* extend = std::get_if<sparql::Extend>(&node.operation)) {
      this->node(*extend->input);
      expression(extend->expression);
    } else if (auto* pattern = std::get_if<sparql::GraphPattern>(&node.operation)) {
      term(pattern->graph);
      this->node(*pattern->input);
    } else if (auto* values = std::get_if<sparql::Values>(&node.operation)) {
      rows(*values);
    } else if (auto* distinct = std::get_if<sparql::Distinct>(&node.operation)) {
      this->node(*distinct->input);
    } else if (auto* project = std::get_if<sparql::Project>(&node.operation)) {
      subquery(*project);
    }
  }

 private:
  void all(std::vector<sparql::NodePtr>& parts) {
    for (sparql::NodePtr& part : parts) {
      node(*part);
    }
  }
  void all(std::vector<Expression>& expressions) {
    for (Expression& part : expressions) {
      expression(part);
    }
  }
  void term(sparql::PatternTerm& term) {
    if (const auto* variable = std::get_if<sparql::VariableIndex>(&term)) {
      if (const auto found = solution_.find(*variable); found != solution_.end()) {
        term = found->second;
      }
    }
  }
  void expression(Expression& expression) {
    if (const auto* variable = std::get_if<Expression::Variable>(&expression.form)) {
      if (const auto found = solution_.find(variable->variable); found != solution_.end()) {
        expression = sparql::make_constant(found->second);
      }
    } else if (auto* call = std::get_if<Expression::Call>(&expression.form)) {
      if (call->function == Function::kBound) {
        const auto bound = std::get<Expression::Variable>(call->arguments[0].form).variable;
        if (solution_.contains(bound)) {
          expression = sparql::make_constant(rdf::Value::boolean(true).to_token());
        }
        return;
      }
      all(call->arguments);
    } else if (auto* exists = std::get_if<Expression::Exists>(&expression.form)) {
      node(*exists->pattern);
    }
  }
  // Rows that agree, without the columns that are known.
  void rows(sparql::Values& values) {
    for (size_t c = values.variables.size(); c-- > 0;) {
      const auto found = solution_.find(values.variables[c]);
      if (found == solution_.end()) {
        continue;
      }
      std::erase_if(values.rows,
                    [&](const auto& row) { return row[c] && *row[c] != found->second; });
      for (auto& row : values.rows) {
        row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
      }
      values.variables.erase(values.variables.begin() + static_cast<std::ptrdiff_t>(c));
    }
  }
  void subquery(sparql::Project& project) {
    Solution visible;
    for (const sparql::VariableIndex variable : project.variables) {
      if (const auto found = solution_.find(variable); found != solution_.end()) {
        visible.insert(*found);
      }
    }
    Substitution(visible).node(*project.input);
  }

  const Solution& solution_;
};

// The variables that BIND gives a value to.
void collect_targets(const Node& node, std::set<sparql::VariableIndex>& targets) {
  if (const auto* extend = std::get_if<sparql::Extend>(&node.operation)) {
    targets.insert(extend->variable);
  }
  sparql::for_each_part(
      node, [&](const Node& child) { collect_targets(child, targets); },
      [](const Expression& /*expression*/) {});
}

}  // namespace

bool Evaluator::exists(const Expression::Exists& exists, const Solution& solution,
                       const Graph& graph) const {
  // What BIND sets inside is not replaced, but must agree.
  std::set<sparql::VariableIndex> targets;
  collect_targets(*exists.pattern, targets);
  Solution known = solution;
  std::erase_if(known, [&](const auto& binding) { return targets.contains(binding.first); });
  const sparql::NodePtr pattern = sparql::clone(*exists.pattern);
  Substitution(known).node(*pattern);
  const Multiset found = eval(*pattern, graph);
  return std::any_of(found.begin(), found.end(),
                     [&](const Solution& inner) { return compatible(inner, solution); });
}

}  // namespace weft::exec::reference
