// SELECT, solution modifiers and their translation (grammar.h). SPARQL 1.1 Query grammar, rules 7
// to 9 and 18 to 28; §18.2.4 and §18.2.5.
#include <algorithm>
#include <charconv>
#include <utility>

#include "weft/sparql/grammar.h"
#include "weft/sparql/group_builder.h"
#include "weft/sparql/traversal.h"

namespace weft::sparql {
namespace {

bool contains(const std::vector<VariableIndex>& sorted, VariableIndex variable) {
  return std::binary_search(sorted.begin(), sorted.end(), variable);
}

bool is_grouped(const Modifiers& modifiers) {
  return !modifiers.group_keys.empty() || !modifiers.aggregates.empty();
}

// What a projection may use after grouping: keys by name, results of aggregates.
std::vector<VariableIndex> visible_after(const Modifiers& modifiers) {
  std::vector<VariableIndex> result;
  result.reserve(modifiers.group_keys.size() + modifiers.aggregates.size());
  for (const GroupKey& key : modifiers.group_keys) {
    result.push_back(key.variable);
  }
  for (const Aggregate& aggregate : modifiers.aggregates) {
    result.push_back(aggregate.result);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

Result<SelectClause> Parser::select_clause() {
  SelectClause clause;
  clause.distinct = take_word("DISTINCT");
  clause.reduced = !clause.distinct && take_word("REDUCED");
  clause.star = take("*");
  if (clause.star) {
    return clause;
  }
  while (at(TokenKind::kVariable) || at("(")) {
    SelectItem item;
    item.place = current_.place;
    if (take("(")) {
      WEFT_TRY(item.expression, expression());
      WEFT_TRY_STATUS(expect_word("AS"));
      item.place = current_.place;
      WEFT_TRY(item.variable, variable());
      WEFT_TRY_STATUS(expect(")"));
    } else {
      WEFT_TRY(item.variable, variable());
    }
    clause.items.push_back(std::move(item));
  }
  if (clause.items.empty()) {
    return error_here("'*', a variable or '(' expression AS variable ')'");
  }
  return clause;
}

Result<NodePtr> Parser::sub_select() {
  WEFT_TRY_STATUS(expect_word("SELECT"));
  return select_body(false);
}

Result<NodePtr> Parser::select_body(bool top_level) {
  const Place place = current_.place;
  Modifiers modifiers;
  std::vector<Aggregate>* const outer = std::exchange(aggregates_, &modifiers.aggregates);
  const bool outer_in_aggregate = std::exchange(in_aggregate_, false);
  const auto parse = [&]() -> Result<NodePtr> {
    WEFT_TRY(SelectClause clause, select_clause());
    if (top_level) {
      WEFT_TRY_STATUS(dataset());
    }
    WEFT_TRY(NodePtr pattern, where_clause());
    WEFT_TRY_STATUS(solution_modifiers(modifiers));
    std::vector<VariableIndex> columns;
    const bool distinct = clause.distinct;
    const bool reduced = clause.reduced;
    const uint64_t offset = modifiers.offset;
    const std::optional<uint64_t> limit = modifiers.limit;
    WEFT_TRY(NodePtr node,
             compose_select(std::move(clause), std::move(pattern), std::move(modifiers), columns));
    if (distinct) {
      node = make_node(Distinct{std::move(node)}, place);
    } else if (reduced) {
      node = make_node(Reduced{std::move(node)}, place);
    }
    if (offset != 0 || limit.has_value()) {
      node = make_node(Slice{std::move(node), offset, limit}, place);
    }
    if (top_level) {
      query_.projection = std::move(columns);
    }
    return bounded(std::move(node));
  };
  Result<NodePtr> result = parse();
  aggregates_ = outer;
  in_aggregate_ = outer_in_aggregate;
  return result;
}

Status Parser::solution_modifiers(Modifiers& modifiers) {
  std::vector<Aggregate>* const outer = std::exchange(aggregates_, nullptr);
  const auto parse = [&]() -> Status {
    WEFT_TRY_STATUS(group_by(modifiers));
    aggregates_ = &modifiers.aggregates;
    if (take_word("HAVING")) {
      do {
        WEFT_TRY(Expression condition, constraint());
        modifiers.having.push_back(std::move(condition));
      } while (at_constraint() && !at_word("ORDER") && !at_word("LIMIT") && !at_word("OFFSET") &&
               !at_word("VALUES"));
    }
    WEFT_TRY_STATUS(order_by(modifiers));
    aggregates_ = nullptr;
    WEFT_TRY_STATUS(limit_and_offset(modifiers));
    if (take_word("VALUES")) {
      WEFT_TRY(modifiers.values, inline_data());
    }
    return ok_status();
  };
  Status status = parse();
  aggregates_ = outer;
  return status;
}

Status Parser::group_by(Modifiers& modifiers) {
  if (!at_word("GROUP")) {
    return ok_status();
  }
  modifiers.group_place = current_.place;
  advance();
  WEFT_TRY_STATUS(expect_word("BY"));
  const auto more = [&] {
    return at(TokenKind::kVariable) ||
           (at_constraint() && !at_word("HAVING") && !at_word("ORDER") && !at_word("LIMIT") &&
            !at_word("OFFSET") && !at_word("VALUES"));
  };
  do {
    const Place place = current_.place;
    GroupKey key;
    if (at(TokenKind::kVariable)) {
      WEFT_TRY(key.variable, variable());
      key.expression = make_variable(key.variable, place);
    } else if (take("(")) {
      WEFT_TRY(key.expression, expression());
      if (take_word("AS")) {
        WEFT_TRY(key.variable, variable());
      } else if (const auto* plain = std::get_if<Expression::Variable>(&key.expression.form)) {
        key.variable = plain->variable;
      } else {
        key.variable = query_.variables.add_hidden();
      }
      WEFT_TRY_STATUS(expect(")"));
    } else {
      WEFT_TRY(key.expression, constraint());
      key.variable = query_.variables.add_hidden();
    }
    modifiers.group_keys.push_back(std::move(key));
  } while (more());
  return ok_status();
}

Status Parser::order_by(Modifiers& modifiers) {
  if (!take_word("ORDER")) {
    return ok_status();
  }
  WEFT_TRY_STATUS(expect_word("BY"));
  const auto more = [&] {
    return at(TokenKind::kVariable) ||
           (at_constraint() && !at_word("LIMIT") && !at_word("OFFSET") && !at_word("VALUES"));
  };
  do {
    OrderCondition condition;
    const Place place = current_.place;
    condition.descending = at_word("DESC");
    if (take_word("ASC") || take_word("DESC")) {
      WEFT_TRY(condition.expression, bracketted());
    } else if (at(TokenKind::kVariable)) {
      WEFT_TRY(const VariableIndex name, variable());
      condition.expression = make_variable(name, place);
    } else {
      WEFT_TRY(condition.expression, constraint());
    }
    modifiers.order.push_back(std::move(condition));
  } while (more());
  return ok_status();
}

// In either order, each at most once.
Status Parser::limit_and_offset(Modifiers& modifiers) {
  bool has_offset = false;
  while (at_word("LIMIT") || at_word("OFFSET")) {
    if (at_word("LIMIT") ? modifiers.limit.has_value() : has_offset) {
      return error_here("no second LIMIT or OFFSET");
    }
    if (take_word("LIMIT")) {
      WEFT_TRY(modifiers.limit, count());
    } else {
      advance();
      WEFT_TRY(modifiers.offset, count());
      has_offset = true;
    }
  }
  return ok_status();
}

Result<uint64_t> Parser::count() {
  if (!at(TokenKind::kInteger)) {
    return error_here("a whole number");
  }
  uint64_t value = 0;
  const std::string_view text = current_.text;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return error_at(current_.place, "parse query: this number does not fit 64 bits");
  }
  advance();
  return value;
}

Status Parser::check_select(const SelectClause& clause, const Node& pattern,
                            const Modifiers& modifiers) const {
  const bool grouped = is_grouped(modifiers);
  const std::string star = "parse query: SELECT * does not go with GROUP BY or aggregates";
  if (clause.star) {
    return grouped ? Status(error_at(modifiers.group_place, star)) : ok_status();
  }
  std::vector<VariableIndex> scope = grouped ? visible_after(modifiers) : pattern.scope;
  std::vector<VariableIndex> named;
  for (const SelectItem& item : clause.items) {
    const std::string name = "?" + query_.variables[item.variable].name;
    const bool again = std::find(named.begin(), named.end(), item.variable) != named.end();
    if (!item.expression.has_value()) {
      if (grouped && !contains(scope, item.variable)) {
        return error_at(item.place, "parse query: " + name +
                                        " is neither a key of GROUP BY nor inside an aggregate");
      }
      named.push_back(item.variable);
      continue;
    }
    if (again || contains(scope, item.variable)) {
      return error_at(item.place, "parse query: AS names " + name + ", which is already in use");
    }
    std::optional<VariableIndex> stray;
    for_each_expression(*item.expression, [&](const Expression& part) {
      const auto* used = std::get_if<Expression::Variable>(&part.form);
      if (grouped && used != nullptr && !contains(scope, used->variable)) {
        stray = used->variable;
      }
    });
    if (stray.has_value()) {
      return error_at(item.expression->place,
                      "parse query: ?" + query_.variables[*stray].name +
                          " is neither a key of GROUP BY nor inside an aggregate");
    }
    named.push_back(item.variable);
    scope.insert(std::lower_bound(scope.begin(), scope.end(), item.variable), item.variable);
  }
  return ok_status();
}

// §18.2.4.1
Result<NodePtr> Parser::compose_group(NodePtr pattern, Modifiers& modifiers) {
  if (!is_grouped(modifiers)) {
    return pattern;
  }
  std::vector<VariableIndex> keys;
  for (const GroupKey& key : modifiers.group_keys) {
    const auto* plain = std::get_if<Expression::Variable>(&key.expression.form);
    const bool itself = plain != nullptr && plain->variable == key.variable;
    const bool repeated = std::find(keys.begin(), keys.end(), key.variable) != keys.end();
    if (!itself && (contains(pattern->scope, key.variable) || repeated)) {
      return error_at(key.expression.place, "parse query: GROUP BY assigns to ?" +
                                                query_.variables[key.variable].name +
                                                ", which is already in use");
    }
    keys.push_back(key.variable);
  }
  // GROUP BY ?x ?x is GROUP BY ?x.
  std::vector<GroupKey> distinct;
  keys.clear();
  for (GroupKey& key : modifiers.group_keys) {
    if (std::find(keys.begin(), keys.end(), key.variable) == keys.end()) {
      keys.push_back(key.variable);
      distinct.push_back(std::move(key));
    }
  }
  return bounded(
      make_node(Group{std::move(pattern), std::move(distinct), std::move(modifiers.aggregates)},
                modifiers.group_place));
}

Result<NodePtr> Parser::compose_extends(NodePtr node, std::vector<SelectItem>& items) {
  for (SelectItem& item : items) {
    if (item.expression.has_value()) {
      WEFT_TRY(node, bounded(make_node(
                         Extend{std::move(node), item.variable, std::move(*item.expression)},
                         item.place)));
    }
  }
  return node;
}

// §18.2.4 and §18.2.5 up to projection. HAVING that mentions a name of SELECT … AS comes after the
// assignment, else before it as the standard says; names of AS are new, so nothing else changes.
Result<NodePtr> Parser::compose_select(SelectClause clause, NodePtr pattern, Modifiers modifiers,
                                       std::vector<VariableIndex>& columns) {
  WEFT_TRY_STATUS(check_select(clause, *pattern, modifiers));
  std::vector<VariableIndex> assigned;
  for (const SelectItem& item : clause.items) {
    if (item.expression.has_value()) {
      assigned.push_back(item.variable);
    }
    if (std::find(columns.begin(), columns.end(), item.variable) == columns.end()) {
      columns.push_back(item.variable);
    }
  }
  bool having_uses_names = false;
  for (const Expression& condition : modifiers.having) {
    for (const VariableIndex used : variables_of(condition)) {
      having_uses_names =
          having_uses_names || std::find(assigned.begin(), assigned.end(), used) != assigned.end();
    }
  }
  if (modifiers.values.has_value()) {
    for (const VariableIndex variable : modifiers.values->variables) {
      if (std::find(assigned.begin(), assigned.end(), variable) != assigned.end()) {
        return error_at(modifiers.group_place, "parse query: VALUES and AS both assign to ?" +
                                                   query_.variables[variable].name);
      }
    }
  }
  if (having_uses_names) {
    WEFT_TRY(pattern, compose_group(std::move(pattern), modifiers));
    WEFT_TRY(pattern, compose_extends(std::move(pattern), clause.items));
  }
  std::vector<OrderCondition> order = std::move(modifiers.order);
  modifiers.order.clear();
  modifiers.offset = 0;
  modifiers.limit.reset();
  if (having_uses_names) {
    modifiers.group_keys.clear();
    modifiers.aggregates.clear();
  }
  WEFT_TRY(NodePtr node, compose_rest(std::move(pattern), std::move(modifiers)));
  if (!having_uses_names) {
    WEFT_TRY(node, compose_extends(std::move(node), clause.items));
  }
  if (clause.star) {
    for (const VariableIndex variable : node->scope) {
      if (!query_.variables[variable].hidden) {
        columns.push_back(variable);
      }
    }
  }
  const Place place = node->place;
  if (!order.empty()) {
    node = make_node(OrderBy{std::move(node), std::move(order)}, place);
  }
  return bounded(make_node(Project{std::move(node), columns}, place));
}

// Grouping, HAVING, VALUES; then, for queries without SELECT, order and slice.
Result<NodePtr> Parser::compose_rest(NodePtr pattern, Modifiers modifiers) {
  const Place place = pattern->place;
  WEFT_TRY(NodePtr node, compose_group(std::move(pattern), modifiers));
  if (!modifiers.having.empty()) {
    node = make_node(Filter{std::move(node), std::move(modifiers.having)}, place);
  }
  if (modifiers.values.has_value()) {
    std::vector<NodePtr> parts;
    parts.push_back(std::move(node));
    parts.push_back(make_node(std::move(*modifiers.values), place));
    node = join_nodes(std::move(parts), place);
  }
  if (!modifiers.order.empty()) {
    node = make_node(OrderBy{std::move(node), std::move(modifiers.order)}, place);
  }
  if (modifiers.offset != 0 || modifiers.limit.has_value()) {
    node = make_node(Slice{std::move(node), modifiers.offset, modifiers.limit}, place);
  }
  return bounded(std::move(node));
}

}  // namespace weft::sparql
