#include "weft/graph/branch.h"

#include <utility>

namespace weft::graph {

Result<catalog::BranchLife> create_branch(const catalog::CatalogPlace& place,
                                          const Authority& authority, std::string_view name,
                                          const GraphPoint& from) {
  WEFT_TRY_STATUS(check_authority(authority, Action::kBranchCreate, name));
  WEFT_TRY(const catalog::CatalogPlace parent, catalog::open_branch(place, from.branch));
  WEFT_TRY(const auto graph, open_snapshot(place, from));
  return catalog::create_branch(parent, graph->view(), name,
                                {.actor = authority.actor, .parent_branch = from.branch});
}

Result<txn::Receipt> delete_branch(const catalog::CatalogPlace& place, const Authority& authority,
                                   std::string_view name, const std::string& message) {
  WEFT_TRY_STATUS(check_authority(authority, Action::kBranchDelete, name, message));
  WEFT_TRY(const catalog::CatalogPlace branch, catalog::open_branch(place, name));
  return txn::delete_branch(branch, {.actor = authority.actor, .message = message});
}

}  // namespace weft::graph
