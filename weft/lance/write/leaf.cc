#include "weft/lance/write/leaf.h"

#include <algorithm>
#include <utility>

namespace weft::lance::write {

using columns::Type;
using columns::TypeId;

uint64_t ValueShape::items() const {
  uint64_t count = 1;
  for (const uint64_t size : lists) {
    count *= size;
  }
  return count;
}

size_t Leaf::list_count() const {
  return static_cast<size_t>(std::count_if(
      steps.begin(), steps.end(), [](const Step& step) { return step.kind == StepKind::kList; }));
}

namespace {

Error unsupported(std::string_view what, const std::string& name) {
  return Error(ErrorKind::kUnsupported, std::string(what)).with("field", name);
}

Result<ValueShape> shape_of(const Type& type, const std::string& name) {
  ValueShape shape;
  const Type* inner = &type;
  uint64_t items = 1;
  while (inner->id() == TypeId::kFixedSizeList) {
    const auto size = static_cast<uint64_t>(inner->list_size());
    if (size == 0 || size > layout::kFixedListValuesMax / items) {
      return Error(ErrorKind::kLimit, "fixed-size list has too many values, or none")
          .with("field", name)
          .with("values_max", layout::kFixedListValuesMax);
    }
    items *= size;
    shape.lists.push_back(size);
    inner = inner->children()[0].type.get();
  }
  if (inner->id() == TypeId::kDictionary && shape.lists.empty()) {
    shape.index_bits = columns::bit_width(*inner->index_type());
    inner = inner->value_type().get();
  }
  if (inner->id() == TypeId::kNull && shape.lists.empty()) {
    return shape;
  }
  if (columns::is_binary_like(inner->id()) && shape.lists.empty()) {
    shape.kind = ValueKind::kText;
    shape.large = columns::has_large_offsets(inner->id());
    return shape;
  }
  shape.bits = columns::bit_width(*inner);
  if (inner->id() == TypeId::kFixedBinary) {
    shape.bits = 8 * static_cast<uint32_t>(inner->width());
  }
  if (shape.bits == 0 || inner->id() == TypeId::kDictionary) {
    return unsupported("lance data files cannot hold values of type " + type.to_string(), name);
  }
  shape.kind = shape.bits == 1 ? ValueKind::kBits : ValueKind::kFixed;
  if (shape.kind == ValueKind::kBits && (shape.index_bits != 0 || items > kBitListItemsMax)) {
    return unsupported("lance data files cannot hold so many bits in a value", name);
  }
  return shape;
}

class LeafFinder {
 public:
  LeafFinder(const std::vector<layout::SchemaField>& fields, layout::FileVersion version)
      : fields_(fields), version_(version) {}

  Status visit(const layout::SchemaNode& node, const columns::Field& field, size_t top_level,
               const std::string& prefix) {
    const std::string name = prefix.empty() ? field.name : prefix + "." + field.name;
    const TypeId id = field.type->id();
    if (id == TypeId::kMap && version_ != layout::FileVersion::kV22) {
      return unsupported("maps need file version 2.2", name);
    }
    const bool is_struct = id == TypeId::kStruct;
    if (is_struct || columns::is_list_like(id)) {
      if (is_struct && node.children.empty()) {
        return unsupported("a struct without members has no column to hold it", name);
      }
      steps_.push_back({.kind = is_struct ? StepKind::kStruct : StepKind::kList,
                        .nullable = field.nullable,
                        .name = name});
      for (size_t i = 0; i < node.children.size(); ++i) {
        steps_.back().child = i;
        WEFT_TRY_STATUS(visit(node.children[i], field.type->children()[i], top_level, name));
      }
      steps_.pop_back();
      return ok_status();
    }
    return add_leaf(node, field, top_level, name);
  }

  std::vector<Leaf> take() { return std::move(leaves_); }

 private:
  Status add_leaf(const layout::SchemaNode& node, const columns::Field& field, size_t top_level,
                  const std::string& name) {
    Leaf leaf;
    leaf.top_level = top_level;
    leaf.field_id = fields_[node.field].id;
    leaf.steps = steps_;
    leaf.steps.push_back({.kind = StepKind::kLeaf, .nullable = field.nullable, .name = name});
    leaf.type = field.type;
    WEFT_TRY(leaf.shape, shape_of(*field.type, name));
    if (leaf.list_count() > kListLayersMax) {
      return Error(ErrorKind::kLimit, "lists are nested too deeply")
          .with("field", name)
          .with("list_layers_max", kListLayersMax);
    }
    leaves_.push_back(std::move(leaf));
    return ok_status();
  }

  const std::vector<layout::SchemaField>& fields_;
  layout::FileVersion version_;
  std::vector<Step> steps_;
  std::vector<Leaf> leaves_;
};

}  // namespace

Result<std::vector<Leaf>> leaves_of(const std::vector<layout::SchemaField>& fields,
                                    layout::FileVersion version) {
  WEFT_TRY(const std::vector<layout::SchemaNode> tree, layout::schema_tree(fields));
  LeafFinder finder(fields, version);
  for (size_t i = 0; i < tree.size(); ++i) {
    WEFT_TRY(const columns::Field field, layout::column_field(fields, tree[i]));
    WEFT_TRY_STATUS(finder.visit(tree[i], field, i, {}));
  }
  return finder.take();
}

}  // namespace weft::lance::write
