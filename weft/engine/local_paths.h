// Paths of the local disk that name a graph: its folder, which becomes a store, and its name there.
#pragma once

#include <string>

#include "weft/base/result.h"

namespace weft::engine {

struct SplitPath {
  std::string folder;  // never empty: "." or "/" at least
  std::string leaf;    // empty if the path ends in a slash
};
SplitPath split_path(const std::string& path);

// Without links and dots. Errors: kNotFound.
Result<std::string> absolute_folder(const std::string& folder);

}  // namespace weft::engine
