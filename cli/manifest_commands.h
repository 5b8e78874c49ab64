// Subcommands of `weft manifest` that stand in files of their own.
#pragma once

#include "cli/session.h"
#include <CLI/CLI.hpp>

namespace weft::cli {

void add_status(CLI::App& group, Action& action);

}  // namespace weft::cli
