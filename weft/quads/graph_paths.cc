#include "weft/quads/graph_paths.h"

#include <algorithm>
#include <vector>

namespace weft::quads {

std::string absolute_path(std::string_view folder, std::string_view path) {
  std::string joined;
  if (!path.starts_with('/')) {
    joined = std::string(folder) + "/";
  }
  joined += path;
  std::vector<std::string_view> components;
  std::string_view rest = joined;
  while (!rest.empty()) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view component = rest.substr(0, slash);
    if (component == "..") {
      if (!components.empty()) {
        components.pop_back();
      }
    } else if (!component.empty() && component != ".") {
      components.push_back(component);
    }
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  std::string absolute;
  for (const std::string_view component : components) {
    absolute += '/';
    absolute += component;
  }
  return absolute.empty() ? "/" : absolute;
}

}  // namespace weft::quads
