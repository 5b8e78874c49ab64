#include <algorithm>
#include <utility>

#include "weft/exec/operators/operator.h"
#include "weft/exec/parallel/share.h"
#include "weft/exec/parallel/team.h"

namespace weft::exec {

size_t column_of(const plan::VariableList& columns, plan::Variable variable) {
  const auto found = std::lower_bound(columns.begin(), columns.end(), variable);
  return found != columns.end() && *found == variable ? static_cast<size_t>(found - columns.begin())
                                                      : kNoColumn;
}

std::vector<size_t> columns_of(const plan::VariableList& columns,
                               const plan::VariableList& wanted) {
  std::vector<size_t> result;
  result.reserve(wanted.size());
  for (const plan::Variable variable : wanted) {
    result.push_back(column_of(columns, variable));
  }
  return result;
}

namespace {

// Makes the operator of one kind of node.
struct Make {
  const plan::PlanNode& node;
  Execution& execution;
  const Frame& frame;

  Result<OperatorPtr> input(size_t index) const {
    return make_operator(*node.inputs[index], execution, frame);
  }

  Result<OperatorPtr> operator()(const plan::Scan& /*scan*/) const {
    return make_scan(node, execution, frame);
  }
  Result<OperatorPtr> leaf() const { return make_leaf(node, execution, frame); }
  Result<OperatorPtr> operator()(const plan::OneRow& /*leaf*/) const { return leaf(); }
  Result<OperatorPtr> operator()(const plan::NoRows& /*leaf*/) const { return leaf(); }
  Result<OperatorPtr> operator()(const plan::OuterRow& /*leaf*/) const { return leaf(); }
  Result<OperatorPtr> operator()(const plan::IncomingRows& /*leaf*/) const { return leaf(); }
  Result<OperatorPtr> operator()(const plan::GraphNames& /*leaf*/) const { return leaf(); }
  Result<OperatorPtr> operator()(const plan::GraphPresent& /*leaf*/) const { return leaf(); }
  Result<OperatorPtr> operator()(const plan::ValueRows& /*leaf*/) const { return leaf(); }
  Result<OperatorPtr> operator()(const plan::CountRows& /*leaf*/) const { return leaf(); }

  Result<OperatorPtr> operator()(const plan::MergeJoin& /*join*/) const {
    WEFT_TRY(OperatorPtr left, input(0));
    WEFT_TRY(OperatorPtr right, input(1));
    return make_merge_join(node, execution, std::move(left), std::move(right));
  }
  Result<OperatorPtr> operator()(const plan::HashJoin& /*join*/) const {
    WEFT_TRY(OperatorPtr left, input(0));
    OperatorPtr right;  // none where the workers' built sides are there already
    if (execution.share == nullptr || execution.share->table(node) == nullptr) {
      WEFT_TRY(right, input(1));
    }
    return make_hash_join(node, execution, frame, std::move(left), std::move(right));
  }
  Result<OperatorPtr> operator()(const plan::IndexJoin& /*join*/) const {
    WEFT_TRY(OperatorPtr left, input(0));
    return make_index_join(node, execution, frame, std::move(left));
  }
  Result<OperatorPtr> operator()(const plan::PathJoin& /*join*/) const {
    WEFT_TRY(OperatorPtr left, input(0));
    return make_path_join(node, execution, frame, std::move(left));
  }
  Result<OperatorPtr> operator()(const plan::ServiceJoin& /*join*/) const {
    WEFT_TRY(OperatorPtr left, input(0));
    return make_service_join(node, execution, std::move(left));
  }
  Result<OperatorPtr> operator()(const plan::BindJoin& /*join*/) const {
    WEFT_TRY(OperatorPtr left, input(0));
    return make_bind_join(node, execution, frame, std::move(left));
  }
  Result<OperatorPtr> row_operator() const {
    WEFT_TRY(OperatorPtr rows, input(0));
    return make_row_operator(node, execution, std::move(rows));
  }
  Result<OperatorPtr> operator()(const plan::FilterRows& /*node*/) const { return row_operator(); }
  Result<OperatorPtr> operator()(const plan::ExtendRows& /*node*/) const { return row_operator(); }
  Result<OperatorPtr> operator()(const plan::ProjectRows& /*node*/) const { return row_operator(); }
  Result<OperatorPtr> operator()(const plan::DistinctRows& /*node*/) const {
    if (node.workers_do_it) {
      WEFT_TRY(OperatorPtr distinct, parallel::make_distinct(node, execution, frame));
      if (distinct != nullptr) {
        return distinct;
      }
    }
    return row_operator();
  }
  Result<OperatorPtr> operator()(const plan::SliceRows& /*node*/) const { return row_operator(); }
  Result<OperatorPtr> operator()(const plan::SortRows& /*node*/) const {
    if (node.workers_do_it) {
      WEFT_TRY(OperatorPtr sort, parallel::make_sort(node, execution, frame));
      if (sort != nullptr) {
        return sort;
      }
    }
    WEFT_TRY(OperatorPtr rows, input(0));
    return make_sort(node, execution, std::move(rows));
  }
  Result<OperatorPtr> operator()(const plan::GroupRows& /*node*/) const {
    if (node.workers_do_it) {
      WEFT_TRY(OperatorPtr group, parallel::make_group(node, execution, frame));
      if (group != nullptr) {
        return group;
      }
    }
    WEFT_TRY(OperatorPtr rows, input(0));
    return make_group(node, execution, std::move(rows));
  }
  Result<OperatorPtr> operator()(const plan::GraphLoop& /*node*/) const {
    return make_graph_loop(node, execution, frame);
  }
  Result<OperatorPtr> operator()(const plan::UnionRows& /*node*/) const {
    return make_union(node, execution, frame);
  }
};

}  // namespace

Result<OperatorPtr> make_operator(const plan::PlanNode& node, Execution& execution,
                                  const Frame& frame) {
  if (node.is_shared_out()) [[unlikely]] {
    WEFT_TRY(OperatorPtr gather, parallel::make_gather(node, execution, frame));
    if (gather != nullptr) {
      return gather;
    }
  }
  return make_plain_operator(node, execution, frame);
}

Result<OperatorPtr> make_plain_operator(const plan::PlanNode& node, Execution& execution,
                                        const Frame& frame) {
  return std::visit(Make{node, execution, frame}, node.operation);
}

}  // namespace weft::exec
