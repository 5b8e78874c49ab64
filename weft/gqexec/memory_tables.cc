#include "weft/gqexec/memory_tables.h"

#include <algorithm>
#include <utility>

#include "weft/columns/builder.h"
#include "weft/ndjson/table_columns.h"

namespace weft::gqexec {
namespace {

Result<columns::Batch> project(const columns::Batch& batch, const std::vector<std::string>& names) {
  auto schema = std::make_shared<columns::Schema>();
  std::vector<columns::ArrayPtr> arrays;
  for (const std::string& name : names) {
    const size_t index = batch.schema()->index_of(name);
    if (index == batch.column_count()) {
      return Error(ErrorKind::kNotFound, "there is no such column").with("column", name);
    }
    schema->fields.push_back(batch.schema()->fields[index]);
    arrays.push_back(batch.column(index));
  }
  return columns::Batch::make(std::move(schema), std::move(arrays), batch.row_count());
}

}  // namespace

class MemoryTables::Table final : public TypeTable {
 public:
  explicit Table(columns::SchemaPtr schema) : schema_(std::move(schema)) {}

  const columns::Schema& schema() const { return *schema_; }
  void add(columns::Batch batch) {
    starts_.push_back(row_count_);
    row_count_ += batch.row_count();
    batches_.push_back(std::move(batch));
  }

  uint64_t row_count() const override { return row_count_; }

  Result<std::unique_ptr<TypeScan>> scan(const std::vector<std::string>& names) override {
    for (const std::string& name : names) {
      if (schema_->index_of(name) == schema_->fields.size()) {
        return Error(ErrorKind::kNotFound, "there is no such column").with("column", name);
      }
    }
    return std::unique_ptr<TypeScan>(std::make_unique<Rows>(*this, names));
  }

  Result<columns::Batch> take(const std::vector<std::string>& names, std::span<const uint64_t> rows,
                              const std::stop_token& /*stop*/) override {
    auto schema = std::make_shared<columns::Schema>();
    std::vector<columns::ArrayPtr> arrays;
    for (const std::string& name : names) {
      const size_t index = schema_->index_of(name);
      if (index == schema_->fields.size()) {
        return Error(ErrorKind::kNotFound, "there is no such column").with("column", name);
      }
      schema->fields.push_back(schema_->fields[index]);
      columns::ArrayBuilder builder(schema_->fields[index].type);
      for (const uint64_t row : rows) {
        if (row >= row_count_) {
          return Error(ErrorKind::kInvalid, "there is no such row").with("row", row);
        }
        const auto after = std::upper_bound(starts_.begin(), starts_.end(), row);
        const auto batch = static_cast<size_t>(after - starts_.begin()) - 1;
        builder.append_from(*batches_[batch].column(index), row - starts_[batch]);
      }
      arrays.push_back(builder.finish());
    }
    return columns::Batch::make(std::move(schema), std::move(arrays), rows.size());
  }

 private:
  class Rows final : public TypeScan {
   public:
    Rows(const Table& table, std::vector<std::string> names)
        : table_(table), names_(std::move(names)) {}
    Result<std::optional<columns::Batch>> next(const std::stop_token& stop) override {
      if (stop.stop_requested()) {
        return Error(ErrorKind::kCancelled, "scan was cancelled");
      }
      if (next_ == table_.batches_.size()) {
        return std::optional<columns::Batch>();
      }
      WEFT_TRY(columns::Batch batch, project(table_.batches_[next_++], names_));
      return std::optional<columns::Batch>(std::move(batch));
    }

   private:
    const Table& table_;
    std::vector<std::string> names_;
    size_t next_ = 0;
  };

  columns::SchemaPtr schema_;
  std::vector<columns::Batch> batches_;
  std::vector<uint64_t> starts_;
  uint64_t row_count_ = 0;
};

MemoryTables::MemoryTables(schema::Schema schema) : schema_(std::move(schema)) {
  for (const schema::NodeType& type : schema_.nodes()) {
    nodes_.emplace(type.name, std::make_unique<Table>(ndjson::node_columns(type)));
  }
  for (const schema::EdgeType& type : schema_.edges()) {
    edges_.emplace(type.name, std::make_unique<Table>(ndjson::edge_columns(type)));
  }
}

MemoryTables::~MemoryTables() = default;

Status MemoryTables::add(std::string_view type, bool is_edge, columns::Batch rows) {
  Tables& tables = is_edge ? edges_ : nodes_;
  const auto found = tables.find(type);
  if (found == tables.end()) {
    return Error(ErrorKind::kNotFound, "there is no such type").with("type", type);
  }
  if (!(found->second->schema() == *rows.schema())) {
    return Error(ErrorKind::kInvalid, "rows have other columns than their type")
        .with("type", type)
        .with("columns", rows.schema()->to_string());
  }
  if (rows.row_count() > 0) {
    found->second->add(std::move(rows));
  }
  return ok_status();
}

Result<TypeTable*> MemoryTables::find(Tables& tables, std::string_view type) {
  const auto found = tables.find(type);
  if (found == tables.end()) {
    return Error(ErrorKind::kNotFound, "there is no such type").with("type", type);
  }
  return static_cast<TypeTable*>(found->second.get());
}

Result<TypeTable*> MemoryTables::node_table(std::string_view type) {
  return find(nodes_, type);
}

Result<TypeTable*> MemoryTables::edge_table(std::string_view type) {
  return find(edges_, type);
}

}  // namespace weft::gqexec
