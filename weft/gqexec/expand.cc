// Along edges: from each row's node to its neighbours, or whether two bound nodes are joined.
#include <algorithm>
#include <utility>

#include "weft/gqexec/reach.h"
#include "weft/gqexec/rows.h"

namespace weft::gqexec {
namespace {

class ExpandSink final : public RowSink {
 public:
  ExpandSink(RunState& state, const Step& step, const ExpandStep& expand, RowSink& next)
      : state_(state), step_(step), expand_(expand), next_(next) {
    const auto is_live = [&step](size_t slot) {
      return std::find(step.live.begin(), step.live.end(), slot) != step.live.end();
    };
    target_live_ = !expand.is_bound && is_live(expand.to);
    edge_live_ = expand.edge_slot.has_value() && is_live(*expand.edge_slot);
  }

  Status accept(const RowBatch& batch) override {
    if (lists_ == nullptr) {
      WEFT_TRY(lists_, state_.graph.adjacency(expand_.edge_type, state_.stop));
      reach_ = std::make_unique<Reach>(*lists_, expand_);
    }
    const std::vector<RowNumber>& from = batch.slots[expand_.from];
    for (size_t row = 0; row < batch.row_count && !state_.done; ++row) {
      if (expand_.is_bound) {
        reach_->between(from[row], batch.slots[expand_.to][row]);
      } else {
        WEFT_TRY_STATUS(reach_->from(from[row], state_.stop));
      }
      WEFT_TRY_STATUS(add(batch, row));
    }
    return flush(batch);
  }

  Status finish() override { return next_.finish(); }

 private:
  // What the row leads to. Where nobody asks which nodes and edges they are, they are only counted.
  Status add(const RowBatch& batch, size_t row) {
    const std::span<const RowNumber> nodes = reach_->nodes();
    if (nodes.empty()) {
      return ok_status();
    }
    if (!target_live_ && !edge_live_) {
      sources_.push_back(static_cast<uint32_t>(row));
      counts_.push_back(nodes.size());
      return sources_.size() < kBatchRows ? ok_status() : flush(batch);
    }
    for (size_t at = 0; at < nodes.size() && !state_.done;) {
      const size_t count = std::min(nodes.size() - at, kBatchRows - sources_.size());
      sources_.insert(sources_.end(), count, static_cast<uint32_t>(row));
      if (target_live_) {
        const auto part = nodes.subspan(at, count);
        targets_.insert(targets_.end(), part.begin(), part.end());
      }
      if (edge_live_) {
        const auto part = reach_->edges().subspan(at, count);
        edges_.insert(edges_.end(), part.begin(), part.end());
      }
      at += count;
      if (sources_.size() == kBatchRows) {
        WEFT_TRY_STATUS(flush(batch));
      }
    }
    return ok_status();
  }

  Status flush(const RowBatch& batch) {
    WEFT_TRY_STATUS(state_.check());
    if (sources_.empty() || state_.done) {
      return ok_status();
    }
    gather_rows(batch, sources_, step_.live, out_);
    if (target_live_) {
      out_.slots[expand_.to].swap(targets_);
    }
    if (edge_live_) {
      out_.slots[*expand_.edge_slot].swap(edges_);
    }
    if (!counts_.empty()) {
      WEFT_TRY_STATUS(multiply());
    }
    sources_.clear();
    targets_.clear();
    edges_.clear();
    counts_.clear();
    return next_.accept(out_);
  }

  Status multiply() {
    if (std::all_of(counts_.begin(), counts_.end(), [](uint64_t count) { return count == 1; })) {
      return ok_status();
    }
    if (out_.weights.empty()) {
      out_.weights.assign(counts_.begin(), counts_.end());
      return ok_status();
    }
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (__builtin_mul_overflow(out_.weights[i], counts_[i], &out_.weights[i])) {
        return Error(ErrorKind::kLimit, "more rows than can be counted");
      }
    }
    return ok_status();
  }

  RunState& state_;
  const Step& step_;
  const ExpandStep& expand_;
  RowSink& next_;
  bool target_live_ = false;
  bool edge_live_ = false;
  std::shared_ptr<const Adjacency> lists_;
  std::unique_ptr<Reach> reach_;
  std::vector<uint32_t> sources_;
  std::vector<RowNumber> targets_;
  std::vector<RowNumber> edges_;
  std::vector<uint64_t> counts_;
  RowBatch out_;
};

}  // namespace

std::unique_ptr<RowSink> make_expand(RunState& state, const Step& step, const ExpandStep& expand,
                                     RowSink& next) {
  return std::make_unique<ExpandSink>(state, step, expand, next);
}

}  // namespace weft::gqexec
