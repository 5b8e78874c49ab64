#include "weft/schema/schema.h"

#include <algorithm>
#include <array>

#include "weft/schema/scanner.h"

namespace weft::schema {
namespace {

template <typename T>
void sort_by_name(std::vector<T>& types) {
  std::sort(types.begin(), types.end(), [](const T& a, const T& b) { return a.name < b.name; });
}

template <typename T>
const T* find_by_name(const std::vector<T>& types, std::string_view name) {
  const auto found =
      std::lower_bound(types.begin(), types.end(), name,
                       [](const T& type, std::string_view wanted) { return type.name < wanted; });
  return found == types.end() || found->name != name ? nullptr : &*found;
}

constexpr std::array<std::string_view, 6> kReserved = {
    "_rowid", "_rowaddr", "_rowoffset", "_row_created_at_version", "_row_last_updated_at_version",
    "id"};
constexpr std::array<std::string_view, 4> kReservedOnEdges = {"src", "dst", "from", "to"};

}  // namespace

bool is_reserved_property(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

bool is_reserved_edge_property(std::string_view name) {
  return is_reserved_property(name) || std::find(kReservedOnEdges.begin(), kReservedOnEdges.end(),
                                                 name) != kReservedOnEdges.end();
}

const Property* EntityType::find(std::string_view property) const {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [property](const Property& p) { return p.name == property; });
  return found == properties.end() ? nullptr : &*found;
}

bool NodeType::is_key_member(std::string_view property) const {
  return std::find(key.begin(), key.end(), property) != key.end();
}

Schema::Schema(std::vector<InterfaceType> interfaces, std::vector<NodeType> nodes,
               std::vector<EdgeType> edges)
    : interfaces_(std::move(interfaces)), nodes_(std::move(nodes)), edges_(std::move(edges)) {
  sort_by_name(interfaces_);
  sort_by_name(nodes_);
  sort_by_name(edges_);
  for (size_t i = 0; i < edges_.size(); ++i) {
    edges_by_lower_name_.emplace_back(lowered(edges_[i].name), i);
  }
  std::sort(edges_by_lower_name_.begin(), edges_by_lower_name_.end());
}

const InterfaceType* Schema::find_interface(std::string_view name) const {
  return find_by_name(interfaces_, name);
}

const NodeType* Schema::find_node(std::string_view name) const {
  return find_by_name(nodes_, name);
}

const EdgeType* Schema::find_edge(std::string_view name) const {
  return find_by_name(edges_, name);
}

const EdgeType* Schema::find_edge_ignoring_case(std::string_view name) const {
  const std::string lower = lowered(name);
  const auto found = std::lower_bound(
      edges_by_lower_name_.begin(), edges_by_lower_name_.end(), lower,
      [](const auto& entry, const std::string& wanted) { return entry.first < wanted; });
  return found == edges_by_lower_name_.end() || found->first != lower ? nullptr
                                                                      : &edges_[found->second];
}

}  // namespace weft::schema
