// ORDER BY over a fragment: each worker sorts the rows of its pieces, or keeps the first few; the
// parts are merged.
#include <optional>
#include <utility>
#include <vector>

#include "weft/exec/operators/sorted_rows.h"
#include "weft/exec/parallel/team.h"

namespace weft::exec::parallel {
namespace {

// Of equal rows those of the earlier piece come first, as on one thread.
class SharedSortOperator final : public Operator {
 public:
  SharedSortOperator(const plan::PlanNode& node, Execution& execution, std::unique_ptr<Team> team)
      : Operator(node, execution), team_(std::move(team)), parts_(team_->worker_count()) {}

 protected:
  Status produce(RowBatch& out) override {
    if (!collected_) {
      collected_ = true;
      WEFT_TRY_STATUS(team_->prepare());
      WEFT_TRY_STATUS(team_->run([this](size_t i) { return sort_pieces(i); }, node_));
      WEFT_TRY_STATUS(begin_merge());
    }
    merge_.next(out);
    return ok_status();
  }

 private:
  Status sort_pieces(size_t index) {
    std::unique_ptr<SortedRows>& part = parts_[index];
    RowBatch batch;
    while (const std::optional<size_t> piece = team_->take_piece()) {
      WEFT_TRY(const OperatorPtr rows, team_->open_piece(index, *piece));
      if (part == nullptr) {
        WEFT_TRY(part, SortedRows::make(node_, team_->worker(index).execution()));
      }
      part->begin_piece(static_cast<uint32_t>(*piece));
      while (true) {
        WEFT_TRY_STATUS(rows->next(batch));
        if (batch.empty()) {
          break;
        }
        WEFT_TRY_STATUS(part->add(batch));
      }
    }
    if (part == nullptr) {
      return ok_status();
    }
    WEFT_TRY_STATUS(part->finish());
    return part->merge_runs();
  }

  Status begin_merge() {
    std::vector<SortedRows*> parts;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i] == nullptr) {
        continue;
      }
      for (Column& column : parts_[i]->rows().columns) {
        WEFT_TRY_STATUS(team_->import(i, column));
      }
      parts.push_back(parts_[i].get());
    }
    merge_.begin(parts);
    return ok_status();
  }

  std::unique_ptr<Team> team_;
  std::vector<std::unique_ptr<SortedRows>> parts_;  // by worker
  SortedMerge merge_;
  bool collected_ = false;
};

}  // namespace

Result<OperatorPtr> make_sort(const plan::PlanNode& node, Execution& execution,
                              const Frame& frame) {
  WEFT_TRY(std::unique_ptr<Team> team, Team::open(*node.inputs[0], execution, frame));
  if (team == nullptr) {
    return OperatorPtr();
  }
  return OperatorPtr(std::make_unique<SharedSortOperator>(node, execution, std::move(team)));
}

}  // namespace weft::exec::parallel
