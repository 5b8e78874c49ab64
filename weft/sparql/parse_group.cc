// Groups of the parser (grammar.h). SPARQL 1.1 Query grammar, rules 53 to 68.
#include <algorithm>
#include <map>
#include <utility>

#include "weft/sparql/grammar.h"
#include "weft/sparql/group_builder.h"

namespace weft::sparql {
namespace {

// Limit "values rows × columns" keeps VALUES from being a bulk load.
constexpr size_t kValuesCellsMax = 10'000'000;

}  // namespace

Result<NodePtr> Parser::bounded(NodePtr node) const {
  if (node->height > kTreeHeightMax) {
    return Error(ErrorKind::kLimit, "parse query: the pattern is too deep a tree")
        .with("limit", "tree height")
        .with("tree_height_max", kTreeHeightMax)
        .with("line", current_.place.line)
        .with("column", current_.place.column);
  }
  return node;
}

// GroupGraphPattern
Result<ParsedGroup> Parser::group() {
  const Nesting nesting(*this);
  WEFT_TRY_STATUS(nesting.entered());
  WEFT_TRY_STATUS(expect("{"));
  next_pattern();
  ParsedGroup result;
  if (at_word("SELECT")) {
    WEFT_TRY(result.pattern, sub_select());
  } else {
    GroupBuilder builder(query_.variables);
    while (!at("}")) {
      WEFT_TRY_STATUS(group_element(builder));
      if (builder.height() > kTreeHeightMax) {
        break;
      }
    }
    result = builder.finish();
  }
  WEFT_TRY(result.pattern, bounded(std::move(result.pattern)));
  WEFT_TRY_STATUS(expect("}"));
  next_pattern();
  return result;
}

Result<NodePtr> Parser::group_node() {
  const Place place = current_.place;
  WEFT_TRY(ParsedGroup parsed, group());
  if (parsed.filters.empty()) {
    return std::move(parsed.pattern);
  }
  return bounded(make_node(Filter{std::move(parsed.pattern), std::move(parsed.filters)}, place));
}

// One element, and the dot that may follow.
Status Parser::group_element(GroupBuilder& builder) {
  const Place place = current_.place;
  if (at_triples()) {
    std::vector<ParsedTriple> triples;
    WEFT_TRY_STATUS(triples_block(TripleMode::kPattern, triples));
    builder.add_triples(triples, place);
    if (at_triples()) {
      return error_here("'.' between triples");
    }
    return ok_status();
  }
  if (take_word("FILTER")) {
    WEFT_TRY(Expression condition, constraint());
    builder.add_filter(std::move(condition));
    take(".");
    return ok_status();
  }
  if (take_word("OPTIONAL")) {
    WEFT_TRY(ParsedGroup optional, group());
    builder.add_optional(std::move(optional), place);
  } else if (take_word("MINUS")) {
    WEFT_TRY(NodePtr right, group_node());
    builder.add_minus(std::move(right), place);
  } else if (take_word("BIND")) {
    WEFT_TRY_STATUS(bind(builder));
  } else if (take_word("GRAPH")) {
    WEFT_TRY(NodePtr node, graph());
    builder.add_join(std::move(node));
  } else if (take_word("SERVICE")) {
    WEFT_TRY(NodePtr node, service());
    builder.add_join(std::move(node));
  } else if (take_word("VALUES")) {
    WEFT_TRY(Values values, inline_data());
    builder.add_join(make_node(std::move(values), place));
  } else if (at("{")) {
    WEFT_TRY(NodePtr node, group_or_union());
    builder.add_join(std::move(node));
  } else {
    return error_here("a triple, '{', FILTER, OPTIONAL, UNION, MINUS, BIND, VALUES, GRAPH or '}'");
  }
  next_pattern();
  take(".");
  return ok_status();
}

// GroupOrUnionGraphPattern
Result<NodePtr> Parser::group_or_union() {
  const Place place = current_.place;
  WEFT_TRY(NodePtr first, group_node());
  if (!at_word("UNION")) {
    return first;
  }
  Union result;
  result.parts.push_back(std::move(first));
  while (take_word("UNION")) {
    WEFT_TRY(NodePtr next, group_node());
    result.parts.push_back(std::move(next));
  }
  return bounded(make_node(std::move(result), place));
}

Status Parser::bind(GroupBuilder& builder) {
  const Place place = current_.place;
  WEFT_TRY_STATUS(expect("("));
  WEFT_TRY(Expression value, expression());
  WEFT_TRY_STATUS(expect_word("AS"));
  const Place name_place = current_.place;
  const std::string name = current_.value;
  WEFT_TRY(const VariableIndex target, variable());
  WEFT_TRY_STATUS(expect(")"));
  if (builder.in_scope(target)) {
    return error_at(name_place,
                    "parse query: BIND assigns to ?" + name + ", which the group already uses");
  }
  builder.add_bind(target, std::move(value), place);
  return ok_status();
}

Result<NodePtr> Parser::graph() {
  const Place place = current_.place;
  if (at(TokenKind::kVariable)) {
    return graph_of_variable(place);
  }
  WEFT_TRY(PatternTerm name, variable_or_iri());
  WEFT_TRY(NodePtr inner, group_node());
  return bounded(make_node(GraphPattern{std::move(name), std::move(inner)}, place));
}

// §18.6: the pattern is evaluated without the graph's name, which is joined afterwards. So inside,
// ?g is another variable, ?g'; if the pattern binds it, it must agree: a filter above compares.
Result<NodePtr> Parser::graph_of_variable(Place place) {
  const std::string name = current_.value;
  WEFT_TRY(const VariableIndex outer, variable());
  const VariableIndex inner = query_.variables.add_hidden();
  query_.variables.set_hidden(inner, false);  // for SELECT * inside
  const auto before = aliases_.extract(name);
  aliases_[name] = inner;
  Result<NodePtr> parsed = group_node();
  query_.variables.set_hidden(inner, true);
  aliases_.erase(name);
  if (!before.empty()) {
    aliases_[name] = before.mapped();
  }
  WEFT_TRY(NodePtr pattern, std::move(parsed));
  const bool may_bind = std::binary_search(pattern->scope.begin(), pattern->scope.end(), inner);
  const bool binds = std::binary_search(pattern->certain.begin(), pattern->certain.end(), inner);
  WEFT_TRY(NodePtr node, bounded(make_node(GraphPattern{outer, std::move(pattern)}, place)));
  if (!may_bind) {
    return node;
  }
  std::vector<Expression> pair;
  pair.push_back(make_variable(inner, place));
  pair.push_back(make_variable(outer, place));
  Expression agrees = make_call(Function::kSameTerm, std::move(pair), place);
  if (!binds) {
    std::vector<Expression> bound;
    bound.push_back(make_variable(inner, place));
    std::vector<Expression> unbound;
    unbound.push_back(make_call(Function::kBound, std::move(bound), place));
    std::vector<Expression> either;
    either.push_back(make_call(Function::kNot, std::move(unbound), place));
    either.push_back(std::move(agrees));
    agrees = make_call(Function::kOr, std::move(either), place);
  }
  Filter filter{std::move(node), {}};
  filter.conditions.push_back(std::move(agrees));
  return bounded(make_node(std::move(filter), place));
}

Result<NodePtr> Parser::service() {
  const Place place = current_.place;
  const bool silent = take_word("SILENT");
  WEFT_TRY(PatternTerm endpoint, variable_or_iri());
  const char* begin = current_.text.data();
  WEFT_TRY(NodePtr inner, group_node());
  Service service{std::move(endpoint), silent, std::move(inner), prologue_text(), {}};
  service.query += "SELECT * WHERE " + std::string(begin, taken_end_);
  for (const VariableIndex variable : service.input->scope) {
    std::string name = query_.variables[variable].name;
    for (const auto& [outside, inside] : aliases_) {
      name = inside == variable ? outside : name;
    }
    if (!name.starts_with('.')) {
      service.names.emplace_back(std::move(name), variable);
    }
  }
  return bounded(make_node(std::move(service), place));
}

// What the names in a piece of the query mean.
std::string Parser::prologue_text() const {
  std::string text;
  if (!query_.base_iri.empty()) {
    text += "BASE <" + query_.base_iri + ">\n";
  }
  const std::map<std::string, std::string> ordered(prefixes_.begin(), prefixes_.end());
  for (const auto& [prefix, iri] : ordered) {
    text += "PREFIX " + prefix + ": <" + iri + ">\n";
  }
  return text;
}

// DataBlock
Result<Values> Parser::inline_data() {
  Values result;
  const bool single = at(TokenKind::kVariable);
  const Place place = current_.place;
  if (single) {
    WEFT_TRY(const VariableIndex name, variable());
    result.variables.push_back(name);
  } else {
    WEFT_TRY_STATUS(expect("("));
    while (!take(")")) {
      const Place name_place = current_.place;
      WEFT_TRY(const VariableIndex name, variable());
      if (std::find(result.variables.begin(), result.variables.end(), name) !=
          result.variables.end()) {
        return error_at(name_place, "parse query: VALUES names a variable twice");
      }
      result.variables.push_back(name);
    }
  }
  WEFT_TRY_STATUS(expect("{"));
  while (!take("}")) {
    const Place row_place = current_.place;
    std::vector<std::optional<std::string>> row;
    if (!single) {
      WEFT_TRY_STATUS(expect("("));
    }
    while (single ? row.empty() : !at(")")) {
      if (take_word("UNDEF")) {
        row.emplace_back(std::nullopt);
        continue;
      }
      WEFT_TRY(std::string token, data_value());
      row.emplace_back(std::move(token));
    }
    if (!single) {
      WEFT_TRY_STATUS(expect(")"));
    }
    if (row.size() != result.variables.size()) {
      return error_at(row_place, "parse query: this row of VALUES has " +
                                     std::to_string(row.size()) + " values for " +
                                     std::to_string(result.variables.size()) + " variables");
    }
    result.rows.push_back(std::move(row));
    if (result.rows.size() * std::max<size_t>(result.variables.size(), 1) > kValuesCellsMax) {
      return Error(ErrorKind::kLimit, "parse query: too many values in VALUES")
          .with("limit", "values cells")
          .with("values_cells_max", kValuesCellsMax)
          .with("line", place.line)
          .with("column", place.column);
    }
  }
  return result;
}

}  // namespace weft::sparql
