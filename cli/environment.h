// The engine's environment as the command line's options want it.
#pragma once

#include <memory>

#include "cli/session.h"

#include "weft/engine/environment.h"
#include "weft/exec/service_client.h"

namespace weft::cli {

// Must not outlive `session`.
std::unique_ptr<engine::Environment> make_environment(Session& session);

// SERVICE for a command of the user's own: any endpoint. Its time begins now; 0 seconds: no limit.
std::unique_ptr<exec::ServiceClient> make_service_client(engine::Environment& environment,
                                                         double timeout_seconds);

}  // namespace weft::cli
