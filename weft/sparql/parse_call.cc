// Function calls and aggregates of the parser (grammar.h). SPARQL 1.1 Query grammar, rules 70, 71
// and 120 to 128.
#include <utility>

#include "weft/rdf/term.h"
#include "weft/sparql/function_table.h"
#include "weft/sparql/grammar.h"

namespace weft::sparql {
namespace {

struct AggregateName {
  std::string_view name;
  AggregateFunction function;
};
constexpr AggregateName kAggregates[] = {
    {"COUNT", AggregateFunction::kCount},
    {"SUM", AggregateFunction::kSum},
    {"MIN", AggregateFunction::kMin},
    {"MAX", AggregateFunction::kMax},
    {"AVG", AggregateFunction::kAvg},
    {"SAMPLE", AggregateFunction::kSample},
    {"GROUP_CONCAT", AggregateFunction::kGroupConcat},
};

}  // namespace

// ArgList and ExpressionList. `distinct` is null where DISTINCT may not stand.
Result<std::vector<Expression>> Parser::arguments(bool* distinct) {
  const Place place = current_.place;
  WEFT_TRY_STATUS(expect("("));
  std::vector<Expression> result;
  if (take(")")) {
    return result;
  }
  if (distinct != nullptr) {
    *distinct = take_word("DISTINCT");
  }
  do {
    WEFT_TRY(Expression argument, expression());
    result.push_back(std::move(argument));
    if (result.size() > kArgumentsMax) {
      return error_at(place, "parse query: more than 65535 arguments");
    }
  } while (take(","));
  WEFT_TRY_STATUS(expect(")"));
  return result;
}

// iriOrFunction
Result<Expression> Parser::call_or_iri() {
  const Place place = current_.place;
  WEFT_TRY(std::string name, iri());
  if (!at("(")) {
    return make_constant(rdf::make_iri(name), place);
  }
  Expression::Extension extension;
  WEFT_TRY(extension.arguments, arguments(&extension.distinct));
  if (name.starts_with(rdf::kXsd) && !extension.distinct) {
    const auto cast = find_cast(std::string_view(name).substr(rdf::kXsd.size()));
    if (cast.has_value()) {
      if (extension.arguments.size() != 1) {
        return error_at(place, "parse query: a cast takes one argument");
      }
      return bounded(make_call(*cast, std::move(extension.arguments), place));
    }
  }
  extension.iri = std::move(name);
  return bounded(make_extension(std::move(extension), place));
}

// BuiltInCall
Result<Expression> Parser::built_in() {
  const Place place = current_.place;
  if (take_word("EXISTS")) {
    return exists(false, place);
  }
  if (take_word("NOT")) {
    WEFT_TRY_STATUS(expect_word("EXISTS"));
    return exists(true, place);
  }
  for (const AggregateName& candidate : kAggregates) {
    if (at_word(candidate.name)) {
      return aggregate(candidate.function);
    }
  }
  const auto function = find_function(current_.text);
  if (!function.has_value()) {
    return error_here("a function or an expression");
  }
  const std::string name(current_.text);
  advance();
  WEFT_TRY(std::vector<Expression> parameters, arguments(nullptr));
  const Arity arity = function_arity(*function);
  if (parameters.size() < arity.least || parameters.size() > arity.most) {
    std::string wanted = std::to_string(arity.least);
    if (arity.most != arity.least) {
      wanted += " to " + std::to_string(arity.most);
    }
    return error_at(place, "parse query: " + name + " takes " + wanted + " arguments, not " +
                               std::to_string(parameters.size()));
  }
  if (*function == Function::kBound &&
      !std::holds_alternative<Expression::Variable>(parameters.front().form)) {
    return error_at(place, "parse query: BOUND takes a variable");
  }
  return bounded(make_call(*function, std::move(parameters), place));
}

Result<Expression> Parser::exists(bool negated, Place place) {
  std::vector<Aggregate>* const outer = std::exchange(aggregates_, nullptr);
  const bool outer_in_aggregate = std::exchange(in_aggregate_, false);
  // The filter does not end the basic graph pattern around it.
  const uint32_t outer_pattern = pattern_number_;
  next_pattern();
  Result<NodePtr> pattern = group_node();
  pattern_number_ = outer_pattern;
  aggregates_ = outer;
  in_aggregate_ = outer_in_aggregate;
  if (!pattern.ok()) {
    return std::move(pattern).error();
  }
  return bounded(make_exists({negated, std::move(pattern).value()}, place));
}

// Aggregate. The result is the hidden variable that the Group node binds.
Result<Expression> Parser::aggregate(AggregateFunction function) {
  const Place place = current_.place;
  if (in_aggregate_) {
    return error_at(place, "parse query: an aggregate inside an aggregate");
  }
  if (aggregates_ == nullptr) {
    return error_at(place, "parse query: aggregates stand in SELECT, HAVING and ORDER BY only");
  }
  advance();
  WEFT_TRY_STATUS(expect("("));
  Aggregate result;
  result.function = function;
  result.distinct = take_word("DISTINCT");
  if (function != AggregateFunction::kCount || !take("*")) {
    in_aggregate_ = true;
    Result<Expression> argument = expression();
    in_aggregate_ = false;
    if (!argument.ok()) {
      return std::move(argument).error();
    }
    result.argument = std::move(argument).value();
  }
  if (function == AggregateFunction::kGroupConcat && take(";")) {
    WEFT_TRY_STATUS(expect_word("SEPARATOR"));
    WEFT_TRY_STATUS(expect("="));
    if (!at(TokenKind::kString)) {
      return error_here("a string");
    }
    result.separator = current_.value;
    advance();
  }
  WEFT_TRY_STATUS(expect(")"));
  result.result = query_.variables.add_hidden();
  const VariableIndex variable = result.result;
  aggregates_->push_back(std::move(result));
  return make_variable(variable, place);
}

}  // namespace weft::sparql
