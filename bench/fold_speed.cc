// Opens a local segment or manifest and asks it one query, and prints what that took as JSON:
//     fold_speed TARGET QUERY
// "open_ms" and "first_ms" are cold in the process (not in the machine's page cache), "warm_ms" the
// median of later runs of the same query. What was read until the first answer is counted, for the
// base (the largest segment) and for all other objects apart.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/engine/graph.h"
#include "weft/exec/query.h"
#include "weft/manifest/manifest_store.h"
#include "weft/sparql/parser.h"
#include "weft/storage/counting_store.h"

namespace {

using weft::Result;
using weft::Status;

constexpr int kWarmRuns = 1001;

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  return passed.count();
}

// Counts the reads of the base and of all else. The base is the largest object.
class CountingOpener final : public weft::manifest::ObjectOpener {
 public:
  CountingOpener(weft::manifest::ObjectOpener& inner, uint64_t base_size_bytes)
      : inner_(inner), base_size_bytes_(base_size_bytes) {}

  Result<std::unique_ptr<weft::storage::ObjectReader>> open(const std::string& address) override {
    WEFT_TRY(auto reader, inner_.open(address));
    weft::storage::StoreCounter& counter = reader->size() == base_size_bytes_ ? base_ : overlays_;
    return weft::storage::counting_reader(std::move(reader), counter);
  }

  weft::storage::OperationCounts base() const {
    return base_.counts()[weft::storage::Operation::kRead];
  }
  weft::storage::OperationCounts overlays() const {
    return overlays_.counts()[weft::storage::Operation::kRead];
  }

 private:
  weft::manifest::ObjectOpener& inner_;
  uint64_t base_size_bytes_;
  weft::storage::StoreCounter base_;
  weft::storage::StoreCounter overlays_;
};

// Runs a SELECT to its end, terms as text included. Returns its rows.
Result<uint64_t> answer(weft::engine::Environment& environment, weft::exec::QuadSource& source,
                        const std::string& text) {
  weft::base::Random random(1);
  weft::exec::QueryOptions options;
  options.budget = &environment.query_budget();
  options.executor = &environment.executor();
  options.clock = &environment.clock();
  options.random = &random;
  WEFT_TRY(weft::sparql::Query query, weft::sparql::parse_query(text));
  WEFT_TRY(auto prepared, weft::exec::prepare(std::move(query), source, options));
  WEFT_TRY(auto solutions, prepared->select());
  uint64_t rows = 0;
  weft::exec::RowBatch batch;
  std::vector<std::string> tokens;
  while (true) {
    WEFT_TRY_STATUS(solutions->next(batch));
    if (batch.empty()) {
      return rows;
    }
    rows += batch.rows;
    for (const weft::exec::Column& column : batch.columns) {
      tokens.clear();
      WEFT_TRY_STATUS(solutions->tokens(column, tokens));
    }
  }
}

struct Opened {
  std::shared_ptr<weft::quads::Fold> fold;
  std::unique_ptr<weft::exec::QuadSource> source;
};

Result<Opened> open_counted(weft::engine::Environment& environment, const std::string& target,
                            const weft::manifest::Manifest& manifest, CountingOpener& opener) {
  Opened opened;
  WEFT_TRY(opened.fold, weft::quads::Fold::open(manifest.log(), target, true, opener,
                                                environment.fold_resources()));
  opened.source = weft::engine::source_of_fold(*opened.fold);
  return opened;
}

Result<weft::manifest::Manifest> read_target(weft::engine::Environment& environment,
                                             const std::string& target) {
  WEFT_TRY(auto reader, environment.open_object(target));
  return weft::manifest::read_manifest(*reader);
}

uint64_t largest(const weft::manifest::Manifest& manifest) {
  uint64_t size = 0;
  for (const weft::manifest::LogEntry& entry : manifest.log()) {
    size = std::max(size, entry.adds ? entry.adds->size_bytes : 0);
  }
  return size;
}

Status measure(const std::string& target, const std::string& query) {
  const weft::base::SystemClock clock;
  weft::base::ThreadPool threads(weft::base::hardware_width());
  weft::engine::Environment environment(threads, clock, {});
  const auto begin = std::chrono::steady_clock::now();
  WEFT_TRY(const weft::manifest::Manifest manifest, read_target(environment, target));
  const auto inner = environment.make_opener();
  CountingOpener opener(*inner, largest(manifest));
  WEFT_TRY(const Opened opened, open_counted(environment, target, manifest, opener));
  const double open_ms = milliseconds_since(begin);
  const auto first_begin = std::chrono::steady_clock::now();
  WEFT_TRY(const uint64_t rows, answer(environment, *opened.source, query));
  const double first_ms = milliseconds_since(first_begin);
  const auto base = opener.base();
  const auto overlays = opener.overlays();
  std::vector<double> warm_ms;
  for (int i = 0; i < kWarmRuns; ++i) {
    const auto warm_begin = std::chrono::steady_clock::now();
    WEFT_TRY(const uint64_t again, answer(environment, *opened.source, query));
    warm_ms.push_back(milliseconds_since(warm_begin));
    if (again != rows) {
      return weft::Error(weft::ErrorKind::kInternal, "a warm run answered otherwise")
          .with("rows", rows)
          .with("again", again);
    }
  }
  std::sort(warm_ms.begin(), warm_ms.end());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"rows\": %llu, \"open_ms\": %.3f, \"first_ms\": %.3f, \"warm_ms\": %.4f, "
      "\"resident_bytes\": %llu, \"base_bytes\": %llu, \"base_requests\": %llu, "
      "\"overlay_bytes\": %llu, \"overlay_requests\": %llu}\n",
      static_cast<unsigned long long>(rows), open_ms, first_ms, warm_ms[warm_ms.size() / 2],
      static_cast<unsigned long long>(usage.ru_maxrss) * 1024,
      static_cast<unsigned long long>(base.bytes), static_cast<unsigned long long>(base.items),
      static_cast<unsigned long long>(overlays.bytes),
      static_cast<unsigned long long>(overlays.items));
  return weft::ok_status();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: fold_speed TARGET QUERY\n");
    return 2;
  }
  const Status status = measure(argv[1], argv[2]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
    return weft::exit_code(status.error().kind());
  }
  return 0;
}
