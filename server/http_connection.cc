#include "server/http_connection.h"

#include <algorithm>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <poll.h>

namespace weft::server {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr size_t kReadBytes = size_t{64} << 10U;
// While nothing, or only a head, is expected: idle connections are many.
constexpr size_t kHeadReadBytes = size_t{4} << 10U;
// How often a running request's client is looked at (X3).
constexpr auto kWatchInterval = std::chrono::milliseconds(40);
// What is read and thrown away of a refused request, so that its client can read the answer.
constexpr uint64_t kLingerBytesMax = uint64_t{16} << 20U;
constexpr auto kLingerTime = std::chrono::seconds(2);

std::string to_string(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

std::chrono::milliseconds milliseconds(uint64_t count) {
  return std::chrono::milliseconds(static_cast<int64_t>(count));
}

}  // namespace

void RequestParser::on_request_impl(http::verb, Text method, Text target, int version, Code&) {
  head.method_name = to_string(method);
  head.method = method_by_name(head.method_name);
  head.target = to_string(target);
  head.version = version;
}

void RequestParser::on_field_impl(http::field, Text name, Text value, Code&) {
  head.fields.push_back({to_string(name), to_string(value)});
}

std::size_t RequestParser::on_body_impl(Text body, Code& code) {
  if (store_->size() + body.size() > body_max_bytes) {
    code = http::error::body_limit;
    return 0;
  }
  if (const Status status = store_->append({body.data(), body.size()}); !status.ok()) {
    store_error = status.error();
    code = http::error::body_limit;
    return 0;
  }
  return body.size();
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, Text body, Code& code) {
  return on_body_impl(body, code);
}

Connection::Connection(Core& core, asio::ip::tcp::socket socket)
    : core_(core), watch_timer_(core.io) {
  Code code;
  static_cast<void>(socket.set_option(asio::ip::tcp::no_delay(true), code));
  static_cast<void>(socket.set_option(asio::socket_base::keep_alive(true), code));
  const auto peer = socket.remote_endpoint(code);
  if (!code) {
    remote_ = peer.address().to_string() + ":" + std::to_string(peer.port());
  }
  if (core.tls.has_value()) {
    tls_ = std::make_unique<TlsStream>(std::move(socket), *core.tls);
  } else {
    plain_ = std::make_unique<boost::beast::tcp_stream>(std::move(socket));
  }
  core_.connections.insert(this);
  core_.open.fetch_add(1);
  core_.opened.fetch_add(1);
}

Connection::~Connection() {
  if (phase_ != Phase::kClosed) {
    core_.connections.erase(this);
    core_.open.fetch_sub(1);
  }
}

boost::beast::tcp_stream& Connection::tcp() {
  return tls_ != nullptr ? tls_->next_layer() : *plain_;
}

template <typename Take>
void Connection::read_some(Take take) {
  read_buffer_.resize(phase_ == Phase::kBody ? kReadBytes : kHeadReadBytes);
  if (tls_ != nullptr) {
    tls_->async_read_some(asio::buffer(read_buffer_), std::move(take));
  } else {
    plain_->async_read_some(asio::buffer(read_buffer_), std::move(take));
  }
}

template <typename Take>
void Connection::write_some(std::string_view bytes, Take take) {
  const asio::const_buffer buffer(bytes.data(), std::min(bytes.size(), kReadBytes));
  if (tls_ != nullptr) {
    tls_->async_write_some(buffer, std::move(take));
  } else {
    plain_->async_write_some(buffer, std::move(take));
  }
}

void Connection::start() {
  if (tls_ == nullptr) {
    begin_request();
    return;
  }
  tcp().expires_after(milliseconds(core_.options.head_ms));
  tls_->async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](Code code) {
    if (code) {
      self->close();
    } else {
      self->begin_request();
    }
  });
}

void Connection::begin_request() {
  if (core_.stopping || phase_ == Phase::kClosed) {
    close();
    return;
  }
  phase_ = Phase::kIdle;
  head_taken_ = false;
  admission_ = {};
  exchange_.reset();
  parser_ =
      std::make_unique<RequestParser>(std::make_unique<BodyStore>(core_.options.spool_folder));
  parser_->header_limit(static_cast<std::uint32_t>(core_.options.head_bytes_max));
  // Bodies are counted here. Without a limit, Boost 1.74 refuses every stated length.
  parser_->body_limit(UINT64_MAX);
  parse();
}

void Connection::read_more() {
  switch (phase_) {
    case Phase::kIdle:
      // An idle connection holds no buffer.
      inbox_.shrink_to_fit();
      tcp().expires_after(milliseconds(core_.options.idle_ms));
      break;
    case Phase::kHead:
      tcp().expires_at(head_deadline_);
      break;
    default:
      tcp().expires_after(milliseconds(core_.options.body_ms));
  }
  read_some([self = shared_from_this()](Code code, size_t count) { self->take_read(code, count); });
}

