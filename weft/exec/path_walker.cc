#include "weft/exec/path_walker.h"

#include <algorithm>

namespace weft::exec {
namespace {

// Visits that are expanded together, at most. The first are few, so that a LIMIT is soon content.
constexpr size_t kChunkMax = 2'048;
constexpr uint32_t kEndNumber = UINT32_MAX;
constexpr uint32_t kNoState = UINT32_MAX - 1;

// The accepting state, if there is one and only one that an edge leads to, or that is the start.
uint32_t only_end_state(const plan::PathProgram& program) {
  uint32_t only = kNoState;
  for (uint32_t state = 0; state < program.states.size(); ++state) {
    bool is_reached = state == 0;
    for (const plan::PathState& from : program.states) {
      for (const plan::PathState::Step& step : from.steps) {
        is_reached = is_reached || step.state == state;
      }
    }
    if (is_reached && program.states[state].accepts) {
      if (only != kNoState) {
        return kNoState;
      }
      only = state;
    }
  }
  return only;
}

}  // namespace

void VisitedSet::clear() {
  size_ = 0;
  if (++generation_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot());
    generation_ = 1;
  }
}

size_t VisitedSet::slot_of(rdf::TermId node, uint32_t number) const {
  const size_t mask = slots_.size() - 1;
  const uint64_t mixed = (node ^ (uint64_t{number} << 40U)) * 0x9E3779B97F4A7C15U;
  size_t slot = (mixed >> 20U) & mask;
  while (slots_[slot].generation == generation_ &&
         (slots_[slot].node != node || slots_[slot].number != number)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

Result<bool> VisitedSet::insert(rdf::TermId node, uint32_t number) {
  if (size_ * 2 >= slots_.size()) {
    WEFT_TRY_STATUS(grow());
  }
  Slot& slot = slots_[slot_of(node, number)];
  if (slot.generation == generation_) {
    return false;
  }
  slot = {node, number, generation_};
  ++size_;
  return true;
}

Status VisitedSet::grow() {
  const size_t wanted = std::max<size_t>(64, slots_.size() * 2);
  WEFT_TRY_STATUS(charge_.cover((wanted + slots_.size()) * sizeof(Slot)));
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(wanted));
  for (const Slot& slot : old) {
    if (slot.generation == generation_) {
      slots_[slot_of(slot.node, slot.number)] = slot;
    }
  }
  return ok_status();
}

PathWalker::PathWalker(const plan::PathProgram& program, const rdf::IdPattern& graphs,
                       Execution& execution)
    : program_(program),
      execution_(execution),
      only_end_state_(only_end_state(program)),
      visited_(&execution.budget),
      charge_(&execution.budget) {
  for (const plan::PathLabel& label : program.labels) {
    steps_.emplace_back(label, graphs, execution);
  }
}

Status PathWalker::begin(rdf::TermId start, bool start_counts) {
  visited_.clear();
  frontier_.clear();
  next_frontier_.clear();
  frontier_at_ = 0;
  chunk_ = 1;
  start_ = start;
  start_is_end_ = start_counts && program_.states.front().accepts;
  WEFT_TRY(const bool fresh, visited_.insert(start, 0));
  static_cast<void>(fresh);
  if (start_is_end_ && only_end_state_ == kNoState) {
    WEFT_TRY(const bool is_new, visited_.insert(start, kEndNumber));
    static_cast<void>(is_new);
  }
  frontier_.emplace_back(start, 0);
  return ok_status();
}

Result<bool> PathWalker::more(std::vector<rdf::TermId>& ends) {
  WEFT_TRY_STATUS(execution_.interrupt.check());
  if (start_is_end_) {
    start_is_end_ = false;
    ends.push_back(start_);
    return true;
  }
  if (frontier_at_ >= frontier_.size()) {
    frontier_.clear();
    frontier_at_ = 0;
    std::swap(frontier_, next_frontier_);
    if (frontier_.empty()) {
      return false;
    }
    // By state, and by node within: lookups of neighbours lie side by side.
    std::sort(frontier_.begin(), frontier_.end(), [](const Visit& a, const Visit& b) {
      return a.second != b.second ? a.second < b.second : a.first < b.first;
    });
  }
  const uint32_t state = frontier_[frontier_at_].second;
  nodes_.clear();
  while (frontier_at_ < frontier_.size() && frontier_[frontier_at_].second == state &&
         nodes_.size() < chunk_) {
    nodes_.push_back(frontier_[frontier_at_++].first);
  }
  chunk_ = std::min(kChunkMax, chunk_ * 4);
  for (const plan::PathState::Step& step : program_.states[state].steps) {
    reached_.clear();
    WEFT_TRY_STATUS(steps_[step.label].expand(nodes_, reached_));
    WEFT_TRY_STATUS(enter(reached_, step.state, ends));
  }
  return true;
}

Status PathWalker::enter(const std::vector<rdf::TermId>& nodes, uint32_t state,
                         std::vector<rdf::TermId>& ends) {
  const plan::PathState& entered = program_.states[state];
  WEFT_TRY_STATUS(charge_.cover(
      (frontier_.capacity() + 2 * (next_frontier_.size() + nodes.size())) * sizeof(Visit)));
  for (const rdf::TermId node : nodes) {
    WEFT_TRY(const bool is_new, visited_.insert(node, state));
    if (!is_new) {
      continue;
    }
    if (!entered.steps.empty()) {
      next_frontier_.emplace_back(node, state);
    }
    if (!entered.accepts) {
      continue;
    }
    bool is_end = true;
    if (only_end_state_ == kNoState) {
      WEFT_TRY(is_end, visited_.insert(node, kEndNumber));
    }
    if (is_end) {
      ends.push_back(node);
    }
  }
  return ok_status();
}

PathStarts::PathStarts(const plan::PathProgram& program, bool all_nodes, bool begins_small,
                       const rdf::IdPattern& graphs, Execution& execution)
    : execution_(execution),
      graphs_(graphs),
      begins_small_(begins_small),
      seen_(&execution.budget) {
  if (all_nodes) {
    labels_.resize(2);
    labels_[1].backwards = true;
    return;
  }
  for (const plan::PathState::Step& step : program.states.front().steps) {
    labels_.push_back(program.labels[step.label]);
  }
}

Status PathStarts::next(std::vector<rdf::TermId>& nodes) {
  nodes.clear();
  while (nodes.empty()) {
    WEFT_TRY_STATUS(execution_.interrupt.check());
    if (cursor_ == nullptr) {
      if (label_at_ >= labels_.size()) {
        return ok_status();
      }
      steps_ = std::make_unique<PathSteps>(labels_[label_at_++], graphs_, execution_);
      WEFT_TRY(cursor_, steps_->scan_all());
      if (begins_small_) {
        cursor_->start_small();
      }
    }
    WEFT_TRY_STATUS(cursor_->next(batch_));
    if (batch_.size() == 0) {
      cursor_.reset();
      continue;
    }
    near_.clear();
    steps_->append_near(batch_, near_);
    for (const rdf::TermId node : near_) {
      WEFT_TRY(const bool is_new, seen_.insert(node, 0));
      if (is_new) {
        nodes.push_back(node);
      }
    }
  }
  return ok_status();
}

}  // namespace weft::exec
