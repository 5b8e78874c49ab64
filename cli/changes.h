// weft commit changes.
#pragma once

#include <string>

#include "cli/graph_target.h"
#include "cli/session.h"
#include <CLI/CLI.hpp>

namespace weft::cli {

struct ChangesArguments {
  GraphArguments target;
  std::string id;
  std::string kind;       // "node", "edge"; empty: both
  std::string type;       // empty: all
  std::string operation;  // "insert", "update", "delete"; empty: all
};
// Below `weft commit`.
void add_commit_changes(CLI::App& commit, Action& action);

}  // namespace weft::cli
