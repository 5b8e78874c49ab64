#include "weft/exec/operators/sorted_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "weft/exec/operators/operator.h"
#include "weft/rdf/order_prefix.h"

namespace weft::exec {
namespace {

constexpr size_t kRunRows = 16'384;
constexpr size_t kTopBufferRowsMin = 512;

}  // namespace

SortedRows::SortedRows(const plan::PlanNode& node, Execution& execution,
                       std::unique_ptr<Evaluator> keys, std::unique_ptr<Evaluator> first_key)
    : sort_(std::get<plan::SortRows>(node.operation)),
      execution_(execution),
      columns_(columns_of(node.inputs[0]->columns, node.columns)),
      evaluator_(std::move(keys)),
      first_key_(std::move(first_key)),
      store_(node.columns.size(), &execution.budget),
      keys_(sort_.keys.size()),
      key_charge_(&execution.budget) {
  if (sort_.top && *sort_.top <= kTopRowsMax) {
    top_ = static_cast<size_t>(*sort_.top);
  }
}

Result<std::unique_ptr<SortedRows>> SortedRows::make(const plan::PlanNode& node,
                                                     Execution& execution) {
  const auto& sort = std::get<plan::SortRows>(node.operation);
  const plan::VariableList& columns = node.inputs[0]->columns;
  std::vector<const sparql::Expression*> expressions;
  for (const plan::SortRows::Key& key : sort.keys) {
    expressions.push_back(key.expression);
  }
  WEFT_TRY(std::unique_ptr<Evaluator> keys, Evaluator::make(expressions, columns, execution));
  std::unique_ptr<Evaluator> first_key;
  if (sort.top && expressions.size() > 1 &&
      std::holds_alternative<sparql::Expression::Variable>(expressions.front()->form)) {
    WEFT_TRY(first_key, Evaluator::make({expressions.data(), 1}, columns, execution));
  }
  return std::unique_ptr<SortedRows>(
      new SortedRows(node, execution, std::move(keys), std::move(first_key)));
}

std::weak_ordering SortedRows::compare(const SortedRows& x, uint32_t a, const SortedRows& y,
                                       uint32_t b) {
  if (x.prefixes_[a] != y.prefixes_[b]) {
    return x.prefixes_[a] <=> y.prefixes_[b];
  }
  for (size_t k = 0; k < x.keys_.size(); ++k) {
    const std::weak_ordering order = rdf::order(x.keys_[k][a], y.keys_[k][b]);
    if (order != 0) {
      return x.sort_.keys[k].descending ? 0 <=> order : order;
    }
  }
  return &x == &y ? a <=> b : x.pieces_[a] <=> y.pieces_[b];
}

void SortedRows::begin_piece(uint32_t piece) {
  has_pieces_ = true;
  piece_ = piece;
}

// Where the first key alone tells that a row will not be wanted, the others are not even fetched.
Status SortedRows::drop_late(RowBatch& batch) {
  if (!has_limit_ || first_key_ == nullptr) {
    return ok_status();
  }
  WEFT_TRY_STATUS(first_key_->load(batch));
  keep_.assign(batch.rows, 1);
  for (uint32_t row = 0; row < batch.rows; ++row) {
    const std::weak_ordering order =
        rdf::order(*first_key_->value(0, row).value, keys_[0][limit_row_]);
    keep_[row] = (sort_.keys[0].descending ? order < 0 : order > 0) ? 0 : 1;
  }
  batch.filter(keep_);
  return ok_status();
}

void SortedRows::keep_key_of(uint32_t row) {
  const uint64_t prefix = rdf::order_prefix(*evaluator_->value(0, row).value);
  prefixes_.push_back(sort_.keys[0].descending ? ~prefix : prefix);
  for (size_t k = 0; k < keys_.size(); ++k) {
    keys_[k].push_back(*evaluator_->value(k, row).value);
    text_bytes_ += keys_[k].back().text().size();
  }
  if (has_pieces_) {
    pieces_.push_back(piece_);
  }
}

Status SortedRows::add(RowBatch& batch) {
  WEFT_TRY_STATUS(drop_late(batch));
  WEFT_TRY_STATUS(evaluator_->load(batch));
  RowBatch selected;
  selected.reset(columns_.size());
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < batch.rows; ++row) {
    if (!comes_too_late(row)) {
      rows.push_back(row);
      keep_key_of(row);
    }
  }
  WEFT_TRY_STATUS(evaluator_->status());
  WEFT_TRY_STATUS(key_charge_.cover(keys_.size() * store_.size() * sizeof(rdf::Value) * 2 +
                                    text_bytes_ + store_.size() * sizeof(uint32_t) * 6));
  selected.rows = rows.size();
  for (size_t c = 0; c < columns_.size(); ++c) {
    for (const uint32_t row : rows) {
      selected.columns[c].push_back(batch.columns[columns_[c]][row]);
    }
  }
  WEFT_TRY_STATUS(store_.append(selected));
  if (top_ == 0 && store_.size() - run_begin_ >= kRunRows) {
    finish_run();
  }
  if (top_ != 0 && store_.size() >= std::max(2 * top_, kTopBufferRowsMin)) {
    cut();
  }
  return ok_status();
}

