// weft serve.

#include "server/serve.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/text_file.h"
#include <fmt/format.h>

#include "weft/base/process_memory.h"
#include "weft/engine/live_graph.h"

namespace weft::cli {
namespace {

constexpr uint64_t kTokenFileBytesMax = uint64_t{1} << 20U;

struct ServeArguments {
  std::string target;
  std::string bind = "127.0.0.1:7878";
  std::string certificate_file;
  std::string key_file;
  std::string token;
  std::string token_file;
  std::string authenticate = "write";
  bool anonymous_writes = false;
  bool read_only = false;
  std::optional<std::string> journal_path;
  std::string access_log = "-";
  std::string prefix;
  std::string base_url;
  std::vector<std::string> origins;
  std::vector<std::string> allow_service;
  std::vector<std::string> load_from;
  bool query_page = false;
  double timeout_seconds = 60;
  double timeout_max_seconds = 600;
  double grace_seconds = 10;
  uint64_t body_max_mib = 4096;
  uint64_t query_memory_mib = 0;
  size_t connections_max = 4096;
  size_t queries_max = 0;
  size_t updates_max = 32;
  std::string scratch_folder = "/var/tmp";
  engine::MaintenancePolicy policy;
  uint64_t seal_mib = policy.seal_bytes >> 20U;
  double seal_age_seconds = static_cast<double>(policy.seal_age_ms) / 1000;
  double sweep_after_seconds = static_cast<double>(policy.sweep_after_ms) / 1000;
};

// "127.0.0.1:7878", "[::1]:7878", "localhost:7878", ":7878" (loopback) or a port alone.
Status split_bind(const std::string& text, server::HttpOptions& http) {
  const size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const bool digits =
      !port.empty() && port.size() <= 5 &&
      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  const unsigned long number = digits ? std::strtoul(port.c_str(), nullptr, 10) : 65'536;
  if (number > 65'535) {
    return Error(ErrorKind::kInvalid, "take --bind ADDRESS:PORT").with("--bind", text);
  }
  http.bind = host.empty() ? "127.0.0.1" : host;
  http.port = static_cast<uint16_t>(number);
  return ok_status();
}

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

// The tokens of the command line, and those of the file, whose text is left in `text`.
Result<server::TokenTable> read_tokens(const std::string& token, const std::string& file,
                                       std::string& text) {
  server::TokenTable tokens;
  if (!token.empty()) {
    WEFT_TRY_STATUS(tokens.add(token, server::Right::kWrite));
  }
  if (!file.empty()) {
    WEFT_TRY(text, read_text_file(file, kTokenFileBytesMax));
    server::TokenTable of_file;
    WEFT_TRY_STATUS(of_file.add_lines(text));
    if (of_file.empty()) {
      return Error(ErrorKind::kInvalid, "the token file holds no token").with("file", file);
    }
    WEFT_TRY_STATUS(tokens.add_lines(text));
  }
  return tokens;
}

Status fill_tokens(const ServeArguments& arguments, server::ServiceOptions& service) {
  std::string text;
  WEFT_TRY(service.tokens, read_tokens(arguments.token, arguments.token_file, text));
  if (!arguments.token_file.empty()) {
    service.changed_tokens = [token = arguments.token, file = arguments.token_file,
                              last = text]() mutable -> Result<std::optional<server::TokenTable>> {
      std::string now;
      WEFT_TRY(server::TokenTable tokens, read_tokens(token, file, now));
      if (now == last) {
        return std::optional<server::TokenTable>();
      }
      last = std::move(now);
      return std::optional<server::TokenTable>(std::move(tokens));
    };
  }
  service.token_for_reads = arguments.authenticate == "all";
  if (service.token_for_reads && service.tokens.empty()) {
    return Error(ErrorKind::kInvalid, "--authenticate all needs --token or --token-file");
  }
  return ok_status();
}

uint64_t milliseconds(double seconds) {
  return std::max<uint64_t>(1, static_cast<uint64_t>(seconds * 1000));
}

Result<server::ServeOptions> options_of(const ServeArguments& arguments, Session& session) {
  server::ServeOptions options;
  server::HttpOptions& http = options.http;
  WEFT_TRY_STATUS(split_bind(arguments.bind, http));
  if (arguments.certificate_file.empty() != arguments.key_file.empty()) {
    return Error(ErrorKind::kInvalid, "TLS needs both --tls-certificate and --tls-key");
  }
  http.certificate_file = arguments.certificate_file;
  http.key_file = arguments.key_file;
  http.connections_max = arguments.connections_max;
  http.read_threads = arguments.queries_max != 0
                          ? arguments.queries_max
                          : std::max<size_t>(4, 2 * session.executor().width());
  http.read_queue_max = 16 * http.read_threads;
  http.write_threads = arguments.updates_max;
  http.write_queue_max = 16 * http.write_threads;
  http.grace_ms = milliseconds(arguments.grace_seconds);
  http.spool_folder = arguments.scratch_folder;
  server::ServiceOptions& service = options.service;
  service.target = arguments.target;
  service.read_only = arguments.read_only;
  WEFT_TRY_STATUS(fill_tokens(arguments, service));
  if (!is_loopback(http.bind) && service.tokens.empty() && !service.read_only &&
      !arguments.anonymous_writes) {
    return Error(ErrorKind::kInvalid,
                 "anybody who reaches this address could write: give --token or --token-file, or "
                 "--read-only, or --anonymous-writes if that is meant")
        .with("--bind", arguments.bind);
  }
  service.path_prefix = arguments.prefix;
  if (!service.path_prefix.empty() &&
      (!service.path_prefix.starts_with('/') || service.path_prefix.ends_with('/'))) {
    return Error(ErrorKind::kInvalid, "a prefix begins with a slash and does not end with one")
        .with("--prefix", arguments.prefix);
  }
  service.base_url = arguments.base_url;
  service.origins = arguments.origins;
  service.allow_service = arguments.allow_service;
  service.load_from = arguments.load_from;
  service.query_page = arguments.query_page;
  service.timeout_max_ms = milliseconds(arguments.timeout_max_seconds);
  service.timeout_ms = std::min(milliseconds(arguments.timeout_seconds), service.timeout_max_ms);
  service.body_max_bytes = arguments.body_max_mib << 20U;
  service.query_memory_bytes =
      arguments.query_memory_mib != 0
          ? arguments.query_memory_mib << 20U
          : std::max<uint64_t>(session.memory_bytes() / http.read_threads, uint64_t{32} << 20U);
  service.spool_folder = arguments.scratch_folder;
  options.access_log = arguments.access_log == "none" ? "" : arguments.access_log;
  return options;
}

Status run_serve(const ServeArguments& arguments, Session& session) {
  // A pipe that is closed is an error of its write, not the end of the server.
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(concurrency-mt-unsafe): before threads start
  WEFT_TRY(server::ServeOptions options, options_of(arguments, session));
  const auto environment = make_environment(session);
  engine::LiveOptions live;
  live.access = arguments.read_only ? engine::Access::kReadOnly : engine::Access::kReadWrite;
  live.journal_path = arguments.journal_path;
  live.holder = "weft serve " + arguments.bind;
  live.policy = arguments.policy;
  if (live.policy.compact_percent == 0) {
    live.policy.compact_segments = 0;
  }
  live.policy.seal_bytes = arguments.seal_mib << 20U;
  live.policy.seal_age_ms = static_cast<int64_t>(arguments.seal_age_seconds * 1000);
  live.policy.sweep_after_ms = static_cast<int64_t>(arguments.sweep_after_seconds * 1000);
  auto opened = engine::LiveGraph::open(*environment, arguments.target, live);
  if (!opened.ok() && opened.error().fact("reason") == "locked") {
    Error error = std::move(opened).error();
    error.add("remedy", "weft serve --read-only serves the same graph beside the one who writes");
    return error;
  }
  WEFT_TRY(const auto graph, std::move(opened));
  if (const auto repaired = graph->facts().repaired; repaired.has_value()) {
    session.note(
        fmt::format("weft: the journal had a torn tail, which was cut: {} bytes at {} ({})",
                    repaired->cut_bytes, repaired->cut_offset, repaired->cut_reason));
  }
  return server::serve(
      *environment, *graph, std::move(options), session.stop(), [&](const std::string& url) {
        session.note(fmt::format("weft: serving {} at {}/sparql", arguments.target, url));
      });
}

void add_limits(CLI::App& command, ServeArguments& arguments) {
  command.add_option("--timeout", arguments.timeout_seconds, "Seconds a request may take")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1e7));
  command
      .add_option("--timeout-max", arguments.timeout_max_seconds,
                  "Most seconds that a request may ask for (field Timeout)")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1e7));
  command.add_option("--grace", arguments.grace_seconds, "Seconds for running requests at the end")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e5));
  command.add_option("--max-body", arguments.body_max_mib, "Longest body in MiB")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 24));
  command
      .add_option("--query-memory", arguments.query_memory_mib,
                  "Memory of one query in MiB (default: --memory by the number of queries)")
      ->check(CLI::Range(1, 1 << 24));
  command.add_option("--max-connections", arguments.connections_max, "Connections at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command
      .add_option("--max-queries", arguments.queries_max,
                  "Queries that run at once (default: two per core, at least 4)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--max-updates", arguments.updates_max, "Updates under way at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--scratch", arguments.scratch_folder,
                  "Folder for working files (long bodies, snapshots)")
      ->capture_default_str();
}

