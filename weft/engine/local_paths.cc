#include "weft/engine/local_paths.h"

#include <array>
#include <climits>
#include <cstdlib>

namespace weft::engine {

SplitPath split_path(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return {".", path};
  }
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Result<std::string> absolute_folder(const std::string& folder) {
  std::array<char, PATH_MAX> resolved{};
  if (::realpath(folder.c_str(), resolved.data()) == nullptr) {
    return Error(ErrorKind::kNotFound, "cannot find a folder").with("folder", folder);
  }
  return std::string(resolved.data());
}

}  // namespace weft::engine
