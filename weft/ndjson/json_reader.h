// One line of JSON, read once from left to right (RFC 8259), without building a tree: numbers keep
// their spelling, members come in their order. Strict: no repeated members at any depth, no lone
// surrogates, nothing behind the value.
//
// Calls return false at the first mistake, which reason() names; after it the reader is done. The
// line must be valid UTF-8 and outlive the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace weft::ndjson {

inline constexpr size_t kStructuralTokensMax = 131'072;  // braces, brackets, members, items
inline constexpr uint32_t kJsonDepthMax = 128;

enum class JsonKind : uint8_t { kObject, kArray, kString, kNumber, kBool, kNull, kNone };

class JsonReader {
 public:
  explicit JsonReader(std::string_view line) : line_(line) {}

  // What comes next; kNone at the end or at no value.
  JsonKind peek();

  // Enters; then next_member or next_item until `more` is false, which also leaves.
  bool begin_object();
  bool next_member(std::string& name, bool& more);
  bool begin_array();
  bool next_item(bool& more);

  bool read_string(std::string& out);
  bool read_number(std::string_view& spelling);
  bool read_bool(bool& out);
  bool read_null();
  // Any value. Repeated members are refused, but for those of the value itself without
  // `names_once`.
  bool skip_value(bool names_once = true);
  // True if nothing but blanks is left.
  bool at_end();

  size_t offset() const { return offset_; }
  // Reads again from there: an offset that this reader gave, at a value.
  void rewind(size_t offset);
  std::string_view line() const { return line_; }

  const std::string& reason() const { return reason_; }  // "": no mistake so far
  size_t column() const { return offset_ + 1; }          // in bytes

 private:
  bool fail(std::string_view reason);
  void skip_blanks();
  bool expect(std::string_view text);
  bool escape(std::string& out);
  bool hex4(uint32_t& out);
  bool structural();

  std::string_view line_;
  size_t offset_ = 0;
  std::string reason_;
  size_t structural_count_ = 0;
  uint32_t depth_ = 0;
  bool first_ = false;  // a container was just entered
};

}  // namespace weft::ndjson
