// HTTP/1.1 over TCP or TLS: reads requests, hands them to a Handler, sends the answers. The one
// place that includes Boost (http_connection.cc, http_server.cc).
//
// N1  One thread does all input and output, and never waits: idle connections, slow senders and
// slow
//     takers cost memory (bounded, kBodyMemoryBytes and the window of exchange.h), no thread.
// N2  Answers are made on two pools, reads and writes, so that neither waits for the other. What
//     finds its pool full is answered 503 with Retry-After.
// N3  Whatever bytes come in, the answer is an HTTP answer or a closed connection.
// N4  stop() closes what is idle, lets running requests end within the grace time, then requests
//     their stop tokens, then closes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "server/exchange.h"

#include "weft/base/clock.h"
#include "weft/base/result.h"

namespace weft::server {

struct HttpOptions {
  std::string bind = "127.0.0.1";  // an address, or "localhost"
  uint16_t port = 7878;            // 0: any that is free
  std::string certificate_file;    // PEM chain; with the key: TLS
  std::string key_file;
  size_t connections_max = 4096;
  size_t read_threads = 4;
  size_t read_queue_max = 64;
  size_t write_threads = 32;
  size_t write_queue_max = 256;
  size_t head_bytes_max = size_t{256} << 10U;
  // Bytes of an answer that wait for the network before write() waits.
  size_t window_bytes = size_t{1} << 20U;
  uint64_t idle_ms = 75'000;   // between requests
  uint64_t head_ms = 20'000;   // from the first byte of a request to the end of its head
  uint64_t body_ms = 30'000;   // without a byte of the body
  uint64_t write_ms = 30'000;  // without the client taking a byte
  uint64_t grace_ms = 10'000;  // for running requests when the server stops
  std::string spool_folder = "/tmp";
};

struct HttpCounters {
  uint64_t connections = 0;  // open now
  uint64_t connections_total = 0;
  uint64_t connections_refused = 0;
  uint64_t requests_refused = 0;  // N2
  size_t reads_running = 0;
  size_t reads_waiting = 0;
  size_t writes_running = 0;
  size_t writes_waiting = 0;
};

class HttpServer {
 public:
  // Listens and answers from now on. `handler` and `clock` must outlive the server. Errors:
  // kInvalid for a bad address, certificate or key; kUnavailable if the port is taken; kDenied.
  static Result<std::unique_ptr<HttpServer>> start(const HttpOptions& options, Handler& handler,
                                                   const base::Clock& clock);
  virtual ~HttpServer() = default;

  virtual uint16_t port() const = 0;
  virtual HttpCounters counters() const = 0;
  // N4. Returns when all is closed and all threads have ended. The destructor does the same.
  virtual void stop() = 0;
};

}  // namespace weft::server
