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
  DistinctCounts& distinct = result.distinct;
  distinct.reserve(static_cast<size_t>((a.distinct.end() - a.distinct.begin()) +
                                       (b.distinct.end() - b.distinct.begin())));
  auto of_a = a.distinct.begin();
  auto of_b = b.distinct.begin();
  while (of_a != a.distinct.end() || of_b != b.distinct.end()) {
    if (of_b == b.distinct.end() || (of_a != a.distinct.end() && of_a->first < of_b->first)) {
      distinct.append(*of_a++);
    } else if (of_a == a.distinct.end() || of_b->first < of_a->first) {
      distinct.append(*of_b++);
    } else {
      factors.push_back(1 / std::max(at_least_one(std::min(of_a->second, a.rows)),
                                     at_least_one(std::min(of_b->second, b.rows))));
      distinct.append({of_a->first, std::min(of_a->second, of_b->second)});
      ++of_a;
      ++of_b;
    }
  }
  // Several shared variables are seldom independent: each further one counts by its square root.
  std::sort(factors.begin(), factors.end());
  double rows = a.rows * b.rows;
  double power = 1;
  for (const double factor : factors) {
    rows *= power == 1 ? factor : std::pow(factor, power);
    power /= 2;
  }
  result.rows = rows;
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
