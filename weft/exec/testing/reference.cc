#include "weft/exec/testing/reference.h"

#include <algorithm>

namespace weft::exec::reference {
namespace {

using sparql::Expression;
using sparql::Node;

bool disjoint(const Solution& a, const Solution& b) {
  return std::none_of(a.begin(), a.end(),
                      [&](const auto& binding) { return b.contains(binding.first); });
}

Solution merged(Solution a, const Solution& b) {
  a.insert(b.begin(), b.end());
  return a;
}

Multiset join(const Multiset& a, const Multiset& b) {
  Multiset result;
  for (const Solution& left : a) {
    for (const Solution& right : b) {
      if (compatible(left, right)) {
        result.push_back(merged(left, right));
      }
    }
  }
  return result;
}

}  // namespace

Dataset Evaluator::chosen(const Dataset& dataset) const {
  if (query_.default_graphs.empty() && query_.named_graphs.empty()) {
    return dataset;
  }
  Dataset result;
  for (const std::string& name : query_.default_graphs) {
    if (const auto found = dataset.named.find(name); found != dataset.named.end()) {
      result.default_graph.insert(found->second.begin(), found->second.end());
    }
  }
  for (const std::string& name : query_.named_graphs) {
    if (const auto found = dataset.named.find(name); found != dataset.named.end()) {
      result.named.insert(*found);
    }
  }
  return result;
}

Multiset Evaluator::eval(const Node& node, const Graph& graph) const {
  if (const auto* bgp = std::get_if<sparql::Bgp>(&node.operation)) {
    return eval_bgp(*bgp, graph);
  }
  if (const auto* path = std::get_if<sparql::Path>(&node.operation)) {
    return eval_path(*path, graph);
  }
  if (const auto* parts = std::get_if<sparql::Join>(&node.operation)) {
    Multiset result = {Solution()};
    for (const sparql::NodePtr& part : parts->parts) {
      result = join(result, eval(*part, graph));
    }
    return result;
  }
  if (const auto* left_join = std::get_if<sparql::LeftJoin>(&node.operation)) {
    return eval_left_join(*left_join, graph);
  }
  if (const auto* filter = std::get_if<sparql::Filter>(&node.operation)) {
    Multiset input = eval(*filter->input, graph);
    std::erase_if(input, [&](const Solution& s) { return !holds(filter->conditions, s, graph); });
    return input;
  }
  if (const auto* alternatives = std::get_if<sparql::Union>(&node.operation)) {
    Multiset result;
    for (const sparql::NodePtr& part : alternatives->parts) {
      const Multiset rows = eval(*part, graph);
      result.insert(result.end(), rows.begin(), rows.end());
    }
    return result;
  }
  if (const auto* minus = std::get_if<sparql::Minus>(&node.operation)) {
    return eval_minus(*minus, graph);
  }
  if (const auto* extend = std::get_if<sparql::Extend>(&node.operation)) {
    Multiset input = eval(*extend->input, graph);
    for (Solution& solution : input) {
      const std::string token = term(extend->expression, solution, graph).token;
      if (!token.empty()) {
        solution[extend->variable] = token;
      }
    }
    return input;
  }
  if (const auto* pattern = std::get_if<sparql::GraphPattern>(&node.operation)) {
    return eval_graph(*pattern);
  }
  if (const auto* values = std::get_if<sparql::Values>(&node.operation)) {
    Multiset result;
    for (const auto& row : values->rows) {
      Solution& solution = result.emplace_back();
      for (size_t i = 0; i < row.size(); ++i) {
        if (row[i]) {
          solution[values->variables[i]] = *row[i];
        }
      }
    }
    return result;
  }
  return eval_modifier(node, graph);
}

Multiset Evaluator::eval_modifier(const Node& node, const Graph& graph) const {
  if (const auto* group = std::get_if<sparql::Group>(&node.operation)) {
    return eval_group(*group, graph);
  }
  if (const auto* project = std::get_if<sparql::Project>(&node.operation)) {
    Multiset input = eval(*project->input, graph);
    for (Solution& solution : input) {
      std::erase_if(solution, [&](const auto& binding) {
        return std::find(project->variables.begin(), project->variables.end(), binding.first) ==
               project->variables.end();
      });
    }
    return input;
  }
  if (const auto* distinct = std::get_if<sparql::Distinct>(&node.operation)) {
    const Multiset input = eval(*distinct->input, graph);
    const std::set<Solution> once(input.begin(), input.end());
    return {once.begin(), once.end()};
  }
  if (const auto* order = std::get_if<sparql::OrderBy>(&node.operation)) {
    return eval(*order->input, graph);
  }
  return {};
}

Multiset Evaluator::eval_bgp(const sparql::Bgp& bgp, const Graph& graph) const {
  Multiset result = {Solution()};
  for (const sparql::TriplePattern& pattern : bgp.triples) {
    Multiset next;
    for (const Solution& solution : result) {
      for (const Triple& triple : graph) {
        Solution extended = solution;
        if (bind(pattern.subject, triple[0], extended) &&
            bind(pattern.predicate, triple[1], extended) &&
            bind(pattern.object, triple[2], extended)) {
          next.push_back(std::move(extended));
        }
      }
    }
    result = std::move(next);
  }
  return result;
}

Multiset Evaluator::eval_left_join(const sparql::LeftJoin& node, const Graph& graph) const {
  const Multiset left = eval(*node.left, graph);
  const Multiset right = eval(*node.right, graph);
  Multiset result;
  for (const Solution& a : left) {
    bool matched = false;
    for (const Solution& b : right) {
      if (compatible(a, b) && holds(node.conditions, merged(a, b), graph)) {
        result.push_back(merged(a, b));
        matched = true;
      }
    }
    if (!matched) {
      result.push_back(a);
    }
  }
  return result;
}

Multiset Evaluator::eval_minus(const sparql::Minus& node, const Graph& graph) const {
  Multiset left = eval(*node.left, graph);
  const Multiset right = eval(*node.right, graph);
  std::erase_if(left, [&](const Solution& a) {
    return std::any_of(right.begin(), right.end(),
                       [&](const Solution& b) { return compatible(a, b) && !disjoint(a, b); });
  });
  return left;
}

Multiset Evaluator::eval_graph(const sparql::GraphPattern& pattern) const {
  if (const auto* name = std::get_if<std::string>(&pattern.graph)) {
    const auto found = dataset_.named.find(*name);
    return found == dataset_.named.end() ? Multiset() : eval(*pattern.input, found->second);
  }
  Multiset result;
  for (const auto& [name, graph] : dataset_.named) {
    const Multiset rows = join(eval(*pattern.input, graph),
                               {{{std::get<sparql::VariableIndex>(pattern.graph), name}}});
    result.insert(result.end(), rows.begin(), rows.end());
  }
  return result;
}

Multiset Evaluator::eval_group(const sparql::Group& group, const Graph& graph) const {
  const Multiset input = eval(*group.input, graph);
  std::map<std::vector<std::string>, std::vector<const Solution*>> groups;
  if (group.keys.empty()) {
    groups[{}];
  }
  for (const Solution& solution : input) {
    std::vector<std::string> key;
    for (const sparql::GroupKey& part : group.keys) {
      key.push_back(term(part.expression, solution, graph).token);
    }
    groups[key].push_back(&solution);
  }
  Multiset result;
  for (const auto& [key, members] : groups) {
    Solution& solution = result.emplace_back();
    for (size_t i = 0; i < key.size(); ++i) {
      if (!key[i].empty()) {
        solution[group.keys[i].variable] = key[i];
      }
    }
    for (const sparql::Aggregate& definition : group.aggregates) {
      if (const std::optional<std::string> token = aggregate(definition, members, graph)) {
        solution[definition.result] = *token;
      }
    }
  }
  return result;
}

std::optional<std::string> Evaluator::aggregate(const sparql::Aggregate& definition,
                                                const std::vector<const Solution*>& members,
                                                const Graph& graph) const {
  using sparql::AggregateFunction;
  if (!definition.argument) {
    std::set<Solution> once;
    for (const Solution* member : members) {
      once.insert(*member);
    }
    return rdf::Value::integer(
               static_cast<int64_t>(definition.distinct ? once.size() : members.size()))
        .to_token();
  }
  std::vector<Term> terms;
  std::set<std::string> seen;
  bool failed = false;
  for (const Solution* member : members) {
    Term value = term(*definition.argument, *member, graph);
    if (value.token.empty()) {
      failed = true;
    } else if (!definition.distinct || seen.insert(value.token).second) {
      terms.push_back(std::move(value));
    }
  }
  if (definition.function == AggregateFunction::kCount) {
    return rdf::Value::integer(static_cast<int64_t>(terms.size())).to_token();
  }
  if (failed) {
    return std::nullopt;
  }
  if (definition.function == AggregateFunction::kSum) {
    rdf::Value sum = rdf::Value::integer(0);
    for (const Term& part : terms) {
      sum = rdf::add(sum, part.value);
    }
    const std::string token = sum.to_token();
    return token.empty() ? std::nullopt : std::optional(token);
  }
  // MIN and MAX: of equal ones any; the tests only ask for those without ties.
  const auto best = std::min_element(terms.begin(), terms.end(), [&](const Term& a, const Term& b) {
    return definition.function == AggregateFunction::kMin ? rdf::order(a.value, b.value) < 0
                                                          : rdf::order(b.value, a.value) < 0;
  });
  return best == terms.end() ? std::nullopt : std::optional(best->token);
}

}  // namespace weft::exec::reference
