#include "weft/sparql/expression.h"

#include <algorithm>
#include <utility>

#include "weft/base/check.h"
#include "weft/sparql/algebra.h"

namespace weft::sparql {
namespace {

uint32_t height_of(const std::vector<Expression>& arguments) {
  uint32_t height = 0;
  for (const Expression& argument : arguments) {
    height = std::max(height, argument.height);
  }
  return height + 1;
}

std::vector<Expression> clone_all(const std::vector<Expression>& expressions) {
  std::vector<Expression> copies;
  copies.reserve(expressions.size());
  for (const Expression& expression : expressions) {
    copies.push_back(expression.clone());
  }
  return copies;
}

}  // namespace

// Here, where Node is complete.
Expression::Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Expression Expression::clone() const {
  struct Copy {
    Place place;
    Expression operator()(const Constant& constant) const {
      return make_constant(constant.token, place);
    }
    Expression operator()(const Variable& variable) const {
      return make_variable(variable.variable, place);
    }
    Expression operator()(const Call& call) const {
      return make_call(call.function, clone_all(call.arguments), place);
    }
    Expression operator()(const Extension& extension) const {
      return make_extension({extension.iri, extension.distinct, clone_all(extension.arguments)},
                            place);
    }
    Expression operator()(const Exists& exists) const {
      return make_exists({exists.negated, sparql::clone(*exists.pattern)}, place);
    }
  };
  return std::visit(Copy{place}, form);
}

Expression make_constant(std::string token, Place place) {
  Expression expression;
  expression.form = Expression::Constant{std::move(token)};
  expression.place = place;
  return expression;
}

Expression make_variable(VariableIndex variable, Place place) {
  Expression expression;
  expression.form = Expression::Variable{variable};
  expression.place = place;
  return expression;
}

Expression make_call(Function function, std::vector<Expression> arguments, Place place) {
  const Arity arity = function_arity(function);
  WEFT_CHECK(arguments.size() >= arity.least && arguments.size() <= arity.most);
  Expression expression;
  expression.height = height_of(arguments);
  expression.form = Expression::Call{function, std::move(arguments)};
  expression.place = place;
  return expression;
}

Expression make_extension(Expression::Extension extension, Place place) {
  Expression expression;
  expression.height = height_of(extension.arguments);
  expression.form = std::move(extension);
  expression.place = place;
  return expression;
}

Expression make_exists(Expression::Exists exists, Place place) {
  Expression expression;
  expression.height = exists.pattern->height + 1;
  expression.form = std::move(exists);
  expression.place = place;
  return expression;
}

}  // namespace weft::sparql
