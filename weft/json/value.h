// JSON documents that survive being read and written again: unknown members stay, numbers keep
// their spelling, members keep their order. The library underneath (nlohmann-json) does not show.
//
// J1  write(parse(text)) equals text up to white space, escapes, and repeated member names, of
// which
//     the last counts.
// J2  Parsing never throws, and is bounded in size, depth and number of values.
//
// Values; not thread-safe to change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/result.h"

namespace weft::json {

struct Member;

class Value {
 public:
  using Array = std::vector<Value>;
  using Object = std::vector<Member>;

  Value() = default;  // null
  static Value boolean(bool value);
  static Value number(uint64_t value);
  static Value number(int64_t value);
  // The shortest decimal that reads back as `value`; null for what is not finite.
  static Value number(double value);
  // A number by its spelling, which must be one that JSON allows.
  static Value number_text(std::string_view spelling);
  static Value string(std::string_view text);
  static Value array();
  static Value array(Array items);
  static Value object();

  bool is_null() const { return std::holds_alternative<std::monostate>(state_); }
  bool is_boolean() const { return std::holds_alternative<bool>(state_); }
  bool is_number() const { return std::holds_alternative<Number>(state_); }
  bool is_string() const { return std::holds_alternative<std::string>(state_); }
  bool is_array() const { return std::holds_alternative<Array>(state_); }
  bool is_object() const { return std::holds_alternative<Object>(state_); }

  std::optional<bool> as_boolean() const;
  // Only integers written as such: 1.0, 1e3, "1" and what does not fit are nullopt.
  std::optional<uint64_t> as_uint64() const;
  std::optional<int64_t> as_int64() const;
  std::optional<double> as_double() const;
  // As written; empty if this is no number.
  std::string_view number_spelling() const;
  // The text of a string; null if it is none.
  const std::string* as_string() const { return std::get_if<std::string>(&state_); }

  // Items of an array, members of an object in their order; empty for all other kinds.
  const Array& items() const;
  const Object& members() const;
  // The items, to be changed. Only on an array.
  Array& mutable_items();

  // The member of an object; null if absent or if this is no object.
  const Value* find(std::string_view name) const;
  Value* find(std::string_view name);
  // Replaces the member or adds it at the end. Only on an object.
  void set(std::string_view name, Value value);
  void remove(std::string_view name);

  friend bool operator==(const Value& a, const Value& b);

 private:
  friend class DocumentBuilder;
  struct Number {
    std::string spelling;
    friend bool operator==(const Number&, const Number&) = default;
  };
  std::variant<std::monostate, bool, Number, std::string, Array, Object> state_;
};

struct Member {
  std::string name;
  Value value;
  friend bool operator==(const Member&, const Member&) = default;
};

struct ParseLimits {
  uint64_t size_max_bytes = uint64_t{64} << 20U;
  uint32_t depth_max = 128;
  uint64_t values_max = uint64_t{4} << 20U;
};

// One document, UTF-8, without a byte-order mark. Errors: kInvalid "invalid JSON" with facts line,
// column and reason; kLimit names the limit.
Result<Value> parse(std::string_view text, const ParseLimits& limits = {});

struct WriteOptions {
  // 0: on one line, without spaces.
  uint32_t indent = 2;
  // Members in byte order of their names instead of their own order.
  bool sort_members = false;
};

// Characters beyond ASCII stay raw. No final newline.
std::string write(const Value& value, const WriteOptions& options = {});

// Appends `text` in quotes, escaped.
void append_quoted(std::string& out, std::string_view text);

}  // namespace weft::json
