// GROUP BY over a fragment: each worker groups the rows of its pieces, then the parts are put
// together in the order of the pieces.
#include <algorithm>
#include <atomic>
#include <utility>

#include "weft/exec/operators/group_table.h"
#include "weft/exec/parallel/team.h"

namespace weft::exec::parallel {
namespace {

// The answer is that of one thread, to the last bit and in its order of groups: counts, exact sums,
// least and greatest do not depend on the order of rows, and groups are numbered by the piece in
// which they first appeared. Sums of doubles do depend on it: where a worker meets one, the rows
// are gathered in order instead and added on one thread. The same, without workers, if the parts
// together do not fit into memory where one table may.
class SharedGroupOperator final : public Operator {
 public:
  SharedGroupOperator(const plan::PlanNode& node, Execution& execution, const Frame& frame,
                      std::unique_ptr<Team> team)
      : Operator(node, execution), frame_(frame), team_(std::move(team)) {}

 protected:
  Status produce(RowBatch& out) override {
    if (team_ != nullptr) {
      WEFT_TRY_STATUS(collect());
      team_.reset();
    }
    const size_t count = std::min(kBatchRows, group_count_ - at_);
    WEFT_TRY_STATUS(table_->read(at_, count, out));
    at_ += count;
    return ok_status();
  }

 private:
  // Groups [begin, end) of a part first appeared in `piece`.
  struct Appearance {
    size_t piece = 0;
    size_t worker = 0;
    size_t begin = 0;
    size_t end = 0;
  };
  struct Part {
    std::unique_ptr<GroupTable> table;
    std::vector<Appearance> appearances;
    std::vector<uint32_t> numbers;  // what its groups are in the whole
  };

  Status collect() {
    WEFT_TRY_STATUS(team_->prepare());
    parts_.resize(team_->worker_count());
    Status status = team_->run([this](size_t i) { return group_pieces(i); }, node_);
    const bool in_order = needs_order_.load();
    if (status.ok() && !in_order) {
      status = put_together();
    }
    parts_.clear();
    if (!status.ok() && status.error().kind() == ErrorKind::kLimit) {
      WEFT_TRY_STATUS(execution_.interrupt.check());  // it was not the time
      return collect_alone(false);
    }
    return status.ok() && in_order ? collect_alone(true) : status;
  }

  Status group_pieces(size_t index) {
    Part& part = parts_[index];
    RowBatch batch;
    while (!needs_order_.load(std::memory_order_relaxed)) {
      const std::optional<size_t> piece = team_->take_piece();
      if (!piece.has_value()) {
        break;
      }
      WEFT_TRY(const OperatorPtr rows, team_->open_piece(index, *piece));
      if (part.table == nullptr) {
        part.table = std::make_unique<GroupTable>(node_, team_->worker(index).execution());
        WEFT_TRY_STATUS(part.table->prepare(true));
      }
      const size_t before = part.table->size();
      while (!needs_order_.load(std::memory_order_relaxed)) {
        WEFT_TRY_STATUS(rows->next(batch));
        if (batch.empty()) {
          break;
        }
        WEFT_TRY_STATUS(part.table->add(batch));
        if (part.table->needs_order()) {
          needs_order_ = true;
        }
      }
      part.appearances.push_back({*piece, index, before, part.table->size()});
    }
    return ok_status();
  }

  Status put_together() {
    table_ = std::make_unique<GroupTable>(node_, execution_);
    WEFT_TRY_STATUS(table_->prepare(false));
    std::vector<Appearance> all;
    for (const Part& part : parts_) {
      all.insert(all.end(), part.appearances.begin(), part.appearances.end());
    }
    std::ranges::sort(all, {}, &Appearance::piece);
    for (const Appearance& each : all) {
      Part& part = parts_[each.worker];
      WEFT_TRY_STATUS(
          table_->add_groups(*part.table, each.begin, each.end, import(each.worker), part.numbers));
    }
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].table != nullptr) {
        WEFT_TRY_STATUS(table_->add_aggregates(*parts_[i].table, parts_[i].numbers, import(i)));
        parts_[i].table.reset();
      }
    }
    WEFT_TRY(group_count_, table_->finish());
    return ok_status();
  }

  GroupTable::Import import(size_t worker) {
    return [this, worker](Column& column) { return team_->import(worker, column); };
  }

  // One table; workers make the rows if their order is that of one thread, and if `with_workers`.
  Status collect_alone(bool with_workers) {
    const plan::PlanNode& top = *node_.inputs[0];
    OperatorPtr rows;
    table_.reset();
    if (with_workers && top.keeps_order) {
      team_->start_over();
      rows = make_gather_of(top, execution_, std::move(team_));
    } else {
      team_.reset();
      WEFT_TRY(rows, make_plain_operator(top, execution_, frame_));
    }
    table_ = std::make_unique<GroupTable>(node_, execution_);
    WEFT_TRY_STATUS(table_->prepare(false));
    RowBatch batch;
    while (true) {
      WEFT_TRY_STATUS(rows->next(batch));
      if (batch.empty()) {
        break;
      }
      WEFT_TRY_STATUS(table_->add(batch));
    }
    WEFT_TRY(group_count_, table_->finish());
    return ok_status();
  }

  Frame frame_;
  std::unique_ptr<Team> team_;  // null once the groups are there
  std::vector<Part> parts_;
  std::atomic<bool> needs_order_ = false;
  std::unique_ptr<GroupTable> table_;
  size_t group_count_ = 0;
  size_t at_ = 0;
};

}  // namespace

Result<OperatorPtr> make_group(const plan::PlanNode& node, Execution& execution,
                               const Frame& frame) {
  WEFT_TRY(std::unique_ptr<Team> team, Team::open(*node.inputs[0], execution, frame));
  if (team == nullptr) {
    return OperatorPtr();
  }
  return OperatorPtr(
      std::make_unique<SharedGroupOperator>(node, execution, frame, std::move(team)));
}

}  // namespace weft::exec::parallel
