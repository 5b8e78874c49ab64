// How fast a Lance data file is read: `lance_speed FILE THREADS [--repeat N]` prints one line per
// measurement: name, wall milliseconds, CPU milliseconds (best of N each), and a sum over the bytes
// of all values, which bench/lance_peer.py compares with what pylance gives for the same rows.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "bench/byte_sums.h"

#include "weft/base/executor.h"
#include "weft/base/process_memory.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/storage/local_file.h"

namespace weft {
namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename T>
T must(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
    std::exit(1);
  }
  return std::move(result).value();
}

struct Measured {
  double wall = 1e9;
  double cpu = 1e9;
  uint64_t sum = 0;
};

// `run` gives the batches; they are summed up outside of the time, but for the last time only.
template <typename Run>
void measure(const std::string& name, int repeat, const Run& run) {
  Measured best;
  for (int i = 0; i < repeat; ++i) {
    const double wall = seconds(CLOCK_MONOTONIC);
    const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    double paused_wall = 0;
    double paused_cpu = 0;
    uint64_t sum = 0;
    run([&](const columns::Batch& batch) {
      if (i + 1 != repeat) {
        return;
      }
      const double pause_wall = seconds(CLOCK_MONOTONIC);
      const double pause_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
      sum += bench::byte_sum(batch);
      paused_wall += seconds(CLOCK_MONOTONIC) - pause_wall;
      paused_cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - pause_cpu;
    });
    best.wall = std::min(best.wall, seconds(CLOCK_MONOTONIC) - wall - paused_wall);
    best.cpu = std::min(best.cpu, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu - paused_cpu);
    best.sum = sum;
  }
  std::printf("%s\t%.3f\t%.3f\t%llu\n", name.c_str(), best.wall * 1e3, best.cpu * 1e3,
              static_cast<unsigned long long>(best.sum));
  std::fflush(stdout);
}

// The same positions as in bench/lance_peer.py.
std::vector<uint64_t> positions(uint64_t count, uint64_t rows) {
  std::vector<uint64_t> out(count);
  for (uint64_t i = 0; i < count; ++i) {
    out[i] = (i * 2'654'435'761U + 12'345U) % rows;
  }
  return out;
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: lance_speed FILE THREADS [--repeat N]\n");
    return 2;
  }
  const int repeat = argc > 4 ? std::atoi(argv[4]) : 3;
  base::ThreadPool pool(static_cast<size_t>(std::max(1, std::atoi(argv[2]))));
  lance::read::ReadOptions options;
  options.executor = &pool;
  const auto file =
      must(lance::read::DataFileReader::open(must(storage::open_local_file(argv[1])), options));
  const auto scan = [&](const std::vector<std::string>& names) {
    const auto projection = must(file->project_own(names));
    std::string label = "scan";
    for (const std::string& name : names) {
      label += " " + name;
    }
    measure(label, repeat, [&](const auto& take) {
      const auto rows = must(file->scan(projection, {0, file->row_count()}));
      while (const auto batch = must(rows->next())) {
        take(*batch);
      }
    });
  };
  const auto all = must(file->project_own());
  for (const columns::Field& field : all.schema->fields) {
    scan({field.name});
  }
  scan({all.schema->fields[0].name, all.schema->fields[2].name});
  scan({});
  constexpr uint64_t kTaken = 10'000;
  const std::vector<uint64_t> wanted = positions(kTaken, file->row_count());
  measure("take 10000 at once", repeat,
          [&](const auto& take) { take(must(file->take(all, wanted))); });
  const auto two =
      must(file->project_own({all.schema->fields[0].name, all.schema->fields[2].name}));
  measure("take 10000 at once, two columns", repeat,
          [&](const auto& take) { take(must(file->take(two, wanted))); });
  measure("take 10000 one by one", 1, [&](const auto& take) {
    for (const uint64_t row : wanted) {
      take(must(file->take(all, std::span(&row, 1))));
    }
  });
  return 0;
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  weft::base::keep_freed_memory();
  return weft::run(argc, argv);
}
