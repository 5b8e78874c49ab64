#include <array>
#include <limits>

#include "weft/columns/arrow_c.h"

namespace weft::columns {
namespace {

// What an exported ArrowSchema points into; freed by its release callback.
struct SchemaContent {
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> child_pointers;
  ArrowSchema dictionary{};
};

// The same of an ArrowArray: the array keeps the buffers alive.
struct ArrayContent {
  ArrayPtr array;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
  ArrowArray dictionary{};
};

template <typename C, typename Content>
void release(C* exported) {
  // Children that were moved out are marked by the mover; release the others.
  for (int64_t i = 0; i < exported->n_children; ++i) {
    C* const child = exported->children[i];
    if (child->release != nullptr) {
      child->release(child);
    }
  }
  if (exported->dictionary != nullptr && exported->dictionary->release != nullptr) {
    exported->dictionary->release(exported->dictionary);
  }
  delete static_cast<Content*>(exported->private_data);
  exported->private_data = nullptr;
  exported->release = nullptr;
}

std::string format_of(const Type& type) {
  constexpr std::array<std::string_view, 4> kUnits = {"s", "m", "u", "n"};
  const std::string unit(kUnits[static_cast<size_t>(type.unit())]);
  switch (type.id()) {
    case TypeId::kNull:
      return "n";
    case TypeId::kBool:
      return "b";
    case TypeId::kInt8:
      return "c";
    case TypeId::kUint8:
      return "C";
    case TypeId::kInt16:
      return "s";
    case TypeId::kUint16:
      return "S";
    case TypeId::kInt32:
      return "i";
    case TypeId::kUint32:
      return "I";
    case TypeId::kInt64:
      return "l";
    case TypeId::kUint64:
      return "L";
    case TypeId::kHalf:
      return "e";
    case TypeId::kFloat:
      return "f";
    case TypeId::kDouble:
      return "g";
    case TypeId::kString:
      return "u";
    case TypeId::kLargeString:
      return "U";
    case TypeId::kBinary:
      return "z";
    case TypeId::kLargeBinary:
      return "Z";
    case TypeId::kFixedBinary:
      return "w:" + std::to_string(type.width());
    case TypeId::kDate32:
      return "tdD";
    case TypeId::kDate64:
      return "tdm";
    case TypeId::kTime32:
    case TypeId::kTime64:
      return "tt" + unit;
    case TypeId::kTimestamp:
      return "ts" + unit + ":" + type.zone();
    case TypeId::kDuration:
      return "tD" + unit;
    case TypeId::kDecimal128:
      return "d:" + std::to_string(type.precision()) + "," + std::to_string(type.scale());
    case TypeId::kDecimal256:
      return "d:" + std::to_string(type.precision()) + "," + std::to_string(type.scale()) + ",256";
    case TypeId::kList:
      return "+l";
    case TypeId::kLargeList:
      return "+L";
    case TypeId::kFixedSizeList:
      return "+w:" + std::to_string(type.list_size());
    case TypeId::kStruct:
      return "+s";
    case TypeId::kMap:
      return "+m";
    case TypeId::kDictionary:
      return format_of(*type.index_type());
  }
  return "n";
}

void append_i32(std::string& out, size_t value) {
  const auto number = static_cast<int32_t>(value);
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

std::string metadata_bytes(const Metadata& metadata) {
  std::string out;
  if (metadata.empty()) {
    return out;
  }
  append_i32(out, metadata.size());
  for (const auto& [key, value] : metadata) {
    append_i32(out, key.size());
    out += key;
    append_i32(out, value.size());
    out += value;
  }
  return out;
}

void fill_schema(SchemaContent* content, int64_t flags, ArrowSchema* out) {
  *out = ArrowSchema{};
  for (ArrowSchema& child : content->children) {
    content->child_pointers.push_back(&child);
  }
  out->format = content->format.c_str();
  out->name = content->name.c_str();
  out->metadata = content->metadata.empty() ? nullptr : content->metadata.data();
  out->flags = flags;
  out->n_children = static_cast<int64_t>(content->children.size());
  out->children = content->child_pointers.empty() ? nullptr : content->child_pointers.data();
  out->dictionary = content->dictionary.release == nullptr ? nullptr : &content->dictionary;
  out->release = release<ArrowSchema, SchemaContent>;
  out->private_data = content;
}

void fill_array(ArrayContent* content, size_t length, int64_t null_count, size_t offset,
                ArrowArray* out) {
  *out = ArrowArray{};
  for (ArrowArray& child : content->children) {
    content->child_pointers.push_back(&child);
  }
  out->length = static_cast<int64_t>(length);
  out->null_count = null_count;
  out->offset = static_cast<int64_t>(offset);
  out->n_buffers = static_cast<int64_t>(content->buffers.size());
  out->buffers = content->buffers.empty() ? nullptr : content->buffers.data();
  out->n_children = static_cast<int64_t>(content->children.size());
  out->children = content->child_pointers.empty() ? nullptr : content->child_pointers.data();
  out->dictionary = content->dictionary.release == nullptr ? nullptr : &content->dictionary;
  out->release = release<ArrowArray, ArrayContent>;
  out->private_data = content;
}

// Receivers may want pointers even where there is nothing.
const void* pointer(const Buffer& buffer) {
  static const std::array<uint64_t, 2> kNothing{};
  return buffer.data() == nullptr ? static_cast<const void*>(kNothing.data())
                                  : static_cast<const void*>(buffer.data());
}

}  // namespace

void export_field(const Field& field, ArrowSchema* out) {
  auto* content = new SchemaContent;
  content->format = format_of(*field.type);
  content->name = field.name;
  content->metadata = metadata_bytes(field.metadata);
  content->children.resize(field.type->children().size());
  for (size_t i = 0; i < content->children.size(); ++i) {
    export_field(field.type->children()[i], &content->children[i]);
  }
  if (field.type->id() == TypeId::kDictionary) {
    export_field(Field{"", field.type->value_type(), true, {}}, &content->dictionary);
  }
  fill_schema(content, field.nullable ? ARROW_FLAG_NULLABLE : 0, out);
}

void export_schema(const Schema& schema, ArrowSchema* out) {
  auto* content = new SchemaContent;
  content->format = "+s";
  content->metadata = metadata_bytes(schema.metadata);
  content->children.resize(schema.fields.size());
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    export_field(schema.fields[i], &content->children[i]);
  }
  fill_schema(content, 0, out);
}

void export_array(const ArrayPtr& array, ArrowArray* out) {
  auto* content = new ArrayContent;
  content->array = array;
  const ArrayParts& parts = array->parts();
  const TypeId id = array->id();
  if (id != TypeId::kNull) {
    content->buffers.push_back(parts.validity.empty() ? nullptr : pointer(parts.validity));
    if (is_binary_like(id) || is_list_like(id)) {
      content->buffers.push_back(pointer(parts.offsets));
    }
    if (is_binary_like(id) || bit_width(*parts.type) != 0) {
      content->buffers.push_back(pointer(parts.values));
    }
  }
  content->children.resize(parts.children.size());
  for (size_t i = 0; i < parts.children.size(); ++i) {
    export_array(parts.children[i], &content->children[i]);
  }
  if (parts.dictionary != nullptr) {
    export_array(parts.dictionary, &content->dictionary);
  }
  fill_array(content, parts.length, static_cast<int64_t>(array->null_count()), parts.offset, out);
}

void export_batch(const Batch& batch, ArrowArray* out) {
  auto* content = new ArrayContent;
  content->buffers.push_back(nullptr);
  content->children.resize(batch.column_count());
  for (size_t i = 0; i < batch.column_count(); ++i) {
    export_array(batch.column(i), &content->children[i]);
  }
  fill_array(content, batch.row_count(), 0, 0, out);
}

}  // namespace weft::columns
