#include <charconv>
#include <limits>
#include <optional>

#include "weft/columns/arrow_c.h"

namespace weft::columns {
namespace {

Error malformed(std::string_view what) {
  return Error(ErrorKind::kInvalid, "an Arrow structure is malformed").with("part", what);
}

Error too_deep() {
  return Error(ErrorKind::kLimit, "an Arrow structure is nested too deeply")
      .with("depth_max", kArrowDepthMax);
}

std::optional<int32_t> number_of(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<TimeUnit> unit_of(char c) {
  const size_t position = std::string_view("smun").find(c);
  return position == std::string_view::npos ? std::nullopt
                                            : std::optional(static_cast<TimeUnit>(position));
}

struct FormatName {
  std::string_view format;
  TypeId id;
};
constexpr FormatName kFormats[] = {
    {"n", TypeId::kNull},     {"b", TypeId::kBool},        {"c", TypeId::kInt8},
    {"C", TypeId::kUint8},    {"s", TypeId::kInt16},       {"S", TypeId::kUint16},
    {"i", TypeId::kInt32},    {"I", TypeId::kUint32},      {"l", TypeId::kInt64},
    {"L", TypeId::kUint64},   {"e", TypeId::kHalf},        {"f", TypeId::kFloat},
    {"g", TypeId::kDouble},   {"u", TypeId::kString},      {"U", TypeId::kLargeString},
    {"z", TypeId::kBinary},   {"Z", TypeId::kLargeBinary}, {"tdD", TypeId::kDate32},
    {"tdm", TypeId::kDate64},
};

// nullptr: not one of these.
TypePtr time_type(std::string_view format) {
  if (format.size() < 3 || format[0] != 't') {
    return nullptr;
  }
  const std::optional<TimeUnit> unit = unit_of(format[2]);
  if (!unit) {
    return nullptr;
  }
  if (format[1] == 's' && format.size() >= 4 && format[3] == ':') {
    return timestamp(*unit, std::string(format.substr(4)));
  }
  if (format.size() != 3) {
    return nullptr;
  }
  if (format[1] == 't') {
    return *unit <= TimeUnit::kMilli ? time32(*unit) : time64(*unit);
  }
  return format[1] == 'D' ? duration(*unit) : nullptr;
}

TypePtr decimal_type(std::string_view format) {
  const std::string_view text = format.substr(2);
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos) {
    return nullptr;
  }
  const size_t second = text.find(',', comma + 1);
  const auto precision = number_of(text.substr(0, comma));
  const auto scale = number_of(
      text.substr(comma + 1, second == std::string_view::npos ? second : second - comma - 1));
  const std::string_view bits =
      second == std::string_view::npos ? std::string_view("128") : text.substr(second + 1);
  if (!precision || !scale || *precision < 1) {
    return nullptr;
  }
  if (bits == "128" && *precision <= 38) {
    return decimal128(*precision, *scale);
  }
  return bits == "256" && *precision <= 76 ? decimal256(*precision, *scale) : nullptr;
}

Result<Field> field_from(const ArrowSchema& schema, size_t depth);

Result<TypePtr> nested_type(const ArrowSchema& schema, std::string_view format, size_t depth) {
  std::vector<Field> children;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    WEFT_TRY(Field child, field_from(*schema.children[i], depth + 1));
    children.push_back(std::move(child));
  }
  if (format == "+s") {
    return struct_of(std::move(children));
  }
  if (children.size() != 1) {
    return malformed("a list has one child");
  }
  if (format == "+l") {
    return list_of(std::move(children[0]));
  }
  if (format == "+L") {
    return large_list_of(std::move(children[0]));
  }
  if (format == "+m") {
    if (children[0].type->id() != TypeId::kStruct || children[0].type->children().size() != 2) {
      return malformed("the child of a map is a struct of two");
    }
    return map_of(std::move(children[0]));
  }
  if (format.starts_with("+w:")) {
    const auto size = number_of(format.substr(3));
    if (!size || *size < 1) {
      return malformed("size of a fixed-size list");
    }
    return fixed_size_list_of(std::move(children[0]), *size);
  }
  return Error(ErrorKind::kUnsupported, "an Arrow format is not supported").with("format", format);
}

Result<TypePtr> type_from(const ArrowSchema& schema, size_t depth) {
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  if (format.starts_with('+')) {
    return nested_type(schema, format, depth);
  }
  for (const FormatName& known : kFormats) {
    if (format == known.format) {
      return simple_type(known.id);
    }
  }
  TypePtr type = time_type(format);
  if (type == nullptr && format.starts_with("d:")) {
    type = decimal_type(format);
  }
  if (type == nullptr && format.starts_with("w:")) {
    const auto width = number_of(format.substr(2));
    type = width && *width >= 1 ? fixed_binary(*width) : nullptr;
  }
  if (type == nullptr) {
    return Error(ErrorKind::kUnsupported, "an Arrow format is not supported")
        .with("format", format);
  }
  return type;
}

Result<Metadata> metadata_from(const char* bytes) {
  Metadata out;
  if (bytes == nullptr) {
    return out;
  }
  const auto take = [&bytes] {
    int32_t value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    bytes += sizeof(value);
    return value;
  };
  for (int32_t count = take(); count > 0; --count) {
    std::pair<std::string, std::string> entry;
    for (std::string* part : {&entry.first, &entry.second}) {
      const int32_t size = take();
      if (size < 0) {
        return malformed("metadata");
      }
      part->assign(bytes, static_cast<size_t>(size));
      bytes += size;
    }
    out.push_back(std::move(entry));
  }
  return out;
}

Result<Field> field_from(const ArrowSchema& schema, size_t depth) {
  if (depth > kArrowDepthMax) {
    return too_deep();
  }
  if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr)) {
    return malformed("children");
  }
  Field out;
  out.name = schema.name == nullptr ? "" : schema.name;
  out.nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0;
  WEFT_TRY(out.metadata, metadata_from(schema.metadata));
  WEFT_TRY(out.type, type_from(schema, depth));
  if (schema.dictionary != nullptr) {
    const TypeId id = out.type->id();
    if (id < TypeId::kInt8 || id > TypeId::kUint64) {
      return malformed("indices of a dictionary are integers");
    }
    WEFT_TRY(const Field values, field_from(*schema.dictionary, depth + 1));
    out.type = dictionary_of(out.type, values.type);
  }
  return out;
}

