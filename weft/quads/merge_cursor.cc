#include "weft/quads/merge_cursor.h"

#include <algorithm>
#include <utility>

#include "weft/quads/base_walk.h"

namespace weft::quads {
MergeCursor::MergeCursor(FoldTerms& terms, const rdf::IdPattern& pattern,
                         rdf::Permutation permutation, BaseStream base, std::vector<DeltaRow> delta,
                         Stamp base_stamp, MemoryHold memory, std::stop_token stop)
    : terms_(terms),
      pattern_(pattern),
      order_(permutation),
      base_(std::move(base)),
      delta_(std::move(delta)),
      base_stamp_(base_stamp),
      memory_(std::move(memory)),
      stop_(std::move(stop)) {}

void MergeCursor::emit_base(size_t begin, size_t end) {
  const rete::LocalBatch& from = base_.batch();
  const auto append = [begin, end](std::vector<rdf::TermId>& to,
                                   const std::vector<uint32_t>& column) {
    to.insert(to.end(), column.begin() + static_cast<ptrdiff_t>(begin),
              column.begin() + static_cast<ptrdiff_t>(end));
  };
  append(out_->subject, from.subject);
  append(out_->predicate, from.predicate);
  append(out_->object, from.object);
  if (pattern_.scope == rdf::GraphScope::kAllNamed) {
    append(out_->graph, from.graph);
  }
}

void MergeCursor::emit_delta(const DeltaRow& row) {
  out_->subject.push_back(order_.at(row.place, rdf::Position::kSubject));
  out_->predicate.push_back(order_.at(row.place, rdf::Position::kPredicate));
  out_->object.push_back(order_.at(row.place, rdf::Position::kObject));
  if (pattern_.scope == rdf::GraphScope::kAllNamed) {
    out_->graph.push_back(row.place.graph);
  }
}

// The base's batch up to the next overlay row, and that row.
void MergeCursor::merge_some() {
  const rete::LocalBatch& batch = base_.batch();
  if (delta_row_ == delta_.size()) {
    emit_base(base_row_, batch.size());
    base_row_ = batch.size();
    return;
  }
  const DeltaRow& delta = delta_[delta_row_];
  size_t low = base_row_;
  size_t high = batch.size();
  // Most batches hold many rows before the next overlay row, or none.
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (base_place(batch, middle, order_) < delta.place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  emit_base(base_row_, low);
  base_row_ = low;
  if (low == batch.size() && batch.size() > 0) {
    return;  // the overlay's row may stand in the next batch
  }
  const bool in_base = low < batch.size() && base_place(batch, low, order_) == delta.place;
  if (is_visible(delta.stamp, in_base, base_stamp_)) {
    emit_delta(delta);
  }
  base_row_ += in_base ? 1 : 0;
  ++delta_row_;
}

Status MergeCursor::finish(rdf::IdBatch& batch) {
  if (pattern_.predicate != rdf::kNoTerm) {
    std::ranges::fill(batch.predicate, pattern_.predicate);
    return ok_status();
  }
  return terms_.terms_of_keys(batch.predicate, stop_);
}

Status MergeCursor::next(rdf::IdBatch& batch) {
  batch.clear();
  out_ = &batch;
  if (stop_.stop_requested()) {
    return Error(ErrorKind::kCancelled, "stopped on request");
  }
  if (!base_started_) {
    base_started_ = true;
    WEFT_TRY_STATUS(base_.next());
  }
  while (batch.size() < batch_rows_) {
    if (base_row_ == base_.batch().size() && base_row_ > 0) {
      if (batch.size() > 0 && delta_row_ == delta_.size()) {
        break;  // what is there first; the next batch may cost a read
      }
      base_row_ = 0;
      WEFT_TRY_STATUS(base_.next());
    }
    if (base_.batch().size() == 0 && delta_row_ == delta_.size()) {
      break;
    }
    merge_some();
  }
  batch_rows_ =
      std::min(rete::SegmentCursor::kBatchRows, batch_rows_ * rete::SegmentCursor::kBatchGrowth);
  return finish(batch);
}

void MergeCursor::start_small() {
  batch_rows_ = rete::SegmentCursor::kSmallBatchRows;
  base_.start_small();
}

Result<std::optional<RowPlace>> MergeCursor::place_of(rdf::TermId key0, rdf::TermId key1) {
  if (pattern_.scope == rdf::GraphScope::kAllNamed) {
    return std::optional<RowPlace>();
  }
  uint64_t columns[3] = {0, 0, 0};
  rdf::TermId next_key[2] = {key0, key1};
  size_t used = 0;
  for (size_t column = 0; column < 3; ++column) {
    const rdf::Position position = order_.position(column);
    rdf::TermId id = pattern_.at(position);
    if (id == rdf::kNoTerm && used < 2) {
      id = next_key[used++];
    } else if (id == rdf::kNoTerm) {
      break;
    }
    if (id == rdf::kNoTerm) {
      break;
    }
    if (position == rdf::Position::kPredicate) {
      WEFT_TRY(columns[column], terms_.predicate_key(id, stop_));
    } else {
      columns[column] = id;
    }
  }
  return std::optional(RowPlace{.graph = 0, .a = columns[0], .b = columns[1], .c = columns[2]});
}

Status MergeCursor::stop_before(rdf::TermId key0, rdf::TermId key1) {
  WEFT_TRY(const std::optional<RowPlace> place, place_of(key0, key1));
  if (place.has_value()) {
    const auto behind = std::ranges::lower_bound(delta_, *place, {}, &DeltaRow::place);
    delta_.erase(behind, delta_.end());
    base_.stop_before(key_of(*place));
  }
  return ok_status();
}

Status MergeCursor::seek(rdf::TermId key0, rdf::TermId key1) {
  WEFT_TRY(const std::optional<RowPlace> wanted, place_of(key0, key1));
  if (!wanted.has_value()) {
    return ok_status();  // only a hint, and the rows of later graphs begin anew
  }
  const RowPlace& place = *wanted;
  const auto later = std::ranges::lower_bound(delta_.begin() + static_cast<ptrdiff_t>(delta_row_),
                                              delta_.end(), place, {}, &DeltaRow::place);
  delta_row_ = static_cast<size_t>(later - delta_.begin());
  const rete::LocalBatch& batch = base_.batch();
  while (base_row_ < batch.size() && base_place(batch, base_row_, order_) < place) {
    ++base_row_;
  }
  if (base_row_ < batch.size()) {
    return ok_status();
  }
  return base_.seek(key_of(place));
}

}  // namespace weft::quads