void Connection::take_read(Code code, size_t count) {
  if (phase_ == Phase::kClosed) {
    return;
  }
  if (code) {
    if (code == boost::beast::error::timeout && phase_ != Phase::kIdle) {
      fail_parse(code);
    } else {
      close();
    }
    return;
  }
  inbox_.append(read_buffer_.data(), count);
  read_buffer_ = std::string();
  parse();
}

void Connection::parse() {
  if (phase_ == Phase::kIdle && !inbox_.empty()) {
    phase_ = Phase::kHead;
    begun_microseconds_ = core_.clock.monotonic_microseconds();
    head_deadline_ = std::chrono::steady_clock::now() + milliseconds(core_.options.head_ms);
  }
  while (!inbox_.empty() && !parser_->is_done()) {
    Code code;
    const size_t used = parser_->put(asio::buffer(inbox_), code);
    inbox_.erase(0, used);
    if (code == http::error::need_more) {
      break;
    }
    if (code) {
      fail_parse(code);
      return;
    }
    if (!head_taken_ && parser_->is_header_done()) {
      head_taken_ = true;
      phase_ = Phase::kBody;
      if (!take_head()) {
        return;
      }
    } else if (used == 0) {
      break;
    }
  }
  if (head_taken_ && parser_->is_done()) {
    dispatch();
  } else if (head_taken_ && inbox_.empty() && parser_->store_->size() == 0 &&
             equals_without_case(parser_->head.value("Expect"), "100-continue")) {
    send_continue();
  } else {
    read_more();
  }
}

bool Connection::take_head() {
  RequestHead& head = parser_->head;
  head.remote = remote_;
  head.secure = tls_ != nullptr;
  keep_alive_ = parser_->keep_alive();
  Status status = check_request(head);
  if (status.ok()) {
    status = split_target(head);
  }
  if (!status.ok()) {
    refuse(400, status.error(), false);
    return false;
  }
  const std::string expectation = head.value("Expect");
  if (!expectation.empty() && !equals_without_case(expectation, "100-continue")) {
    refuse(417, Error(ErrorKind::kUnsupported, "unknown expectation"), false);
    return false;
  }
  admission_ = core_.handler.admit(head);
  if (admission_.refused) {
    refuse(admission_);
    return false;
  }
  parser_->body_max_bytes = admission_.body_max_bytes;
  if (parser_->content_length().value_or(0) > admission_.body_max_bytes) {
    fail_parse(http::error::body_limit);
    return false;
  }
  return true;
}

void Connection::fail_parse(Code code) {
  if (parser_->store_error.has_value()) {
    refuse(503, *parser_->store_error, false);
  } else if (code == http::error::body_limit) {
    refuse(413,
           Error(ErrorKind::kLimit, "the body of the request is too long")
               .with("limit", "max-body")
               .with("max_bytes", admission_.body_max_bytes),
           false);
  } else if (code == http::error::header_limit) {
    refuse(431,
           Error(ErrorKind::kLimit, "the head of the request is too long")
               .with("limit", "head bytes")
               .with("max_bytes", core_.options.head_bytes_max),
           false);
  } else if (code == boost::beast::error::timeout) {
    refuse(408, Error(ErrorKind::kCancelled, "the request did not come in time"), false);
  } else {
    refuse(400,
           Error(ErrorKind::kInvalid, "this is no HTTP/1.1 request").with("reason", code.message()),
           false);
  }
}

bool Connection::body_is_pending() const {
  return !parser_->is_done();
}

void Connection::refuse(unsigned status, const Error& error, bool keep_alive) {
  Admission admission;
  admission.refused = true;
  admission.refusal.status = status;
  admission.refusal.set("Content-Type", "application/json");
  if (!keep_alive) {
    admission.refusal.set("Connection", "close");
  }
  admission.refusal_body = error_json(error);
  refuse(admission);
}

void Connection::refuse(const Admission& admission) {
  phase_ = Phase::kAnswer;
  self_ = shared_from_this();
  // What is left of the body is not waited for.
  const bool keep_alive = keep_alive_ && !body_is_pending();
  exchange_ = std::make_shared<NetExchange>(core_, weak_from_this(), parser_->head,
                                            std::move(parser_->store_), keep_alive);
  exchange_->send(admission.refusal, admission.refusal_body);
}

void Connection::send_continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  for (Field& field : parser_->head.fields) {
    if (equals_without_case(field.name, "Expect")) {
      field.value.clear();  // once is enough
    }
  }
  tcp().expires_after(milliseconds(core_.options.write_ms));
  write_some(kContinue, [self = shared_from_this()](Code code, size_t count) {
    if (code || count != kContinue.size()) {
      self->close();
    } else {
      self->read_more();
    }
  });
}

