// The tables of one snapshot of a property graph, as queries read them: an interface, so that
// execution knows neither where rows lie nor how a snapshot was found.
//
// G1  A table never changes: row i of one scan is row i of every other, and of take.
// G2  Columns are those of ndjson/table_columns.h: id (edges: id, src, dst), then properties.
// Thread-safe; scans are not. The graph outlives its tables, a table its scans; batches own their
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/schema/schema.h"

namespace weft::gqexec {

class TypeScan {
 public:
  virtual ~TypeScan() = default;
  // The next rows; nothing at the end.
  virtual Result<std::optional<columns::Batch>> next(const std::stop_token& stop) = 0;
};

class TypeTable {
 public:
  virtual ~TypeTable() = default;
  virtual uint64_t row_count() const = 0;
  // All rows with the columns `names`, in that order. Errors: kNotFound names the column.
  virtual Result<std::unique_ptr<TypeScan>> scan(const std::vector<std::string>& names) = 0;
  // The rows with these numbers, in the order given, repeats allowed; at most kTakeRowsMax.
  virtual Result<columns::Batch> take(const std::vector<std::string>& names,
                                      std::span<const uint64_t> rows,
                                      const std::stop_token& stop) = 0;
};
inline constexpr size_t kTakeRowsMax = size_t{1} << 20U;

class GraphTables {
 public:
  virtual ~GraphTables() = default;
  virtual const schema::Schema& schema() const = 0;
  // The table of a type of the schema. Errors: those of the store.
  virtual Result<TypeTable*> node_table(std::string_view type) = 0;
  virtual Result<TypeTable*> edge_table(std::string_view type) = 0;
};

}  // namespace weft::gqexec
