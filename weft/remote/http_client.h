// Objects at http:// and https:// URLs, read by range.
//
// H1  Bytes of two states of an object are never mixed: size and ETag (else Last-Modified) are
//     remembered from the first answer, each later request carries the ETag as If-Range, and an
//     answer from another state is kCorrupt with reason=changed.
// H2  An answer is used only if its Content-Range and its length are what was asked for.
// H3  Every wait ends: connecting, a request, a stall, the number of attempts and redirects are
//     bounded, and stop tokens are heard while waiting.
// H4  What is cached stays within one budget over all readers of a client.
//
// Requests that are missing for one read go out together, at most `requests_in_flight_max` at a
// time; adjacent blocks, and blocks with a gap of at most `gap_bytes_max` between them, are one
// request. There is no HEAD request: the first 128 KiB tell the length, and stay cached, so that
// opening a `.rete` file costs one round.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/storage/object_store.h"

namespace weft::remote {

struct HttpOptions {
  uint64_t block_size_bytes = 64 << 10;
  uint64_t cache_bytes_max = 128 << 20;
  uint64_t gap_bytes_max = 64 << 10;
  // Longer ranges are asked for in pieces, side by side.
  uint64_t request_bytes_max = 8 << 20;
  // As many segments as a graph usually has are opened in one round (docs/decisions/0004).
  size_t requests_in_flight_max = 128;
  // An object of a server that ignores ranges is kept whole up to this size; beyond: kLimit.
  uint64_t whole_object_bytes_max = 64 << 20;
  // Tries of one request, the first included: after 408, 429, 5xx (not 501, 505) and broken
  // connections. Between them backoff_ms, doubled each time, with jitter; Retry-After is heard.
  uint32_t attempts_max = 4;
  uint64_t backoff_ms = 100;
  uint64_t backoff_max_ms = 10'000;
  uint64_t connect_timeout_ms = 10'000;
  uint64_t request_timeout_ms = 120'000;
  // No byte for so long ends an attempt; in whole seconds, rounded up.
  uint64_t stall_timeout_ms = 30'000;
  uint32_t redirects_max = 5;
};

struct HttpCounters {
  // Attempts sent.
  uint64_t requests = 0;
  uint64_t retries = 0;
  // Serial steps: the longest chain of requests each of which was asked for only after the one
  // before it had been answered.
  uint64_t rounds = 0;
  // Bodies received.
  uint64_t bytes = 0;
};

// One request whose answer is made anew each time, kept whole and never cached: a query of another
// endpoint, a document.
struct Question {
  std::string url;
  // With one this is a POST, which must change nothing there: it may be sent again. Else a GET.
  std::string body;
  std::string content_type;  // of `body`
  std::string accept;
  std::vector<std::string> fields;  // more of the head: "Name: value"
  // Beyond it: kLimit.
  uint64_t answer_bytes_max = 64 << 20;
  // Of all attempts together; 0: only each attempt has its time.
  uint64_t timeout_ms = 0;
};

struct Reply {
  std::string content_type;
  Bytes body;
};

// Whether `text` begins with http:// or https:// (in any case).
bool is_url(std::string_view text);

// Connections, cache and counters that readers share. Thread-safe. Readers keep what they need of
// it alive.
class HttpClient {
 public:
  // Errors: kInternal if the HTTP library cannot start.
  static Result<std::unique_ptr<HttpClient>> create(HttpOptions options = {});
  virtual ~HttpClient() = default;

  // Errors: kInvalid (not an http or https URL), kNotFound (404, 410), kDenied (401, 403, a
  // certificate), kUnavailable, kUnsupported (an encoding or answer we cannot use), kLimit,
  // kCancelled.
  virtual Result<std::unique_ptr<storage::ObjectReader>> open_url(const std::string& url,
                                                                  std::stop_token stop = {}) = 0;
  // A hint: these URLs will be opened soon. Never waits; see ObjectReader::prefetch.
  virtual void prefetch(const std::vector<std::string>& urls) = 0;
  // A whole small object. The etag is the server's, or stands for the content if it sends none.
  virtual Result<storage::VersionedObject> get_url(const std::string& url, uint64_t size_max_bytes,
                                                   std::stop_token stop = {}) = 0;

  // Errors: as open_url; the first words of the server's own message are the fact `answer`.
  virtual Result<Reply> ask(const Question& question, std::stop_token stop = {}) = 0;

  virtual HttpCounters counters() const = 0;
};

// The objects below a base URL (the name is appended after '/', percent-encoded) as a read-only
// store: writing and listing are kUnsupported. `client` must outlive it.
std::unique_ptr<storage::ObjectStore> http_store(HttpClient& client, std::string base_url);

}  // namespace weft::remote
