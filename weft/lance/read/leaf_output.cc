#include "weft/lance/read/leaf_output.h"

#include <algorithm>

namespace weft::lance::read {
namespace {

using columns::Type;
using columns::TypeId;
using columns::TypePtr;
using layout::Layer;

// `outer` are the layers above `type`, from the outside in.
Status append_paths(const TypePtr& type, std::vector<bool>& outer, std::vector<LeafPath>& out) {
  if (outer.size() >= layout::kLayersMax) {
    return Error(ErrorKind::kLimit, "a column is nested too deeply")
        .with("layers_max", layout::kLayersMax);
  }
  const bool is_list = columns::is_list_like(type->id());
  outer.push_back(is_list);
  if (is_list || type->id() == TypeId::kStruct) {
    for (const columns::Field& child : type->children()) {
      WEFT_TRY_STATUS(append_paths(child.type, outer, out));
    }
  } else {
    LeafPath path;
    path.type = type;
    WEFT_TRY(path.shape, LeafShape::of(*type));
    path.layer_is_list.assign(outer.rbegin(), outer.rend());
    out.push_back(std::move(path));
  }
  outer.pop_back();
  return ok_status();
}

}  // namespace

unsigned LeafPath::list_count() const {
  return static_cast<unsigned>(std::count(layer_is_list.begin(), layer_is_list.end(), true));
}

unsigned LeafPath::visible_max() const {
  const auto first_list = std::find(layer_is_list.begin(), layer_is_list.end(), true);
  return static_cast<unsigned>(first_list - layer_is_list.begin());
}

Status append_leaf_paths(const TypePtr& type, std::vector<LeafPath>& out) {
  std::vector<bool> outer;
  return append_paths(type, outer, out);
}

Result<LevelMap> LevelMap::make(const LeafPath& path, const std::vector<Layer>& layers) {
  if (layers.size() != path.layer_is_list.size()) {
    return page_damaged("a page has the layers of its column");
  }
  LevelMap map;
  map.table_.push_back(0);
  uint16_t next = 1;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer layer = layers[i];
    if (layout::is_list(layer) != path.layer_is_list[i]) {
      return page_damaged("a page has the layers of its column");
    }
    if (layer == Layer::kNullableItem || layer == Layer::kNullableList ||
        layer == Layer::kNullableEmptyableList) {
      map.table_.push_back(next);
    }
    if (layer == Layer::kEmptyableList || layer == Layer::kNullableEmptyableList) {
      map.table_.push_back(static_cast<uint16_t>(next + 1));
    }
    next = static_cast<uint16_t>(next + (path.layer_is_list[i] ? 2 : 1));
  }
  map.list_count_ = layout::list_layer_count(layers);
  map.visible_max_ = layout::visible_level_max(layers);
  for (size_t i = 0; i < map.table_.size(); ++i) {
    map.is_identity_ = map.is_identity_ && map.table_[i] == i;
  }
  return map;
}

Status LeafOutput::append_levels(const LevelMap& map, std::span<const uint16_t> repetition_levels,
                                 std::span<const uint16_t> definition_levels, uint64_t count) {
  const uint64_t kinds = (repetition_levels.empty() ? 0 : 1) +
                         (definition_levels.empty() && definition.empty() ? 0 : 1);
  WEFT_TRY_STATUS(memory->grow(count * kinds * sizeof(uint16_t)));
  if (!repetition_levels.empty()) {
    const uint16_t greatest = *std::max_element(repetition_levels.begin(), repetition_levels.end());
    if (greatest > map.list_count()) {
      return page_damaged("repetition levels count the lists");
    }
    repetition.insert(repetition.end(), repetition_levels.begin(), repetition_levels.end());
  }
  if (definition_levels.empty()) {
    if (!definition.empty()) {
      definition.resize(definition.size() + count);
    }
    event_count += count;
    return ok_status();
  }
  if (definition.empty()) {
    WEFT_TRY_STATUS(memory->grow(event_count * sizeof(uint16_t)));
    definition.resize(event_count);
  }
  event_count += count;
  const uint16_t greatest = *std::max_element(definition_levels.begin(), definition_levels.end());
  if (greatest >= map.table().size()) {
    return page_damaged("definition levels are those of the layers");
  }
  const size_t before = definition.size();
  definition.insert(definition.end(), definition_levels.begin(), definition_levels.end());
  if (!map.is_identity()) {
    for (size_t i = before; i < definition.size(); ++i) {
      definition[i] = map.table()[definition[i]];
    }
  }
  return ok_status();
}

Status LeafOutput::append_level_run(uint16_t level, uint64_t count) {
  WEFT_TRY_STATUS(memory->grow((event_count + count) * sizeof(uint16_t)));
  if (level != 0 && definition.empty()) {
    definition.resize(event_count);
  }
  event_count += count;
  if (!definition.empty() || level != 0) {
    definition.resize(event_count, level);
  }
  return ok_status();
}

}  // namespace weft::lance::read
