// What is expected of joins and filters (estimate.h).
#include <algorithm>
#include <cmath>
#include <vector>

#include "weft/plan/estimate.h"

namespace weft::plan {
namespace {

using sparql::Expression;
using sparql::Function;

double at_least_one(double value) {
  return std::max(value, 1.0);
}

double call_selectivity(const Expression::Call& call) {
  switch (call.function) {
    case Function::kAnd: {
      double product = 1;
      for (const Expression& argument : call.arguments) {
        product *= selectivity(argument);
      }
      return product;
    }
    case Function::kOr: {
      double missed = 1;
      for (const Expression& argument : call.arguments) {
        missed *= 1 - selectivity(argument);
      }
      return 1 - missed;
    }
    case Function::kNot:
      return std::max(0.05, 1 - selectivity(call.arguments[0]));
    case Function::kEqual:
    case Function::kSameTerm:
      return 0.05;
    case Function::kIn:
      return std::min(0.5, 0.05 * static_cast<double>(call.arguments.size()));
    case Function::kRegex:
    case Function::kContains:
    case Function::kStrStarts:
    case Function::kStrEnds:
      return 0.1;
    case Function::kNotEqual:
    case Function::kNotIn:
    case Function::kBound:
      return 0.9;
    default:
      return 0.4;
  }
}

}  // namespace

double Figures::distinct_of(Variable variable) const {
  const auto found = distinct.find(variable);
  return at_least_one(found == distinct.end() ? rows : std::min(found->second, rows));
}

Figures joined(const Figures& a, const Figures& b) {
  Figures result;
  std::vector<double> factors;
  for (const auto& [variable, distinct] : a.distinct) {
    if (b.distinct.contains(variable)) {
      factors.push_back(1 / std::max(a.distinct_of(variable), b.distinct_of(variable)));
    }
  }
  // Several shared variables are seldom independent: each further one counts by its square root.
  std::sort(factors.begin(), factors.end());
  double rows = a.rows * b.rows;
  double power = 1;
  for (const double factor : factors) {
    rows *= std::pow(factor, power);
    power /= 2;
  }
  result.rows = rows;
  for (const auto& [variable, distinct] : a.distinct) {
    const auto other = b.distinct.find(variable);
    result.distinct[variable] =
        other == b.distinct.end() ? distinct : std::min(distinct, other->second);
  }
  for (const auto& [variable, distinct] : b.distinct) {
    result.distinct.try_emplace(variable, distinct);
  }
  result.seeks = a.seeks + b.seeks;
  return result;
}

double selectivity(const Expression& condition) {
  if (const auto* call = std::get_if<Expression::Call>(&condition.form)) {
    return call_selectivity(*call);
  }
  return 0.5;
}

}  // namespace weft::plan
