// What queries over one snapshot share: columns in memory, ids by hash, adjacency. Each is read or
// built when it is first needed, once, and stays.
//
// D1  Everything kept is reserved from the budget first. A column that does not fit is not kept:
//     its values are then read again for each batch.
// Thread-safe. Tables and budget must outlive it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/gqexec/adjacency.h"
#include "weft/gqexec/column.h"
#include "weft/gqexec/graph_tables.h"
#include "weft/gqexec/key_index.h"

namespace weft::gqexec {

// Values for the rows of a batch.
struct RowValues {
  std::shared_ptr<const Column> column;
  // True: element i belongs to row i of the batch; else elements are rows of the table.
  bool by_batch = false;
};

// One node or edge type.
class TypeData {
 public:
  TypeData(TypeTable& table, base::MemoryBudget& budget) : table_(table), budget_(budget) {}

  uint64_t row_count() const { return table_.row_count(); }
  TypeTable& table() { return table_; }

  // A whole column. Errors: kLimit if it does not fit; kCancelled; those of the store.
  Result<std::shared_ptr<const Column>> column(const std::string& name,
                                               const std::stop_token& stop);
  // The column if it is in memory; else null.
  std::shared_ptr<const Column> loaded_column(std::string_view name) const;
  // The column for a scan of it: null the first time (it is read as the scan goes, and not kept),
  // and where it does not fit.
  Result<std::shared_ptr<const Column>> column_for_scan(const std::string& name,
                                                        const std::stop_token& stop);
  // A column for some rows: read for them alone while they are few, else as a whole.
  Result<RowValues> values(const std::string& name, std::span<const RowNumber> rows,
                           const std::stop_token& stop);
  // Of a node type. Errors: as column.
  Result<std::shared_ptr<const KeyIndex>> key_index(const std::stop_token& stop);
  // The same for one id: null while a scan is cheaper, and where it does not fit.
  Result<std::shared_ptr<const KeyIndex>> key_index_for_lookup(const std::stop_token& stop);
  // The same if it was built before; else null.
  std::shared_ptr<const KeyIndex> built_key_index() const;

 private:
  struct Kept {
    std::shared_ptr<const Column> column;
    base::Reservation memory;
  };
  Result<Kept> load(const std::string& name, const std::stop_token& stop);
  Result<RowValues> take(const std::string& name, std::span<const RowNumber> rows,
                         const std::stop_token& stop);

  TypeTable& table_;
  base::MemoryBudget& budget_;
  base::Mutex loading_;  // one loads at a time; before mutex_
  mutable base::Mutex mutex_;
  std::map<std::string, Kept, std::less<>> columns_ WEFT_GUARDED_BY(mutex_);
  std::map<std::string, uint64_t, std::less<>> rows_taken_ WEFT_GUARDED_BY(mutex_);
  std::map<std::string, uint64_t, std::less<>> scans_ WEFT_GUARDED_BY(mutex_);
  uint64_t key_lookups_ WEFT_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<const KeyIndex> keys_ WEFT_GUARDED_BY(mutex_);
  base::Reservation keys_memory_ WEFT_GUARDED_BY(mutex_);
};

class GraphData {
 public:
  GraphData(GraphTables& tables, base::MemoryBudget& budget) : tables_(tables), budget_(budget) {}

  const schema::Schema& schema() const { return tables_.schema(); }
  base::MemoryBudget& budget() { return budget_; }
  // Errors: kLimit for more rows than kRowsMax; those of the store.
  Result<TypeData*> node(std::string_view type) { return find(type, false); }
  Result<TypeData*> edge(std::string_view type) { return find(type, true); }
  // Errors: kLimit; kCorrupt for an edge whose end is no node; kCancelled; those of the store.
  Result<std::shared_ptr<const Adjacency>> adjacency(std::string_view edge_type,
                                                     const std::stop_token& stop);

 private:
  struct Built {
    std::shared_ptr<const Adjacency> lists;
    base::Reservation memory;
  };
  using Types = std::map<std::string, std::unique_ptr<TypeData>, std::less<>>;
  Result<TypeData*> find(std::string_view type, bool is_edge);
  Result<Built> build(std::string_view edge_type, const std::stop_token& stop);

  GraphTables& tables_;
  base::MemoryBudget& budget_;
  base::Mutex building_;  // one builds at a time; before mutex_
  base::Mutex mutex_;
  Types nodes_ WEFT_GUARDED_BY(mutex_);
  Types edges_ WEFT_GUARDED_BY(mutex_);
  std::map<std::string, Built, std::less<>> adjacencies_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::gqexec
