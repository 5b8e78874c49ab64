#include "weft/exec/operators/join_table.h"

#include <algorithm>

#include "weft/exec/operators/operator.h"
#include "weft/plan/variable_set.h"

namespace weft::exec {

namespace {

std::vector<size_t> key_columns(const plan::PlanNode& join) {
  const auto& operation = std::get<plan::HashJoin>(join.operation);
  return columns_of(join.inputs[1]->columns, plan::unite(operation.keys, operation.scope_keys));
}

}  // namespace

JoinTable::JoinTable(const plan::PlanNode& join, const plan::VariableList& loose,
                     base::MemoryBudget* budget)
    : JoinTable(join.inputs[1]->columns.size(), key_columns(join),
                columns_of(join.inputs[1]->columns, loose), budget) {}

Status JoinTable::fill(Operator& rows) {
  RowBatch batch;
  while (true) {
    WEFT_TRY_STATUS(rows.next(batch));
    if (batch.empty()) {
      return finish();
    }
    WEFT_TRY_STATUS(add(batch));
  }
}

uint64_t JoinTable::bound_mask(const RowBatch& batch, const std::vector<size_t>& loose,
                               size_t row) {
  uint64_t mask = 0;
  for (size_t i = 0; i < loose.size(); ++i) {
    mask |= batch.columns[loose[i]][row] != rdf::kNoTerm ? uint64_t{1} << i : 0;
  }
  return mask;
}

Status JoinTable::finish() {
  if (loose_.size() > kLooseColumnsMax) {
    return Error(ErrorKind::kLimit, "too many perhaps unbound variables in one join")
        .with("loose_columns_max", kLooseColumnsMax);
  }
  if (loose_.empty()) {
    classes_.emplace_back();
    WEFT_TRY(const uint32_t number, table_for(classes_.front(), 0));
    static_cast<void>(number);
    return ok_status();
  }
  charged_bytes_ += rows_.size() * sizeof(uint32_t);
  WEFT_TRY_STATUS(charge_.cover(charged_bytes_));
  std::map<uint64_t, size_t> known;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const uint64_t mask = bound_mask(rows_.rows(), loose_, row);
    const auto [place, fresh] = known.try_emplace(mask, classes_.size());
    if (fresh) {
      classes_.push_back({mask, {}});
    }
    classes_[place->second].rows.push_back(static_cast<uint32_t>(row));
  }
  return ok_status();
}

namespace {

// The columns to compare: all keys, and the loose ones in `common`.
std::vector<size_t> compared_columns(const std::vector<size_t>& keys,
                                     const std::vector<size_t>& loose, uint64_t common) {
  std::vector<size_t> columns = keys;
  for (size_t i = 0; i < loose.size(); ++i) {
    if ((common >> i & 1U) != 0) {
      columns.push_back(loose[i]);
    }
  }
  return columns;
}

}  // namespace

Result<uint32_t> JoinTable::table_for(const RowClass& rows, uint64_t common) {
  const std::pair<uint64_t, uint64_t> name(rows.bound, common);
  const auto found = table_numbers_.find(name);
  if (found != table_numbers_.end()) {
    return found->second;
  }
  const std::vector<size_t> columns = compared_columns(keys_, loose_, common);
  auto table = std::make_unique<Table>(columns.size(), budget_);
  const size_t total = rows_.size();
  charged_bytes_ += total * sizeof(uint32_t) * 2;
  WEFT_TRY_STATUS(charge_.cover(charged_bytes_));
  table->next.assign(total, kEnd);
  const bool all = loose_.empty();
  const size_t count = all ? total : rows.rows.size();
  std::vector<Column> chunk(columns.size());
  std::vector<const Column*> keys(columns.size());
  // From the last row to the first, so that chains ascend.
  for (size_t end = count; end > 0;) {
    const size_t begin = end > kBatchRows ? end - kBatchRows : 0;
    for (size_t c = 0; c < columns.size(); ++c) {
      const Column& from = rows_.rows().columns[columns[c]];
      chunk[c].clear();
      for (size_t i = end; i-- > begin;) {
        chunk[c].push_back(from[all ? i : rows.rows[i]]);
      }
      keys[c] = &chunk[c];
    }
    WEFT_TRY_STATUS(table->index.insert(keys, end - begin, numbers_));
    table->first.resize(table->index.size(), kEnd);
    for (size_t i = end; i-- > begin;) {
      const auto row = static_cast<uint32_t>(all ? i : rows.rows[i]);
      uint32_t& first = table->first[numbers_[end - 1 - i]];
      table->next[row] = first;
      first = row;
    }
    end = begin;
  }
  tables_.push_back(std::move(table));
  const auto number = static_cast<uint32_t>(tables_.size() - 1);
  table_numbers_[name] = number;
  return number;
}

Status JoinTable::probe_class(const RowBatch& batch, const std::vector<size_t>& keys,
                              const std::vector<size_t>& loose,
                              const std::vector<uint32_t>& probe_rows, uint32_t table,
                              uint64_t common, Scratch& scratch,
                              std::vector<Match>& matches) const {
  const std::vector<size_t> columns = compared_columns(keys, loose, common);
  std::vector<const Column*> wanted(columns.size());
  scratch.gathered.resize(columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    const Column& from = batch.columns[columns[c]];
    if (probe_rows.size() == batch.rows) {
      wanted[c] = &from;
      continue;
    }
    scratch.gathered[c].clear();
    for (const uint32_t row : probe_rows) {
      scratch.gathered[c].push_back(from[row]);
    }
    wanted[c] = &scratch.gathered[c];
  }
  const std::vector<uint32_t>& numbers = scratch.numbers;
  tables_[table]->index.find(wanted, probe_rows.size(), scratch.numbers, scratch.hashes);
  for (size_t i = 0; i < probe_rows.size(); ++i) {
    if (numbers[i] != KeyTable::kAbsent) {
      matches.push_back({probe_rows[i], table, tables_[table]->first[numbers[i]]});
    }
  }
  return ok_status();
}

Status JoinTable::probe(const RowBatch& batch, const std::vector<size_t>& keys,
                        const std::vector<size_t>& loose, bool need_common, Scratch& scratch,
                        std::vector<Match>& matches) {
  matches.clear();
  std::map<uint64_t, std::vector<uint32_t>> kinds;
  if (loose.empty()) {
    std::vector<uint32_t>& rows = kinds[0];
    rows.resize(batch.rows);
    for (size_t row = 0; row < batch.rows; ++row) {
      rows[row] = static_cast<uint32_t>(row);
    }
  } else {
    for (size_t row = 0; row < batch.rows; ++row) {
      kinds[bound_mask(batch, loose, row)].push_back(static_cast<uint32_t>(row));
    }
  }
  for (const RowClass& built : classes_) {
    for (const auto& [mask, rows] : kinds) {
      const uint64_t common = built.bound & mask;
      if (need_common && common == 0) {
        continue;
      }
      WEFT_TRY(const uint32_t table, table_for(built, common));
      WEFT_TRY_STATUS(probe_class(batch, keys, loose, rows, table, common, scratch, matches));
    }
  }
  if (classes_.size() > 1 || kinds.size() > 1) {
    std::stable_sort(matches.begin(), matches.end(),
                     [](const Match& a, const Match& b) { return a.probe_row < b.probe_row; });
  }
  return ok_status();
}

}  // namespace weft::exec