// Owns an imported ArrowArray; the last Array that shares it releases it.
struct ImportedArray {
  ArrowArray array;
  explicit ImportedArray(ArrowArray* from) : array(*from) { from->release = nullptr; }
  ImportedArray(const ImportedArray&) = delete;
  ImportedArray& operator=(const ImportedArray&) = delete;
  ~ImportedArray() {
    if (array.release != nullptr) {
      array.release(&array);
    }
  }
};
using Owner = std::shared_ptr<const ImportedArray>;

Buffer buffer_of(const Owner& owner, const void* bytes, size_t size) {
  if (bytes == nullptr || size == 0) {
    return {};
  }
  return {owner, ByteView(static_cast<const std::byte*>(bytes), size)};
}

class ArrayImport {
 public:
  explicit ArrayImport(Owner owner) : owner_(std::move(owner)) {}

  Result<ArrayPtr> import(const ArrowArray& from, const TypePtr& type, size_t depth) const {
    if (depth > kArrowDepthMax) {
      return too_deep();
    }
    constexpr int64_t kElementsMax = std::numeric_limits<int64_t>::max() / 512;
    if (from.length < 0 || from.offset < 0 || from.length > kElementsMax ||
        from.offset > kElementsMax) {
      return malformed("length or offset");
    }
    ArrayParts parts;
    parts.type = type;
    parts.length = static_cast<size_t>(from.length);
    parts.offset = static_cast<size_t>(from.offset);
    if (type->id() != TypeId::kNull) {
      WEFT_TRY_STATUS(take_buffers(from, parts));
      WEFT_TRY_STATUS(take_children(from, parts, depth));
    }
    ArrayPtr array = Array::make(std::move(parts));
    WEFT_TRY_STATUS(array->check());
    return array;
  }

