#include "weft/gqexec/row_finder.h"

#include <algorithm>
#include <utility>

namespace weft::gqexec {
namespace {

// Column names that the conditions need.
std::vector<std::string> names_of(const std::vector<Condition>& conditions) {
  std::vector<std::string> names;
  for (const Condition& condition : conditions) {
    for (const Term* term : {&condition.left, &condition.right}) {
      if (term->kind == Term::Kind::kProperty &&
          std::find(names.begin(), names.end(), term->property) == names.end()) {
        names.push_back(term->property);
      }
    }
  }
  return names;
}

}  // namespace

const Column& RowFinder::Scanned::find(const std::string& name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  return *columns[static_cast<size_t>(at - names.begin())];
}

Status RowFinder::each(const Take& take) {
  if (scan_.key_condition.has_value()) {
    WEFT_TRY(const auto keys, data_.key_index_for_lookup(state_.stop));
    if (keys != nullptr) {
      return find_by_key(*keys, take);
    }
  }
  const std::vector<std::string> names = names_of(scan_.conditions);
  bool loaded = true;
  for (const std::string& name : names) {
    WEFT_TRY(const auto column, data_.column_for_scan(name, state_.stop));
    loaded = loaded && column != nullptr;
  }
  return loaded ? filter_loaded(names, take) : filter_scanned(names, take);
}

Status RowFinder::find_by_key(const KeyIndex& keys, const Take& take) {
  const columns::Array& key = *scan_.conditions[*scan_.key_condition].right.constant;
  const RowNumber row = key.is_valid(0) ? keys.find(key.text(0)) : kNoRow;
  if (row == kNoRow) {
    return ok_status();
  }
  RowBatch one;
  one.row_count = 1;
  one.slots.resize(state_.plan.slots.size());
  one.slots[scan_.slot].push_back(row);
  std::vector<uint32_t> selected;
  for (size_t i = 0; i < scan_.conditions.size(); ++i) {
    if (i == *scan_.key_condition) {
      continue;
    }
    WEFT_TRY_STATUS(select_rows(state_, scan_.conditions[i], one, selected));
    if (selected.empty()) {
      return ok_status();
    }
  }
  return take(one.slots[scan_.slot]);
}

// Ranges of rows of columns that are in memory.
Status RowFinder::filter_loaded(const std::vector<std::string>& names, const Take& take) {
  Scanned scanned;
  scanned.names = names;
  for (const std::string& name : names) {
    scanned.columns.push_back(data_.loaded_column(name));
  }
  for (uint64_t from = 0; from < data_.row_count() && !state_.done; from += kBatchRows) {
    WEFT_TRY_STATUS(state_.check());
    const uint64_t count = std::min<uint64_t>(kBatchRows, data_.row_count() - from);
    rows_.resize(count);
    for (uint64_t i = 0; i < count; ++i) {
      rows_[i] = static_cast<RowNumber>(from + i);
    }
    filter(scanned, 0);
    WEFT_TRY_STATUS(take(rows_));
  }
  return ok_status();
}

// Columns as the table gives them; nothing of them is kept.
Status RowFinder::filter_scanned(const std::vector<std::string>& names, const Take& take) {
  WEFT_TRY(const auto scan, data_.table().scan(names));
  uint64_t from = 0;
  while (!state_.done) {
    WEFT_TRY(const std::optional<columns::Batch> batch, scan->next(state_.stop));
    if (!batch.has_value()) {
      break;
    }
    Scanned scanned;
    scanned.names = names;
    for (const columns::ArrayPtr& array : batch->columns()) {
      scanned.columns.push_back(std::make_shared<const Column>(array->type(), std::vector{array}));
    }
    rows_.resize(batch->row_count());
    for (size_t i = 0; i < rows_.size(); ++i) {
      rows_[i] = static_cast<RowNumber>(from + i);
    }
    filter(scanned, from);
    WEFT_TRY_STATUS(take(rows_));
    from += batch->row_count();
  }
  return ok_status();
}

// Leaves in rows_ what meets all conditions. Row r is element r - `from` of the columns.
void RowFinder::filter(const Scanned& scanned, uint64_t from) {
  for (const Condition& condition : scan_.conditions) {
    local_.resize(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) {
      local_[i] = static_cast<RowNumber>(rows_[i] - from);
    }
    const auto read = [this, &scanned](const Term& term) {
      if (term.kind == Term::Kind::kConstant) {
        return constant_operand(term.constant);
      }
      Operand out;
      read_operand(scanned.find(term.property), local_, out);
      return out;
    };
    Operand left = read(condition.left);
    Operand right = read(condition.right);
    round_constants(left, right);
    select(left, condition.op, right, rows_.size(), selected_);
    for (size_t i = 0; i < selected_.size(); ++i) {
      rows_[i] = rows_[selected_[i]];
    }
    rows_.resize(selected_.size());
  }
}

}  // namespace weft::gqexec