void Connection::dispatch() {
  phase_ = Phase::kAnswer;
  self_ = shared_from_this();
  if (admission_.form) {
    admission_.lane = core_.handler.lane_of_form(parser_->store_->in_memory());
  }
  exchange_ = std::make_shared<NetExchange>(core_, weak_from_this(), std::move(parser_->head),
                                            std::move(parser_->store_), keep_alive_);
  if (admission_.lane == Lane::kInline) {
    exchange_->answer();
    return;
  }
  WorkerPool& pool = admission_.lane == Lane::kRead    ? core_.reads
                     : admission_.lane == Lane::kWrite ? core_.writes
                                                       : core_.probes;
  const int64_t queued = core_.clock.monotonic_microseconds();
  const bool accepted = pool.submit([exchange = exchange_, queued, &clock = core_.clock] {
    exchange->set_started(clock.monotonic_microseconds() - queued);
    exchange->answer();
  });
  if (!accepted) {
    core_.requests_refused.fetch_add(1);
    const Error error(ErrorKind::kUnavailable, "too many requests are running and waiting");
    ResponseHead head;
    head.status = 503;
    head.set("Retry-After", "1");
    head.set("Content-Type", "application/json");
    exchange_->note(error);
    exchange_->send(std::move(head), error_json(error));
    return;
  }
  watch();
}

// Nothing tells that the peer has closed while nothing is read from it, and reading on would take
// in a next request: so the socket is asked.
void Connection::watch() {
  watch_timer_.expires_after(kWatchInterval);
  watch_timer_.async_wait([self = shared_from_this()](Code code) {
    if (code || self->phase_ != Phase::kAnswer) {
      return;
    }
    pollfd descriptor{self->tcp().socket().native_handle(), POLLRDHUP, 0};
    if (::poll(&descriptor, 1, 0) > 0) {
      self->close();
      return;
    }
    self->watch();
  });
}

void Connection::pump() {
  if (writing_ || phase_ != Phase::kAnswer || exchange_ == nullptr) {
    return;
  }
  if (outgoing_sent_ == outgoing_.size()) {
    NetExchange::Taken taken = exchange_->take();
    outgoing_ = std::move(taken.bytes);
    outgoing_sent_ = 0;
    if (outgoing_.empty()) {
      if (taken.abandoned) {
        close();
      } else if (taken.finished) {
        finish_answer();
      }
      return;
    }
  }
  writing_ = true;
  tcp().expires_after(milliseconds(core_.options.write_ms));
  write_some(std::string_view(outgoing_).substr(outgoing_sent_),
             [self = shared_from_this()](Code code, size_t count) {
               self->writing_ = false;
               if (code) {
                 self->close();
                 return;
               }
               self->outgoing_sent_ += count;
               self->pump();
             });
}

void Connection::report(bool aborted) {
  if (exchange_ == nullptr) {
    return;
  }
  Handler::Outcome outcome = exchange_->outcome();
  outcome.aborted = outcome.aborted || aborted;
  outcome.total_microseconds = core_.clock.monotonic_microseconds() - begun_microseconds_;
  outcome.remote = remote_;
  core_.handler.ended(outcome);
}

void Connection::finish_answer() {
  const std::shared_ptr<Connection> self = std::move(self_);
  watch_timer_.cancel();
  report(false);
  const bool keep_alive = exchange_->keep_alive() && !core_.stopping;
  exchange_.reset();
  outgoing_ = std::string();
  outgoing_sent_ = 0;
  if (keep_alive) {
    begin_request();
  } else {
    phase_ = Phase::kLinger;
    tcp().expires_after(kLingerTime);  // for all of it
    linger();
  }
}

void Connection::linger() {
  if (tls_ != nullptr) {
    tls_->async_shutdown([self = shared_from_this()](Code) { self->close(); });
    return;
  }
  Code code;
  static_cast<void>(plain_->socket().shutdown(asio::ip::tcp::socket::shutdown_send, code));
  if (code) {
    close();
    return;
  }
  read_some([self = shared_from_this()](Code read_code, size_t count) {
    self->lingered_bytes_ += count;
    if (read_code || self->lingered_bytes_ > kLingerBytesMax) {
      self->close();
    } else {
      self->linger();
    }
  });
}

void Connection::begin_stop() {
  keep_alive_ = false;
  if (phase_ == Phase::kIdle || phase_ == Phase::kLinger) {
    close();
  }
}

void Connection::request_stop() {
  if (exchange_ != nullptr) {
    exchange_->request_stop();
  } else {
    close();
  }
}

void Connection::close() {
  if (phase_ == Phase::kClosed) {
    return;
  }
  const std::shared_ptr<Connection> self = std::move(self_);
  const bool answering = phase_ == Phase::kAnswer;
  phase_ = Phase::kClosed;
  watch_timer_.cancel();
  if (exchange_ != nullptr) {
    exchange_->mark_gone();
    if (answering) {
      report(true);
    }
    exchange_.reset();
  }
  tcp().close();
  core_.connections.erase(this);
  core_.open.fetch_sub(1);
}

}  // namespace weft::server
