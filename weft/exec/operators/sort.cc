#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "weft/exec/evaluator.h"
#include "weft/exec/operators/operator.h"
#include "weft/exec/row_store.h"
#include "weft/rdf/order_prefix.h"

namespace weft::exec {
namespace {

// Rows are sorted in runs of so many as they come and merged when they are asked for, so that no
// step takes long.
constexpr size_t kRunRows = 16'384;
// With few wanted rows only they are kept, and a few times as many in between.
constexpr uint64_t kTopRowsMax = 65'536;
constexpr size_t kTopBufferRowsMin = 512;

// Sorts by values, equal ones in the order they came.
class SortOperator final : public Operator {
 public:
  SortOperator(const plan::PlanNode& node, Execution& execution, const plan::SortRows& sort,
               OperatorPtr input, std::unique_ptr<Evaluator> keys,
               std::unique_ptr<Evaluator> first_key)
      : Operator(node, execution),
        sort_(sort),
        columns_(columns_of(input->node().columns, node.columns)),
        input_(std::move(input)),
        evaluator_(std::move(keys)),
        first_key_(std::move(first_key)),
        store_(node.columns.size(), &execution.budget),
        keys_(sort.keys.size()),
        key_charge_(&execution.budget) {
    if (sort.top && *sort.top <= kTopRowsMax) {
      top_ = static_cast<size_t>(*sort.top);
    }
  }

 protected:
  Status produce(RowBatch& out) override {
    if (!collected_) {
      WEFT_TRY_STATUS(collect());
      begin_merge();
      collected_ = true;
    }
    picked_.clear();
    while (picked_.size() < kBatchRows && !heads_.empty()) {
      std::pop_heap(heads_.begin(), heads_.end(), later_);
      Head& head = heads_.back();
      picked_.push_back(order_[head.at]);
      if (++head.at == head.end) {
        heads_.pop_back();
      } else {
        std::push_heap(heads_.begin(), heads_.end(), later_);
      }
    }
    out.rows = picked_.size();
    for (size_t c = 0; c < out.columns.size(); ++c) {
      const Column& from = store_.rows().columns[c];
      out.columns[c].resize(picked_.size());
      for (size_t i = 0; i < picked_.size(); ++i) {
        out.columns[c][i] = from[picked_[i]];
      }
    }
    return ok_status();
  }

 private:
  struct Head {
    size_t at;
    size_t end;
  };

  // Of kept rows; below zero: a comes first.
  std::weak_ordering compare(uint32_t a, uint32_t b) const {
    if (prefixes_[a] != prefixes_[b]) {
      return prefixes_[a] <=> prefixes_[b];
    }
    for (size_t k = 0; k < keys_.size(); ++k) {
      const std::weak_ordering order = rdf::order(keys_[k][a], keys_[k][b]);
      if (order != 0) {
        return sort_.keys[k].descending ? 0 <=> order : order;
      }
    }
    return a <=> b;
  }

  Status collect() {
    RowBatch batch;
    while (true) {
      WEFT_TRY_STATUS(input_->next(batch));
      if (batch.empty()) {
        break;
      }
      WEFT_TRY_STATUS(drop_late(batch));
      WEFT_TRY_STATUS(evaluator_->load(batch));
      WEFT_TRY_STATUS(add(batch));
    }
    input_.reset();
    if (top_ != 0) {
      cut();
    } else {
      finish_run();
    }
    return evaluator_->status();
  }

  // Where the first key alone tells that a row will not be wanted, the others are not even fetched.
  Status drop_late(RowBatch& batch) {
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

  Status add(const RowBatch& batch) {
    RowBatch selected;
    selected.reset(columns_.size());
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < batch.rows; ++row) {
      if (comes_too_late(row)) {
        continue;
      }
      rows.push_back(row);
      const uint64_t prefix = rdf::order_prefix(*evaluator_->value(0, row).value);
      prefixes_.push_back(sort_.keys[0].descending ? ~prefix : prefix);
      for (size_t k = 0; k < keys_.size(); ++k) {
        keys_[k].push_back(*evaluator_->value(k, row).value);
        text_bytes_ += keys_[k].back().text().size();
      }
    }
    WEFT_TRY_STATUS(evaluator_->status());
    WEFT_TRY_STATUS(key_charge_.cover(keys_.size() * keys_size() * sizeof(rdf::Value) * 2 +
                                      text_bytes_ + keys_size() * sizeof(uint32_t) * 6));
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

  size_t keys_size() const { return store_.size(); }

  // True if so many rows are before it that it will not be wanted.
  bool comes_too_late(uint32_t row) {
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

  void finish_run() {
    const size_t begin = run_begin_;
    const size_t end = store_.size();
    if (begin == end) {
      return;
    }
    order_.resize(end);
    std::iota(order_.begin() + static_cast<std::ptrdiff_t>(begin), order_.end(),
              static_cast<uint32_t>(begin));
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin), order_.end(),
              [this](uint32_t a, uint32_t b) { return compare(a, b) < 0; });
    runs_.push_back({begin, end});
    run_begin_ = end;
  }

