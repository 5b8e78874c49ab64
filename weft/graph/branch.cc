#include "weft/graph/branch.h"

#include <utility>

#include "weft/txn/write_steps.h"

namespace weft::graph {
namespace {

// The newest version is found without the schema.
Result<catalog::CatalogView> view_at(const catalog::CatalogPlace& place,
                                     const catalog::CatalogPlace& branch, const GraphPoint& point) {
  if (std::holds_alternative<Newest>(point.at)) {
    return catalog::open_latest(branch);
  }
  WEFT_TRY(const auto graph, open_snapshot(place, point));
  return graph->view();
}

}  // namespace

Result<catalog::BranchLife> create_branch(const catalog::CatalogPlace& place,
                                          const Authority& authority, std::string_view name,
                                          const GraphPoint& from) {
  WEFT_TRY_STATUS(check_authority(authority, Action::kBranchCreate, name));
  const int64_t began_us = place.clock.monotonic_microseconds();
  WEFT_TRY(const catalog::CatalogPlace parent, catalog::open_branch(place, from.branch));
  WEFT_TRY(const catalog::CatalogView view, view_at(place, parent, from));
  return catalog::create_branch(
      parent, view, name,
      {.actor = authority.actor, .parent_branch = from.branch, .may_create = [&] {
         return txn::check_lifetime(place, began_us);
       }});
}

Result<txn::Receipt> delete_branch(const catalog::CatalogPlace& place, const Authority& authority,
                                   std::string_view name, const std::string& message) {
  WEFT_TRY_STATUS(check_authority(authority, Action::kBranchDelete, name, message));
  WEFT_TRY(const catalog::CatalogPlace branch, catalog::open_branch(place, name));
  return txn::delete_branch(branch, {.actor = authority.actor, .message = message});
}

}  // namespace weft::graph
