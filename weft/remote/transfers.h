// Many HTTP requests side by side over one pool of connections. There is no thread of its own: the
// requests that were submitted are sent, and all that are under way go on, while any thread waits.
//
// T1  At most `requests_in_flight_max` are under way; the others wait in the order of submission.
// T2  A request ends after at most `attempts_max` attempts, each of bounded time.
// T3  A body is kept only of a 206, up to the length of the range, and of a 200, up to the size the
//     request allows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/remote/http_client.h"
#include "weft/storage/object_store.h"

namespace weft::remote {

struct Request {
  std::string url;
  // Empty range: the whole object.
  storage::Range range;
  // A strong ETag; empty: none is sent.
  std::string if_range;
  // The longest body of a 200 that is kept; 0: a 200 is not read.
  uint64_t whole_bytes_max = 0;
  // With a body the request is a POST of this type.
  std::string body;
  std::string content_type;
  std::string accept;
  std::vector<std::string> fields;  // "Name: value"
  // Of all attempts together, from now on; 0: only each attempt has its time.
  uint64_t timeout_ms = 0;
};

// The last answer, after redirects.
struct Answer {
  long status = 0;
  std::string content_range;
  std::string content_encoding;
  std::string etag;
  std::string last_modified;
  std::string content_type;
  std::optional<uint64_t> content_length;
  Bytes body;
  // What an answer that is no 200 or 206 says, cut short.
  std::string message;
  // The body was longer than what is kept, or (whole_bytes_max = 0) not read.
  bool cut_off = false;
};

struct Transfer;
using TransferHandle = std::shared_ptr<Transfer>;

// Thread-safe.
class Transfers {
 public:
  static Result<std::unique_ptr<Transfers>> create(const HttpOptions& options);
  virtual ~Transfers() = default;

  // Never waits.
  virtual TransferHandle submit(Request request) = 0;
  // Returns when all have ended, well or not. Errors: kCancelled (they are dropped then).
  virtual Status wait(const std::vector<TransferHandle>& transfers,
                      const std::stop_token& stop) = 0;
  // What is not wanted any more.
  virtual void drop(const std::vector<TransferHandle>& transfers) = 0;
  // After wait, once per transfer. Errors: kUnavailable after the last attempt; kDenied (a
  // certificate); kInvalid (a URL, a redirect to something else); kLimit (redirects).
  virtual Result<Answer> take(const TransferHandle& transfer) = 0;
  virtual HttpCounters counters() const = 0;
};

// `url` without user and password, for messages.
std::string shown_url(const std::string& url);

}  // namespace weft::remote
