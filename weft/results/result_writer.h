// Answers of queries as text: a table for people, SPARQL 1.1 results in JSON, XML, CSV and TSV with
// the additions of SPARQL 1.2 (triple terms, base direction). Graphs go through rdfio's writers.
//
// W1  Rows are written as they come; only a table keeps some back (kTableSampleRows), to align
// them. W2  What a format cannot hold is an error, never left out: XML has no control characters.
// W3  begin, rows, …, end for a SELECT; boolean alone for an ASK. After an error only the
// destructor
//     may be called.
// Not thread-safe. Format: docs/sparql.md, "Results"
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weft/base/result.h"
#include "weft/exec/query.h"
#include "weft/rdfio/input.h"

namespace weft::results {

enum class ResultFormat : uint8_t { kTable, kJson, kXml, kCsv, kTsv };

// "table", "json", "xml", "csv", "tsv".
std::string_view result_format_name(ResultFormat format);
// The names above, srj, srx and the media types. Letter case does not matter.
std::optional<ResultFormat> result_format_by_name(std::string_view name);

// Rows that a table looks at before it decides on the widths of its columns.
inline constexpr size_t kTableSampleRows = 1'000;
// Columns of a table are at most this wide; longer cells push the rest of their row to the right.
inline constexpr size_t kTableCellWidthMax = 60;

class ResultWriter {
 public:
  virtual ~ResultWriter() = default;
  // The columns, without '?'.
  virtual Status begin(std::span<const std::string> variables) = 0;
  // Whole rows, one after the other: a multiple of the number of columns. Canonical tokens; "" is
  // unbound. `row_count` says how many rows there are, also where there are no columns.
  virtual Status rows(std::span<const std::string> tokens, size_t row_count) = 0;
  virtual Status end() = 0;
  virtual Status boolean(bool answer) = 0;
};

// `output` must outlive the writer. Errors of the writer: those of `output`, and W2 (kInvalid,
// naming the term).
std::unique_ptr<ResultWriter> make_result_writer(ResultFormat format, rdfio::OutputStream& output);

// Writes all rows of a SELECT. Returns their number. Errors: those of both.
Result<uint64_t> write_solutions(exec::Solutions& solutions, ResultWriter& writer);

}  // namespace weft::results
