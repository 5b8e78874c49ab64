#include "weft/results/result_writer.h"

#include <array>
#include <utility>
#include <vector>

#include "weft/results/writers.h"

namespace weft::results {
namespace {

struct Name {
  std::string_view name;
  ResultFormat format;
};
// The first of each format is the one it is called by.
constexpr std::array<Name, 11> kNames = {{
    {"table", ResultFormat::kTable},
    {"json", ResultFormat::kJson},
    {"srj", ResultFormat::kJson},
    {"application/sparql-results+json", ResultFormat::kJson},
    {"xml", ResultFormat::kXml},
    {"srx", ResultFormat::kXml},
    {"application/sparql-results+xml", ResultFormat::kXml},
    {"csv", ResultFormat::kCsv},
    {"text/csv", ResultFormat::kCsv},
    {"tsv", ResultFormat::kTsv},
    {"text/tab-separated-values", ResultFormat::kTsv},
}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return result;
}

}  // namespace

std::string_view result_format_name(ResultFormat format) {
  for (const Name& candidate : kNames) {
    if (candidate.format == format) {
      return candidate.name;
    }
  }
  return {};
}

std::optional<ResultFormat> result_format_by_name(std::string_view name) {
  const std::string wanted = lower(name);
  for (const Name& candidate : kNames) {
    if (candidate.name == wanted) {
      return candidate.format;
    }
  }
  return std::nullopt;
}

std::unique_ptr<ResultWriter> make_result_writer(ResultFormat format, rdfio::OutputStream& output) {
  switch (format) {
    case ResultFormat::kTable:
      return make_table_writer(output);
    case ResultFormat::kJson:
      return make_json_writer(output);
    case ResultFormat::kXml:
      return make_xml_writer(output);
    case ResultFormat::kCsv:
      return make_csv_writer(output);
    case ResultFormat::kTsv:
      return make_tsv_writer(output);
  }
  return nullptr;
}

namespace {

constexpr size_t kRowsPerLookup = exec::kBatchRows;

void append_rows(const exec::RowBatch& batch, std::vector<rdf::TermId>& ids) {
  ids.reserve(ids.size() + batch.rows * batch.columns.size());
  for (size_t row = 0; row < batch.rows; ++row) {
    for (const exec::Column& column : batch.columns) {
      ids.push_back(column[row]);
    }
  }
}

}  // namespace

Result<uint64_t> write_solutions(exec::Solutions& solutions, ResultWriter& writer) {
  WEFT_TRY_STATUS(writer.begin(solutions.variables()));
  uint64_t total = 0;
  exec::RowBatch batch;
  std::vector<rdf::TermId> ids;
  std::vector<std::string> tokens;
  bool more = true;
  while (more) {
    // Batches may be of a few rows each; looking up the terms of many at once saves round trips.
    ids.clear();
    size_t rows = 0;
    while (rows < kRowsPerLookup) {
      WEFT_TRY_STATUS(solutions.next(batch));
      more = !batch.empty();
      if (!more) {
        break;
      }
      append_rows(batch, ids);
      rows += batch.rows;
    }
    tokens.clear();
    WEFT_TRY_STATUS(solutions.tokens(ids, tokens));
    WEFT_TRY_STATUS(writer.rows(tokens, rows));
    total += rows;
  }
  WEFT_TRY_STATUS(writer.end());
  return total;
}

}  // namespace weft::results
