// Groups: rows with equal keys, their aggregates, and the columns made of both.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "weft/base/present.h"
#include "weft/gqexec/aggregate.h"
#include "weft/gqexec/output.h"

namespace weft::gqexec {
namespace {

uint64_t mix(uint64_t hash) {
  hash ^= hash >> 32U;
  hash *= 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

// Appends what tells a value from all others of its column.
void append_key(const Operand& operand, size_t row, std::string& out) {
  const size_t at = operand.at(row);
  if (operand.valid[at] == 0) {
    out.push_back('\0');
    return;
  }
  out.push_back('\1');
  const auto append_bytes = [&out](const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  switch (operand.lane) {
    case Lane::kInteger:
    case Lane::kUnsigned:
      append_bytes(operand.integers[at]);
      return;
    case Lane::kReal:
      append_bytes(operand.reals[at] == 0 ? 0.0 : operand.reals[at]);
      return;
    case Lane::kText:
      append_bytes(operand.texts[at].size());
      out.append(operand.texts[at]);
      return;
    case Lane::kList: {
      const std::string text =
          columns::element_text(*operand.lists[at].array, operand.lists[at].index);
      append_bytes(text.size());
      out.append(text);
      return;
    }
  }
}

// Numbers groups by the bytes of their keys.
class GroupTable {
 public:
  GroupTable() : slots_(kSlotsMin, kNoRow) {}

  size_t size() const { return hashes_.size(); }
  uint64_t memory_bytes() const {
    return slots_.size() * sizeof(uint32_t) + bytes_.size() + hashes_.size() * 2 * sizeof(uint64_t);
  }
  // The group with this key, which is new if its number is the size before.
  uint32_t add_without_key() {
    hashes_.push_back(0);
    ends_.push_back(bytes_.size());
    has_unkeyed_ = true;
    unkeyed_ = static_cast<uint32_t>(hashes_.size() - 1);
    return unkeyed_;
  }
  uint32_t find_or_add(std::string_view key) {
    const uint64_t hash = mix(std::hash<std::string_view>{}(key));
    const size_t mask = slots_.size() - 1;
    size_t slot = hash & mask;
    while (slots_[slot] != kNoRow) {
      const uint32_t group = slots_[slot];
      if (hashes_[group] == hash && key_of(group) == key) {
        return group;
      }
      slot = (slot + 1) & mask;
    }
    const auto group = static_cast<uint32_t>(hashes_.size());
    slots_[slot] = group;
    hashes_.push_back(hash);
    bytes_.append(key);
    ends_.push_back(bytes_.size());
    if (hashes_.size() * 2 > slots_.size()) {
      grow();
    }
    return group;
  }

 private:
  static constexpr size_t kSlotsMin = 64;
  std::string_view key_of(uint32_t group) const {
    const size_t from = group == 0 ? 0 : ends_[group - 1];
    return std::string_view(bytes_).substr(from, ends_[group] - from);
  }
  void grow() {
    slots_.assign(slots_.size() * 2, kNoRow);
    const size_t mask = slots_.size() - 1;
    for (size_t group = 0; group < hashes_.size(); ++group) {
      if (has_unkeyed_ && group == unkeyed_) {
        continue;
      }
      size_t slot = hashes_[group] & mask;
      while (slots_[slot] != kNoRow) {
        slot = (slot + 1) & mask;
      }
      slots_[slot] = static_cast<uint32_t>(group);
    }
  }

  std::vector<uint32_t> slots_;
  std::vector<uint64_t> hashes_;
  std::string bytes_;
  std::vector<uint64_t> ends_;
  bool has_unkeyed_ = false;
  uint32_t unkeyed_ = 0;
};

class GroupedOutput final : public RowSink {
 public:
  GroupedOutput(RunState& state, AnswerSink& answer) : state_(state), answer_(answer) {
    for (size_t i = 0; i < state.plan.columns.size(); ++i) {
      const OutputColumn& column = state.plan.columns[i];
      if (column.aggregate.has_value()) {
        aggregates_.push_back(make_aggregate(column));
      } else {
        keys_.push_back(i);
      }
      place_.push_back(column.aggregate.has_value() ? aggregates_.size() - 1 : keys_.size() - 1);
    }
    key_rows_.resize(keys_.size());
    if (keys_.empty()) {
      add_group();
    }
  }

  Status accept(const RowBatch& batch) override {
    WEFT_TRY_STATUS(state_.check());
    WEFT_TRY_STATUS(find_groups(batch));
    for (std::unique_ptr<Aggregate>& aggregate : aggregates_) {
      WEFT_TRY_STATUS(aggregate->add(state_, batch, groups_));
    }
    return account();
  }

  Status finish() override;

 private:
  void add_group() {
    for (std::unique_ptr<Aggregate>& aggregate : aggregates_) {
      aggregate->add_group();
    }
    ++group_count_;
  }
  uint32_t group_of_text(const Operand& operand, size_t row);
  Status find_groups(const RowBatch& batch);
  Status account();
  Result<std::vector<columns::ArrayPtr>> make_columns();
  Result<std::vector<uint32_t>> sorted(const std::vector<columns::ArrayPtr>& arrays);

  RunState& state_;
  AnswerSink& answer_;
  std::vector<size_t> keys_;  // columns that are no aggregates
  std::vector<std::unique_ptr<Aggregate>> aggregates_;
  std::vector<size_t> place_;  // of each column: in keys_ or in aggregates_
  GroupTable table_;
  size_t group_count_ = 0;
  // Of each key, by group: a row that has it.
  std::vector<std::vector<RowNumber>> key_rows_;
  std::optional<uint32_t> null_group_;
  std::vector<uint32_t> groups_;  // of each row of the batch
  std::vector<base::Reservation> memory_;
  uint64_t reserved_bytes_ = 0;
};

// The group of a row by one text alone, which needs no copy.
uint32_t GroupedOutput::group_of_text(const Operand& operand, size_t row) {
  const size_t at = operand.at(row);
  if (operand.valid[at] != 0) {
    return table_.find_or_add(operand.texts[at]);
  }
  if (!null_group_.has_value()) {
    null_group_ = table_.add_without_key();
  }
  return *null_group_;
}

Status GroupedOutput::find_groups(const RowBatch& batch) {
  groups_.assign(batch.row_count, 0);
  if (keys_.empty()) {
    return ok_status();
  }
  std::vector<TermValues> values;
  for (const size_t column : keys_) {
    WEFT_TRY(TermValues term, read_term(state_, state_.plan.columns[column].term, batch));
    values.push_back(std::move(term));
  }
  const bool one_text = values.size() == 1 && values.front().operand.lane == Lane::kText;
  std::string key;
  for (size_t row = 0; row < batch.row_count; ++row) {
    uint32_t group = 0;
    if (one_text) {
      group = group_of_text(values.front().operand, row);
    } else {
      key.clear();
      for (const TermValues& term : values) {
        append_key(term.operand, row, key);
      }
      group = table_.find_or_add(key);
    }
    groups_[row] = group;
    if (group == group_count_) {
      add_group();
      for (size_t i = 0; i < keys_.size(); ++i) {
        const Term& term = state_.plan.columns[keys_[i]].term;
        key_rows_[i].push_back(term.kind == Term::Kind::kProperty ? batch.slots[term.slot][row]
                                                                  : 0);
      }
    }
  }
  return ok_status();
}

Status GroupedOutput::account() {
  const uint64_t per_group =
      sizeof(RowNumber) * keys_.size() + kBytesPerAggregate * aggregates_.size();
  const uint64_t bytes = table_.memory_bytes() + per_group * group_count_;
  if (bytes > reserved_bytes_) {
    const uint64_t more = std::max(bytes - reserved_bytes_, reserved_bytes_ / 4);
    WEFT_TRY(base::Reservation memory, state_.budget.reserve(more));
    memory_.push_back(std::move(memory));
    reserved_bytes_ += more;
  }
  return ok_status();
}

Result<std::vector<columns::ArrayPtr>> GroupedOutput::make_columns() {
  std::vector<columns::ArrayPtr> arrays;
  for (size_t i = 0; i < state_.plan.columns.size(); ++i) {
    const OutputColumn& column = state_.plan.columns[i];
    if (column.aggregate.has_value()) {
      WEFT_TRY(columns::ArrayPtr array, aggregates_[place_[i]]->finish(state_, column));
      arrays.push_back(std::move(array));
      continue;
    }
    RowBatch rows;
    rows.row_count = group_count_;
    rows.slots.resize(state_.plan.slots.size());
    if (column.term.kind == Term::Kind::kProperty) {
      rows.slots[column.term.slot] = key_rows_[place_[i]];
    }
    WEFT_TRY(columns::ArrayPtr array, project_term(state_, column.term, column.type, rows));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

// The groups in order: by the plan's keys, then by the columns from the left.
Result<std::vector<uint32_t>> GroupedOutput::sorted(const std::vector<columns::ArrayPtr>& arrays) {
  std::vector<uint32_t> order(group_count_);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<Column> owners;
  owners.reserve(arrays.size() + state_.plan.orders.size());
  std::vector<SortKey> keys;
  const auto add = [&](size_t column, bool descending) {
    SortKey key;
    key.descending = descending;
    owners.emplace_back(arrays[column]->type(), std::vector{arrays[column]});
    read_operand(owners.back(), key.operand);
    keys.push_back(std::move(key));
  };
  for (const OrderKey& key : state_.plan.orders) {
    add(base::present(key.column), key.descending);
  }
  for (const size_t column : keys_) {
    add(column, false);
  }
  std::sort(order.begin(), order.end(), [&keys](uint32_t a, uint32_t b) {
    const int compared = compare_rows(keys, a, b);
    return compared != 0 ? compared < 0 : a < b;
  });
  return order;
}

Status GroupedOutput::finish() {
  WEFT_TRY(const std::vector<columns::ArrayPtr> arrays, make_columns());
  WEFT_TRY(std::vector<uint32_t> order, sorted(arrays));
  order.resize(std::min<uint64_t>(state_.plan.limit.value_or(order.size()), order.size()));
  const columns::SchemaPtr schema = answer_schema(state_.plan);
  for (size_t from = 0; from < order.size(); from += kBatchRows) {
    const size_t count = std::min(kBatchRows, order.size() - from);
    const auto part = std::span(order).subspan(from, count);
    std::vector<columns::ArrayPtr> out;
    for (const columns::ArrayPtr& array : arrays) {
      WEFT_TRY(columns::ArrayPtr taken, Column(array->type(), std::vector{array}).gather(part));
      out.push_back(std::move(taken));
    }
    WEFT_TRY(const columns::Batch batch, columns::Batch::make(schema, std::move(out), count));
    WEFT_TRY_STATUS(answer_.accept(batch));
  }
  return ok_status();
}

}  // namespace

std::unique_ptr<RowSink> make_grouped_output(RunState& state, AnswerSink& answer) {
  return std::make_unique<GroupedOutput>(state, answer);
}

}  // namespace weft::gqexec
