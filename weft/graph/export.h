// Writes a property graph as lines of JSON that load back to an equal graph.
//
// E1  Edges first, then nodes, each by type name, then by id (by bytes); in data the id first, then
//     the properties by name, nulls written out. Dates are days, times milliseconds, F32 values as
//     the doubles that they are.
// E2  One type at a time: its rows are held in memory while they are sorted, if they take no more
//     than memory_bytes_max; else its ids only, and rows are read again in that order.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "weft/codec/stream.h"
#include "weft/graph/snapshot.h"

namespace weft::graph {

struct ExportOptions {
  std::vector<std::string> types = {};  // names of nodes and edges; none: all
  uint64_t memory_bytes_max = uint64_t{1} << 30U;
};

// Errors: kNotFound names a type that the schema does not have; kUnsupported names a property of
// type Blob with a value; those of reading and of `out`; kCancelled.
Status export_graph(const GraphSnapshot& graph, const ExportOptions& options,
                    codec::OutputStream& out, const std::stop_token& stop);

// Rows of one table as lines (E1), as loads read them.
class RowLines {
 public:
  explicit RowLines(const TypeTable& table);  // must outlive this
  // `rows` has all columns of the table. Errors: kUnsupported names the property.
  Status append(std::string& out, const columns::Batch& rows, size_t row) const;

 private:
  const TypeTable& table_;
  std::vector<size_t> by_name_;
};

// One value as JSON; `row` may be null. For whoever prints rows as loads have them.
Status append_json_value(std::string& out, const columns::Array& column, size_t row);

}  // namespace weft::graph
