// Subcommands of `weft manifest` that stand in files of their own.
#pragma once

#include <string>

#include "cli/session.h"
#include <CLI/CLI.hpp>

namespace weft::cli {

void add_status(CLI::App& group, Action& action);
void add_seal(CLI::App& group, Action& action);

// Seals the journal beside `manifest` if it holds anything, so that what is added next stands
// behind it. If another process is writing, it is left alone, and said so.
Status seal_first(const std::string& manifest, Session& session);

}  // namespace weft::cli
