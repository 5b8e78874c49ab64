// A small data file that waits in memory, to be put together with the other objects of its
// operation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/table/stage.h"
#include "weft/storage/object_store.h"

namespace weft::lance {

// Bytes up to `bytes_max` are kept and handed to `held` under `name` by publish(), which then
// touches no store; once they are more, everything goes to `store` as it comes. Both references
// must outlive the writer.
std::unique_ptr<storage::ObjectWriter> held_file(storage::ObjectStore& store, std::string name,
                                                 uint64_t bytes_max,
                                                 std::vector<StagedObject>& held);

}  // namespace weft::lance
