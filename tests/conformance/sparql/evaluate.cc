#include "tests/conformance/sparql/evaluate.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/conformance/sparql/dataset_files.h"
#include "tests/conformance/sparql/endpoints.h"
#include "tests/conformance/sparql/test_graph.h"

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/entail/entailed_source.h"
#include "weft/exec/query.h"
#include "weft/exec/vector_source.h"
#include "weft/rdf/term.h"
#include "weft/results/result_writer.h"
#include "weft/sparql/parser.h"

namespace weft::conformance {
namespace {

class TextOutput final : public rdfio::OutputStream {
 public:
  Status write(ByteView bytes) override {
    text.append(as_text(bytes));
    return ok_status();
  }
  std::string text;
};

Status load(const TestCase& test, const sparql::Query& query,
            exec::VectorSource::Builder& builder) {
  std::vector<NamedFile> named = test.named_data;
  // FROM names files of the suite.
  for (const auto* graphs : {&query.default_graphs, &query.named_graphs}) {
    for (const std::string& graph : *graphs) {
      const bool there = std::any_of(named.begin(), named.end(),
                                     [&](const NamedFile& file) { return file.graph == graph; });
      if (!there) {
        named.push_back({file_path(rdf::iri_of(graph)), graph});
      }
    }
  }
  return read_dataset(test.data, named, builder);
}

bool is_ordered(const sparql::Node& node) {
  if (const auto* slice = std::get_if<sparql::Slice>(&node.operation)) {
    return is_ordered(*slice->input);
  }
  if (const auto* distinct = std::get_if<sparql::Distinct>(&node.operation)) {
    return is_ordered(*distinct->input);
  }
  if (const auto* reduced = std::get_if<sparql::Reduced>(&node.operation)) {
    return is_ordered(*reduced->input);
  }
  if (const auto* project = std::get_if<sparql::Project>(&node.operation)) {
    return is_ordered(*project->input);
  }
  return std::holds_alternative<sparql::OrderBy>(node.operation);
}

Result<Answers> through(results::ResultFormat format, const std::string& text) {
  switch (format) {
    case results::ResultFormat::kCsv:
      return parse_csv(text);
    case results::ResultFormat::kTsv:
      return parse_tsv(text);
    case results::ResultFormat::kXml:
      return parse_srx(text);
    case results::ResultFormat::kJson:
    case results::ResultFormat::kTable:
      return parse_srj(text);
  }
  return parse_srj(text);
}

// Written and read again: the writers are under test as well.
Result<Answers> solutions(exec::PreparedQuery& prepared, const TestCase& test) {
  const results::ResultFormat format = test.result.ends_with(".csv")   ? results::ResultFormat::kCsv
                                       : test.result.ends_with(".tsv") ? results::ResultFormat::kTsv
                                       : test.result.ends_with(".srx")
                                           ? results::ResultFormat::kXml
                                           : results::ResultFormat::kJson;
  TextOutput output;
  const auto writer = results::make_result_writer(format, output);
  WEFT_TRY(const std::unique_ptr<exec::Solutions> rows, prepared.select());
  WEFT_TRY(const uint64_t count, results::write_solutions(*rows, *writer));
  WEFT_TRY(Answers answers, through(format, output.text));
  if (answers.rows.size() != count) {
    return Error(ErrorKind::kInternal, "rows were lost between writer and reader");
  }
  return answers;
}

// The regime to run a test of entailment under. Errors: kUnsupported.
Result<entail::Regime> regime_of(const TestCase& test) {
  for (const std::string_view known : {"RDFS", "RDF"}) {
    if (std::find(test.regimes.begin(), test.regimes.end(), known) != test.regimes.end()) {
      return entail::regime_by_name(known);
    }
  }
  return entail::regime_by_name(test.regimes.front());
}

}  // namespace

Result<Answers> evaluate(const TestCase& test) {
  WEFT_TRY(const std::string text, read_text(test.query));
  sparql::ParseOptions options;
  options.base_iri = test.base_iri;
  WEFT_TRY(sparql::Query query, sparql::parse_query(text, options));
  exec::VectorSource::Builder builder;
  WEFT_TRY_STATUS(load(test, query, builder));
  const std::unique_ptr<exec::VectorSource> stated = std::move(builder).build();

  constexpr uint64_t kBudgetBytes = uint64_t{256} << 20U;
  constexpr uint64_t kTimeoutMs = 10'000;
  base::MemoryBudget budget("memory", kBudgetBytes);
  base::InlineExecutor executor;
  const base::SystemClock clock;
  base::Random random(1);
  exec::QueryOptions run;
  run.budget = &budget;
  run.executor = &executor;
  run.clock = &clock;
  run.random = &random;
  run.timeout_ms = kTimeoutMs;
  TestEndpoints endpoints(test.services, run);
  run.services = &endpoints;

  exec::QuadSource* source = stated.get();
  std::unique_ptr<entail::EntailedSource> entailed;
  if (!test.regimes.empty()) {
    WEFT_TRY(const entail::Regime regime, regime_of(test));
    WEFT_TRY(entailed, entail::EntailedSource::create(regime, *stated, &budget));
    source = entailed.get();
  }
  const sparql::QueryForm form = query.form;
  const bool ordered = form == sparql::QueryForm::kSelect && is_ordered(*query.pattern);
  WEFT_TRY(const std::unique_ptr<exec::PreparedQuery> prepared,
           exec::prepare(std::move(query), *source, run));
  if (form == sparql::QueryForm::kSelect) {
    WEFT_TRY(Answers answers, solutions(*prepared, test));
    answers.ordered = ordered;
    return answers;
  }
  Answers answers;
  if (form == sparql::QueryForm::kAsk) {
    answers.kind = Answers::Kind::kBoolean;
    WEFT_TRY(answers.boolean, prepared->ask());
    return answers;
  }
  answers.kind = Answers::Kind::kGraph;
  TestGraph graph;
  WEFT_TRY_STATUS(prepared->construct(graph));
  for (const TestGraph::Row& row : graph.rows()) {
    answers.rows.push_back({row[0], row[1], row[2]});
  }
  return answers;
}

}  // namespace weft::conformance
