// The property graph that a command works on: a folder, and which state of it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/session.h"
#include <CLI/CLI.hpp>

#include "weft/base/clock.h"
#include "weft/base/random.h"
#include "weft/catalog/catalog.h"
#include "weft/graph/authority.h"
#include "weft/graph/open_graph.h"
#include "weft/graph/snapshot.h"
#include "weft/storage/object_store.h"

namespace weft::cli {

struct GraphArguments {
  std::string graph;
  std::string store;  // the same by name: --store
  std::string branch = std::string(graph::kMainBranch);
  std::string at;
};
// For options whose value chooses a state, a condition or a name: an empty one, as an unset
// variable of a script gives, is refused and not taken for an option that was not given.
CLI::Validator not_empty();
// The graph, as an argument or by --store, and --branch.
void add_graph_options(CLI::App& command, GraphArguments& arguments);
// --at.
void add_time_options(CLI::App& command, GraphArguments& arguments);

// An open store and all that working on a graph in it needs. Must not outlive the session.
class GraphTarget {
 public:
  // Errors: kInvalid: no graph, or two, named; kNotFound; those of the store.
  static Result<std::unique_ptr<GraphTarget>> open(const GraphArguments& arguments,
                                                   Session& session, bool create_folder = false);

  catalog::CatalogPlace place();
  // At the commit or time that the arguments name.
  Result<std::shared_ptr<const graph::GraphSnapshot>> snapshot(const GraphArguments& arguments);
  storage::ObjectStore& store() { return *store_; }

 private:
  GraphTarget(std::unique_ptr<storage::ObjectStore> store, Session& session);

  std::unique_ptr<storage::ObjectStore> store_;
  base::SystemClock clock_;
  base::Random random_ = base::Random::from_system();
  // What a command has read it does not read again.
  graph::OpenGraph graph_;
};

// Who a change is by, and why: options of commands that change a graph.
struct ChangeArguments {
  std::string actor;
  std::string message;
  std::string operation;
  std::string expected_head;
};
// --as.
void add_actor_option(CLI::App& command, ChangeArguments& arguments);
// --as, -m, --operation.
void add_change_options(CLI::App& command, ChangeArguments& arguments);
// --if-commit.
void add_condition_option(CLI::App& command, ChangeArguments& arguments);
// What --operation and --if-commit say; none where they are not given. Errors: kInvalid.
Status read_condition(const ChangeArguments& arguments, base::Ulid& operation,
                      std::optional<base::Ulid>& expected_head);
// --as, else WEFT_ACTOR, else the login name. Errors: kInvalid: none of them.
Result<std::string> actor_of(const ChangeArguments& arguments);
// None if the text is empty. Errors: kInvalid names the option.
Result<base::Ulid> parse_id(const std::string& text, std::string_view option);

}  // namespace weft::cli
