#include "server/http_server.h"

#include <algorithm>
#include <thread>

#include "server/http_connection.h"
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <openssl/ssl.h>

namespace weft::server {
namespace {

namespace asio = boost::asio;
using Code = boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr int kListenBacklog = 1024;
// After accept() failed (too many open files), the next try.
constexpr auto kAcceptPause = std::chrono::milliseconds(50);
constexpr auto kStopPoll = std::chrono::milliseconds(10);
// From the stop tokens to the end of the connections.
constexpr uint64_t kCancelMs = 2'000;

Error refusal(ErrorKind kind, std::string_view what, const Code& code, const HttpOptions& options) {
  return Error(kind, std::string(what))
      .with("address", options.bind + ":" + std::to_string(options.port))
      .with("reason", code.message());
}

Result<Tcp::endpoint> endpoint_of(const HttpOptions& options) {
  Code code;
  const asio::ip::address address =
      asio::ip::make_address(options.bind == "localhost" ? "127.0.0.1" : options.bind, code);
  if (code) {
    return refusal(ErrorKind::kInvalid, "no address to listen on", code, options);
  }
  return Tcp::endpoint(address, options.port);
}

Status set_up_tls(asio::ssl::context& tls, const HttpOptions& options) {
  Code code;
  static_cast<void>(
      tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                          asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                          asio::ssl::context::no_tlsv1_1,
                      code));
  static_cast<void>(tls.use_certificate_chain_file(options.certificate_file, code));
  if (code) {
    return Error(ErrorKind::kInvalid, "cannot use the certificate")
        .with("file", options.certificate_file)
        .with("reason", code.message());
  }
  static_cast<void>(tls.use_private_key_file(options.key_file, asio::ssl::context::pem, code));
  if (code || SSL_CTX_check_private_key(tls.native_handle()) != 1) {
    return Error(ErrorKind::kInvalid, "cannot use the key, or it is not the certificate's")
        .with("file", options.key_file);
  }
  return ok_status();
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpOptions& options, Handler& handler, const base::Clock& clock)
      : core_(options, handler, clock), acceptor_(core_.io), pause_(core_.io) {}
  ~BeastServer() override { stop(); }
  BeastServer(const BeastServer&) = delete;
  BeastServer& operator=(const BeastServer&) = delete;

  Status listen() {
    const HttpOptions& options = core_.options;
    if (!options.certificate_file.empty()) {
      core_.tls.emplace(asio::ssl::context::tls_server);
      WEFT_TRY_STATUS(set_up_tls(*core_.tls, options));
    }
    WEFT_TRY(const Tcp::endpoint endpoint, endpoint_of(options));
    Code code;
    static_cast<void>(acceptor_.open(endpoint.protocol(), code));
    if (!code) {
      static_cast<void>(acceptor_.set_option(asio::socket_base::reuse_address(true), code));
    }
    if (!code) {
      static_cast<void>(acceptor_.bind(endpoint, code));
    }
    if (!code) {
      static_cast<void>(acceptor_.listen(kListenBacklog, code));
    }
    if (code) {
      const bool denied = code == asio::error::access_denied;
      return refusal(denied ? ErrorKind::kDenied : ErrorKind::kUnavailable, "cannot listen", code,
                     options);
    }
    port_ = acceptor_.local_endpoint(code).port();
    accept();
    thread_ = std::thread([this] { core_.io.run(); });
    return ok_status();
  }

  uint16_t port() const override { return port_; }

  HttpCounters counters() const override {
    return {.connections = core_.open,
            .connections_total = core_.opened,
            .connections_refused = core_.refused,
            .requests_refused = core_.requests_refused,
            .reads_running = core_.reads.running(),
            .reads_waiting = core_.reads.waiting(),
            .writes_running = core_.writes.running(),
            .writes_waiting = core_.writes.waiting()};
  }

  void stop() override {
    if (!thread_.joinable()) {
      return;
    }
    asio::post(core_.io, [this] {
      core_.stopping = true;
      Code code;
      static_cast<void>(acceptor_.close(code));
      for_each_connection([](Connection& connection) { connection.begin_stop(); });
    });
    wait_for_connections(core_.options.grace_ms);
    asio::post(core_.io, [this] {
      for_each_connection([](Connection& connection) { connection.request_stop(); });
    });
    wait_for_connections(kCancelMs);
    asio::post(core_.io,
               [this] { for_each_connection([](Connection& connection) { connection.close(); }); });
    // What the workers still do ends at its next look at its stop token.
    core_.reads.drain();
    core_.writes.drain();
    core_.probes.drain();
    asio::post(core_.io, [this] {
      pause_.cancel();
      core_.io.stop();
    });
    thread_.join();
  }

 private:
  template <typename Visit>
  void for_each_connection(Visit visit) {
    // Visiting may close, which changes the set.
    std::vector<std::shared_ptr<Connection>> alive;
    for (Connection* const connection : core_.connections) {
      if (auto pointer = connection->weak_from_this().lock()) {
        alive.push_back(std::move(pointer));
      }
    }
    for (const auto& connection : alive) {
      visit(*connection);
    }
  }

  void wait_for_connections(uint64_t limit_ms) {
    const auto deadline = std::chrono::steady_clock::now() +
                          std::chrono::milliseconds(static_cast<int64_t>(limit_ms));
    while (core_.open != 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kStopPoll);
    }
  }

  void accept() {
    acceptor_.async_accept([this](Code code, Tcp::socket socket) {
      if (core_.stopping || code == asio::error::operation_aborted) {
        return;
      }
      if (code) {
        pause_.expires_after(kAcceptPause);
        pause_.async_wait([this](Code paused) {
          if (!paused) {
            accept();
          }
        });
        return;
      }
      take(std::move(socket));
      accept();
    });
  }

  void take(Tcp::socket socket) {
    if (core_.open < core_.options.connections_max) {
      std::make_shared<Connection>(core_, std::move(socket))->start();
      return;
    }
    core_.refused.fetch_add(1);
    if (!core_.tls.has_value()) {
      static constexpr std::string_view kFull =
          "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
          "Connection: close\r\n\r\n";
      Code code;
      static_cast<void>(socket.non_blocking(true, code));
      socket.write_some(asio::buffer(kFull.data(), kFull.size()), code);
      static_cast<void>(socket.shutdown(Tcp::socket::shutdown_send, code));
    }
  }

  Core core_;
  Tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::thread thread_;
  uint16_t port_ = 0;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpOptions& options, Handler& handler,
                                                      const base::Clock& clock) {
  auto server = std::make_unique<BeastServer>(options, handler, clock);
  WEFT_TRY_STATUS(server->listen());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace weft::server
