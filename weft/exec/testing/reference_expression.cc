#include <algorithm>

#include "weft/exec/testing/reference.h"
#include "weft/rdf/term.h"

namespace weft::exec::reference {
namespace {

using sparql::Expression;
using sparql::Function;

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
