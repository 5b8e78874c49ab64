// Tags and native branches of a table. Upstream is changing how they are kept: everything that
// knows it is in refs.cc and branch_create.cc. Format: docs/formats/lance.md, "Tags and branches".
//
// B1  A tag or branch is made by one conditional creation of its ref; of two creators one wins.
// B2  A branch's first version is in place before its ref is, and a ref is gone before its tree: a
//     ref that is found has a tree, but for what others' tools leave.
// B3  Leftovers of an unfinished creation or deletion are taken over or removed by the next
//     creation under that name; nothing of another branch below it is touched.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/table/snapshot.h"
#include "weft/lance/table/stage.h"

namespace weft::lance {

// Longer refs are kLimit.
inline constexpr uint64_t kRefBytesMax = uint64_t{1} << 20U;

struct Tag {
  std::string name;
  std::string branch;  // "": main
  uint64_t version = 0;
};

struct Branch {
  std::string name;
  std::string parent;  // "": main
  uint64_t parent_version = 0;
  int64_t created_seconds = 0;
  // Pairs of version and life, one for each branch point from main on; empty if there are none.
  std::vector<std::pair<uint64_t, std::string>> lives;
};

// Errors: kCorrupt names the ref that cannot be read.
Result<std::vector<Tag>> list_tags(const TableLocation& table);
Result<std::vector<Branch>> list_branches(const TableLocation& table);
// Errors: kNotFound.
Result<Tag> find_tag(const TableLocation& table, const std::string& name);
Result<Branch> find_branch(const TableLocation& table, const std::string& name);

// Tags the version of `snapshot`, of whatever branch. Errors: kAlreadyExists; kInvalid: the name.
Status create_tag(const Snapshot& snapshot, const std::string& name, const StageOptions& options);
Status delete_tag(const TableLocation& table, const std::string& name);

// A branch from the version of `snapshot`; its first version has the same number. The store's
// location must be absolute, as engines resolve base paths against their own folder.
// Errors: kAlreadyExists; kInvalid: the name, or the location.
Result<Snapshot> create_branch(const Snapshot& snapshot, const std::string& name,
                               const StageOptions& options);
// The bytes of that first version: its manifest and transaction, for who stages them himself.
Result<StagedTransaction> stage_branch(const Snapshot& snapshot, const std::string& name,
                                       const StageOptions& options);
// The ref of a branch that stage_branch staged, to be put after it. `life` is the branch's own
// identifier. Errors: kCorrupt; those of reading the ref of the branch that it comes from.
Result<StagedObject> stage_branch_ref(const Snapshot& snapshot, const StagedTransaction& branch,
                                      const std::string& life, const StageOptions& options);
// Errors: kNotFound; kConflict if another branch or a tag starts from it.
Status delete_branch(const TableLocation& table, const std::string& name);

}  // namespace weft::lance