  // Keeps the first `top_` rows, in order.
  void cut() {
    order_.resize(store_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    const size_t kept = std::min(top_, order_.size());
    std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(kept),
                      order_.end(), [this](uint32_t a, uint32_t b) { return compare(a, b) < 0; });
    RowBatch rows;
    rows.reset(columns_.size());
    rows.rows = kept;
    for (size_t c = 0; c < columns_.size(); ++c) {
      for (size_t i = 0; i < kept; ++i) {
        rows.columns[c].push_back(store_.rows().columns[c][order_[i]]);
      }
    }
    for (std::vector<rdf::Value>& values : keys_) {
      std::vector<rdf::Value> first;
      for (size_t i = 0; i < kept; ++i) {
        first.push_back(std::move(values[order_[i]]));
      }
      values = std::move(first);
    }
    std::vector<uint64_t> prefixes;
    for (size_t i = 0; i < kept; ++i) {
      prefixes.push_back(prefixes_[order_[i]]);
    }
    prefixes_ = std::move(prefixes);
    text_bytes_ = 0;
    for (const std::vector<rdf::Value>& values : keys_) {
      for (const rdf::Value& value : values) {
        text_bytes_ += value.text().size();
      }
    }
    for (size_t c = 0; c < columns_.size(); ++c) {
      std::copy(rows.columns[c].begin(), rows.columns[c].end(), store_.rows().columns[c].begin());
      store_.rows().columns[c].resize(kept);
    }
    store_.rows().rows = kept;
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

  void begin_merge() {
    heads_ = runs_;
    std::make_heap(heads_.begin(), heads_.end(), later_);
  }

  const plan::SortRows& sort_;
  std::vector<size_t> columns_;
  OperatorPtr input_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<Evaluator> first_key_;  // or null: there is one key, or it is no variable
  std::vector<uint8_t> keep_;
  RowStore store_;
  std::vector<std::vector<rdf::Value>> keys_;  // by key, by row
  std::vector<uint64_t> prefixes_;  // order_prefix of the first key, by row; ~ if it descends
  MemoryCharge key_charge_;
  uint64_t text_bytes_ = 0;
  std::vector<uint32_t> order_;  // rows, sorted within each run
  std::vector<Head> runs_;
  size_t run_begin_ = 0;
  size_t top_ = 0;  // 0: all
  bool has_limit_ = false;
  size_t limit_row_ = 0;

  bool collected_ = false;
  std::vector<Head> heads_;
  std::vector<uint32_t> picked_;
  struct Later {
    const SortOperator* self;
    bool operator()(const Head& a, const Head& b) const {
      return self->compare(self->order_[b.at], self->order_[a.at]) < 0;
    }
  };
  Later later_{this};
};

}  // namespace

Result<OperatorPtr> make_sort(const plan::PlanNode& node, Execution& execution, OperatorPtr input) {
  const auto& sort = std::get<plan::SortRows>(node.operation);
  std::vector<const sparql::Expression*> expressions;
  for (const plan::SortRows::Key& key : sort.keys) {
    expressions.push_back(key.expression);
  }
  WEFT_TRY(std::unique_ptr<Evaluator> keys,
           Evaluator::make(expressions, input->node().columns, execution));
  std::unique_ptr<Evaluator> first_key;
  if (sort.top && expressions.size() > 1 &&
      std::holds_alternative<sparql::Expression::Variable>(expressions.front()->form)) {
    WEFT_TRY(first_key, Evaluator::make({expressions.data(), 1}, input->node().columns, execution));
  }
  return OperatorPtr(std::make_unique<SortOperator>(node, execution, sort, std::move(input),
                                                    std::move(keys), std::move(first_key)));
}

}  // namespace weft::exec
