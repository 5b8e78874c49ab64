// Sets of variables as ascending vectors.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "weft/plan/plan.h"

namespace weft::plan {

inline bool contains(const VariableList& set, Variable variable) {
  return std::binary_search(set.begin(), set.end(), variable);
}
inline bool is_subset(const VariableList& part, const VariableList& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}
inline VariableList unite(const VariableList& a, const VariableList& b) {
  VariableList result;
  result.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}
inline VariableList intersect(const VariableList& a, const VariableList& b) {
  VariableList result;
  result.reserve(std::min(a.size(), b.size()));
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}
// Whether they share a variable.
inline bool meet(const VariableList& a, const VariableList& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x == *y) {
      return true;
    }
    *x < *y ? ++x : ++y;
  }
  return false;
}
// The same of `set` itself, without another vector.
inline void keep_common(VariableList& set, const VariableList& other) {
  std::erase_if(set, [&](Variable variable) { return !contains(other, variable); });
}
inline VariableList subtract(const VariableList& a, const VariableList& b) {
  VariableList result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}
inline void insert(VariableList& set, Variable variable) {
  const auto at = std::lower_bound(set.begin(), set.end(), variable);
  if (at == set.end() || *at != variable) {
    set.insert(at, variable);
  }
}
inline VariableList sorted_set(VariableList variables) {
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

}  // namespace weft::plan
