// Commits as the program prints them.
#pragma once

#include "cli/json_text.h"

#include "weft/catalog/records.h"

namespace weft::cli {

// {"graph_commit_id":…, "graph_branch":null, "graph_manifest_version":…, "parent_commit_id":…,
//  "merged_parent_commit_id":…, "actor_id":…, "created_at":…}, as OmniGraph prints it; times are
// microseconds since 1970. With `details` also "kind", "message" and "operation_id".
void append_commit(JsonText& json, const catalog::CommitRecord& commit, bool details = false);
std::string commit_time(const catalog::CommitRecord& commit);

}  // namespace weft::cli
