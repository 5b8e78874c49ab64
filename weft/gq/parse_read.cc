// match { … } return { … } order { … } limit n
#include <array>
#include <utility>

#include "weft/gq/parser.h"

namespace weft::gq {

using schema::Scanner;
using schema::Token;
using schema::TokenKind;

bool Parser::read(Read& out) {
  construct_ = {nullptr, {}};
  scanner_.take();  // match
  if (!clauses(out.clauses) || !word("return") || !projections(out)) {
    return false;
  }
  if (accept_word("order") && !orderings(out)) {
    return false;
  }
  if (const Place place = scanner_.peek().place; accept_word("limit")) {
    uint64_t limit = 0;
    if (!count(INT64_MAX, limit)) {
      return false;
    }
    out.limit = limit;
    construct_ = {"limit", place, true};
  }
  return true;
}

// At least one, in braces.
bool Parser::clauses(std::vector<Clause>& out) {
  const Level level(depth_);
  if (!deeper() || !mark("{")) {
    return false;
  }
  do {
    construct_ = {nullptr, {}};
    if (!room(out.size())) {
      return false;
    }
    out.emplace_back();
    if (!clause(out.back())) {
      return false;
    }
  } while (!accept("}"));
  return true;
}

bool Parser::clause(Clause& out) {
  const Token first = scanner_.peek();
  if (first.is_word("not") && is_next_after_word("{")) {
    out.value = Negation();
    return negation(std::get<Negation>(out.value));
  }
  if (first.kind != TokenKind::kVariable) {
    return filter(out);
  }
  const Scanner::Mark here = scanner_.mark();
  Name name;
  if (!variable(name)) {
    return false;
  }
  if (scanner_.peek().is_mark(":")) {
    return binding(std::move(name), out);
  }
  const bool traverses = begins_traversal();
  scanner_.reset(here);
  if (traverses) {
    out.value = Traversal();
    return traversal(std::get<Traversal>(out.value));
  }
  return filter(out);
}

bool Parser::negation(Negation& out) {
  out.place = scanner_.take().place;  // not
  return clauses(out.clauses);
}

bool Parser::binding(Name variable, Clause& out) {
  out.value = Binding();
  auto& binding = std::get<Binding>(out.value);
  binding.variable = std::move(variable);
  scanner_.take();  // ':'
  if (!upper_name(binding.type, "the name of a node type")) {
    return false;
  }
  if (!accept("{")) {
    return true;
  }
  do {
    if (!room(binding.matches.size())) {
      return false;
    }
    binding.matches.emplace_back();
    Assignment& match = binding.matches.back();
    if (!lower_name(match.property, "the name of a property") || !mark(":") ||
        !value(match.value)) {
      return false;
    }
  } while (accept(",") && !scanner_.peek().is_mark("}"));
  return mark("}");
}

// After the left variable. A word in the place of the edge may be a string operator all the same:
// `$x contains "a"` is a filter, `$x contains $y` a traversal (as in the origin).
bool Parser::begins_traversal() {
  if (scanner_.peek().kind == TokenKind::kVariable) {
    return true;
  }
  if (scanner_.peek().is_mark("<")) {
    scanner_.take();
    return scanner_.peek().is_lower() && is_next_after_word(">");
  }
  if (!scanner_.peek().is_lower() || scanner_.peek().is_word("not")) {
    return false;
  }
  const bool may_be_operator =
      scanner_.peek().is_word("contains") || scanner_.peek().is_word("starts_with");
  scanner_.take();
  return !may_be_operator || scanner_.peek().kind == TokenKind::kVariable ||
         scanner_.peek().is_mark("{");
}

bool Parser::traversal(Traversal& out) {
  if (!variable(out.left)) {
    return false;
  }
  if (scanner_.peek().kind == TokenKind::kVariable &&
      (!variable(out.edge_variable) || !mark(":"))) {
    return false;
  }
  out.undirected = accept("<");
  if (!lower_name(out.edge, "the name of an edge (its first letter in lower case)") ||
      (out.undirected && !mark(">"))) {
    return false;
  }
  return (!scanner_.peek().is_mark("{") || bounds(out)) && variable(out.right);
}

bool Parser::bounds(Traversal& out) {
  out.has_bounds = true;
  out.bounds_place = scanner_.peek().place;
  construct_ = {"bounds", out.bounds_place};
  scanner_.take();
  uint64_t min = 0;
  uint64_t max = 0;
  if (!count(UINT32_MAX, min) || !mark(",")) {
    return false;
  }
  out.hops_min = static_cast<uint32_t>(min);
  out.hops_max.reset();
  if (!scanner_.peek().is_mark("}")) {
    if (!count(UINT32_MAX, max)) {
      return false;
    }
    out.hops_max = static_cast<uint32_t>(max);
  }
  if (!mark("}")) {
    return false;
  }
  construct_ = {nullptr, {}};
  return true;
}

bool Parser::filter(Clause& out) {
  Filter filter;
  const bool begins = scanner_.peek().kind != TokenKind::kMark || scanner_.peek().is_mark("[");
  if (!begins) {
    return fail("a binding, a traversal, a filter or not { … }");
  }
  if (!expression(filter.left)) {
    return false;
  }
  if (!find_operator(filter.op)) {
    if (is_text_call(filter.left.kind)) {
      out.value = TextCall{std::move(filter.left)};
      return true;
    }
    return fail(filter.left.kind == ExpressionKind::kVariable
                    ? "':' and a type, the name of an edge, or an operator"
                    : "an operator: = != < <= > >= contains starts_with");
  }
  construct_ = {nullptr, {}};
  if (!expression(filter.right)) {
    return false;
  }
  out.value = std::move(filter);
  return true;
}

bool Parser::find_operator(Operator& out) {
  constexpr std::array<std::pair<std::string_view, Operator>, 8> kOperators = {
      {{"=", Operator::kEqual},
       {"!=", Operator::kNotEqual},
       {"<", Operator::kLess},
       {"<=", Operator::kLessOrEqual},
       {">", Operator::kGreater},
       {">=", Operator::kGreaterOrEqual},
       {"contains", Operator::kContains},
       {"starts_with", Operator::kStartsWith}}};
  for (const auto& [text, op] : kOperators) {
    if (scanner_.peek().is_mark(text) || scanner_.peek().is_word(text)) {
      out = op;
      scanner_.take();
      return true;
    }
  }
  return false;
}

bool Parser::projections(Read& out) {
  if (!mark("{")) {
    return false;
  }
  do {
    construct_ = {nullptr, {}};
    if (!room(out.projections.size())) {
      return false;
    }
    out.projections.emplace_back();
    Projection& projection = out.projections.back();
    if (!expression(projection.expression) ||
        (accept_word("as") && !lower_name(projection.alias, "a name in lower case"))) {
      return false;
    }
    accept(",");
  } while (!accept("}"));
  return true;
}

bool Parser::orderings(Read& out) {
  if (!mark("{")) {
    return false;
  }
  do {
    construct_ = {nullptr, {}};
    if (!room(out.orderings.size())) {
      return false;
    }
    out.orderings.emplace_back();
    Ordering& ordering = out.orderings.back();
    if (!expression(ordering.expression)) {
      return false;
    }
    construct_ = {"ordering", ordering.expression.place, true};
    // The order of nearest is its own: nearest first.
    if (ordering.expression.kind != ExpressionKind::kNearest && !accept_word("asc")) {
      ordering.descending = accept_word("desc");
    }
  } while (accept(","));
  return mark("}");
}

}  // namespace weft::gq
