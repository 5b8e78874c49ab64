// Commits as the program prints them.
#pragma once

#include <string>
#include <string_view>

#include "cli/json_text.h"

#include "weft/catalog/catalog.h"

namespace weft::cli {

// {"graph_commit_id":…, "graph_branch":null, "graph_manifest_version":…, "parent_commit_id":…,
//  "merged_parent_commit_id":…, "actor_id":…, "created_at":…}, as OmniGraph prints it; times are
// microseconds since 1970. With `details` also "kind", "message" and "operation_id". `branch`: that
// the commit was made on.
void append_commit(JsonText& json, const catalog::CommitRecord& commit, std::string_view branch,
                   bool details = false);
// The branch on which a commit of the chain of `place` was made.
std::string branch_of(const catalog::CatalogPlace& place, const catalog::CommitRecord& commit);
std::string commit_time(const catalog::CommitRecord& commit);

}  // namespace weft::cli
