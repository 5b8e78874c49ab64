// Groups of a remembering store (object_memory.h).
#pragma once

#include <memory>
#include <vector>

#include "weft/storage/object_group.h"
#include "weft/storage/object_memory.h"

namespace weft::storage {

// `inner`, `memory` and `keeps` must outlive the group.
std::unique_ptr<ObjectGroup> remembering_group(ObjectStore& inner, ObjectMemory& memory,
                                               const Keeps& keeps,
                                               std::vector<GroupMember> members);

}  // namespace weft::storage
