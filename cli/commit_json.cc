#include "cli/commit_json.h"

#include <optional>

#include "weft/catalog/branches.h"
#include "weft/schema/moment.h"

namespace weft::cli {
namespace {

void append_id(JsonText& json, std::string_view name, const std::optional<base::Ulid>& id) {
  json.key(name);
  if (id.has_value()) {
    json.value(id->text());
  } else {
    json.null();
  }
}

}  // namespace

void append_commit(JsonText& json, const catalog::CommitRecord& commit, std::string_view branch,
                   bool details) {
  json.begin_object().field("graph_commit_id", commit.id.text()).key("graph_branch");
  if (branch == catalog::kMainBranch) {
    json.null();
  } else {
    json.value(branch);
  }
  json.field("graph_manifest_version", commit.catalog_version);
  append_id(json, "parent_commit_id", commit.parent);
  append_id(json, "merged_parent_commit_id", commit.merged_parent);
  json.field("actor_id", commit.actor)
      .field("created_at", static_cast<uint64_t>(commit.created_at.microseconds));
  if (details) {
    json.field("kind", commit.kind)
        .field("message", commit.message)
        .field("operation_id", commit.operation.text());
  }
  json.end_object();
}

std::string branch_of(const catalog::CatalogPlace& place, const catalog::CommitRecord& commit) {
  std::string_view life = place.life;
  for (const catalog::ForkPoint& fork : place.lineage) {
    if (commit.catalog_version > fork.version) {
      break;
    }
    life = fork.life;
  }
  // A life is the branch's name, a dot and a ULID.
  return std::string(life.empty() ? catalog::kMainBranch
                                  : life.substr(0, life.size() - base::kUlidSize - 1));
}

std::string commit_time(const catalog::CommitRecord& commit) {
  return schema::date_time_text(commit.created_at.microseconds / 1000);
}

}  // namespace weft::cli
