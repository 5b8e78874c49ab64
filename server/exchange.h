// One request and its answer, as the code that answers sees it: blocking calls on a worker thread,
// with no network in them. http_server.h makes exchanges; tests make their own.
//
// X1  The body of the request is complete before anybody is asked to answer: in memory if it is
//     small, else in an unnamed file. A slow sender therefore holds no thread.
// X2  write() waits while more than the window is unsent, so an answer of any size needs bounded
//     memory; it fails with kCancelled once the client is gone, or takes nothing for too long.
// X3  stop() is requested within 100 ms after the client hung up, and at the end of the time that a
//     stopping server gives.
// Used by one thread at a time; stop() may be asked from any.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "server/http_message.h"

#include "weft/base/result.h"
#include "weft/codec/stream.h"

namespace weft::server {

class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual const RequestHead& head() const = 0;
  virtual uint64_t body_bytes() const = 0;
  // The bytes of the body as they came (Content-Encoding and all). Call once.
  virtual std::unique_ptr<codec::InputStream> body() = 0;
  virtual std::stop_token stop() const = 0;

  // ---- the answer: send(), or begin() write()… and finish() ------------------------------------
  // Adds Content-Length, Date, Server. For HEAD the body is left out.
  virtual void send(ResponseHead head, std::string body) = 0;
  // Where `head` has a Content-Length, that many bytes must follow; else the body is chunked.
  virtual void begin(ResponseHead head) = 0;
  virtual Status write(ByteView bytes) = 0;
  virtual void finish() = 0;
  // After begin(): ends the connection without the end of the body, so that no client takes what it
  // got for the whole.
  virtual void abandon() = 0;

  // ---- for the access log ----------------------------------------------------------------------
  virtual void note(const Error& error) = 0;
};

// Which threads answer.
enum class Lane : uint8_t {
  kInline,  // the thread of all connections: for answers that never wait
  kRead,
  kWrite,
  kProbe,  // one thread of its own, for those who watch the server
};

// What a handler says when it has seen the head of a request.
struct Admission {
  Lane lane = Lane::kInline;
  // A form that may be a query or an update: Handler::lane_of_form decides when it is there.
  bool form = false;
  uint64_t body_max_bytes = 0;
  // Given: the request is answered so, and its body is not read.
  bool refused = false;
  ResponseHead refusal;
  std::string refusal_body;
};

// Thread-safe.
class Handler {
 public:
  virtual ~Handler() = default;
  // On the thread of all connections: must be quick.
  virtual Admission admit(const RequestHead& head) = 0;
  // `start`: the body if it is kept in memory, else empty. Quick.
  virtual Lane lane_of_form(std::string_view start) = 0;
  // Answers, in whatever way, exactly once.
  virtual void handle(Exchange& exchange) = 0;

  // What is worth logging and counting of each request that ended.
  struct Outcome {
    const RequestHead* head = nullptr;  // null: the request could not be read
    unsigned status = 0;                // 0: nothing was sent
    uint64_t body_bytes = 0;
    uint64_t sent_bytes = 0;
    int64_t wait_microseconds = 0;  // for a worker
    int64_t total_microseconds = 0;
    bool aborted = false;  // the client left, or the answer broke off
    std::string remote;
    std::string error;
  };
  virtual void ended(const Outcome& outcome) = 0;
};

}  // namespace weft::server
