// One connection of the HTTP server, and what all connections share. Only for http_server.cc and
// http_connection.cc: it includes Boost.
//
// Everything here runs on the one thread of `Core::io`, but for NetExchange, whose answering half
// workers use.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "server/body_store.h"
#include "server/exchange.h"
#include "server/http_server.h"
#include "server/worker_pool.h"
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include "weft/base/mutex.h"

namespace weft::server {

class Connection;

struct Core {
  Core(const HttpOptions& options_in, Handler& handler_in, const base::Clock& clock_in)
      : options(options_in),
        handler(handler_in),
        clock(clock_in),
        reads(options.read_threads, options.read_queue_max),
        writes(options.write_threads, options.write_queue_max),
        probes(1, options.read_queue_max) {}

  const HttpOptions options;
  Handler& handler;
  const base::Clock& clock;
  boost::asio::io_context io{1};
  std::optional<boost::asio::ssl::context> tls;
  WorkerPool reads;
  WorkerPool writes;
  WorkerPool probes;
  std::set<Connection*> connections;
  bool stopping = false;
  std::atomic<uint64_t> open = 0;
  std::atomic<uint64_t> opened = 0;
  std::atomic<uint64_t> refused = 0;
  std::atomic<uint64_t> requests_refused = 0;
};

class NetExchange;

// Collects one request.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  explicit RequestParser(std::unique_ptr<BodyStore> store) : store_(std::move(store)) {}

  RequestHead head;
  uint64_t body_max_bytes = 0;
  std::unique_ptr<BodyStore> store_;
  std::optional<Error> store_error;

 private:
  using Text = boost::beast::string_view;
  using Code = boost::beast::error_code;
  void on_request_impl(boost::beast::http::verb, Text method, Text target, int version,
                       Code&) override;
  void on_response_impl(int, Text, int, Code&) override {}
  void on_field_impl(boost::beast::http::field, Text name, Text value, Code&) override;
  void on_header_impl(Code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, Code&) override {}
  std::size_t on_body_impl(Text body, Code& code) override;
  void on_chunk_header_impl(std::uint64_t, Text, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t remain, Text body, Code& code) override;
  void on_finish_impl(Code&) override {}
};

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Core& core, boost::asio::ip::tcp::socket socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  // Sends what the exchange has ready. Called on the thread of `io`.
  void pump();
  // N4: closes if no request is under way; else this request is the last.
  void begin_stop();
  void request_stop();
  void close();

 private:
  using Code = boost::beast::error_code;
  using TlsStream = boost::asio::ssl::stream<boost::beast::tcp_stream>;
  enum class Phase : uint8_t { kIdle, kHead, kBody, kAnswer, kLinger, kClosed };

  boost::beast::tcp_stream& tcp();
  template <typename Take>
  void read_some(Take take);
  template <typename Take>
  void write_some(std::string_view bytes, Take take);

  void begin_request();
  void read_more();
  void take_read(Code code, size_t count);
  void parse();
  // False if the request is refused.
  bool take_head();
  void fail_parse(Code code);
  void refuse(unsigned status, const Error& error, bool keep_alive);
  void refuse(const Admission& admission);
  void send_continue();
  void dispatch();
  void watch();
  void finish_answer();
  void linger();
  void report(bool aborted);
  bool body_is_pending() const;

  Core& core_;
  // One of the two.
  std::unique_ptr<boost::beast::tcp_stream> plain_;
  std::unique_ptr<TlsStream> tls_;
  std::string remote_;
  boost::asio::steady_timer watch_timer_;
  Phase phase_ = Phase::kIdle;
  std::string inbox_;
  std::string read_buffer_;
  std::string outgoing_;  // being written
  size_t outgoing_sent_ = 0;
  bool writing_ = false;
  bool keep_alive_ = true;
  bool head_taken_ = false;
  std::unique_ptr<RequestParser> parser_;
  Admission admission_;
  std::shared_ptr<NetExchange> exchange_;
  // Holds the connection while an answer is made and no operation of the network does.
  std::shared_ptr<Connection> self_;
  int64_t begun_microseconds_ = 0;
  std::chrono::steady_clock::time_point head_deadline_;
  uint64_t lingered_bytes_ = 0;
};

// The exchange that workers see. Its connection may be gone before it.
class NetExchange final : public Exchange, public std::enable_shared_from_this<NetExchange> {
 public:
  NetExchange(Core& core, std::weak_ptr<Connection> connection, RequestHead head,
              std::unique_ptr<BodyStore> store, bool keep_alive);

  const RequestHead& head() const override { return head_; }
  uint64_t body_bytes() const override { return store_->size(); }
  std::unique_ptr<codec::InputStream> body() override { return store_->reader(); }
  std::stop_token stop() const override { return stop_.get_token(); }
  void send(ResponseHead head, std::string body) override;
  void begin(ResponseHead head) override;
  Status write(ByteView bytes) override;
  void finish() override;
  void abandon() override;
  void note(const Error& error) override;

  // Runs the handler and sees to it that there is an answer.
  void answer();

  // ---- for the connection
  // ------------------------------------------------------------------------
  struct Taken {
    std::string bytes;
    bool finished = false;
    bool abandoned = false;
  };
  // What is to be sent; those bytes count as unsent until the next call.
  Taken take();
  void mark_gone();
  void request_stop() { stop_.request_stop(); }
  void forbid_keep_alive() { keep_alive_ = false; }
  bool keep_alive() const { return keep_alive_; }
  Handler::Outcome outcome() const;
  void set_started(int64_t microseconds) { started_microseconds_ = microseconds; }

 private:
  std::string head_text(ResponseHead& head);
  void wake_connection();

  Core& core_;
  std::weak_ptr<Connection> connection_;
  RequestHead head_;
  std::unique_ptr<BodyStore> store_;
  std::stop_source stop_;
  std::atomic<bool> keep_alive_;
  std::atomic<int64_t> started_microseconds_ = 0;
  bool chunked_ = false;  // of the worker
  bool without_body_ = false;

  mutable base::Mutex mutex_;
  base::Condition drained_;
  std::string pending_ WEFT_GUARDED_BY(mutex_);
  size_t in_flight_ WEFT_GUARDED_BY(mutex_) = 0;
  bool begun_ WEFT_GUARDED_BY(mutex_) = false;
  bool finished_ WEFT_GUARDED_BY(mutex_) = false;
  bool abandoned_ WEFT_GUARDED_BY(mutex_) = false;
  bool gone_ WEFT_GUARDED_BY(mutex_) = false;
  bool wake_posted_ WEFT_GUARDED_BY(mutex_) = false;
  unsigned status_ WEFT_GUARDED_BY(mutex_) = 0;
  uint64_t sent_bytes_ WEFT_GUARDED_BY(mutex_) = 0;
  std::string error_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::server
