#include "weft/ndjson/value_reader.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "weft/schema/moment.h"

namespace weft::ndjson {
namespace {

using Kind = schema::Scalar;

template <typename T>
std::string shortest(T value) {
  if (value == 0) {
    return "0";
  }
  std::array<char, 512> buffer{};
  const auto [end, failed] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return failed == std::errc() ? std::string(buffer.data(), end) : std::string();
}

struct IntegerRange {
  int64_t min;
  uint64_t max;
};

IntegerRange range_of(Kind scalar) {
  switch (scalar) {
    case Kind::kI32:
    case Kind::kDate:
      return {INT32_MIN, INT32_MAX};
    case Kind::kU32:
      return {0, UINT32_MAX};
    case Kind::kU64:
      return {0, UINT64_MAX};
    default:
      return {INT64_MIN, INT64_MAX};
  }
}

}  // namespace

std::string float_text(double value) {
  return shortest(value);
}

std::string float_text(float value) {
  return shortest(value);
}

std::string shown(std::string_view json) {
  constexpr size_t kShownBytesMax = 200;
  std::string text(json.substr(0, kShownBytesMax));
  while (!text.empty() && json.size() > kShownBytesMax &&
         (static_cast<uint8_t>(json[text.size()]) & 0xC0U) == 0x80U) {
    text.pop_back();  // never a part of a character
  }
  return json.size() > kShownBytesMax ? text + "…" : text;
}

ValueReader::ValueReader(const schema::Property& property, const schema::EntityType& owner,
                         const schema::NodeType* node)
    : property_(property), owner_(owner) {
  if (node == nullptr) {
    return;
  }
  for (const schema::Range& range : node->ranges) {
    if (range.property == property.name) {
      ranges_.push_back(&range);
    }
  }
  for (const schema::Check& check : node->checks) {
    if (check.property == property.name) {
      auto pattern = schema::Pattern::compile(check.pattern);
      WEFT_CHECK(pattern.ok());  // the schema was checked
      checks_.push_back({&check, *std::move(pattern)});
    }
  }
}

std::string ValueReader::owner_text() const {
  return "property " + owner_.name + "." + property_.name;
}

void ValueReader::absent(uint64_t line, columns::ArrayBuilder& column, Violations& violations) {
  column.append_null();
  if (!property_.type.nullable) {
    violations.add(line, "required", owner_text() + " needs a value");
  }
}

bool ValueReader::read(JsonReader& json, uint64_t line, columns::ArrayBuilder& column,
                       Violations& violations, std::optional<std::string>* text) {
  if (json.peek() == JsonKind::kNull) {
    absent(line, column, violations);
    return json.read_null();
  }
  const size_t begin = json.offset();
  code_ = "value";
  why_.clear();
  bool good = false;
  std::string items_text;
  if (property_.type.scalar == Kind::kBlob) {
    code_ = "unsupported";
    why_ = "a Blob cannot be stored yet";
  } else if (property_.type.is_plain()) {
    good = read_scalar(json, scratch_);
  } else {
    good = read_items(json, column, items_text);
  }
  if (!json.reason().empty()) {
    column.append_null();
    return false;
  }
  if (!good) {
    json.rewind(begin);
    const bool skipped = json.skip_value();
    const std::string_view value = json.line().substr(begin, json.offset() - begin);
    schema::PropertyType type = property_.type;
    type.nullable = false;
    violations.add(line, code_,
                   owner_text() + " is " + type.to_string() + ", not " + shown(value) +
                       (why_.empty() ? "" : " (" + why_ + ")"));
    column.append_null();
    return skipped;
  }
  if (property_.type.is_plain()) {
    append(scratch_, column);
    check_constraints(scratch_, line, violations);
  }
  if (text != nullptr) {
    *text = property_.type.is_plain() ? canonical(scratch_) : std::move(items_text);
  }
  return true;
}

bool ValueReader::refuse(std::string_view why) {
  why_ = why;
  return false;
}

bool ValueReader::read_scalar(JsonReader& json, Scalar& out) {
  const JsonKind kind = json.peek();
  std::string_view spelling;
  switch (property_.type.scalar) {
    case Kind::kString:
      if (kind != JsonKind::kString || !json.read_string(out.text)) {
        return false;
      }
      if (property_.type.is_enum() && !property_.type.has_enum_value(out.text)) {
        code_ = "enum";
        return refuse("none of its values");
      }
      return true;
    case Kind::kBool: {
      bool truth = false;
      if (kind != JsonKind::kBool || !json.read_bool(truth)) {
        return false;
      }
      out.integer = truth ? 1 : 0;
      return true;
    }
    case Kind::kDate:
    case Kind::kDateTime:
      return read_moment(json, out);
    case Kind::kF32:
    case Kind::kF64:
      return kind == JsonKind::kNumber && json.read_number(spelling) && read_real(spelling, out);
    case Kind::kI32:
    case Kind::kI64:
    case Kind::kU32:
    case Kind::kU64:
      return kind == JsonKind::kNumber && json.read_number(spelling) && read_integer(spelling, out);
    case Kind::kBlob:
      break;
  }
  return false;
}

// Integers as such: no point, no exponent, no -0.
bool ValueReader::read_integer(std::string_view spelling, Scalar& out) {
  const IntegerRange range = range_of(property_.type.scalar);
  const char* const end = spelling.data() + spelling.size();
  if (spelling.find_first_of(".eE") != std::string_view::npos || spelling == "-0") {
    return refuse("no whole number as such");
  }
  if (spelling[0] == '-') {
    const auto [rest, failed] = std::from_chars(spelling.data(), end, out.integer);
    return (failed == std::errc() && rest == end && out.integer >= range.min) ||
           refuse("out of range");
  }
  uint64_t value = 0;
  const auto [rest, failed] = std::from_chars(spelling.data(), end, value);
  out.integer = static_cast<int64_t>(value);
  return (failed == std::errc() && rest == end && value <= range.max) || refuse("out of range");
}

bool ValueReader::read_real(std::string_view spelling, Scalar& out) {
  const char* const end = spelling.data() + spelling.size();
  const auto [rest, failed] = std::from_chars(spelling.data(), end, out.real);
  if (failed == std::errc::result_out_of_range) {
    // Too near to zero is zero; too far from it is no number of any type. from_chars does not say
    // which: the digits do.
    const size_t exponent = spelling.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && spelling[exponent + 1] == '-';
    if (!tiny) {
      code_ = "input";
      return refuse("a number beyond all floats");
    }
    out.real = spelling[0] == '-' ? -0.0 : 0.0;
  }
  if (property_.type.scalar == Kind::kF32 && !std::isfinite(static_cast<float>(out.real))) {
    return refuse("out of the range of F32");
  }
  return true;
}

bool ValueReader::read_moment(JsonReader& json, Scalar& out) {
  std::string_view spelling;
  if (json.peek() == JsonKind::kNumber) {
    return json.read_number(spelling) && read_integer(spelling, out);
  }
  if (json.peek() != JsonKind::kString || !json.read_string(out.text)) {
    return false;
  }
  if (property_.type.scalar == Kind::kDate) {
    const auto days = schema::parse_date(out.text);
    out.integer = days.value_or(0);
    return days.has_value() || refuse("no date");
  }
  const auto milliseconds = schema::parse_date_time(out.text);
  out.integer = milliseconds.value_or(0);
  return milliseconds.has_value() || refuse("no date and time");
}

void ValueReader::append(const Scalar& value, columns::ArrayBuilder& column) const {
  switch (property_.type.scalar) {
    case Kind::kString:
      column.append_text(value.text);
      break;
    case Kind::kBool:
      column.append_boolean(value.integer != 0);
      break;
    case Kind::kF32:
      column.append_float(static_cast<float>(value.real));
      break;
    case Kind::kF64:
      column.append_double(value.real);
      break;
    case Kind::kI32:
    case Kind::kI64:
    case Kind::kU32:
    case Kind::kU64:
    case Kind::kDate:
    case Kind::kDateTime:
      column.append_integer(value.integer);
      break;
    case Kind::kBlob:
      break;
  }
}

// Items go to the column's child at once; a list that fails leaves none behind: it is read twice.
bool ValueReader::read_items(JsonReader& json, columns::ArrayBuilder& column, std::string& text) {
  if (json.peek() != JsonKind::kArray) {
    return false;
  }
  std::vector<Scalar> items;
  bool more = true;
  if (!json.begin_array()) {
    return false;
  }
  while (json.next_item(more) && more) {
    if (json.peek() == JsonKind::kNull) {
      return refuse("an item is null");
    }
    items.emplace_back();
    if (!read_scalar(json, items.back())) {
      if (why_.empty()) {
        why_ = "an item of another type";
      }
      return false;
    }
  }
  if (!json.reason().empty()) {
    return false;
  }
  const uint32_t width = property_.type.vector_width;
  if (width > 0 && items.size() != width) {
    return refuse("it has " + std::to_string(items.size()) + " items");
  }
  if (width > 0) {
    column.append_fixed_list();
  } else {
    column.append_list(items.size());
  }
  text = "[";
  for (const Scalar& item : items) {
    append(item, column.child(0));
    const std::string item_text = canonical(item);
    text += std::to_string(item_text.size()) + ":" + item_text;
  }
  text += ']';
  return true;
}

bool ValueReader::check_constraints(const Scalar& value, uint64_t line,
                                    Violations& violations) const {
  bool good = true;
  const auto outside = [&](const schema::Number& bound) {
    switch (property_.type.scalar) {
      case Kind::kF32:
        return bound.compare(static_cast<double>(static_cast<float>(value.real)));
      case Kind::kF64:
        return bound.compare(value.real);
      case Kind::kU64:
        return bound.compare(static_cast<uint64_t>(value.integer));
      default:
        return bound.compare(value.integer);
    }
  };
  for (const schema::Range* range : ranges_) {
    const bool below = range->min.has_value() && outside(*range->min) > 0;
    const bool above = range->max.has_value() && outside(*range->max) < 0;
    if (below || above) {
      good = false;
      violations.add(line, "range",
                     owner_text() + " is " + canonical(value) + ", " +
                         (below ? "below its minimum " + range->min->to_string()
                                : "above its maximum " + range->max->to_string()));
    }
  }
  for (const CompiledCheck& check : checks_) {
    if (!check.pattern.matches(value.text)) {
      good = false;
      violations.add(line, "check",
                     owner_text() + " is \"" + shown(value.text) + "\", which does not match \"" +
                         check.check->pattern + "\"");
    }
  }
  return good;
}

std::string ValueReader::canonical(const Scalar& value) const {
  switch (property_.type.scalar) {
    case Kind::kString:
      return value.text;
    case Kind::kBool:
      return value.integer != 0 ? "true" : "false";
    case Kind::kF32:
      return float_text(static_cast<float>(value.real));
    case Kind::kF64:
      return float_text(value.real);
    case Kind::kU64:
      return std::to_string(static_cast<uint64_t>(value.integer));
    default:
      return std::to_string(value.integer);
  }
}

}  // namespace weft::ndjson
