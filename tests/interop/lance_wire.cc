#include "tests/interop/lance_wire.h"

#include <algorithm>
#include <cstdlib>

#include "weft/columns/builder.h"

namespace weft::interop {

using columns::Array;
using columns::ArrayParts;
using columns::ArrayPtr;
using columns::Buffer;
using columns::Type;
using columns::TypeId;
using columns::TypePtr;

namespace {

constexpr uint64_t kAbsent = ~uint64_t{0};

// The other side is a test: whatever is wrong with it ends the process.
void read_exactly(void* to, size_t size) {
  if (size != 0 && std::fread(to, 1, size, stdin) != size) {
    std::fputs("lance_driver: input ends early\n", stderr);
    std::exit(3);
  }
}

Buffer read_buffer() {
  const uint64_t size = read_u64();
  if (size == kAbsent) {
    return {};
  }
  std::vector<uint8_t> bytes(size);
  read_exactly(bytes.data(), size);
  return Buffer::from(std::move(bytes));
}

void write_buffer(const Buffer& buffer, bool absent_if_empty) {
  if (buffer.empty() && absent_if_empty) {
    write_u64(kAbsent);
    return;
  }
  write_u64(buffer.size());
  std::fwrite(buffer.data(), 1, buffer.size(), stdout);
}

bool has_offsets(TypeId id) {
  return columns::is_binary_like(id) || columns::is_list_like(id);
}
bool has_values(const Type& type) {
  return columns::is_binary_like(type.id()) || columns::bit_width(type) != 0;
}

void write_plain(const Array& array) {
  const ArrayParts& parts = array.parts();
  write_u64(parts.length);
  write_u64(parts.offset);
  write_buffer(parts.validity, true);
  if (has_offsets(array.id())) {
    write_buffer(parts.offsets, false);
  }
  if (has_values(*array.type())) {
    write_buffer(parts.values, false);
  }
  for (const ArrayPtr& child : parts.children) {
    write_plain(*child);
  }
  if (parts.dictionary) {
    write_array(parts.dictionary);
  }
}

}  // namespace

bool read_line(std::vector<std::string>& words) {
  words.clear();
  std::string word;
  for (int c = std::getc(stdin); c != EOF; c = std::getc(stdin)) {
    if (c == ' ' || c == '\n') {
      words.push_back(std::move(word));
      word.clear();
      if (c == '\n') {
        return true;
      }
    } else {
      word.push_back(static_cast<char>(c));
    }
  }
  return false;
}

std::string from_hex(const std::string& hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::strtoul(hex.substr(i, 2).c_str(), nullptr, 16)));
  }
  return out;
}

std::vector<lance::layout::SchemaField> read_fields(size_t count) {
  std::vector<lance::layout::SchemaField> fields(count);
  std::vector<std::string> words;
  for (lance::layout::SchemaField& field : fields) {
    if (!read_line(words) || words.size() != 5) {
      std::fputs("lance_driver: bad field\n", stderr);
      std::exit(3);
    }
    field.id = std::atoi(words[0].c_str());
    field.parent_id = std::atoi(words[1].c_str());
    field.nullable = words[2] == "1";
    field.logical_type = from_hex(words[3]);
    field.name = from_hex(words[4]);
    const bool is_text = field.logical_type == "string" || field.logical_type == "binary";
    field.encoding = is_text ? 2 : 1;
  }
  return fields;
}

void write_fields(const std::vector<lance::layout::SchemaField>& fields) {
  const auto hex = [](const std::string& text) {
    std::string out;
    for (const char c : text) {
      constexpr char kDigits[] = "0123456789abcdef";
      out.push_back(kDigits[static_cast<unsigned char>(c) >> 4U]);
      out.push_back(kDigits[static_cast<unsigned char>(c) & 15U]);
    }
    return out;
  };
  for (const lance::layout::SchemaField& field : fields) {
    std::printf("%d %d %d %s %s\n", field.id, field.parent_id, field.nullable ? 1 : 0,
                hex(field.logical_type).c_str(), hex(field.name).c_str());
  }
}

Result<std::vector<columns::Batch>> read_batches(
    const std::vector<lance::layout::SchemaField>& fields, uint64_t count) {
  WEFT_TRY(const columns::Schema plain, lance::layout::column_schema(fields));
  const auto schema = std::make_shared<const columns::Schema>(plain);
  std::vector<columns::Batch> batches;
  for (; count > 0; --count) {
    const uint64_t rows = read_u64();
    std::vector<ArrayPtr> arrays;
    for (const columns::Field& field : schema->fields) {
      arrays.push_back(read_array(field.type));
    }
    WEFT_TRY(columns::Batch batch, columns::Batch::make(schema, std::move(arrays), rows));
    batches.push_back(std::move(batch));
  }
  return batches;
}

uint64_t read_u64() {
  uint64_t value = 0;
  read_exactly(&value, sizeof value);
  return value;
}
void write_u64(uint64_t value) {
  std::fwrite(&value, sizeof value, 1, stdout);
}

ArrayPtr read_array(const TypePtr& type) {
  ArrayParts parts;
  parts.type = type;
  parts.length = read_u64();
  parts.offset = read_u64();
  parts.validity = read_buffer();
  if (has_offsets(type->id())) {
    parts.offsets = read_buffer();
  }
  if (has_values(*type)) {
    parts.values = read_buffer();
  }
  for (const columns::Field& child : type->children()) {
    parts.children.push_back(read_array(child.type));
  }
  if (type->id() == TypeId::kDictionary) {
    parts.dictionary = read_array(type->value_type());
  }
  return Array::make(std::move(parts));
}

void write_array(const ArrayPtr& array) {
  columns::ArrayBuilder builder(array->type());
  if (array->id() == TypeId::kDictionary) {
    builder.set_dictionary(array->parts().dictionary);
  }
  for (size_t i = 0; i < array->length(); ++i) {
    builder.append_from(*array, i);
  }
  write_plain(*builder.finish());
}

}  // namespace weft::interop
