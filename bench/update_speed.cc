// How fast a live graph takes one-triple updates, against what a sync of this disk costs.
//
// usage: update_speed FOLDER UPDATES [BASE.rete]
//
// Prints JSON: microseconds of one append and fdatasync (median), of an update when the journal is
// empty and after UPDATES of them (medians of 1,000), of the first query after an update, and
// commits per second of 1 and 16 clients when a sync takes a millisecond more. The answers are
// checked: all updates are there.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "weft/engine/live_graph.h"
#include "weft/engine/live_store.h"
#include "weft/exec/query.h"
#include "weft/manifest/manifest_store.h"
#include "weft/sparql/parser.h"
#include "weft/storage/local_store.h"

namespace weft::bench {
namespace {

constexpr size_t kSample = 1'000;
const base::SystemClock kClock;

template <typename T>
T must(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
    std::exit(1);
  }
  return std::move(result).value();
}
void must_do(const Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
    std::exit(1);
  }
}

int64_t median(std::vector<int64_t> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

class SlowSync final : public storage::FileCalls {
 public:
  int sync_data(int file) const override {
    kClock.sleep_microseconds(1'000);
    return FileCalls::sync_data(file);
  }
};

// What an update cannot be faster than.
int64_t sync_microseconds(const std::string& folder) {
  const auto store = must(storage::open_local_store(folder));
  must(store->put_if_absent("probe", {}));
  const auto file = must(store->open_append("probe"));
  const std::string line(200, 'x');
  std::vector<int64_t> times;
  for (size_t i = 0; i < kSample; ++i) {
    const int64_t begin = kClock.monotonic_microseconds();
    must_do(file->append(as_bytes(line)));
    must_do(file->sync());
    times.push_back(kClock.monotonic_microseconds() - begin);
  }
  must_do(store->remove("probe"));
  return median(times);
}

std::string text_of(size_t number) {
  const std::string n = std::to_string(number);
  return "INSERT DATA { <http://ex/s" + n + "> <http://ex/p" + std::to_string(number % 7) + "> '" +
         n + "' }";
}

int64_t update_median(engine::LiveGraph& graph, size_t first, size_t count) {
  std::vector<int64_t> times;
  for (size_t i = first; i < first + count; ++i) {
    const std::string text = text_of(i);
    const int64_t begin = kClock.monotonic_microseconds();
    must(graph.update(text, {}));
    times.push_back(kClock.monotonic_microseconds() - begin);
  }
  return median(times);
}

// The answer to a selective query on a fresh snapshot, in microseconds.
int64_t query_microseconds(engine::Environment& environment, engine::LiveGraph& graph,
                           size_t number) {
  const int64_t begin = kClock.monotonic_microseconds();
  const auto snapshot = graph.snapshot();
  base::Random random(1);
  exec::QueryOptions options;
  options.budget = &environment.query_budget();
  options.executor = &environment.executor();
  options.clock = &kClock;
  options.random = &random;
  auto query =
      must(sparql::parse_query("ASK { <http://ex/s" + std::to_string(number) + "> ?p ?o }"));
  const auto prepared = must(exec::prepare(std::move(query), snapshot->source(), options));
  if (!must(prepared->ask())) {
    std::fprintf(stderr, "an update is not there\n");
    std::exit(1);
  }
  return kClock.monotonic_microseconds() - begin;
}

// Commits per second of so many clients with slow syncs, on an empty journal in memory of its own.
double commits_per_second(const std::string& folder, size_t clients) {
  SlowSync calls;
  base::ThreadPool executor(2);
  engine::Environment environment(executor, kClock, {});
  const auto store = must(storage::open_local_store(folder, {.calls = &calls}));
  const std::string name = "clients" + std::to_string(clients) + ".json";
  manifest::ManifestStore manifests(*store, name, kClock);
  must_do(manifests.create(manifest::Manifest::create("g", {})));
  const auto opener = environment.make_opener();
  const auto scratch = storage::memory_scratch();
  base::Random random(1);
  const std::string address = folder + "/" + name;
  engine::LivePlace place{.graph = {.store = *store,
                                    .name = name,
                                    .address = address,
                                    .folder = folder,
                                    .working_folder = folder},
                          .tools = {.opener = *opener,
                                    .executor = executor,
                                    .scratch = *scratch,
                                    .clock = kClock,
                                    .random = random,
                                    .fold = environment.fold_resources(),
                                    .build = {},
                                    .ingest = {},
                                    .retry = {}},
                          .is_manifest = true,
                          .journal_store = *store,
                          .journal_name = name + ".changes",
                          .journal_address = address + ".changes",
                          .query_budget = environment.query_budget(),
                          .owner = nullptr};
  const auto graph = must(engine::LiveStore::open(std::move(place), {}));
  constexpr int64_t kDuration = 2'000'000;
  std::atomic<size_t> commits = 0;
  const int64_t begin = kClock.monotonic_microseconds();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      for (size_t k = 0; kClock.monotonic_microseconds() - begin < kDuration; ++k) {
        must(graph->update(text_of(i * 1'000'000 + k), {}));
        ++commits;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const auto seconds = static_cast<double>(kClock.monotonic_microseconds() - begin) / 1e6;
  return static_cast<double>(commits) / seconds;
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: update_speed FOLDER UPDATES [BASE.rete]\n");
    return 2;
  }
  const std::string folder = argv[1];
  const size_t updates = std::strtoul(argv[2], nullptr, 10);
  const int64_t sync = sync_microseconds(folder);
  base::ThreadPool executor(2);
  engine::Environment environment(executor, kClock, {});
  std::string target = folder + "/bench.json";
  if (argc > 3) {
    target = argv[3];
  } else {
    const auto store = must(storage::open_local_store(folder));
    manifest::ManifestStore manifests(*store, "bench.json", kClock);
    must_do(manifests.create(manifest::Manifest::create("g", {})));
  }
  engine::LiveOptions options;
  auto graph = must(engine::LiveGraph::open(environment, target, options));
  const int64_t first = update_median(*graph, 0, kSample);
  const int64_t first_query = query_microseconds(environment, *graph, kSample - 1);
  update_median(*graph, kSample, updates - kSample);
  const int64_t last = update_median(*graph, updates, kSample);
  const int64_t last_query = query_microseconds(environment, *graph, updates + kSample - 1);
  const int64_t begin = kClock.monotonic_microseconds();
  graph.reset();
  graph = must(engine::LiveGraph::open(environment, target, options));
  const int64_t reopen = kClock.monotonic_microseconds() - begin;
  query_microseconds(environment, *graph, updates / 2);
  graph.reset();
  const double one = commits_per_second(folder, 1);
  const double sixteen = commits_per_second(folder, 16);
  std::printf(
      "{\"sync_us\": %lld, \"update_first_us\": %lld, \"update_last_us\": %lld, "
      "\"query_first_us\": %lld, \"query_last_us\": %lld, \"reopen_us\": %lld, "
      "\"commits_per_second_1\": %.0f, \"commits_per_second_16\": %.0f}\n",
      static_cast<long long>(sync), static_cast<long long>(first), static_cast<long long>(last),
      static_cast<long long>(first_query), static_cast<long long>(last_query),
      static_cast<long long>(reopen), one, sixteen);
  return 0;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  return weft::bench::run(argc, argv);
}
