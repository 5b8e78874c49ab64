// Times of the read queries of a .gq file over a property graph, warm: each runs several times over
// one snapshot, whose columns and adjacency stay. Prints a line of JSON for each: name, first and
// best time in milliseconds, rows, the first row. usage: graph_speed GRAPH QUERIES.gq ROUNDS
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "weft/base/process_memory.h"
#include "weft/gqexec/answer_text.h"
#include "weft/gqexec/run.h"
#include "weft/gqexec/snapshot_tables.h"
#include "weft/storage/local_store.h"

namespace {

using namespace weft;  // NOLINT(google-build-using-namespace): a program of one file

constexpr uint64_t kBudgetBytes = uint64_t{4} << 30U;

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

std::string first_row(const gqexec::Answer& answer) {
  std::string text = "[";
  if (!answer.batches.empty()) {
    const columns::Batch& batch = answer.batches.front();
    for (size_t column = 0; column < batch.column_count(); ++column) {
      text += column > 0 ? "," : "";
      gqexec::append_json_value(*batch.column(column), 0, text);
    }
  }
  return text + "]";
}

Status measure(gqexec::GraphData& graph, const gq::CheckedQuery& query, size_t rounds) {
  double first = 0;
  double best = 0;
  uint64_t rows = 0;
  std::string row;
  for (size_t round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    WEFT_TRY(const gqexec::Plan plan, gqexec::make_plan(query, graph, {}, {}));
    WEFT_TRY(const gqexec::Answer answer, gqexec::run_to_answer(plan, graph, {}));
    const double taken = milliseconds_since(begin);
    first = round == 0 ? taken : first;
    best = round == 0 ? taken : std::min(best, taken);
    rows = answer.row_count;
    row = first_row(answer);
  }
  std::printf(R"({"name":"%s","first_ms":%.3f,"best_ms":%.3f,"rows":%llu,"row":%s})"
              "\n",
              query.query.name.text.c_str(), first, best, static_cast<unsigned long long>(rows),
              row.c_str());
  return ok_status();
}

Status run(const std::string& folder, const std::string& path, size_t rounds) {
  WEFT_TRY(const auto store, storage::open_local_store(folder, {}));
  base::SystemClock clock;
  base::Random random = base::Random::from_system();
  base::ThreadPool executor(base::hardware_width());
  const catalog::CatalogPlace place = {
      .store = *store, .clock = clock, .random = random, .executor = executor, .life = {}};
  WEFT_TRY(const auto snapshot, graph::open_snapshot(place));
  gqexec::SnapshotTables tables(snapshot);
  base::MemoryBudget budget("bench", kBudgetBytes);
  gqexec::GraphData graph(tables, budget);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  WEFT_TRY(std::vector<gq::Query> queries, gq::parse_file(text));
  for (gq::Query& query : queries) {
    WEFT_TRY(const gq::CheckedQuery checked, gq::check_query(std::move(query), graph.schema()));
    WEFT_TRY_STATUS(measure(graph, checked, rounds));
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr uint64_t kKibi = 1024;
  std::printf(R"({"name":"memory","budget_bytes":%llu,"peak_bytes":%llu})"
              "\n",
              static_cast<unsigned long long>(budget.peak_bytes()),
              static_cast<unsigned long long>(static_cast<uint64_t>(usage.ru_maxrss) * kKibi));
  return ok_status();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: graph_speed GRAPH QUERIES.gq ROUNDS\n");
    return 2;
  }
  base::keep_freed_memory();
  const Status status =
      run(argv[1], argv[2], static_cast<size_t>(std::max(1L, std::strtol(argv[3], nullptr, 10))));
  if (!status.ok()) {
    std::fprintf(stderr, "graph_speed: %s\n", status.error().to_string().c_str());
    return 1;
  }
  return 0;
}
