#include "cli/graph_target.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <pwd.h>
#include <unistd.h>

#include "weft/storage/local_store.h"

namespace weft::cli {
namespace {

std::string login_name() {
  constexpr size_t kEntryBytes = 16'384;
  std::vector<char> buffer(kEntryBytes);
  passwd entry{};
  passwd* found = nullptr;
  const int code = ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found);
  return code == 0 && found != nullptr ? found->pw_name : "";
}

}  // namespace

CLI::Validator not_empty() {
  return CLI::Validator(
      [](const std::string& value) {
        return value.empty() ? "the value is empty; leave the option out instead" : std::string();
      },
      "");
}

void add_graph_options(CLI::App& command, GraphArguments& arguments) {
  command.add_option("graph", arguments.graph, "The graph's folder");
  command.add_option("--store", arguments.store, "The graph's folder, by name of the option");
  command.add_option("--branch", arguments.branch, "The branch (default: main)");
}

void add_time_options(CLI::App& command, GraphArguments& arguments) {
  command
      .add_option("--at,--snapshot", arguments.at,
                  "As it was at this commit, or at this time (2026-11-30T12:00:00Z)")
      ->check(not_empty());
}

void add_actor_option(CLI::App& command, ChangeArguments& arguments) {
  command
      .add_option("--as", arguments.actor, "Who does it (default: WEFT_ACTOR, else the login name)")
      ->check(not_empty());
}

void add_change_options(CLI::App& command, ChangeArguments& arguments) {
  add_actor_option(command, arguments);
  command.add_option("-m,--message", arguments.message, "Why");
  command
      .add_option("--operation", arguments.operation,
                  "An id (ULID) under which the change happens once, however often it is tried")
      ->check(not_empty());
}

void add_condition_option(CLI::App& command, ChangeArguments& arguments) {
  command
      .add_option("--if-commit", arguments.expected_head, "Only if this commit is still the newest")
      ->check(not_empty());
}

Result<std::string> actor_of(const ChangeArguments& arguments) {
  if (!arguments.actor.empty()) {
    return arguments.actor;
  }
  const char* const value =
      std::getenv("WEFT_ACTOR");  // NOLINT(concurrency-mt-unsafe): nobody sets any
  std::string actor = value != nullptr && *value != '\0' ? std::string(value) : login_name();
  if (actor.empty()) {
    return Error(ErrorKind::kInvalid, "nobody is named as who does it: give --as NAME");
  }
  return actor;
}

Result<base::Ulid> parse_id(const std::string& text, std::string_view option) {
  if (text.empty()) {
    return base::Ulid();
  }
  auto parsed = base::Ulid::parse(text);
  if (!parsed.ok()) {
    return Error(ErrorKind::kInvalid, "not an id").with("option", option).with("value", text);
  }
  return parsed;
}

Status read_condition(const ChangeArguments& arguments, base::Ulid& operation,
                      std::optional<base::Ulid>& expected_head) {
  WEFT_TRY(operation, parse_id(arguments.operation, "--operation"));
  WEFT_TRY(const base::Ulid expected, parse_id(arguments.expected_head, "--if-commit"));
  if (!expected.is_none()) {
    expected_head = expected;
  }
  return ok_status();
}

Result<std::unique_ptr<GraphTarget>> GraphTarget::open(const GraphArguments& arguments,
                                                       Session& session, bool create_folder) {
  if (arguments.graph.empty() == arguments.store.empty()) {
    return Error(ErrorKind::kInvalid, "name the graph, as an argument or with --store");
  }
  const std::string& folder = arguments.graph.empty() ? arguments.store : arguments.graph;
  // Branches of tables name the absolute place that they come from.
  std::error_code code;
  const std::filesystem::path absolute = std::filesystem::absolute(folder, code).lexically_normal();
  const std::string path = code ? folder : absolute.string();
  WEFT_TRY(auto store, storage::open_local_store(path, {.create_folder = create_folder}));
  return std::unique_ptr<GraphTarget>(new GraphTarget(std::move(store), session));
}

GraphTarget::GraphTarget(std::unique_ptr<storage::ObjectStore> store, Session& session)
    : store_(std::move(store)), graph_(*store_, clock_, session.executor()) {}

catalog::CatalogPlace GraphTarget::place() {
  return graph_.place(random_);
}

Result<std::shared_ptr<const graph::GraphSnapshot>> GraphTarget::snapshot(
    const GraphArguments& arguments) {
  WEFT_TRY(const graph::GraphPoint point, graph::parse_point(arguments.at, arguments.branch));
  return graph::open_snapshot(place(), point);
}

}  // namespace weft::cli
