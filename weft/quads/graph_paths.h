// Paths by text alone; no file is looked at.
#pragma once

#include <string>
#include <string_view>

namespace weft::quads {

// `path` as an absolute one without "." and ".." components, seen from `folder` (absolute) if it is
// relative.
std::string absolute_path(std::string_view folder, std::string_view path);

}  // namespace weft::quads
