// The tables of a stored snapshot, for queries: rows are read from Lance tables as they are pinned.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "weft/base/mutex.h"
#include "weft/gqexec/graph_tables.h"
#include "weft/graph/snapshot.h"

namespace weft::gqexec {

// Keeps the snapshot. Thread-safe.
class SnapshotTables final : public GraphTables {
 public:
  explicit SnapshotTables(std::shared_ptr<const graph::GraphSnapshot> snapshot);
  ~SnapshotTables() override;
  SnapshotTables(const SnapshotTables&) = delete;
  SnapshotTables& operator=(const SnapshotTables&) = delete;

  const schema::Schema& schema() const override { return snapshot_->schema(); }
  Result<TypeTable*> node_table(std::string_view type) override;
  Result<TypeTable*> edge_table(std::string_view type) override;

 private:
  class Table;
  using Tables = std::map<std::string, std::unique_ptr<Table>, std::less<>>;
  Result<TypeTable*> find(Tables& tables, const graph::TypeTable* table, std::string_view type);

  std::shared_ptr<const graph::GraphSnapshot> snapshot_;
  base::Mutex mutex_;
  Tables nodes_;  // guarded by mutex_; what they point at is not
  Tables edges_;
};

}  // namespace weft::gqexec
