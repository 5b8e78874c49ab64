#include "weft/plan/fragments.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "weft/plan/variable_set.h"
#include "weft/sparql/traversal.h"

namespace weft::plan {
namespace {

using sparql::AggregateFunction;
using sparql::Expression;

// Workers leave out repeated rows where there are as many as this for each different one, or more.
constexpr double kRowsPerDistinct = 4;

struct Fragment {
  const PlanNode* scan = nullptr;
  bool keeps_order = true;
  bool has_work = false;  // more than a scan
};

bool is_repeatable(const Expression& expression);

bool is_repeatable(const sparql::Node& node) {
  bool result = !sparql::asks_services(node);
  sparql::for_each_part(
      node, [&](const sparql::Node& child) { result = result && is_repeatable(child); },
      [&](const Expression& expression) { result = result && is_repeatable(expression); });
  return result;
}

bool is_repeatable(const Expression& expression) {
  bool result = true;
  sparql::for_each_expression(expression, [&](const Expression& part) {
    if (const auto* call = std::get_if<Expression::Call>(&part.form)) {
      using enum sparql::Function;
      result = result && call->function != kRand && call->function != kUuid &&
               call->function != kStrUuid && call->function != kBnode;
    } else if (const auto* exists = std::get_if<Expression::Exists>(&part.form)) {
      result = result && is_repeatable(*exists->pattern);
    }
  });
  return result;
}

bool are_repeatable(const std::vector<const Expression*>& expressions) {
  return std::ranges::all_of(expressions,
                             [](const Expression* each) { return is_repeatable(*each); });
}

// The right side of a merge join is made anew for each piece, which jumps to where it begins.
bool jumps(const PlanNode& node) {
  if (const auto* filter = std::get_if<FilterRows>(&node.operation)) {
    return are_repeatable(filter->conditions) && jumps(*node.inputs[0]);
  }
  if (std::holds_alternative<ProjectRows>(node.operation) ||
      std::holds_alternative<IndexJoin>(node.operation)) {
    return jumps(*node.inputs[0]);
  }
  if (std::holds_alternative<MergeJoin>(node.operation)) {
    return jumps(*node.inputs[0]) && jumps(*node.inputs[1]);
  }
  return std::holds_alternative<Scan>(node.operation);
}

// The fragment with this top; nullopt if it is none. Small scans are found first, so that a short
// query pays next to nothing.
std::optional<Fragment> fragment_of(const PlanNode& node, double rows_min);

struct FragmentOf {
  const PlanNode& node;
  double rows_min;

