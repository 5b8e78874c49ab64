// Branches of a property graph, under its policy. Protocol: docs/protocols/write.md, "Branches".
#pragma once

#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/catalog/branches.h"
#include "weft/graph/authority.h"
#include "weft/graph/snapshot.h"
#include "weft/txn/write.h"

namespace weft::graph {

// From any commit of any branch. Copies nothing. Errors: kAlreadyExists; kNotFound: the point;
// kInvalid: the name; kDenied; kRecoveryRequired.
Result<catalog::BranchLife> create_branch(const catalog::CatalogPlace& place,
                                          const Authority& authority, std::string_view name,
                                          const GraphPoint& from = {});

// Ends a branch with a last commit. Errors: kNotFound; kInvalid: main; kDenied; those of
// txn::write.
Result<txn::Receipt> delete_branch(const catalog::CatalogPlace& place, const Authority& authority,
                                   std::string_view name, const std::string& message = {});

}  // namespace weft::graph
