#include "weft/exec/testing/reference.h"

#include <algorithm>

#include "weft/rdf/term.h"
#include "weft/sparql/traversal.h"

namespace weft::exec::reference {
namespace {

using sparql::Expression;
using sparql::Function;
using sparql::Node;

bool compatible(const Solution& a, const Solution& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& binding) {
    const auto other = b.find(binding.first);
    return other == b.end() || other->second == binding.second;
  });
}

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

// Extends `solution` so that the pattern term is `token`; false if it is something else.
bool bind(const sparql::PatternTerm& term, const std::string& token, Solution& solution) {
  if (const auto* constant = std::get_if<std::string>(&term)) {
    return *constant == token;
  }
  return solution.try_emplace(std::get<sparql::VariableIndex>(term), token).first->second == token;
}

std::optional<std::string> lexical(const std::string& token) {
  switch (rdf::kind_of(token)) {
    case rdf::TermKind::kIri:
      return std::string(rdf::iri_of(token));
    case rdf::TermKind::kLiteral:
      return rdf::unescape(rdf::split_literal(token).escaped);
    default:
      return std::nullopt;
  }
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

// --- Expressions

bool Evaluator::holds(const std::vector<Expression>& conditions, const Solution& solution,
                      const Graph& graph) const {
  return std::all_of(conditions.begin(), conditions.end(), [&](const Expression& condition) {
    return truth(condition, solution, graph) == true;
  });
}

std::optional<bool> Evaluator::truth(const Expression& expression, const Solution& solution,
                                     const Graph& graph) const {
  return rdf::effective_boolean(term(expression, solution, graph).value);
}

Evaluator::Term Evaluator::term(const Expression& expression, const Solution& solution,
                                const Graph& graph) const {
  if (const auto* pattern = std::get_if<Expression::Exists>(&expression.form)) {
    const rdf::Value value =
        rdf::Value::boolean(exists(*pattern, solution, graph) != pattern->negated);
    return {value.to_token(), value};
  }
  if (const auto* constant = std::get_if<Expression::Constant>(&expression.form)) {
    return {constant->token, rdf::Value::from_token(constant->token)};
  }
  if (const auto* variable = std::get_if<Expression::Variable>(&expression.form)) {
    const auto found = solution.find(variable->variable);
    return found == solution.end() ? Term()
                                   : Term{found->second, rdf::Value::from_token(found->second)};
  }
  if (const auto* function = std::get_if<Expression::Call>(&expression.form)) {
    return call(*function, solution, graph);
  }
  return {};
}

namespace {

std::optional<bool> compared(Function function, const rdf::Value& a, const rdf::Value& b) {
  switch (function) {
    case Function::kEqual:
      return rdf::equal(a, b);
    case Function::kNotEqual: {
      const std::optional<bool> same = rdf::equal(a, b);
      return same ? std::optional(!*same) : std::nullopt;
    }
    case Function::kLess:
      return rdf::less(a, b);
    case Function::kGreater:
      return rdf::less(b, a);
    case Function::kLessOrEqual:
      return rdf::less_or_equal(a, b);
    default:
      return rdf::less_or_equal(b, a);
  }
}

}  // namespace

Evaluator::Term Evaluator::call(const Expression::Call& call, const Solution& solution,
                                const Graph& graph) const {
  const std::vector<Expression>& arguments = call.arguments;
  const auto result = [](const rdf::Value& value) { return Term{value.to_token(), value}; };
  const auto boolean = [&](std::optional<bool> value) {
    return value ? result(rdf::Value::boolean(*value)) : Term();
  };
  switch (call.function) {
    case Function::kOr:
    case Function::kAnd: {
      const bool deciding = call.function == Function::kOr;
      bool failed = false;
      for (const Expression& argument : arguments) {
        const std::optional<bool> part = truth(argument, solution, graph);
        if (part == deciding) {
          return boolean(deciding);
        }
        failed = failed || !part;
      }
      return failed ? Term() : boolean(!deciding);
    }
    case Function::kNot: {
      const std::optional<bool> part = truth(arguments[0], solution, graph);
      return part ? boolean(!*part) : Term();
    }
    case Function::kBound:
      return boolean(solution.contains(std::get<Expression::Variable>(arguments[0].form).variable));
    case Function::kIf: {
      const std::optional<bool> condition = truth(arguments[0], solution, graph);
      return condition ? term(arguments[*condition ? 1 : 2], solution, graph) : Term();
    }
    case Function::kCoalesce:
      for (const Expression& argument : arguments) {
        Term value = term(argument, solution, graph);
        if (!value.token.empty()) {
          return value;
        }
      }
      return {};
    default:
      break;
  }
  std::vector<Term> terms;
  for (const Expression& argument : arguments) {
    terms.push_back(term(argument, solution, graph));
    if (terms.back().token.empty()) {
      return {};
    }
  }
  switch (call.function) {
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kLess:
    case Function::kGreater:
    case Function::kLessOrEqual:
    case Function::kGreaterOrEqual:
      return boolean(compared(call.function, terms[0].value, terms[1].value));
    case Function::kSameTerm:
      return boolean(terms[0].token == terms[1].token);
    case Function::kIsIri:
      return boolean(rdf::kind_of(terms[0].token) == rdf::TermKind::kIri);
    case Function::kIsBlank:
      return boolean(rdf::kind_of(terms[0].token) == rdf::TermKind::kBlankNode);
    case Function::kIsLiteral:
      return boolean(rdf::kind_of(terms[0].token) == rdf::TermKind::kLiteral);
    case Function::kAdd:
      return result(rdf::add(terms[0].value, terms[1].value));
    case Function::kSubtract:
      return result(rdf::subtract(terms[0].value, terms[1].value));
    case Function::kStr: {
      const std::optional<std::string> text = lexical(terms[0].token);
      return text ? result(rdf::Value::string(*text)) : Term();
    }
    case Function::kIri: {
      const std::optional<std::string> text = lexical(terms[0].token);
      if (!text) {
        return {};
      }
      // Relative ones are plain names in these tests.
      const std::string base = text->starts_with("http") ? "" : query_.base_iri;
      return result(rdf::Value::from_token("<" + base + *text + ">"));
    }
    default:
      return {};
  }
}

}  // namespace weft::exec::reference
