#include "weft/exec/union_cursor.h"

#include <algorithm>

#include "weft/exec/row_batch.h"

namespace weft::exec {

using rdf::IdBatch;
using rdf::Position;
using rdf::TermId;

UnionCursor::UnionCursor(const rdf::IdPattern& pattern, rdf::Permutation permutation,
                         std::unique_ptr<QuadCursor> base, TermId base_ids_end, GatherRows gather,
                         base::MemoryBudget* budget)
    : pattern_(pattern),
      positions_(rdf::positions(permutation)),
      base_(std::move(base)),
      base_ids_end_(base_ids_end),
      gather_(std::move(gather)),
      charge_(budget) {
  grouped_[0] = true;
  size_t bound = 0;
  while (bound < 3 && pattern_.at(positions_[bound]) != rdf::kNoTerm) {
    ++bound;
  }
  for (size_t i = 0; i < 3; ++i) {
    grouped_[i + 1] = positions_[i] == Position::kPredicate && pattern_.predicate == rdf::kNoTerm;
  }
  if (pattern_.scope != rdf::GraphScope::kAllNamed && bound < 3 && !grouped_[bound + 1]) {
    seek_level_ = bound + 1;
  }
}

Status UnionCursor::start() {
  started_ = true;
  WEFT_TRY_STATUS(gather_(rows_, charge_));
  std::sort(rows_.begin(), rows_.end());
  rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
  levels_[0].open = {0, rows_.size()};
  return ok_status();
}

Result<bool> UnionCursor::next_base_row(UnionRow& row) {
  if (base_ == nullptr) {
    return false;
  }
  if (base_at_ >= base_batch_.size()) {
    WEFT_TRY_STATUS(base_->next(base_batch_));
    base_at_ = 0;
    if (base_batch_.size() == 0) {
      base_.reset();
      return false;
    }
  }
  const std::array<TermId, 3> by_position = {
      base_batch_.subject[base_at_], base_batch_.predicate[base_at_], base_batch_.object[base_at_]};
  row[0] = base_batch_.graph.empty() ? rdf::kNoTerm : base_batch_.graph[base_at_];
  for (size_t i = 0; i < 3; ++i) {
    row[i + 1] = by_position[static_cast<size_t>(positions_[i])];
  }
  ++base_at_;
  return true;
}

void UnionCursor::queue(Range range) {
  range.first = std::max(range.first, rows_from_);
  if (range.first < range.second) {
    queued_.push_back(range);
  }
}

void UnionCursor::close(size_t level) {
  Level& closing = levels_[level];
  std::sort(closing.taken.begin(), closing.taken.end());
  for (const Range& taken : closing.taken) {
    queue({closing.open.first, taken.first});
    closing.open.first = taken.second;
  }
  queue(closing.open);
  closing = {};
}

void UnionCursor::close_from(size_t level) {
  for (size_t i = kLevels; i > level; --i) {
    close(i - 1);
  }
}

UnionCursor::Range UnionCursor::equal_range(Range in, size_t level, TermId value) const {
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(in.first);
  const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(in.second);
  const auto low =
      std::partition_point(begin, end, [&](const UnionRow& row) { return row[level] < value; });
  const auto high =
      std::partition_point(low, end, [&](const UnionRow& row) { return row[level] == value; });
  return {static_cast<size_t>(low - rows_.begin()), static_cast<size_t>(high - rows_.begin())};
}

void UnionCursor::advance_to(const UnionRow& row) {
  size_t first = 0;
  if (has_current_) {
    while (first < kLevels - 1 && row[first] == current_[first]) {
      ++first;
    }
    close_from(first + 1);
  }
  for (size_t i = first; i < kLevels; ++i) {
    Level& level = levels_[i];
    Range equal = level.open;
    if (level.open.first < level.open.second) {
      equal = equal_range(level.open, i, row[i]);
      if (!grouped_[i]) {
        queue({level.open.first, equal.first});
        level.open.first = equal.second;
      } else if (equal.first < equal.second) {
        level.taken.push_back(equal);
      }
    }
    if (i + 1 < kLevels) {
      levels_[i + 1].open = equal;  // at the last level it is the base's row itself
    }
  }
  has_current_ = true;
  current_ = row;
}

void UnionCursor::give(IdBatch& batch, const UnionRow& row) const {
  std::array<TermId, 3> by_position{};
  for (size_t i = 0; i < 3; ++i) {
    by_position[static_cast<size_t>(positions_[i])] = row[i + 1];
  }
  batch.subject.push_back(by_position[0]);
  batch.predicate.push_back(by_position[1]);
  batch.object.push_back(by_position[2]);
  if (pattern_.scope == rdf::GraphScope::kAllNamed) {
    batch.graph.push_back(row[0]);
  }
}

Status UnionCursor::next(IdBatch& batch) {
  batch.clear();
  if (!started_) {
    WEFT_TRY_STATUS(start());
  }
  if (rows_.empty()) {
    return base_ == nullptr ? ok_status() : base_->next(batch);
  }
  while (batch.size() < kBatchRows) {
    if (queued_at_ < queued_.size()) {
      Range& range = queued_[queued_at_];
      for (; range.first < range.second && batch.size() < kBatchRows; ++range.first) {
        give(batch, rows_[range.first]);
      }
      queued_at_ += range.first == range.second ? 1 : 0;
      continue;
    }
    queued_.clear();
    queued_at_ = 0;
    if (base_row_waits_) {
      give(batch, current_);
      base_row_waits_ = false;
      continue;
    }
    if (closed_) {
      return ok_status();
    }
    UnionRow row{};
    WEFT_TRY(base_row_waits_, next_base_row(row));
    if (base_row_waits_) {
      advance_to(row);
    } else {
      close_from(0);
      closed_ = true;
    }
  }
  return ok_status();
}

Status UnionCursor::seek(TermId key0, TermId key1) {
  if (seek_level_ == kLevels) {
    return ok_status();
  }
  if (!started_) {
    WEFT_TRY_STATUS(start());
  }
  // All levels before are one value only, so rows ascend here from first to last.
  const Range before = equal_range({rows_from_, rows_.size()}, seek_level_, key0);
  rows_from_ = std::max(rows_from_, before.first);
  if (base_ == nullptr) {
    return ok_status();
  }
  if (key0 < base_ids_end_) {
    return base_->seek(key0, key1 < base_ids_end_ ? key1 : rdf::kNoTerm);
  }
  base_.reset();  // all of its ids are smaller
  base_batch_.clear();
  base_at_ = 0;
  return ok_status();
}

}  // namespace weft::exec
