// The commands of the program. Each add_… gives `app` a subcommand and, when the command line
// chooses it, leaves in `action` what to run. Arguments live as long as the returned lambdas.
#pragma once

#include "cli/session.h"
#include <CLI/CLI.hpp>

namespace weft::cli {

void add_build(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_dump(CLI::App& app, Action& action);
void add_merge(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_count(CLI::App& app, Action& action);
void add_federate(CLI::App& app, Action& action);
void add_query(CLI::App& app, Action& action);
void add_manifest(CLI::App& app, Action& action);
void add_update(CLI::App& app, Action& action);
void add_journal(CLI::App& app, Action& action);
void add_lance(CLI::App& app, Action& action);
void add_lint(CLI::App& app, Action& action);
void add_init(CLI::App& app, Action& action);
void add_load(CLI::App& app, Action& action);
void add_mutate(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_commit(CLI::App& app, Action& action);
void add_snapshot(CLI::App& app, Action& action);
void add_branch(CLI::App& app, Action& action);
void add_graph_diff(CLI::App& app, Action& action);
void add_cleanup(CLI::App& app, Action& action);
void add_repair(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);

}  // namespace weft::cli
