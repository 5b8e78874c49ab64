// The order and kind of the joins of one group: dynamic programming over sets of elements (bushy,
// with the orders that rows may come in), greedy beyond kExhaustiveElementsMax.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "weft/plan/estimate.h"
#include "weft/plan/join_group.h"
#include "weft/plan/plan.h"

namespace weft::plan {

// Makes the plans of parts of the algebra that are elements of a join.
class PartCompiler {
 public:
  virtual ~PartCompiler() = default;
  virtual Result<PlanPtr> compile_alone(const Element::Part& part) = 0;
  // Joined with rows that a BindJoin hands in: columns `keys`, and `number`.
  virtual Result<PlanPtr> compile_bound(const Element::Part& part, const VariableList& keys,
                                        const VariableList& certain_keys, Variable number,
                                        const Figures& incoming) = 0;
  virtual Variable new_variable() = 0;
};

// Consumes the group's elements (one or more) and the filters that it can apply: they are removed
// from group.filters. With `row_goal` only so many rows are wanted.
Result<PlanPtr> order_joins(JoinGroup& group, const Environment& environment,
                            PartCompiler& compiler, std::optional<double> row_goal);

}  // namespace weft::plan
