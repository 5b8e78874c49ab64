#include "weft/gqexec/snapshot_tables.h"

#include <utility>

namespace weft::gqexec {
namespace {

class Rows final : public TypeScan {
 public:
  explicit Rows(std::unique_ptr<lance::TableScan> scan) : scan_(std::move(scan)) {}
  Result<std::optional<columns::Batch>> next(const std::stop_token& stop) override {
    WEFT_TRY(std::optional<lance::TableRows> rows, scan_->next(stop));
    if (!rows.has_value()) {
      return std::optional<columns::Batch>();
    }
    return std::optional<columns::Batch>(std::move(rows->batch));
  }

 private:
  std::unique_ptr<lance::TableScan> scan_;
};

}  // namespace

class SnapshotTables::Table final : public TypeTable {
 public:
  explicit Table(const graph::TypeTable& table) : table_(table) {}

  uint64_t row_count() const override { return table_.row_count(); }
  // Without columns a scan would give all of them: the rows are counted by their ids.
  Result<std::unique_ptr<TypeScan>> scan(const std::vector<std::string>& names) override {
    WEFT_TRY(lance::TableReader* const reader, table_.reader());
    WEFT_TRY(std::unique_ptr<lance::TableScan> scan,
             reader->scan(names.empty() ? std::vector<std::string>{"id"} : names));
    return std::unique_ptr<TypeScan>(std::make_unique<Rows>(std::move(scan)));
  }
  Result<columns::Batch> take(const std::vector<std::string>& names, std::span<const uint64_t> rows,
                              const std::stop_token& stop) override {
    WEFT_TRY(lance::TableReader* const reader, table_.reader());
    return reader->take(names, rows, stop);
  }

 private:
  const graph::TypeTable& table_;
};

SnapshotTables::SnapshotTables(std::shared_ptr<const graph::GraphSnapshot> snapshot)
    : snapshot_(std::move(snapshot)) {}

SnapshotTables::~SnapshotTables() = default;

Result<TypeTable*> SnapshotTables::find(Tables& tables, const graph::TypeTable* table,
                                        std::string_view type) {
  if (table == nullptr) {
    return Error(ErrorKind::kNotFound, "there is no such type").with("type", type);
  }
  const base::MutexLock lock(mutex_);
  auto& known = tables[std::string(type)];
  if (known == nullptr) {
    known = std::make_unique<Table>(*table);
  }
  return static_cast<TypeTable*>(known.get());
}

Result<TypeTable*> SnapshotTables::node_table(std::string_view type) {
  return find(nodes_, snapshot_->find_node(type), type);
}

Result<TypeTable*> SnapshotTables::edge_table(std::string_view type) {
  return find(edges_, snapshot_->find_edge(type), type);
}

}  // namespace weft::gqexec