 private:
  Status take_buffers(const ArrowArray& from, ArrayParts& parts) const {
    const TypeId id = parts.type->id();
    const bool offsets = is_binary_like(id) || is_list_like(id);
    const bool values = is_binary_like(id) || bit_width(*parts.type) != 0;
    const int64_t wanted = 1 + (offsets ? 1 : 0) + (values ? 1 : 0);
    if (from.n_buffers != wanted || from.buffers == nullptr) {
      return malformed("number of buffers");
    }
    const size_t end = parts.offset + parts.length;
    if (from.null_count != 0) {
      parts.validity = buffer_of(owner_, from.buffers[0], (end + 7) / 8);
    }
    if (!offsets) {
      const size_t bits = bit_width(*parts.type);
      parts.values = values ? buffer_of(owner_, from.buffers[1], (end * bits + 7) / 8) : Buffer();
      return ok_status();
    }
    const size_t width = has_large_offsets(id) ? sizeof(int64_t) : sizeof(int32_t);
    if (from.buffers[1] == nullptr) {
      if (end != 0) {
        return malformed("offsets are missing");
      }
      parts.offsets = Buffer::from(std::vector<int64_t>(1));
      return ok_status();
    }
    parts.offsets = buffer_of(owner_, from.buffers[1], (end + 1) * width);
    if (values) {
      const int64_t size = width == sizeof(int64_t) ? parts.offsets.get<int64_t>(end)
                                                    : int64_t{parts.offsets.get<int32_t>(end)};
      if (size < 0 || (size > 0 && from.buffers[2] == nullptr)) {
        return malformed("offsets");
      }
      parts.values = buffer_of(owner_, from.buffers[2], static_cast<size_t>(size));
    }
    return ok_status();
  }

  Status take_children(const ArrowArray& from, ArrayParts& parts, size_t depth) const {
    const std::vector<Field>& fields = parts.type->children();
    if (from.n_children != static_cast<int64_t>(fields.size()) ||
        (from.n_children > 0 && from.children == nullptr)) {
      return malformed("number of children");
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      WEFT_TRY(ArrayPtr child, import(*from.children[i], fields[i].type, depth + 1));
      parts.children.push_back(std::move(child));
    }
    if (parts.type->id() == TypeId::kDictionary) {
      if (from.dictionary == nullptr) {
        return malformed("a dictionary array has values");
      }
      WEFT_TRY(parts.dictionary, import(*from.dictionary, parts.type->value_type(), depth + 1));
    }
    return ok_status();
  }

  Owner owner_;
};

// Releases a schema at the end of the scope.
class SchemaHold {
 public:
  explicit SchemaHold(ArrowSchema* schema) : schema_(schema) {}
  SchemaHold(const SchemaHold&) = delete;
  SchemaHold& operator=(const SchemaHold&) = delete;
  ~SchemaHold() {
    if (schema_->release != nullptr) {
      schema_->release(schema_);
    }
  }

 private:
  ArrowSchema* schema_;
};

}  // namespace

Result<Field> import_field(ArrowSchema* schema) {
  if (schema->release == nullptr) {
    return malformed("the schema was released before");
  }
  const SchemaHold hold(schema);
  return field_from(*schema, 0);
}

Result<Schema> import_schema(ArrowSchema* schema) {
  WEFT_TRY(Field field, import_field(schema));
  if (field.type->id() != TypeId::kStruct) {
    return malformed("a schema is a struct");
  }
  return Schema{field.type->children(), std::move(field.metadata)};
}

Result<ArrayPtr> import_array(ArrowArray* array, const TypePtr& type) {
  if (array->release == nullptr) {
    return malformed("the array was released before");
  }
  const auto owner = std::make_shared<const ImportedArray>(array);
  return ArrayImport(owner).import(owner->array, type, 0);
}

Result<Batch> import_batch(ArrowArray* array, SchemaPtr schema) {
  WEFT_TRY(const ArrayPtr rows, import_array(array, struct_of(schema->fields)));
  if (rows->null_count() != 0) {
    return malformed("a batch has no null rows");
  }
  std::vector<ArrayPtr> columns;
  for (const ArrayPtr& child : rows->parts().children) {
    columns.push_back(child->slice(rows->parts().offset, rows->length()));
  }
  return Batch::make(std::move(schema), std::move(columns), rows->length());
}

}  // namespace weft::columns