void add_maintenance(CLI::App& command, ServeArguments& arguments) {
  constexpr double kSecondsMax = 1e9;
  command
      .add_option("--seal-size", arguments.seal_mib,
                  "Seal when the journal has so many MiB; 0: not by size")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 20));
  command
      .add_option("--seal-changes", arguments.policy.seal_changes,
                  "Seal when it holds so many changes; 0: not by number")
      ->capture_default_str();
  command
      .add_option("--seal-age", arguments.seal_age_seconds,
                  "Seal so many seconds after its oldest change; 0: not by age")
      ->capture_default_str()
      ->check(CLI::Range(0.0, kSecondsMax));
  command
      .add_option("--compact-percent", arguments.policy.compact_percent,
                  "Compact when entries behind the base hold this part of it; 0: never")
      ->capture_default_str()
      ->check(CLI::Range(0, 100'000));
  command
      .add_option("--sweep-after", arguments.sweep_after_seconds,
                  "Remove files that are named no more after so many seconds; negative: never")
      ->capture_default_str()
      ->check(CLI::Range(-1.0, kSecondsMax));
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "serve",
      "Answer SPARQL queries and updates over HTTP\n\n"
      "Example: weft serve my.rete-manifest.json --bind 127.0.0.1:7878\n"
      "         curl --data-urlencode 'query=SELECT * WHERE { ?s ?p ?o } LIMIT 10' "
      "http://127.0.0.1:7878/sparql\n"
      "SIGTERM or SIGINT ends it in order; docs/guide/serve.md tells more");
  const auto arguments = std::make_shared<ServeArguments>();
  command->add_option("target", arguments->target, "A .rete file, a manifest, or a URL of either")
      ->required();
  command->add_option("--bind", arguments->bind, "ADDRESS:PORT; port 0 is any")
      ->capture_default_str();
  command->add_option("--journal", arguments->journal_path,
                      "The journal (default: the target's name with .changes)");
  command->add_flag("--read-only", arguments->read_only, "Take no updates");
  command->add_option("--token", arguments->token, "Bearer token that writing needs");
  command->add_option("--token-file", arguments->token_file,
                      "Tokens, one a line: TOKEN or sha256:HEX, then perhaps read or write");
  command->add_option("--authenticate", arguments->authenticate, "What needs a token")
      ->capture_default_str()
      ->check(CLI::IsMember({"write", "all"}));
  command->add_flag("--anonymous-writes", arguments->anonymous_writes,
                    "Take updates without a token on an address that others reach");
  command->add_option("--tls-certificate", arguments->certificate_file, "PEM chain: HTTPS");
  command->add_option("--tls-key", arguments->key_file, "PEM key of the certificate");
  command->add_option("--cors", arguments->origins,
                      "Origin whose pages may use the server, or *; may be repeated");
  command->add_option("--allow-service", arguments->allow_service,
                      "Prefix of URLs that SERVICE and LOAD may reach, or *; may be repeated "
                      "(default: none)");
  command->add_option("--load-from", arguments->load_from,
                      "Prefix of IRIs that LOAD may read as well, such as file:///srv/rdf/");
  command->add_option("--access-log", arguments->access_log, "File, - (standard error) or none")
      ->capture_default_str();
  command->add_option("--prefix", arguments->prefix, "In front of every path, such as /ds");
  command->add_option("--base-url", arguments->base_url,
                      "https://example.org as clients see it, behind a proxy");
  command->add_flag("--with-query-page", arguments->query_page, "A page at / to type queries in");
  add_limits(*command, *arguments);
  add_maintenance(*command, *arguments);
  command->callback([arguments, &action] {
    base::keep_freed_memory();
    action = [arguments](Session& s) { return run_serve(*arguments, s); };
  });
}

}  // namespace weft::cli
