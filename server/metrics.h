// Counters of the service in the text format of Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "server/exchange.h"
#include "server/http_server.h"

#include "weft/engine/live_graph.h"

namespace weft::server {

// Thread-safe.
class Metrics {
 public:
  void count(const Handler::Outcome& outcome);
  void count_query(int64_t microseconds, bool failed);
  void count_update(int64_t microseconds, bool failed);

  // Appends everything.
  void append(std::string& out, const HttpCounters& http, const engine::LiveFacts& facts,
              uint64_t query_memory_bytes) const;

 private:
  // Upper ends in microseconds; the last bucket has none.
  static constexpr std::array<int64_t, 9> kBuckets = {
      500, 1'000, 5'000, 25'000, 100'000, 500'000, 2'500'000, 10'000'000, 60'000'000};
  struct Histogram {
    std::array<std::atomic<uint64_t>, kBuckets.size() + 1> counts{};
    std::atomic<uint64_t> sum_microseconds = 0;
    std::atomic<uint64_t> failed = 0;
    void add(int64_t microseconds, bool failure);
  };
  static void append_histogram(std::string& out, std::string_view name, const Histogram& histogram);

  std::array<std::atomic<uint64_t>, 6> by_class_{};  // 0: none sent, 1xx … 5xx
  std::atomic<uint64_t> aborted_ = 0;
  std::atomic<uint64_t> bytes_in_ = 0;
  std::atomic<uint64_t> bytes_out_ = 0;
  Histogram queries_;
  Histogram updates_;
};

}  // namespace weft::server
