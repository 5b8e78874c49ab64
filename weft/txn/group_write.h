// One publication for several writers: see write_queue.h.
#pragma once

#include <optional>
#include <vector>

#include "weft/base/result.h"
#include "weft/txn/write.h"

namespace weft::txn {

struct GroupMember {
  const WriteRequest* request = nullptr;
  const Prepare* prepare = nullptr;
  std::optional<Result<Receipt>> result;  // set when it is done
};

// Sets the result of each. The place knows (catalog/known_state.h).
void write_group(const catalog::CatalogPlace& place, const std::vector<GroupMember*>& members);

// One writer alone, whatever the place's queue.
Result<Receipt> write_alone(const catalog::CatalogPlace& place, const WriteRequest& request,
                            const Prepare& prepare);

}  // namespace weft::txn
