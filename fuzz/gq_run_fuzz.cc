// A line of parameters, then the text of queries: what type-checks runs over a small graph, twice
// with the same answer, or is refused; answers have the columns that the checker said.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "weft/base/check.h"
#include "weft/gqexec/answer_text.h"
#include "weft/gqexec/memory_tables.h"
#include "weft/gqexec/run.h"
#include "weft/ndjson/load_reader.h"

namespace {

using namespace weft;  // NOLINT(google-build-using-namespace): a program of one file

constexpr uint64_t kTimeoutMs = 200;
constexpr uint64_t kBudgetBytes = uint64_t{16} << 20U;

gqexec::MemoryTables& tables() {
  static gqexec::MemoryTables* const made = [] {
    const schema::Schema schema = *schema::compile(
        "node Person { name: String @key age: I32? born: Date? tags: [String]? score: F32?\n"
        "  kind: enum(a, b)? big: U64? active: Bool? vec: Vector(2)? }\n"
        "node City { size: I64? }\n"
        "edge Knows: Person -> Person { since: I32? note: String? }\n"
        "edge LivesIn: Person -> City");
    base::Random random(1);
    ndjson::LoadReader reader(schema, {}, random);
    const Status fed = reader.feed(
        R"({"type":"Person","data":{"name":"a","age":1,"tags":["x","y"],"score":0.1,"kind":"a","big":18446744073709551615}}
{"type":"Person","data":{"name":"b","age":2,"born":"2020-01-01","active":true,"vec":[1,2]}}
{"type":"Person","data":{"name":"c"}}
{"type":"City","data":{"size":1,"id":"o"}}
{"edge":"Knows","from":"a","to":"b","data":{"since":1}}
{"edge":"Knows","from":"a","to":"b"}
{"edge":"Knows","from":"b","to":"c","data":{"note":"n"}}
{"edge":"Knows","from":"c","to":"c"}
{"edge":"LivesIn","from":"a","to":"o"}
)",
        {});
    WEFT_CHECK(fed.ok() && reader.finish({}).ok());
    auto* const graph = new gqexec::MemoryTables(schema);
    for (ndjson::TypedBatch& batch : reader.take_batches()) {
      WEFT_CHECK(graph->add(batch.type, batch.is_edge, std::move(batch.rows)).ok());
    }
    return graph;
  }();
  return *made;
}

// The answer as text; empty if the run was refused.
std::string answer_of(const gq::CheckedQuery& query, const gqexec::ParameterValues& parameters) {
  base::MemoryBudget budget("fuzz", kBudgetBytes);
  gqexec::GraphData graph(tables(), budget);
  const base::SystemClock clock;
  const auto plan = gqexec::make_plan(query, graph, parameters, {});
  if (!plan.ok()) {
    WEFT_CHECK(plan.error().kind() != ErrorKind::kInternal);
    return {};
  }
  WEFT_CHECK(!gqexec::explain(*plan).empty());
  const auto answer =
      gqexec::run_to_answer(*plan, graph, {.clock = &clock, .timeout_ms = kTimeoutMs});
  if (!answer.ok()) {
    WEFT_CHECK(answer.error().kind() == ErrorKind::kLimit ||
               answer.error().kind() == ErrorKind::kCancelled);
    return {};
  }
  WEFT_CHECK(answer->schema->fields.size() == query.columns.size());
  return gqexec::answer_text(*answer, {}, gqexec::AnswerFormat::kJson);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) {
    return 0;
  }
  for (gq::Query& query : gq::parse(text.substr(end + 1)).queries) {
    if (!query.is_read()) {
      continue;
    }
    const auto parameters = gqexec::read_parameters(query, text.substr(0, end));
    const gq::CheckOutcome outcome = gq::check_types(query, tables().schema());
    if (!parameters.ok() || !outcome.query.has_value()) {
      continue;
    }
    const std::string first = answer_of(*outcome.query, *parameters);
    const std::string second = answer_of(*outcome.query, *parameters);
    WEFT_CHECK(first == second || first.empty() || second.empty());
  }
  return 0;
}
