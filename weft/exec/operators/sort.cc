#include <utility>

#include "weft/exec/operators/operator.h"
#include "weft/exec/operators/sorted_rows.h"

namespace weft::exec {
namespace {

// Sorts by values, equal ones in the order they came.
class SortOperator final : public Operator {
 public:
  SortOperator(const plan::PlanNode& node, Execution& execution, OperatorPtr input,
               std::unique_ptr<SortedRows> rows)
      : Operator(node, execution), input_(std::move(input)), rows_(std::move(rows)) {}

 protected:
  Status produce(RowBatch& out) override {
    if (input_ != nullptr) {
      WEFT_TRY_STATUS(collect());
      input_.reset();
      merge_.begin({rows_.get()});
    }
    merge_.next(out);
    return ok_status();
  }

 private:
  Status collect() {
    RowBatch batch;
    while (true) {
      WEFT_TRY_STATUS(input_->next(batch));
      if (batch.empty()) {
        return rows_->finish();
      }
      WEFT_TRY_STATUS(rows_->add(batch));
    }
  }

  OperatorPtr input_;  // null once it is read
  std::unique_ptr<SortedRows> rows_;
  SortedMerge merge_;
};

}  // namespace

Result<OperatorPtr> make_sort(const plan::PlanNode& node, Execution& execution, OperatorPtr input) {
  WEFT_TRY(std::unique_ptr<SortedRows> rows, SortedRows::make(node, execution));
  return OperatorPtr(
      std::make_unique<SortOperator>(node, execution, std::move(input), std::move(rows)));
}

}  // namespace weft::exec
