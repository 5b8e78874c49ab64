#include <algorithm>
#include <utility>

#include "weft/exec/operators/group_table.h"
#include "weft/exec/operators/operator.h"

namespace weft::exec {
namespace {

// GROUP BY: keys in a hash table, aggregates by group number.
class GroupOperator final : public Operator {
 public:
  GroupOperator(const plan::PlanNode& node, Execution& execution, OperatorPtr input)
      : Operator(node, execution), input_(std::move(input)), table_(node, execution) {}

  Status prepare() { return table_.prepare(false); }

 protected:
  Status produce(RowBatch& out) override {
    if (input_ != nullptr) {
      WEFT_TRY_STATUS(collect());
      input_.reset();
    }
    const size_t count = std::min(kBatchRows, group_count_ - at_);
    WEFT_TRY_STATUS(table_.read(at_, count, out));
    at_ += count;
    return ok_status();
  }

 private:
  Status collect() {
    RowBatch batch;
    while (true) {
      WEFT_TRY_STATUS(input_->next(batch));
      if (batch.empty()) {
        break;
      }
      WEFT_TRY_STATUS(table_.add(batch));
    }
    WEFT_TRY(group_count_, table_.finish());
    return ok_status();
  }

  OperatorPtr input_;  // null once it is read
  GroupTable table_;
  size_t group_count_ = 0;
  size_t at_ = 0;
};

}  // namespace

Result<OperatorPtr> make_group(const plan::PlanNode& node, Execution& execution,
                               OperatorPtr input) {
  auto result = std::make_unique<GroupOperator>(node, execution, std::move(input));
  WEFT_TRY_STATUS(result->prepare());
  return OperatorPtr(std::move(result));
}

}  // namespace weft::exec
