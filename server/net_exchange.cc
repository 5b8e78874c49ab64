// The half of an exchange that workers use: answers go into a bounded buffer, from which the
// connection sends.

#include "server/http_connection.h"
#include <boost/asio/post.hpp>

namespace weft::server {
namespace {

void append_hex(std::string& out, size_t value) {
  char digits[16];
  size_t count = 0;
  do {
    digits[count++] = "0123456789abcdef"[value % 16];
    value /= 16;
  } while (value != 0);
  while (count > 0) {
    out += digits[--count];
  }
}

bool has_no_body(unsigned status) {
  return status == 204 || status == 304 || status < 200;
}

}  // namespace

NetExchange::NetExchange(Core& core, std::weak_ptr<Connection> connection, RequestHead head,
                         std::unique_ptr<BodyStore> store, bool keep_alive)
    : core_(core),
      connection_(std::move(connection)),
      head_(std::move(head)),
      store_(std::move(store)),
      keep_alive_(keep_alive) {}

std::string NetExchange::head_text(ResponseHead& head) {
  without_body_ = head_.method == Method::kHead || has_no_body(head.status);
  if (const std::string* connection = head.find("Connection");
      connection != nullptr && *connection == "close") {
    keep_alive_ = false;
  }
  if (!keep_alive_) {
    head.set("Connection", "close");
  } else if (head_.version < 11) {
    head.set("Connection", "keep-alive");
  }
  head.set("Date", http_date(core_.clock.now().microseconds / 1'000'000));
  head.set("Server", "weft");
  std::string text = "HTTP/1.1 " + std::to_string(head.status) + " ";
  text += reason_phrase(head.status);
  text += "\r\n";
  for (const Field& field : head.fields) {
    text += field.name + ": ";
    for (const char c : field.value) {  // no value ends its line
      text += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
    }
    text += "\r\n";
  }
  return text + "\r\n";
}

void NetExchange::send(ResponseHead head, std::string body) {
  if (!has_no_body(head.status) && (head_.method != Method::kHead || !body.empty())) {
    head.set("Content-Length", std::to_string(body.size()));
  }
  std::string text = head_text(head);
  if (!without_body_) {
    text += body;
  }
  const base::MutexLock lock(mutex_);
  pending_ += text;
  begun_ = true;
  finished_ = true;
  status_ = head.status;
  wake_connection();
}

void NetExchange::begin(ResponseHead head) {
  chunked_ = head.find("Content-Length") == nullptr;
  if (chunked_ && head_.version < 11) {
    keep_alive_ = false;  // the end of the connection is the end of the body
    chunked_ = false;
  } else if (chunked_ && head_.method != Method::kHead) {
    head.set("Transfer-Encoding", "chunked");
  }
  const std::string text = head_text(head);
  const base::MutexLock lock(mutex_);
  pending_ += text;
  begun_ = true;
  status_ = head.status;
  wake_connection();
}

Status NetExchange::write(ByteView bytes) {
  const base::MutexLock lock(mutex_);
  while (!gone_ && pending_.size() + in_flight_ >= core_.options.window_bytes) {
    drained_.wait(mutex_);
  }
  if (gone_) {
    return Error(ErrorKind::kCancelled, "the client is gone");
  }
  if (bytes.empty() || without_body_) {
    return ok_status();
  }
  if (chunked_) {
    append_hex(pending_, bytes.size());
    pending_ += "\r\n";
  }
  pending_ += as_text(bytes);
  pending_ += chunked_ ? "\r\n" : "";
  wake_connection();
  return ok_status();
}

void NetExchange::finish() {
  const base::MutexLock lock(mutex_);
  if (chunked_ && !without_body_) {
    pending_ += "0\r\n\r\n";
  }
  finished_ = true;
  wake_connection();
}

void NetExchange::abandon() {
  const base::MutexLock lock(mutex_);
  keep_alive_ = false;
  abandoned_ = true;
  finished_ = true;
  wake_connection();
}

void NetExchange::note(const Error& error) {
  const base::MutexLock lock(mutex_);
  error_ = error.to_string();
}

void NetExchange::answer() {
  core_.handler.handle(*this);
  bool begun = false;
  bool finished = false;
  {
    const base::MutexLock lock(mutex_);
    begun = begun_;
    finished = finished_;
  }
  if (!begun) {
    ResponseHead head;
    head.status = 500;
    send(std::move(head), "");
  } else if (!finished) {
    abandon();
  }
}

// With the mutex held.
void NetExchange::wake_connection() WEFT_NO_ANALYSIS {
  if (wake_posted_ || gone_) {
    return;
  }
  wake_posted_ = true;
  boost::asio::post(core_.io, [connection = connection_] {
    if (const std::shared_ptr<Connection> alive = connection.lock()) {
      alive->pump();
    }
  });
}

NetExchange::Taken NetExchange::take() {
  const base::MutexLock lock(mutex_);
  Taken taken;
  taken.bytes.swap(pending_);
  taken.finished = finished_ && !abandoned_;
  taken.abandoned = abandoned_;
  in_flight_ = taken.bytes.size();
  sent_bytes_ += taken.bytes.size();
  wake_posted_ = false;
  drained_.notify_all();
  return taken;
}

void NetExchange::mark_gone() {
  {
    const base::MutexLock lock(mutex_);
    gone_ = true;
    drained_.notify_all();
  }
  stop_.request_stop();
}

Handler::Outcome NetExchange::outcome() const {
  const base::MutexLock lock(mutex_);
  Handler::Outcome outcome;
  outcome.head = &head_;
  outcome.status = status_;
  outcome.body_bytes = store_->size();
  outcome.sent_bytes = sent_bytes_;
  outcome.wait_microseconds = started_microseconds_;
  outcome.aborted = abandoned_ || gone_;
  outcome.error = error_;
  return outcome;
}

}  // namespace weft::server
