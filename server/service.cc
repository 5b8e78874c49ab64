// Routing, rights, shared fields, errors.

#include "server/service.h"

#include <algorithm>

#include "server/outward.h"
#include "server/service_parts.h"

#include "weft/base/random.h"

namespace weft::server {
namespace {

std::unique_ptr<Outward> make_outward(engine::Environment& environment,
                                      const ServiceOptions& options) {
  base::Random random = base::Random::from_system();
  return std::make_unique<Outward>(environment, random, options.allow_service, options.load_from);
}

// "127.0.0.1:7878", "[::1]:7878", "localhost": no name that somebody else could own.
bool is_address(std::string_view host) {
  const bool is_v6 = host.starts_with('[');
  const std::string_view name =
      is_v6 ? host.substr(0, host.find(']')) : host.substr(0, host.find(':'));
  return is_v6 || equals_without_case(name, "localhost") ||
         (!name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace

Service::Service(engine::Environment& environment, engine::LiveGraph& graph, AccessLog& log,
                 ServiceOptions options)
    : environment_(environment),
      graph_(graph),
      log_(log),
      options_(std::move(options)),
      tokens_(std::make_shared<const TokenTable>(options_.tokens)),
      image_(std::make_unique<SnapshotImage>()),
      outward_(make_outward(environment, options_)) {}

Service::~Service() = default;

Service::Route Service::route_of(const RequestHead& head) const {
  std::string_view path = head.path;
  if (!path.starts_with(options_.path_prefix)) {
    return {};
  }
  path.remove_prefix(options_.path_prefix.size());
  const bool folder = path.size() > 1 && path.ends_with('/');
  const std::string_view name = folder ? path.substr(0, path.size() - 1) : path;
  using enum Route::Place;
  if (name.empty() || name == "/") {
    return {.place = kRoot};
  }
  if (name == "/sparql") {
    return {.place = kSparql, .operations = Operations::kBoth};
  }
  if (name == "/query") {
    return {.place = kSparql, .operations = Operations::kQuery};
  }
  if (name == "/update") {
    return {.place = kSparql, .operations = Operations::kUpdate};
  }
  for (const std::string_view store : {"/store", "/data"}) {
    if (name == store) {
      return {.place = kStore};
    }
    if (path.starts_with(store) && path[store.size()] == '/') {
      return {.place = kStore, .direct = true};
    }
  }
  constexpr std::array<std::pair<std::string_view, Route::Place>, 5> kOthers = {
      {{"/snapshot.rete", kSnapshot},
       {"/health", kHealth},
       {"/metrics", kMetrics},
       {"/admin/seal", kSeal},
       {"/admin/compact", kCompact}}};
  for (const auto& [known, place] : kOthers) {
    if (name == known) {
      return {.place = place};
    }
  }
  return {};
}

Right Service::needed_right(const RequestHead& head, const Route& route) const {
  const bool reads = head.method == Method::kGet || head.method == Method::kHead;
  const Right for_reading = options_.token_for_reads ? Right::kRead : Right::kNone;
  switch (route.place) {
    case Route::Place::kNone:
    case Route::Place::kHealth:
      return Right::kNone;
    case Route::Place::kRoot:
    case Route::Place::kSnapshot:
    case Route::Place::kMetrics:
      return for_reading;
    case Route::Place::kStore:
      return reads ? for_reading : Right::kWrite;
    case Route::Place::kSeal:
    case Route::Place::kCompact:
      return Right::kWrite;
    case Route::Place::kSparql: {
      const std::optional<MediaType> type = parse_media_type(head.value("Content-Type"));
      const bool updates = route.operations == Operations::kUpdate ||
                           (type.has_value() && type->name == "application/sparql-update");
      return updates && !reads ? Right::kWrite : for_reading;
    }
  }
  std::unreachable();
}

std::shared_ptr<const TokenTable> Service::tokens() const {
  const base::MutexLock lock(tokens_mutex_);
  return tokens_;
}

void Service::set_tokens(TokenTable tokens) {
  auto table = std::make_shared<const TokenTable>(std::move(tokens));
  const base::MutexLock lock(tokens_mutex_);
  if (!table->empty() || tokens_->empty()) {
    tokens_ = std::move(table);
  }
}

Status Service::authorise(const RequestHead& head, Right needed) const {
  const std::shared_ptr<const TokenTable> known = tokens();
  if (needed == Right::kNone || known->empty()) {
    return ok_status();
  }
  const std::string field = head.value("Authorization");
  const std::optional<std::string_view> token = bearer_token(field);
  const Right right = token.has_value() ? known->right_of(*token) : Right::kNone;
  if (right >= needed) {
    return ok_status();
  }
  if (right == Right::kNone) {
    return http_error(401, ErrorKind::kDenied,
                      token.has_value() ? "this token is not known" : "a bearer token is needed");
  }
  return Error(ErrorKind::kDenied, "this token does not allow to write");
}

Status Service::check_origin(const RequestHead& head) const {
  const std::string origin = head.value("Origin");
  if (origin.empty()) {
    return ok_status();
  }
  // A name may have been made to lead here by whoever owns it (DNS rebinding); an address cannot.
  const bool is_own =
      origin == own_url(head) && (!options_.base_url.empty() || is_address(head.value("Host")));
  const bool allowed =
      is_own || std::any_of(options_.origins.begin(), options_.origins.end(),
                            [&](const auto& known) { return known == "*" || known == origin; });
  if (!allowed) {
    return Error(ErrorKind::kDenied, "pages of this origin may not write here; see --cors")
        .with("origin", origin);
  }
  return ok_status();
}

Status Service::check_head(const RequestHead& head, const Route& route) const {
  using enum Route::Place;
  if (route.place == kNone) {
    return Error(ErrorKind::kNotFound, "there is nothing at this path").with("path", head.path);
  }
  WEFT_TRY_STATUS(outward_->check_circle(head));
  const Right needed = needed_right(head, route);
  WEFT_TRY_STATUS(authorise(head, needed));
  if (needed == Right::kWrite) {
    WEFT_TRY_STATUS(check_origin(head));
    if (options_.read_only) {
      return Error(ErrorKind::kDenied, "this server is read-only");
    }
  }
  const bool reads = head.method == Method::kGet || head.method == Method::kHead;
  switch (route.place) {
    case kSparql:
      return check_sparql_head(head, route.operations);
    case kStore: {
      const bool known = reads || head.method == Method::kPut || head.method == Method::kPost ||
                         head.method == Method::kDelete || head.method == Method::kPatch;
      return known ? ok_status()
                   : http_error(405, ErrorKind::kInvalid,
                                "take GET, HEAD, PUT, POST, DELETE or PATCH");
    }
    case kSeal:
    case kCompact:
      return head.method == Method::kPost ? ok_status()
                                          : http_error(405, ErrorKind::kInvalid, "take POST");
    default:
      return reads ? ok_status() : http_error(405, ErrorKind::kInvalid, "take GET or HEAD");
  }
}

Admission Service::admit(const RequestHead& head) {
  Admission admission;
  const Route route = route_of(head);
  if (head.method == Method::kOptions) {
    admission.refused = true;  // answered without a body being read
    admission.refusal.status = 204;
    add_shared_fields(head, admission.refusal);
    if (head.has("Access-Control-Request-Method")) {
      admission.refusal.set("Access-Control-Allow-Methods",
                            "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS");
      admission.refusal.set("Access-Control-Allow-Headers",
                            "Authorization, Content-Type, If-Match, If-None-Match, Range, Timeout");
      admission.refusal.set("Access-Control-Max-Age", "600");
    } else {
      admission.refusal.set("Allow", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS");
    }
    return admission;
  }
  if (const Status status = check_head(head, route); !status.ok()) {
    admission.refused = true;
    admission.refusal.status = status_of(status.error());
    add_shared_fields(head, admission.refusal);
    add_error_fields(status.error(), admission.refusal);
    admission.refusal_body = error_json(status.error());
    return admission;
  }
  using enum Route::Place;
  const bool has_body = head.method != Method::kGet && head.method != Method::kHead;
  admission.body_max_bytes = has_body ? options_.body_max_bytes : kUnusedBodyBytesMax;
  switch (route.place) {
    case kHealth:
    case kMetrics:
      admission.lane = Lane::kProbe;
      break;
    case kSeal:
    case kCompact:
      admission.lane = Lane::kWrite;
      break;
    case kSparql:
      admission.form = has_body && is_form(head);
      admission.lane = needed_right(head, route) == Right::kWrite ? Lane::kWrite : Lane::kRead;
      if (has_body) {
        admission.body_max_bytes = std::min(admission.body_max_bytes, kOperationBytesMax);
      }
      break;
    case kStore:
      admission.lane = has_body ? Lane::kWrite : Lane::kRead;
      break;
    default:
      admission.lane = Lane::kRead;
  }
  return admission;
}

Lane Service::lane_of_form(std::string_view start) {
  // Nothing but an update is longer than what stays in memory, as a rule.
  return start.empty() || form_updates(start) ? Lane::kWrite : Lane::kRead;
}

void Service::handle(Exchange& exchange) {
  const Route route = route_of(exchange.head());
  const auto answer = [&]() -> Status {
    using enum Route::Place;
    switch (route.place) {
      case kRoot:
        if (options_.query_page &&
            exchange.head().value("Accept").find("text/html") != std::string::npos) {
          send_page(exchange);
          return ok_status();
        }
        return answer_description(exchange);
      case kSparql:
        return handle_sparql(exchange, route.operations);
      case kStore:
        return handle_graph_store(exchange, route);
      case kSnapshot:
        return send_snapshot(exchange);
      case kSeal:
      case kCompact:
        return handle_admin(exchange, route);
      case kHealth:
        send_health(exchange);
        return ok_status();
      case kMetrics:
        send_metrics(exchange);
        return ok_status();
      case kNone:
        break;
    }
    return Error(ErrorKind::kNotFound, "there is nothing at this path");
  };
  if (const Status status = answer(); !status.ok()) {
    fail(exchange, status.error());
  }
}

void Service::ended(const Outcome& outcome) {
  metrics_.count(outcome);
  log_.write(outcome);
}

void Service::add_shared_fields(const RequestHead& request, ResponseHead& head) const {
  if (options_.origins.empty()) {
    return;
  }
  const std::string origin = request.value("Origin");
  const bool any =
      std::find(options_.origins.begin(), options_.origins.end(), "*") != options_.origins.end();
  if (any) {
    head.set("Access-Control-Allow-Origin", "*");
  } else {
    const std::string* const vary = head.find("Vary");
    head.set("Vary", vary == nullptr ? "Origin" : *vary + ", Origin");
    if (std::find(options_.origins.begin(), options_.origins.end(), origin) ==
        options_.origins.end()) {
      return;
    }
    head.set("Access-Control-Allow-Origin", origin);
  }
  head.set("Access-Control-Expose-Headers",
           "ETag, Location, Retry-After, Weft-Generation, Weft-Sequence");
}

ResponseHead Service::make_head(const Exchange& exchange, unsigned status) const {
  ResponseHead head;
  head.status = status;
  add_shared_fields(exchange.head(), head);
  return head;
}

void add_error_fields(const Error& error, ResponseHead& head) {
  head.set("Content-Type", "application/json");
  head.set("Cache-Control", "no-store");
  switch (head.status) {
    case 401:
      head.set("WWW-Authenticate", "Bearer realm=\"weft\"");
      break;
    case 405:
      head.set("Allow", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS");
      break;
    case 503:
      if (error.kind() == ErrorKind::kUnavailable) {
        head.set("Retry-After", "1");
      }
      break;
    default:
      break;
  }
}

void Service::fail(Exchange& exchange, const Error& error) {
  exchange.note(error);
  ResponseHead head = make_head(exchange, status_of(error));
  add_error_fields(error, head);
  exchange.send(std::move(head), error_json(error));
}

std::string Service::own_url(const RequestHead& head) const {
  if (!options_.base_url.empty()) {
    return options_.base_url;
  }
  std::string url = (head.secure ? "https://" : "http://") + head.value("Host");
  return is_absolute_iri(url) && url.find('/', 8) == std::string::npos ? url : "http://localhost";
}

Result<uint64_t> Service::timeout_ms(const RequestHead& head,
                                     const std::optional<std::string>& parameter) const {
  std::string text = head.value("Timeout");
  if (text.empty() && parameter.has_value()) {
    text = *parameter;
  }
  if (text.empty()) {
    return options_.timeout_ms;
  }
  const std::optional<uint64_t> wanted = parse_seconds(text);
  if (!wanted.has_value()) {
    return Error(ErrorKind::kInvalid, "the timeout is no positive number of seconds")
        .with("timeout", text);
  }
  return std::min(*wanted, options_.timeout_max_ms);
}

}  // namespace weft::server
