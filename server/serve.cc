#include "server/serve.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace weft::server {
namespace {

constexpr auto kUpkeepInterval = std::chrono::seconds(1);
constexpr auto kTokensInterval = std::chrono::seconds(1);
// Between looks at a graph behind a URL.
constexpr auto kRemoteInterval = std::chrono::seconds(15);

// Calls graph.maintain(), or refresh() where nothing is written, now and then until `stop`.
void keep_up(engine::LiveGraph& graph, AccessLog& log, bool writes, bool is_remote,
             const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::string last;
  while (!stop.stop_requested()) {
    const Status status = writes ? graph.maintain(stop) : graph.refresh();
    const std::string error = status.ok() ? "" : status.error().to_string();
    // Once for each thing that goes wrong, not once a second.
    if (error != last && !stop.stop_requested()) {
      log.event(error.empty() ? "upkeep-recovered" : "upkeep-failed", error);
      last = error;
    }
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, is_remote ? kRemoteInterval : kUpkeepInterval,
                     [] { return false; });
  }
}

// Takes changed tokens over now and then until `stop`.
void watch_tokens(Service& service, const ServiceOptions& options, AccessLog& log,
                  const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::string last;
  while (!stop.stop_requested()) {
    Result<std::optional<TokenTable>> tokens = options.changed_tokens();
    const std::string error = tokens.ok() ? "" : tokens.error().to_string();
    if (tokens.ok() && tokens->has_value()) {
      service.set_tokens(*std::move(*tokens));
      log.event("tokens-read", "");
    } else if (error != last && !error.empty()) {
      log.event("tokens-unreadable", error);
    }
    last = error;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, kTokensInterval, [] { return false; });
  }
}

std::string url_of(const HttpOptions& http, uint16_t port, const std::string& prefix) {
  const bool v6 = http.bind.find(':') != std::string::npos;
  return (http.certificate_file.empty() ? "http://" : "https://") +
         (v6 ? "[" + http.bind + "]" : http.bind) + ":" + std::to_string(port) + prefix;
}

}  // namespace

Status serve(engine::Environment& environment, engine::LiveGraph& graph, ServeOptions options,
             std::stop_token stop, const std::function<void(const std::string& url)>& ready) {
  WEFT_TRY(const std::unique_ptr<AccessLog> log,
           AccessLog::open(options.access_log, environment.clock()));
  const std::string prefix = options.service.path_prefix;
  const bool writes = !options.service.read_only;
  const bool is_remote = engine::is_url(options.service.target);
  Service service(environment, graph, *log, std::move(options.service));
  WEFT_TRY(const std::unique_ptr<HttpServer> http,
           HttpServer::start(options.http, service, environment.clock()));
  service.watch(http.get());
  std::jthread upkeep([&graph, &log, writes, is_remote](const std::stop_token& end) {
    keep_up(graph, *log, writes, is_remote, end);
  });
  std::jthread token_watch;
  if (service.options().changed_tokens != nullptr) {
    token_watch = std::jthread([&service, &log](const std::stop_token& end) {
      watch_tokens(service, service.options(), *log, end);
    });
  }
  ready(url_of(options.http, http->port(), prefix));
  {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, std::move(stop), [] { return false; });
  }
  log->event("stopping", "");
  upkeep.request_stop();
  token_watch.request_stop();
  http->stop();
  if (upkeep.joinable()) {
    upkeep.join();
  }
  if (token_watch.joinable()) {
    token_watch.join();
  }
  service.watch(nullptr);
  const Status closed = graph.close();
  log->event("stopped", closed.ok() ? "" : closed.error().to_string());
  return closed;
}

}  // namespace weft::server
