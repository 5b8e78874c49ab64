// Writes to a property graph in a folder, by a process that holds it open: commits of one row, of
// which the first ten and the last ten by themselves, upserts of 32 rows, and several writers at
// once; beside them what one fsync costs there.
//
// usage: property_write_speed GRAPH PREFIX KEYS [COMMITS]
//
// GRAPH is a graph with `node Person { name: String @key  age: I32? … }` whose names are PREFIX and
// seven digits, 0 to KEYS - 1. Prints one line of JSON; times are medians in milliseconds. Exits
// with 1 if what is there afterwards is not what was written.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/graph/load.h"
#include "weft/graph/open_graph.h"
#include "weft/storage/local_store.h"

namespace {

using namespace weft;  // NOLINT(google-build-using-namespace): a program of one file

constexpr uint64_t kUpsertRows = 32;
constexpr int kWriters = 8;

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times.empty() ? 0 : times[times.size() / 2];
}

template <typename Do>
double milliseconds(const Do& act) {
  const auto begin = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

// Writing 4 KiB to a new file and making it durable.
double fsync_ms(const std::string& folder) {
  const std::string path = folder + "/fsync-probe";
  const std::string block(4096, 'x');
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) {
    const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    times.push_back(milliseconds([&] {
      if (::write(file, block.data(), block.size()) < 0 || ::fsync(file) < 0) {
        std::perror("fsync");
      }
    }));
    ::close(file);
  }
  ::unlink(path.c_str());
  return median(times);
}

class Bench {
 public:
  Bench(storage::ObjectStore& store, std::string prefix)
      : prefix_(std::move(prefix)), open_(store, clock_, executor_) {}

  Status merge(const std::string& lines, base::Random& random) {
    codec::MemoryInputView input(lines);
    const graph::AllowEverything policy;
    const auto done = graph::load(open_.place(random), {"bench", policy},
                                  {.mode = graph::LoadMode::kMerge}, input, {});
    return done.ok() ? ok_status() : done.error();
  }
  std::string line(const std::string& name, uint64_t age) const {
    return R"({"type":"Person","data":{"name":")" + name + R"(","age":)" + std::to_string(age) +
           "}}\n";
  }
  std::string key(uint64_t number) const {
    std::string digits = std::to_string(number);
    return prefix_ + std::string(7 - std::min<size_t>(7, digits.size()), '0') + digits;
  }
  Result<uint64_t> rows() {
    WEFT_TRY(const auto graph, graph::open_snapshot(open_.place(random_)));
    return graph->find_node("Person")->row_count();
  }
  base::Random& random() { return random_; }

 private:
  std::string prefix_;
  base::SystemClock clock_;
  base::Random random_ = base::Random::from_system();
  base::ThreadPool executor_{2};
  graph::OpenGraph open_;
};

Result<int> run(const std::string& folder, const std::string& prefix, uint64_t keys, int commits) {
  WEFT_TRY(const auto store, storage::open_local_store(folder));
  Bench bench(*store, prefix);
  WEFT_TRY(const uint64_t before, bench.rows());
  const std::string fresh = "fresh-" + std::to_string(bench.random().next()) + "-";
  Status failed;
  const auto merge = [&](const std::string& lines, base::Random& random) {
    Status status = bench.merge(lines, random);
    if (!status.ok()) {
      failed = std::move(status);
    }
  };
  merge(bench.line(fresh + "warm", 1), bench.random());
  std::vector<double> ones;
  for (int i = 0; i < commits; ++i) {
    ones.push_back(
        milliseconds([&] { merge(bench.line(fresh + std::to_string(i), 1), bench.random()); }));
  }
  constexpr int kUpsertsMax = 200;
  const std::vector<double> first(ones.begin(), ones.begin() + std::min<size_t>(10, ones.size()));
  const std::vector<double> last(ones.end() - std::min<size_t>(10, ones.size()), ones.end());
  std::vector<double> upserts;
  for (int i = 0; i < std::min(commits / 2, kUpsertsMax); ++i) {
    std::string lines;
    for (uint64_t row = 0; row < kUpsertRows; ++row) {
      lines += bench.line(bench.key(bench.random().below(keys / kUpsertRows) * kUpsertRows + row),
                          static_cast<uint64_t>(i) % 90);
    }
    upserts.push_back(milliseconds([&] { merge(lines, bench.random()); }));
  }
  const int each = std::clamp(commits / 4, 1, 100);
  const double together = milliseconds([&] {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < kWriters; ++writer) {
      threads.emplace_back([&, writer] {
        base::Random random = base::Random::from_system();
        for (int i = 0; i < each; ++i) {
          const std::string name = fresh + std::to_string(writer) + "w" + std::to_string(i);
          if (!bench.merge(bench.line(name, 2), random).ok()) {
            std::fprintf(stderr, "a writer failed\n");
          }
        }
      });
    }
  });
  WEFT_TRY_STATUS(std::move(failed));
  WEFT_TRY(const uint64_t after, bench.rows());
  const double sync = fsync_ms(folder);
  std::printf(R"({"commit_ms": %.3f, "first_ten_ms": %.3f, "last_ten_ms": %.3f, "fsync_ms": %.3f, )"
              R"("upsert32_ms": %.3f, "writers8_per_s": %.1f, "writers1_per_s": %.1f})"
              "\n",
              median(ones), median(first), median(last), sync, median(upserts),
              static_cast<double>(kWriters * each) / (together / 1000), 1000 / median(ones));
  const uint64_t expected = before + 1 + static_cast<uint64_t>(commits) +
                            static_cast<uint64_t>(kWriters) * static_cast<uint64_t>(each);
  if (after != expected) {
    std::fprintf(stderr, "%llu rows, not %llu\n", static_cast<unsigned long long>(after),
                 static_cast<unsigned long long>(expected));
  }
  return after == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: property_write_speed GRAPH PREFIX KEYS [COMMITS]\n");
    return 2;
  }
  const auto done = run(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10),
                        argc > 4 ? std::atoi(argv[4]) : 200);
  if (!done.ok()) {
    std::fprintf(stderr, "%s\n", done.error().to_string().c_str());
    return 1;
  }
  return *done;
}
