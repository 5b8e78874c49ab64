// Branches of a graph: names, the lives that they have had, and where each begins.
//
//     WEFT_TRY(const BranchLife life, create_branch(place, "review", {.actor = "ana"}));
//     WEFT_TRY(const CatalogPlace review, open_branch(graph, "review"));
//     WEFT_TRY(const CatalogView head, open_latest(review));
//
// A branch is made by one conditional creation, that of the object `_refs/<name>/<k>`: k counts the
// lives of a name. It copies nothing. Its chain begins with its first write, which forks
// `__manifest` and the tables that it touches into native branches of that life (fork.h). It ends
// with a commit of kind kDeleteBranchKind, the last one of its chain, to which any late writer
// loses.
//
// B1  Of two that create one name, one wins. A name that is created again has another life, whose
//     files never meet those of the one before.
// B2  Whoever finds a branch finds its parent's version on disk, and all that it names
//     (CreateBranchRequest::may_create).
// Format: docs/formats/catalog.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/catalog/catalog.h"

namespace weft::catalog {

inline constexpr std::string_view kMainBranch = "main";
inline constexpr std::string_view kBranchRefsFolder = "_refs/";
inline constexpr std::string_view kDeleteBranchKind = "branch-delete";
inline constexpr uint64_t kBranchRefBytesMax = uint64_t{64} << 10U;
inline constexpr uint64_t kBranchRefFormat = 1;
// Branches of branches: more are kLimit.
inline constexpr size_t kLineageMax = 64;

// One life of a branch, as its ref says. A value.
struct BranchLife {
  std::string branch;
  uint64_t number = 0;  // from 1
  std::string life;     // "<branch>.<ULID>": names native branches
  std::vector<ForkPoint> lineage;
  base::Ulid parent_commit;
  std::string parent_branch;
  base::WallTime created_at;
  std::string actor;
  friend bool operator==(const BranchLife&, const BranchLife&) = default;
};

// The names of Lance branches, but none that ends like a life. Errors: kInvalid, kLimit.
Status check_graph_branch_name(std::string_view name);

// Its chain, whether it has begun, goes on or has ended. `graph` is the place of any branch.
CatalogPlace place_of(const CatalogPlace& graph, const BranchLife& life);

// Errors: kNotFound: there was none of that name; kCorrupt.
Result<BranchLife> find_latest_life(const CatalogPlace& graph, std::string_view branch);
// "main" or the latest life of a branch: one listing, one read. Whether it has ended is seen in its
// newest version (check_goes_on). Errors: as find_latest_life.
Result<CatalogPlace> open_branch(const CatalogPlace& graph, std::string_view branch);
// Errors: kNotFound if the version says that its branch was deleted.
Status check_goes_on(const CatalogView& newest);

// Every life of every branch, ended ones too, by name and number: reads each ref.
Result<std::vector<BranchLife>> list_lives(const CatalogPlace& graph);

// From the version `from` of any chain. Errors: kAlreadyExists; kNotFound if `from` has ended;
// those of the name; that of `may_create`; kRecoveryRequired if it is not known whether it was
// made: look for it.
struct CreateBranchRequest {
  std::string actor;
  std::string parent_branch = std::string(kMainBranch);  // for people
  // Asked just before each request that would create the ref; an error is the end. What `from`
  // names is there only as long as a cleanup knows that its branch goes on, or ended lately.
  std::function<Status()> may_create = {};
};
Result<BranchLife> create_branch(const CatalogPlace& graph, const CatalogView& from,
                                 std::string_view name, const CreateBranchRequest& request);

// Branches that have not ended, without main, ascending by name: a listing, and the newest version
// of each.
struct BranchEntry {
  BranchLife life;
  CatalogView head;
};
Result<std::vector<BranchEntry>> list_branches(const CatalogPlace& graph);

}  // namespace weft::catalog
