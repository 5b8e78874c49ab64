// Expressions of the parser (grammar.h): operators. SPARQL 1.1 Query grammar, rules 110 to 119.
#include <utility>

#include "weft/rdf/term.h"
#include "weft/sparql/grammar.h"

namespace weft::sparql {
namespace {

std::vector<Expression> pair(Expression left, Expression right) {
  std::vector<Expression> result;
  result.reserve(2);
  result.push_back(std::move(left));
  result.push_back(std::move(right));
  return result;
}

}  // namespace

Result<Expression> Parser::bounded(Expression expression) const {
  if (expression.height > kTreeHeightMax) {
    return Error(ErrorKind::kLimit, "parse query: the expression is too deep a tree")
        .with("limit", "tree height")
        .with("tree_height_max", kTreeHeightMax)
        .with("line", expression.place.line)
        .with("column", expression.place.column);
  }
  return expression;
}

// ConditionalOrExpression
Result<Expression> Parser::expression() {
  const Nesting nesting(*this);
  WEFT_TRY_STATUS(nesting.entered());
  WEFT_TRY(Expression first, conjunction());
  if (!at("||")) {
    return first;
  }
  const Place place = first.place;
  std::vector<Expression> parts;
  parts.push_back(std::move(first));
  while (take("||")) {
    WEFT_TRY(Expression next, conjunction());
    parts.push_back(std::move(next));
    if (parts.size() > kArgumentsMax) {
      return error_at(place, "parse query: more than 65535 alternatives in one ||");
    }
  }
  return bounded(make_call(Function::kOr, std::move(parts), place));
}

// ConditionalAndExpression
Result<Expression> Parser::conjunction() {
  WEFT_TRY(Expression first, relation());
  if (!at("&&")) {
    return first;
  }
  const Place place = first.place;
  std::vector<Expression> parts;
  parts.push_back(std::move(first));
  while (take("&&")) {
    WEFT_TRY(Expression next, relation());
    parts.push_back(std::move(next));
    if (parts.size() > kArgumentsMax) {
      return error_at(place, "parse query: more than 65535 conditions in one &&");
    }
  }
  return bounded(make_call(Function::kAnd, std::move(parts), place));
}

// RelationalExpression: does not associate.
Result<Expression> Parser::relation() {
  WEFT_TRY(Expression left, sum());
  const Place place = left.place;
  struct Comparison {
    std::string_view text;
    Function function;
  };
  constexpr Comparison kComparisons[] = {
      {"=", Function::kEqual},   {"!=", Function::kNotEqual},
      {"<", Function::kLess},    {"<=", Function::kLessOrEqual},
      {">", Function::kGreater}, {">=", Function::kGreaterOrEqual}};
  for (const Comparison& comparison : kComparisons) {
    if (take(comparison.text)) {
      WEFT_TRY(Expression right, sum());
      return bounded(
          make_call(comparison.function, pair(std::move(left), std::move(right)), place));
    }
  }
  Function function = Function::kIn;
  if (take_word("NOT")) {
    WEFT_TRY_STATUS(expect_word("IN"));
    function = Function::kNotIn;
  } else if (!take_word("IN")) {
    return left;
  }
  WEFT_TRY(std::vector<Expression> list, arguments(nullptr));
  list.insert(list.begin(), std::move(left));
  if (list.size() > kArgumentsMax) {
    return error_at(place, "parse query: more than 65534 members in one IN");
  }
  return bounded(make_call(function, std::move(list), place));
}

// AdditiveExpression. A signed number behind an operand is an operator and a number.
Result<Expression> Parser::sum() {
  WEFT_TRY(Expression left, product());
  while (at("+") || at("-")) {
    const Function function = at("+") ? Function::kAdd : Function::kSubtract;
    const Place place = left.place;
    advance();
    WEFT_TRY(Expression right, product());
    WEFT_TRY(left, bounded(make_call(function, pair(std::move(left), std::move(right)), place)));
  }
  return left;
}

// MultiplicativeExpression
Result<Expression> Parser::product() {
  WEFT_TRY(Expression left, unary());
  while (at("*") || at("/")) {
    const Function function = at("*") ? Function::kMultiply : Function::kDivide;
    const Place place = left.place;
    advance();
    WEFT_TRY(Expression right, unary());
    WEFT_TRY(left, bounded(make_call(function, pair(std::move(left), std::move(right)), place)));
  }
  return left;
}

// UnaryExpression
Result<Expression> Parser::unary() {
  const Place place = current_.place;
  if (take("!")) {
    const Nesting nesting(*this);
    WEFT_TRY_STATUS(nesting.entered());
    WEFT_TRY(Expression operand, unary());
    std::vector<Expression> operands;
    operands.push_back(std::move(operand));
    return bounded(make_call(Function::kNot, std::move(operands), place));
  }
  if (!at("+") && !at("-")) {
    return primary();
  }
  const bool negative = at("-");
  const char* end = current_.text.data() + current_.text.size();
  advance();
  const bool number = at(TokenKind::kInteger) || at(TokenKind::kDecimal) || at(TokenKind::kDouble);
  if (number && current_.text.data() == end) {
    const std::string_view datatype = at(TokenKind::kInteger)   ? "integer"
                                      : at(TokenKind::kDecimal) ? "decimal"
                                                                : "double";
    const std::string lexical = (negative ? "-" : "+") + std::string(current_.text);
    advance();
    return make_constant(
        rdf::make_literal(lexical, {}, {}, std::string(rdf::kXsd).append(datatype)), place);
  }
  WEFT_TRY(Expression operand, primary());
  std::vector<Expression> operands;
  operands.push_back(std::move(operand));
  return bounded(make_call(negative ? Function::kUnaryMinus : Function::kUnaryPlus,
                           std::move(operands), place));
}

Result<Expression> Parser::bracketted() {
  WEFT_TRY_STATUS(expect("("));
  WEFT_TRY(Expression inner, expression());
  WEFT_TRY_STATUS(expect(")"));
  return inner;
}

// PrimaryExpression
Result<Expression> Parser::primary() {
  const Place place = current_.place;
  if (at("(")) {
    return bracketted();
  }
  if (take("<<(")) {
    return triple_expression();
  }
  if (at(TokenKind::kVariable)) {
    WEFT_TRY(const VariableIndex name, variable());
    return make_variable(name, place);
  }
  if (at_iri()) {
    return call_or_iri();
  }
  if (at_literal()) {
    WEFT_TRY(std::string token, literal_token());
    return make_constant(std::move(token), place);
  }
  if (at(TokenKind::kWord)) {
    return built_in();
  }
  return error_here("an expression");
}

// Constraint
bool Parser::at_constraint() const {
  return at("(") || at_iri() ||
         (at(TokenKind::kWord) && !at_word("true") && !at_word("false") && current_.text != "a");
}

Result<Expression> Parser::constraint() {
  if (at("(")) {
    return bracketted();
  }
  if (at_iri()) {
    const Place place = current_.place;
    WEFT_TRY(Expression call, call_or_iri());
    if (std::holds_alternative<Expression::Constant>(call.form)) {
      return error_at(place, "parse query: a condition that is an IRI must be a function call");
    }
    return call;
  }
  if (at(TokenKind::kWord) && !at_word("true") && !at_word("false")) {
    return built_in();
  }
  return error_here("a condition in parentheses or a function call");
}

// ExprTripleTerm, after its opening.
Result<Expression> Parser::triple_expression() {
  const Nesting nesting(*this);
  WEFT_TRY_STATUS(nesting.entered());
  const Place place = current_.place;
  std::vector<Expression> parts;
  WEFT_TRY(Expression subject, triple_expression_part(true));
  parts.push_back(std::move(subject));
  const Place verb_place = current_.place;
  WEFT_TRY(TemplateTerm predicate, simple_verb());
  if (const auto* name = std::get_if<VariableIndex>(&predicate.form)) {
    parts.push_back(make_variable(*name, verb_place));
  } else {
    parts.push_back(make_constant(std::get<std::string>(predicate.form), verb_place));
  }
  WEFT_TRY(Expression object, triple_expression_part(false));
  parts.push_back(std::move(object));
  WEFT_TRY_STATUS(expect(")>>"));
  bool constant = true;
  for (const Expression& part : parts) {
    constant = constant && std::holds_alternative<Expression::Constant>(part.form);
  }
  if (!constant) {
    return bounded(make_call(Function::kTriple, std::move(parts), place));
  }
  const auto token = [&](size_t i) -> const std::string& {
    return std::get<Expression::Constant>(parts[i].form).token;
  };
  return make_constant(rdf::make_triple(token(0), token(1), token(2)), place);
}

Result<Expression> Parser::triple_expression_part(bool subject) {
  const Place place = current_.place;
  if (at(TokenKind::kVariable)) {
    WEFT_TRY(const VariableIndex name, variable());
    return make_variable(name, place);
  }
  if (at_iri()) {
    WEFT_TRY(const std::string name, iri());
    return make_constant(rdf::make_iri(name), place);
  }
  if (!subject && take("<<(")) {
    return triple_expression();
  }
  if (!subject && at_literal()) {
    WEFT_TRY(std::string token, literal_token());
    return make_constant(std::move(token), place);
  }
  return error_here(subject ? "a variable or an IRI" : "a variable or a term");
}

}  // namespace weft::sparql
