// Several objects that never change and whose sizes are known, read side by side: one read of parts
// of any of them is one step, whatever their number.
//
//     const auto group = open_group(store, {{"a.run", 8'192}, {"b.run", 4'096}});
//     WEFT_TRY(const auto parts, group->read({{0, {8'000, 192}}, {1, {4'000, 96}}}));
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

struct GroupMember {
  std::string name;
  uint64_t size = 0;
  // A part that others will ask for again and again, a little at a time; {} if there is none. A
  // store that remembers may read all of it at once (object_memory.h, R4).
  Range often = {};
};

struct GroupPart {
  size_t member = 0;
  Range range;
};

// Not thread-safe.
class ObjectGroup {
 public:
  virtual ~ObjectGroup() = default;
  // In their order. Members are opened when they are first read. Errors: those of opening and of
  // reading; kInvalid if a range leaves its member; kCorrupt, with fact object, if a member has
  // another size.
  virtual Result<std::vector<Buffer>> read(const std::vector<GroupPart>& parts,
                                           std::stop_token stop = {}) = 0;
};

// A store that reads groups in a way of its own, or hands them on.
class GroupOpener {
 public:
  virtual ~GroupOpener() = default;
  virtual std::unique_ptr<ObjectGroup> open_group(std::vector<GroupMember> members) = 0;
};

// `store` must outlive the group. Reads nothing. If the store is no GroupOpener, its members are
// foreseen together (prefetch) and read one by one, in their order.
std::unique_ptr<ObjectGroup> open_group(ObjectStore& store, std::vector<GroupMember> members);

// For implementations. Errors: kInvalid.
Status check_parts(const std::vector<GroupMember>& members, const std::vector<GroupPart>& parts);

}  // namespace weft::storage
