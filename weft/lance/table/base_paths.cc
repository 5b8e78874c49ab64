#include "weft/lance/table/base_paths.h"

#include <utility>

#include "weft/lance/table/names.h"

namespace weft::lance {

Result<std::string> absolute_place(const TableLocation& location) {
  const std::string where = location.store->location();
  if (!where.starts_with('/') && where.find(':') == std::string::npos) {
    return Error(ErrorKind::kInvalid, "a branch needs a store opened by its absolute path")
        .with("location", where);
  }
  const std::string folder = location.folder();
  return folder.empty() ? where : join_name(where, folder);
}

Result<std::vector<BasePath>> base_paths_here(const Snapshot& version) {
  std::vector<BasePath> bases = version.manifest().base_paths;
  if (!version.manifest().branch) {
    return bases;
  }
  for (BasePath& base : bases) {
    TableLocation own = version.location();
    own.branch = base.name.value_or("");
    const auto folder = version.base_folder(base.id, "");
    // What lies elsewhere than in the table stays where it is said to be.
    if (base.is_dataset_root && folder.ok() && *folder == join_name(own.folder(), "")) {
      WEFT_TRY(base.path, absolute_place(own));
    }
  }
  return bases;
}

}  // namespace weft::lance