Status SortedRows::finish() {
  if (top_ != 0) {
    cut();
  } else {
    finish_run();
  }
  return evaluator_->status();
}

// True if so many rows are before it that it will not be wanted.
bool SortedRows::comes_too_late(uint32_t row) {
  if (top_ == 0 || !has_limit_) {
    return false;
  }
  for (size_t k = 0; k < keys_.size(); ++k) {
    const std::weak_ordering order =
        rdf::order(*evaluator_->value(k, row).value, keys_[k][limit_row_]);
    if (order != 0) {
      return sort_.keys[k].descending ? order < 0 : order > 0;
    }
  }
  return true;  // equal, and later
}

void SortedRows::finish_run() {
  const size_t begin = run_begin_;
  const size_t end = store_.size();
  if (begin == end) {
    return;
  }
  order_.resize(end);
  std::iota(order_.begin() + static_cast<std::ptrdiff_t>(begin), order_.end(),
            static_cast<uint32_t>(begin));
  std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin), order_.end(),
            [this](uint32_t a, uint32_t b) { return is_before(a, b); });
  runs_.push_back({begin, end});
  run_begin_ = end;
}

Status SortedRows::merge_runs() {
  WEFT_TRY_STATUS(key_charge_.cover(key_charge_.held_bytes() + order_.size() * sizeof(uint32_t)));
  std::vector<uint32_t> merged(order_.size());
  while (runs_.size() > 1) {
    std::vector<Run> longer;
    for (size_t i = 0; i < runs_.size(); i += 2) {
      WEFT_TRY_STATUS(execution_.interrupt.check());
      const Run& a = runs_[i];
      const Run& b = i + 1 < runs_.size() ? runs_[i + 1] : Run{a.end, a.end};
      const auto at = [this](size_t index) {
        return order_.begin() + static_cast<std::ptrdiff_t>(index);
      };
      std::merge(at(a.at), at(a.end), at(b.at), at(b.end),
                 merged.begin() + static_cast<std::ptrdiff_t>(a.at),
                 [this](uint32_t x, uint32_t y) { return is_before(x, y); });
      longer.push_back({a.at, b.end});
    }
    order_.swap(merged);
    runs_ = std::move(longer);
  }
  return ok_status();
}

// Keeps the first `top_` rows, in order.
void SortedRows::cut() {
  order_.resize(store_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  const size_t kept = std::min(top_, order_.size());
  std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(kept),
                    order_.end(), [this](uint32_t a, uint32_t b) { return is_before(a, b); });
  const auto pick = [&](auto& from) {
    std::remove_reference_t<decltype(from)> first;
    first.reserve(kept);
    for (size_t i = 0; i < kept; ++i) {
      first.push_back(std::move(from[order_[i]]));
    }
    return first;
  };
  for (Column& column : store_.rows().columns) {
    const Column first = pick(column);
    column.assign(first.begin(), first.end());  // keeps the memory that is reserved for it
  }
  store_.rows().rows = kept;
  text_bytes_ = 0;
  for (std::vector<rdf::Value>& values : keys_) {
    values = pick(values);
    for (const rdf::Value& value : values) {
      text_bytes_ += value.text().size();
    }
  }
  prefixes_ = pick(prefixes_);
  if (has_pieces_) {
    pieces_ = pick(pieces_);
  }
  order_.resize(kept);
  std::iota(order_.begin(), order_.end(), 0U);
  runs_.clear();
  if (kept != 0) {
    runs_.push_back({0, kept});
  }
  run_begin_ = kept;
  has_limit_ = kept == top_;
  limit_row_ = kept - (kept != 0 ? 1 : 0);
}

void SortedMerge::begin(const std::vector<SortedRows*>& parts) {
  for (const SortedRows* part : parts) {
    for (const SortedRows::Run& run : part->runs_) {
      heads_.push_back({part, run.at, run.end});
    }
  }
  std::make_heap(heads_.begin(), heads_.end(), Later());
}

void SortedMerge::next(RowBatch& out) {
  picked_.clear();
  while (picked_.size() < kBatchRows && !heads_.empty()) {
    std::pop_heap(heads_.begin(), heads_.end(), Later());
    Head& head = heads_.back();
    picked_.push_back({head.part, head.part->order_[head.at]});
    if (++head.at == head.end) {
      heads_.pop_back();
    } else {
      std::push_heap(heads_.begin(), heads_.end(), Later());
    }
  }
  out.rows = picked_.size();
  for (size_t c = 0; c < out.columns.size(); ++c) {
    out.columns[c].resize(picked_.size());
    for (size_t i = 0; i < picked_.size(); ++i) {
      out.columns[c][i] = picked_[i].part->store_.rows().columns[c][picked_[i].row];
    }
  }
}

}  // namespace weft::exec
