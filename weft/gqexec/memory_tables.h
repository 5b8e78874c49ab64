// Tables of a graph that stands in memory: for tests, and for queries over rows that are not
// stored.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/gqexec/graph_tables.h"

namespace weft::gqexec {

// Rows are added first, then read; reading is thread-safe.
class MemoryTables final : public GraphTables {
 public:
  explicit MemoryTables(schema::Schema schema);
  ~MemoryTables() override;
  MemoryTables(const MemoryTables&) = delete;
  MemoryTables& operator=(const MemoryTables&) = delete;

  // Rows of a type, behind those it has. The batch has the columns of its type (G2).
  // Errors: kNotFound for a type that the schema does not have; kInvalid for other columns.
  Status add(std::string_view type, bool is_edge, columns::Batch rows);

  const schema::Schema& schema() const override { return schema_; }
  Result<TypeTable*> node_table(std::string_view type) override;
  Result<TypeTable*> edge_table(std::string_view type) override;

 private:
  class Table;
  using Tables = std::map<std::string, std::unique_ptr<Table>, std::less<>>;
  static Result<TypeTable*> find(Tables& tables, std::string_view type);

  schema::Schema schema_;
  Tables nodes_;
  Tables edges_;
};

}  // namespace weft::gqexec
