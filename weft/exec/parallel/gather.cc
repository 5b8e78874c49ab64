// The rows of a fragment in the order of its pieces, and DISTINCT over them.
#include <algorithm>
#include <deque>
#include <utility>

#include "weft/exec/key_table.h"
#include "weft/exec/parallel/team.h"

namespace weft::exec::parallel {
namespace {

// What a worker has made and nobody took yet, at most: then it pauses. It may pass this by a batch.
constexpr size_t kWaitingRowsMax = 32'768;
// Pieces that a worker does in one go, so that the first rows come early even if there are few.
constexpr size_t kPiecesAtOnce = 8;
// Rows that a worker knows to be repeated are not handed on. It forgets when it knows so many.
constexpr size_t kSeenRowsMax = 1'000'000;

// Workers work while next() runs, in rounds: each makes rows until enough wait. Then what is there
// is handed out, piece by piece. The worker whose piece is next has nothing waiting when the next
// round begins, so there is always somebody who goes on.
class GatherOperator final : public Operator {
 public:
  // `different`: columns by which a repeated row may be left out; nullptr: none may.
  GatherOperator(const plan::PlanNode& node, Execution& execution, std::unique_ptr<Team> team,
                 const std::vector<size_t>* different)
      : Operator(node, execution), team_(std::move(team)) {
    for (size_t i = 0; i < team_->worker_count(); ++i) {
      lanes_.push_back(std::make_unique<Lane>(&execution.budget));
      if (different != nullptr) {
        lanes_.back()->different = *different;
        lanes_.back()->seen = std::make_unique<KeyTable>(different->size(), &execution.budget);
      }
    }
  }

 protected:
  Status produce(RowBatch& out) override {
    WEFT_TRY_STATUS(team_->prepare());
    while (piece_ < team_->piece_count()) {
      const auto found = std::ranges::find_if(lanes_, [&](const std::unique_ptr<Lane>& lane) {
        return !lane->waiting.empty() && lane->waiting.front().piece == piece_;
      });
      if (found == lanes_.end()) {
        WEFT_TRY_STATUS(work());
        continue;
      }
      Lane& lane = **found;
      Waiting first = std::move(lane.waiting.front());
      lane.waiting.pop_front();
      if (first.is_end) {
        ++piece_;
        continue;
      }
      lane.waiting_rows -= first.rows.rows;
      lane.charge.shrink(lane.waiting_rows * node_.columns.size() * sizeof(rdf::TermId));
      std::swap(out, first.rows);
      for (Column& column : out.columns) {
        WEFT_TRY_STATUS(team_->import(static_cast<size_t>(found - lanes_.begin()), column));
      }
      return ok_status();
    }
    return ok_status();
  }

 private:
  struct Waiting {
    size_t piece = 0;
    bool is_end = false;  // no more rows of the piece
    RowBatch rows;
  };
  struct Lane {
    explicit Lane(base::MemoryBudget* budget) : charge(budget) {}
    OperatorPtr rows;  // of `piece`; null: it has none
    size_t piece = 0;
    bool is_done = false;
    std::deque<Waiting> waiting;
    size_t waiting_rows = 0;
    MemoryCharge charge;
    std::vector<size_t> different;
    std::unique_ptr<KeyTable> seen;
    std::vector<uint32_t> numbers;
    std::vector<uint8_t> keep;
  };

  Status work() {
    std::vector<size_t> workers;
    for (size_t i = 0; i < lanes_.size(); ++i) {
      if (!lanes_[i]->is_done && lanes_[i]->waiting_rows < kWaitingRowsMax) {
        workers.push_back(i);
      }
    }
    return team_->run(workers, [this](size_t i) { return run_lane(i); }, node_);
  }

  Status run_lane(size_t index) {
    Lane& lane = *lanes_[index];
    size_t done = 0;
    while (lane.waiting_rows < kWaitingRowsMax && done < kPiecesAtOnce) {
      if (lane.rows == nullptr) {
        const std::optional<size_t> piece = team_->take_piece();
        if (!piece.has_value()) {
          lane.is_done = true;
          return ok_status();
        }
        lane.piece = *piece;
        WEFT_TRY(lane.rows, team_->open_piece(index, *piece));
      }
      RowBatch batch;
      WEFT_TRY_STATUS(lane.rows->next(batch));
      if (batch.empty()) {
        lane.rows.reset();
        ++done;
        lane.waiting.push_back({.piece = lane.piece, .is_end = true, .rows = {}});
        continue;
      }
      WEFT_TRY_STATUS(drop_repeated(lane, batch));
      if (!batch.empty()) {
        lane.waiting_rows += batch.rows;
        WEFT_TRY_STATUS(
            lane.charge.cover(lane.waiting_rows * batch.columns.size() * sizeof(rdf::TermId)));
        lane.waiting.push_back({.piece = lane.piece, .is_end = false, .rows = std::move(batch)});
      }
    }
    return ok_status();
  }

  static Status drop_repeated(Lane& lane, RowBatch& batch) {
    if (lane.seen == nullptr) {
      return ok_status();
    }
    if (lane.seen->size() > kSeenRowsMax) {
      lane.seen->clear();
    }
    std::vector<const Column*> keys;
    keys.reserve(lane.different.size());
    for (const size_t column : lane.different) {
      keys.push_back(&batch.columns[column]);
    }
    size_t next = lane.seen->size();
    WEFT_TRY_STATUS(lane.seen->insert(keys, batch.rows, lane.numbers));
    lane.keep.assign(batch.rows, 0);
    for (size_t row = 0; row < batch.rows; ++row) {
      if (lane.numbers[row] == next) {
        lane.keep[row] = 1;
        ++next;
      }
    }
    batch.filter(lane.keep);
    return ok_status();
  }

  std::unique_ptr<Team> team_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  size_t piece_ = 0;  // whose rows are handed out
};

}  // namespace

OperatorPtr make_gather_of(const plan::PlanNode& top, Execution& execution,
                           std::unique_ptr<Team> team) {
  return std::make_unique<GatherOperator>(top, execution, std::move(team), nullptr);
}

Result<OperatorPtr> make_gather(const plan::PlanNode& top, Execution& execution,
                                const Frame& frame) {
  WEFT_TRY(std::unique_ptr<Team> team, Team::open(top, execution, frame));
  return team == nullptr ? OperatorPtr() : make_gather_of(top, execution, std::move(team));
}

Result<OperatorPtr> make_distinct(const plan::PlanNode& node, Execution& execution,
                                  const Frame& frame) {
  const plan::PlanNode& top = *node.inputs[0];
  WEFT_TRY(std::unique_ptr<Team> team, Team::open(top, execution, frame));
  if (team == nullptr) {
    return OperatorPtr();
  }
  const std::vector<size_t> different = columns_of(top.columns, node.columns);
  return make_row_operator(
      node, execution,
      std::make_unique<GatherOperator>(top, execution, std::move(team), &different));
}

}  // namespace weft::exec::parallel
