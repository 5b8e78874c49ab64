// The built side of a hash join. Columns that may be unbound are compatible with everything where
// they are: rows are sorted into classes by which of them are bound, and each pair of a class and a
// kind of probe row has its own hash table over what both bind.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "weft/base/result.h"
#include "weft/exec/key_table.h"
#include "weft/exec/row_batch.h"
#include "weft/exec/row_store.h"
#include "weft/plan/plan.h"

namespace weft::exec {

class Operator;

// Perhaps-unbound shared columns of one join (limit "loose_columns_max").
inline constexpr size_t kLooseColumnsMax = 64;

// Not thread-safe; but once it is finished, several threads may probe one without `loose` columns,
// each with its own Scratch.
class JoinTable {
 public:
  // `keys` and `loose` are columns of the rows to be built.
  JoinTable(size_t width, std::vector<size_t> keys, std::vector<size_t> loose,
            base::MemoryBudget* budget)
      : budget_(budget),
        charge_(budget),
        keys_(std::move(keys)),
        loose_(std::move(loose)),
        rows_(width, budget) {}
  // For the right side of `join`, a HashJoin; `loose` are those of its loose columns that count.
  JoinTable(const plan::PlanNode& join, const plan::VariableList& loose,
            base::MemoryBudget* budget);

  Status add(const RowBatch& batch) { return rows_.append(batch); }
  // After the last add.
  Status finish();
  // Adds all of `rows`, and finishes.
  Status fill(Operator& rows);
  const RowBatch& rows() const { return rows_.rows(); }

  // Built rows that may pair with a probe row form chains; `first` begins one, `table` tells which
  // chains. A probe row may have several.
  struct Match {
    uint32_t probe_row;
    uint32_t table;
    uint32_t first;
  };
  static constexpr uint32_t kEnd = UINT32_MAX;
  uint32_t next(const Match& match, uint32_t row) const { return tables_[match.table]->next[row]; }
  // What a prober needs besides the table.
  struct Scratch {
    std::vector<Column> gathered;
    std::vector<uint32_t> numbers;
    std::vector<uint64_t> hashes;
  };
  // The matches of a batch, by ascending probe row. `keys` and `loose` are the probe's columns in
  // the order of the constructor's. With `need_common`, pairs that share no bound loose column are
  // no match.
  Status probe(const RowBatch& batch, const std::vector<size_t>& keys,
               const std::vector<size_t>& loose, bool need_common, Scratch& scratch,
               std::vector<Match>& matches);

 private:
  struct Table {
    Table(size_t width, base::MemoryBudget* budget) : index(width, budget) {}
    KeyTable index;
    std::vector<uint32_t> first;  // by key number
    std::vector<uint32_t> next;   // by row; kEnd ends
  };
  struct RowClass {
    uint64_t bound = 0;
    std::vector<uint32_t> rows;
  };
  static uint64_t bound_mask(const RowBatch& batch, const std::vector<size_t>& loose, size_t row);
  Result<uint32_t> table_for(const RowClass& rows, uint64_t common);
  Status probe_class(const RowBatch& batch, const std::vector<size_t>& keys,
                     const std::vector<size_t>& loose, const std::vector<uint32_t>& probe_rows,
                     uint32_t table, uint64_t common, Scratch& scratch,
                     std::vector<Match>& matches) const;

  base::MemoryBudget* budget_;
  MemoryCharge charge_;
  uint64_t charged_bytes_ = 0;
  std::vector<size_t> keys_;
  std::vector<size_t> loose_;
  RowStore rows_;
  std::vector<RowClass> classes_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> table_numbers_;  // (class, common)
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<uint32_t> numbers_;
};

}  // namespace weft::exec