  template <typename Allowed>
  std::optional<Fragment> below(const Allowed& allowed) const {
    std::optional<Fragment> result = fragment_of(*node.inputs[0], rows_min);
    if (result) {
      result->has_work = true;
    }
    return result && allowed() ? result : std::nullopt;
  }
  std::optional<Fragment> operator()(const Scan& scan) const {
    using Kind = GraphChoice::Kind;
    if (node.rows < rows_min ||
        (scan.graph.kind != Kind::kDefault && scan.graph.kind != Kind::kConstant)) {
      return std::nullopt;
    }
    return Fragment{.scan = &node};
  }
  std::optional<Fragment> operator()(const FilterRows& filter) const {
    return below([&] { return are_repeatable(filter.conditions); });
  }
  std::optional<Fragment> operator()(const ExtendRows& extend) const {
    return below([&] {
      return std::ranges::all_of(extend.steps, [](const ExtendRows::Step& step) {
        return is_repeatable(*step.expression);
      });
    });
  }
  std::optional<Fragment> operator()(const ProjectRows& /*project*/) const {
    return fragment_of(*node.inputs[0], rows_min);
  }
  std::optional<Fragment> operator()(const MergeJoin& /*join*/) const {
    return below([this] { return jumps(*node.inputs[1]); });
  }
  std::optional<Fragment> operator()(const HashJoin& join) const {
    std::optional<Fragment> result =
        below([&] { return join.loose.empty() && are_repeatable(join.conditions); });
    if (result) {
      // With conditions, the rows without a partner come behind the others of their batch.
      result->keeps_order = result->keeps_order && join.conditions.empty();
    }
    return result;
  }
  std::optional<Fragment> operator()(const IndexJoin& join) const {
    std::optional<Fragment> result = below([] { return true; });
    if (result) {
      // A batch is brought into the order of its keys.
      const std::optional<Variable> order = node.inputs[0]->sorted_by;
      result->keeps_order = result->keeps_order && join.keys.size() == 1 && order == join.keys[0];
    }
    return result;
  }
  template <typename Other>
  std::optional<Fragment> operator()(const Other& /*other*/) const {
    return std::nullopt;
  }
};

std::optional<Fragment> fragment_of(const PlanNode& node, double rows_min) {
  return std::visit(FragmentOf{node, rows_min}, node.operation);
}

// What stands above a fragment.
struct Consumer {
  bool workers_do_it = false;  // each worker does its part, and the parts are put together
  bool needs_order = false;    // the answer depends on the order of rows
};

Consumer consumer_of(const GroupRows& group) {
  Consumer result{.workers_do_it = true};
  for (const GroupRows::Key& key : group.keys) {
    result.workers_do_it = result.workers_do_it && is_repeatable(*key.expression);
  }
  for (const GroupRows::Aggregate& aggregate : group.aggregates) {
    const sparql::Aggregate& definition = *aggregate.definition;
    const AggregateFunction function = definition.function;
    const bool first_counts =
        function == AggregateFunction::kSample || function == AggregateFunction::kGroupConcat;
    const bool sums = function == AggregateFunction::kSum || function == AggregateFunction::kAvg;
    result.needs_order = result.needs_order || first_counts || (sums && definition.distinct);
    result.workers_do_it =
        result.workers_do_it && (!definition.argument || is_repeatable(*definition.argument));
  }
  result.workers_do_it = result.workers_do_it && !result.needs_order;
  return result;
}

Consumer consumer_of(const PlanNode& node) {
  if (node.stops_early) {
    return {};
  }
  if (const auto* group = std::get_if<GroupRows>(&node.operation)) {
    return consumer_of(*group);
  }
  if (const auto* sort = std::get_if<SortRows>(&node.operation)) {
    return {.workers_do_it = std::ranges::all_of(sort->keys, [](const SortRows::Key& key) {
              return is_repeatable(*key.expression);
            })};
  }
  // Where nearly all rows differ, hashing them twice takes longer than one thread does.
  return {.workers_do_it = std::holds_alternative<DistinctRows>(node.operation) &&
                           node.rows * kRowsPerDistinct <= node.inputs[0]->rows};
}

class Marker {
 public:
  explicit Marker(double rows_min) : rows_min_(rows_min) {}

  // `above`: what gets the rows of `node`, or null.
  void mark(PlanNode& node, PlanNode* above) {
    const std::optional<Fragment> fragment =
        node.stops_early ? std::nullopt : fragment_of(node, rows_min_);
    if (fragment) {
      const Consumer consumer = above != nullptr ? consumer_of(*above) : Consumer();
      if ((consumer.workers_do_it || fragment->has_work) &&
          (!consumer.needs_order || fragment->keeps_order)) {
        node.shared_scan = fragment->scan;
        node.keeps_order = fragment->keeps_order;
        if (above != nullptr) {
          above->workers_do_it = consumer.workers_do_it;
        }
        mark_built_sides(node);
        return;
      }
    }
    mark_inputs(node);
  }

 private:
  void mark_inputs(PlanNode& node) {
    // Merge joins jump in their inputs; the others make theirs again and again.
    if (std::holds_alternative<MergeJoin>(node.operation) ||
        std::holds_alternative<GraphLoop>(node.operation)) {
      return;
    }
    const size_t count = std::holds_alternative<BindJoin>(node.operation) ? 1 : node.inputs.size();
    for (size_t i = 0; i < count; ++i) {
      mark(*node.inputs[i], &node);
    }
  }

  // Along the rows of a fragment.
  void mark_built_sides(PlanNode& node) {
    if (std::holds_alternative<HashJoin>(node.operation)) {
      mark(*node.inputs[1], nullptr);
    }
    if (!node.inputs.empty()) {
      mark_built_sides(*node.inputs[0]);
    }
  }

  double rows_min_;
};

}  // namespace

void mark_fragments(Plan& plan, double rows_min) {
  Marker(rows_min).mark(*plan.root, nullptr);
}

}  // namespace weft::plan
