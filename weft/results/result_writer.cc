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

Result<uint64_t> write_solutions(exec::Solutions& solutions, ResultWriter& writer) {
  WEFT_TRY_STATUS(writer.begin(solutions.variables()));
  const size_t width = solutions.variables().size();
  uint64_t total = 0;
  exec::RowBatch batch;
  std::vector<rdf::TermId> ids;
  std::vector<std::string> tokens;
  while (true) {
    WEFT_TRY_STATUS(solutions.next(batch));
    if (batch.empty()) {
      break;
    }
    ids.clear();
    tokens.clear();
    ids.reserve(batch.rows * width);
    for (size_t row = 0; row < batch.rows; ++row) {
      for (const exec::Column& column : batch.columns) {
        ids.push_back(column[row]);
      }
    }
    WEFT_TRY_STATUS(solutions.tokens(ids, tokens));
    WEFT_TRY_STATUS(writer.rows(tokens, batch.rows));
    total += batch.rows;
  }
  WEFT_TRY_STATUS(writer.end());
  return total;
}

}  // namespace weft::results
