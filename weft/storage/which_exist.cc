#include "weft/storage/which_exist.h"

namespace weft::storage {

Result<std::vector<bool>> which_exist(ObjectStore& store, const std::vector<std::string>& names) {
  if (auto* const asker = dynamic_cast<ManyAsker*>(&store); asker != nullptr) {
    return asker->which_exist(names);
  }
  std::vector<bool> found;
  found.reserve(names.size());
  for (const std::string& name : names) {
    const auto opened = store.open(name);
    if (!opened.ok() && opened.error().kind() != ErrorKind::kNotFound) {
      return opened.error();
    }
    found.push_back(opened.ok());
  }
  return found;
}

}  // namespace weft::storage
