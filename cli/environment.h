// The engine's environment as the command line's options want it.
#pragma once

#include <memory>

#include "cli/session.h"

#include "weft/engine/environment.h"

namespace weft::cli {

// Must not outlive `session`.
std::unique_ptr<engine::Environment> make_environment(Session& session);

}  // namespace weft::cli
