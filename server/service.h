// The HTTP service over one live graph: which path does what, who may, and the answers. Document:
// docs/protocols/http.md
//
// V1  Each query runs on one snapshot; its answer names it (ETag, Weft-Generation, Weft-Sequence).
// V2  A write needs the right to write, and an Origin that is allowed where a browser sends one: a
//     page elsewhere cannot make a visitor's browser write to a server on their machine.
// V3  SERVICE and LOAD reach only what the allow-lists name, follow no redirect, and never come
// back
//     to this server: requests name the servers that they came through (Weft-Via).
// V4  An error before the first byte of an answer has its own status; later the answer breaks off.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "server/access_log.h"
#include "server/exchange.h"
#include "server/http_server.h"
#include "server/metrics.h"
#include "server/sparql_protocol.h"
#include "server/tokens.h"

#include "weft/base/mutex.h"
#include "weft/engine/environment.h"
#include "weft/engine/live_graph.h"

namespace weft::server {

class Outward;
class UnnamedFile;

struct ServiceOptions {
  std::string target;  // path or URL of what is served
  bool read_only = false;
  TokenTable tokens;
  // Asked about once a second: the tokens as they are now, or nullopt if they are as before. After
  // an error those before stay. Null: tokens never change.
  std::function<Result<std::optional<TokenTable>>()> changed_tokens;
  bool token_for_reads = false;
  std::string path_prefix;           // "/ds": in front of every path
  std::string base_url;              // "https://example.org" as clients see it; empty: from Host
  std::vector<std::string> origins;  // CORS; "*": any
  std::vector<std::string> allow_service;  // prefixes of URLs that SERVICE and LOAD may reach
  std::vector<std::string> load_from;      // prefixes of IRIs that LOAD may read as well
  uint64_t timeout_ms = 60'000;
  uint64_t timeout_max_ms = 600'000;
  uint64_t body_max_bytes = uint64_t{4} << 30U;
  uint64_t query_memory_bytes = uint64_t{256} << 20U;  // of one query
  bool query_page = false;
  std::string spool_folder = "/tmp";
};

// Thread-safe.
class Service final : public Handler {
 public:
  // All must outlive the service.
  Service(engine::Environment& environment, engine::LiveGraph& graph, AccessLog& log,
          ServiceOptions options);
  ~Service() override;

  Admission admit(const RequestHead& head) override;
  Lane lane_of_form(std::string_view start) override;
  void handle(Exchange& exchange) override;
  void ended(const Outcome& outcome) override;

  // What /metrics says about connections. Null: nothing any more.
  void watch(const HttpServer* server) { server_ = server; }
  const ServiceOptions& options() const { return options_; }
  // For all requests that begin from now on. A service with tokens never goes without.
  void set_tokens(TokenTable tokens);

 private:
  struct Route;
  Route route_of(const RequestHead& head) const;
  // The right that the request needs as far as its head tells.
  Right needed_right(const RequestHead& head, const Route& route) const;
  std::shared_ptr<const TokenTable> tokens() const;
  Status authorise(const RequestHead& head, Right needed) const;
  Status check_origin(const RequestHead& head) const;
  Status check_head(const RequestHead& head, const Route& route) const;

  void add_shared_fields(const RequestHead& request, ResponseHead& head) const;
  ResponseHead make_head(const Exchange& exchange, unsigned status) const;
  void fail(Exchange& exchange, const Error& error);
  std::string own_url(const RequestHead& head) const;
  // The request's own time limit. Errors: kInvalid.
  Result<uint64_t> timeout_ms(const RequestHead& head,
                              const std::optional<std::string>& parameter) const;
  Result<std::string> body_text(Exchange& exchange, uint64_t max_bytes) const;
  Result<engine::UpdateOptions> update_options(const Exchange& exchange);
  // Adds what the operations reach, and runs them.
  Result<engine::UpdateReceipt> run_update(Exchange& exchange, const std::string& text,
                                           engine::UpdateOptions& options);

  Status handle_sparql(Exchange& exchange, Operations operations);
  Status answer_query(Exchange& exchange, const SparqlRequest& request);
  Status answer_update(Exchange& exchange, const SparqlRequest& request);
  Status answer_description(Exchange& exchange);
  Status handle_graph_store(Exchange& exchange, const Route& route);
  Status read_graph(Exchange& exchange, const std::optional<std::string>& graph);
  Status write_graph(Exchange& exchange, const std::optional<std::string>& graph,
                     bool created_name);
  Status delete_graph(Exchange& exchange, const std::optional<std::string>& graph);
  Status patch_graph(Exchange& exchange, const std::optional<std::string>& graph);
  Result<engine::UpdateReceipt> load_body(Exchange& exchange,
                                          const std::optional<std::string>& graph);
  Result<std::shared_ptr<UnnamedFile>> image_of(engine::Snapshot& snapshot,
                                                const std::stop_token& stop);
  Status send_snapshot(Exchange& exchange);
  // A segment as bytes, wherever they are.
  struct Image {
    uint64_t size = 0;
    std::function<Status(uint64_t offset, std::span<std::byte> out)> read;
  };
  Status send_image(Exchange& exchange, const Image& image, ResponseHead answer,
                    const std::string& tag);
  Status handle_admin(Exchange& exchange, const Route& route);
  void send_health(Exchange& exchange);
  void send_metrics(Exchange& exchange);
  void send_page(Exchange& exchange);
  void send_receipt(Exchange& exchange, const engine::UpdateReceipt& receipt, unsigned status,
                    const std::string& location);

  engine::Environment& environment_;
  engine::LiveGraph& graph_;
  AccessLog& log_;
  const ServiceOptions options_;
  mutable base::Mutex tokens_mutex_;
  std::shared_ptr<const TokenTable> tokens_ WEFT_GUARDED_BY(tokens_mutex_);
  Metrics metrics_;
  std::atomic<const HttpServer*> server_ = nullptr;
  struct SnapshotImage;
  std::unique_ptr<SnapshotImage> image_;
  const std::unique_ptr<Outward> outward_;
};

// The entity tag of one representation of a state: the state's tag, a point, a name for the format.
// If-Match compares what stands before the point.
std::string entity_tag(const std::string& state_tag, std::string_view format, Coding coding);
std::string_view state_of_entity_tag(std::string_view entity_tag);

}  // namespace weft::server
