// weft federate --per-source: the query runs on each source by itself, and the answers are put
// together. What stands in several answers comes once; an ASK is true if one of them is.
#pragma once

#include <string>
#include <vector>

#include "cli/query_run.h"

namespace weft::cli {

Status federate_apart(const QueryArguments& arguments, const std::vector<std::string>& targets,
                      engine::Environment& environment, Session& session);

}  // namespace weft::cli
