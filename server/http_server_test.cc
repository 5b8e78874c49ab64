// The network half of the server under a handler of the test's own: many clients, clients that
// leave, slow takers, the end. (Suite name: the thread sanitizer runs it.)
#include "server/http_server.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "server/exchange.h"
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "weft/base/clock.h"

namespace weft::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

// "/echo": the body; "/big": 4 MiB in pieces; "/endless": more than all buffers of two sockets
// take;
// "/wait": until the stop token says so.
class TestHandler final : public Handler {
 public:
  Admission admit(const RequestHead& head) override {
    Admission admission;
    admission.lane = head.path == "/inline" ? Lane::kInline
                     : head.path == "/echo" ? Lane::kWrite
                                            : Lane::kRead;
    admission.body_max_bytes = 1 << 20;
    return admission;
  }
  Lane lane_of_form(std::string_view) override { return Lane::kRead; }
  void handle(Exchange& exchange) override {
    const std::string& path = exchange.head().path;
    if (path == "/big" || path == "/endless") {
      send_pieces(exchange, path == "/big" ? 256 : 65'536);
      return;
    }
    if (path == "/wait") {
      waiting.fetch_add(1);
      while (!exchange.stop().stop_requested()) {
        std::this_thread::sleep_for(1ms);
      }
      waiting.fetch_sub(1);
    }
    std::string body;
    const auto input = exchange.body();
    std::vector<std::byte> piece(4'096);
    for (;;) {
      const size_t count = input->read(piece).value();
      if (count == 0) {
        break;
      }
      body += as_text(ByteView(piece).first(count));
    }
    exchange.send({}, "[" + body + "]");
  }
  void ended(const Outcome& outcome) override {
    ended_count.fetch_add(1);
    aborted_count.fetch_add(outcome.aborted ? 1 : 0);
  }

  std::atomic<int> waiting = 0;
  std::atomic<int> ended_count = 0;
  std::atomic<int> aborted_count = 0;

 private:
  static void send_pieces(Exchange& exchange, int count) {
    exchange.begin({});
    const std::string piece(16'384, 'x');
    for (int i = 0; i < count; ++i) {
      if (!exchange.write(as_bytes(piece)).ok()) {
        return;
      }
    }
    exchange.finish();
  }
};

class Client {
 public:
  explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return;
      }
      text.remove_prefix(static_cast<size_t>(sent));
    }
  }
  // Until `end` is there, or the connection ends.
  std::string receive(std::string_view end) {
    std::string text;
    while (text.find(end) == std::string::npos) {
      char piece[8'192];
      const ssize_t got = ::recv(socket_, piece, sizeof piece, 0);
      if (got <= 0) {
        break;
      }
      text.append(piece, static_cast<size_t>(got));
    }
    return text;
  }

  bool connected = false;

 private:
  int socket_;
};

HttpOptions small() {
  HttpOptions options;
  options.port = 0;
  options.read_threads = 4;
  options.write_threads = 2;
  options.grace_ms = 200;
  options.window_bytes = 64 << 10;
  options.spool_folder = testing::TempDir();
  return options;
}

std::string get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

template <typename Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 5'000 && !condition(); ++i) {
    std::this_thread::sleep_for(1ms);
  }
  return condition();
}

class HttpServerThreads : public testing::Test {
 protected:
  void start(const HttpOptions& options) {
    server_ = std::move(HttpServer::start(options, handler_, clock_)).value();
  }
  base::SystemClock clock_;
  TestHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerThreads, ManyClientsGetTheirOwnAnswers) {
  start(small());
  std::atomic<int> good = 0;
  std::vector<std::jthread> clients;
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      Client client(server_->port());
      for (int i = 0; i < 25; ++i) {
        const std::string body = std::to_string(c * 1'000 + i);
        client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
        good += client.receive("]").find("[" + body + "]") != std::string::npos ? 1 : 0;
      }
    });
  }
  clients.clear();
  EXPECT_EQ(good, 200);
  EXPECT_TRUE(comes_true([&] { return handler_.ended_count == 200; }));
}

TEST_F(HttpServerThreads, RequestsInOnePieceAreAnsweredInOrder) {
  start(small());
  Client client(server_->port());
  client.send(get("/inline") + get("/big") + "POST /echo HTTP/1.1\r\nHost: a\r\n" +
              "Connection: close\r\nContent-Length: 4\r\n\r\nlast");
  const std::string text = client.receive("[last]");
  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_GT(text.size(), size_t{4} << 20U);
  EXPECT_THAT(text, HasSubstr("\r\n0\r\n\r\nHTTP/1.1 200 OK"));
}

TEST_F(HttpServerThreads, WhoLeavesIsNotWorkedForAnyMore) {
  start(small());
  for (int i = 0; i < 4; ++i) {
    Client client(server_->port());
    client.send(get("/wait"));
    ASSERT_TRUE(comes_true([&] { return handler_.waiting == 1; }));
  }
  EXPECT_TRUE(comes_true([&] { return handler_.waiting == 0; }));
  EXPECT_TRUE(comes_true([&] { return handler_.aborted_count == 4; }));
  EXPECT_TRUE(comes_true([&] { return server_->counters().connections == 0; }));
}

TEST_F(HttpServerThreads, WhoTakesNothingHoldsAWindowAndNoMore) {
  HttpOptions options = small();
  options.write_ms = 200;
  start(options);
  Client client(server_->port());
  client.send(get("/endless"));
  EXPECT_TRUE(comes_true([&] { return server_->counters().reads_running == 1; }));
  EXPECT_TRUE(comes_true([&] { return handler_.aborted_count == 1; }));
  EXPECT_TRUE(comes_true([&] { return server_->counters().reads_running == 0; }));
}

TEST_F(HttpServerThreads, TooManyRequestsAreToldToComeBack) {
  HttpOptions options = small();
  options.read_threads = 1;
  options.read_queue_max = 1;
  start(options);
  std::vector<std::unique_ptr<Client>> waiting;
  waiting.push_back(std::make_unique<Client>(server_->port()));
  waiting.back()->send(get("/wait"));
  ASSERT_TRUE(comes_true([&] { return handler_.waiting == 1; }));
  waiting.push_back(std::make_unique<Client>(server_->port()));
  waiting.back()->send(get("/wait"));
  ASSERT_TRUE(comes_true([&] { return server_->counters().reads_waiting == 1; }));
  Client late(server_->port());
  late.send(get("/wait"));
  const std::string text = late.receive("}\n");
  EXPECT_THAT(text, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(text, HasSubstr("Retry-After: 1\r\n"));
}

TEST_F(HttpServerThreads, TheEndCancelsWhatRunsAndWaitsForNobodyElse) {
  HttpOptions options = small();
  options.grace_ms = 50;
  start(options);
  Client idle(server_->port());
  Client half(server_->port());
  half.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12");
  Client running(server_->port());
  running.send(get("/wait"));
  ASSERT_TRUE(comes_true([&] { return handler_.waiting == 1; }));
  const auto begin = std::chrono::steady_clock::now();
  server_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_EQ(handler_.waiting, 0);
  EXPECT_THAT(running.receive("]"), HasSubstr("[]"));
  EXPECT_FALSE(Client(server_->port()).connected);
}

}  // namespace
}  // namespace weft::server
