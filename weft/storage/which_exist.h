// Which of several objects are there, asked at once.
#pragma once

#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

// A store that can ask for several in one round trip, or hands such a question on.
class ManyAsker {
 public:
  virtual ~ManyAsker() = default;
  virtual Result<std::vector<bool>> which_exist(const std::vector<std::string>& names) = 0;
};

// In their order. Reads no bytes. One by one if the store is no ManyAsker. Errors: those of the
// store.
Result<std::vector<bool>> which_exist(ObjectStore& store, const std::vector<std::string>& names);

}  // namespace weft::storage
