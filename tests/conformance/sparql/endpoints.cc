#include "tests/conformance/sparql/endpoints.h"

#include <memory>
#include <utility>

#include "tests/conformance/sparql/dataset_files.h"

#include "weft/exec/vector_source.h"
#include "weft/rdf/term.h"
#include "weft/results/read_answer.h"
#include "weft/results/result_writer.h"
#include "weft/sparql/parser.h"

namespace weft::conformance {
namespace {

class Text final : public rdfio::OutputStream {
 public:
  Status write(ByteView bytes) override {
    text.append(as_text(bytes));
    return ok_status();
  }
  std::string text;
};

}  // namespace

Result<exec::ServiceAnswer> TestEndpoints::select(std::string_view endpoint,
                                                  const std::string& query,
                                                  base::MemoryBudget& /*budget*/,
                                                  std::stop_token /*stop*/) {
  std::vector<std::string> data;
  for (const NamedFile& service : services_) {
    if (rdf::iri_of(service.graph) == endpoint) {
      data.push_back(service.path);
    }
  }
  if (data.empty()) {
    return Error(ErrorKind::kUnavailable, "no such endpoint").with("endpoint", endpoint);
  }
  exec::VectorSource::Builder builder;
  WEFT_TRY_STATUS(read_dataset(data, {}, builder));
  const std::unique_ptr<exec::VectorSource> source = std::move(builder).build();
  WEFT_TRY(sparql::Query parsed, sparql::parse_query(query));
  exec::QueryOptions options = options_;
  options.services = this;
  WEFT_TRY(const auto prepared, exec::prepare(std::move(parsed), *source, options));
  WEFT_TRY(const auto solutions, prepared->select());
  Text output;
  const auto writer = results::make_result_writer(results::ResultFormat::kJson, output);
  WEFT_TRY(const uint64_t rows, results::write_solutions(*solutions, *writer));
  static_cast<void>(rows);
  return results::read_json_answer(output.text);
}

}  // namespace weft::conformance
