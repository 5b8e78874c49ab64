#include "weft/gqexec/parameters.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "weft/columns/builder.h"
#include "weft/json/value.h"
#include "weft/ndjson/table_columns.h"
#include "weft/schema/moment.h"

namespace weft::gqexec {
namespace {

using schema::PropertyType;
using schema::Scalar;

constexpr size_t kShownBytesMax = 60;

// A value for a message.
std::string shown(const json::Value& value) {
  std::string text = json::write(value, {.indent = 0});
  if (text.size() > kShownBytesMax) {
    text.resize(kShownBytesMax);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) {
      text.pop_back();
    }
    text += "…";
  }
  return text;
}

// The digits of an integer: of a JSON integer, or of a text of digits.
std::string_view integer_digits(const json::Value& value) {
  std::string_view digits = value.number_spelling();
  if (const std::string* const text = value.as_string(); text != nullptr) {
    digits = *text;
  }
  return digits;
}

template <typename T>
std::optional<int64_t> integer_in(std::string_view digits) {
  T number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(number);  // bits of an uint64
}

// Beyond the range of F32: infinite, which no stored value is equal to.
float to_float(double number) {
  if (std::abs(number) > static_cast<double>(std::numeric_limits<float>::max())) {
    return std::copysign(std::numeric_limits<float>::infinity(),
                         static_cast<float>(number > 0) - 0.5F);
  }
  return static_cast<float>(number);
}

std::optional<int64_t> as_integer(Scalar scalar, const json::Value& value) {
  const std::string_view digits = integer_digits(value);
  switch (scalar) {
    case Scalar::kI32:
      return integer_in<int32_t>(digits);
    case Scalar::kU32:
      return integer_in<uint32_t>(digits);
    case Scalar::kU64:
      return integer_in<uint64_t>(digits);
    default:
      return integer_in<int64_t>(digits);
  }
}

bool append_moment(Scalar scalar, const json::Value& value, columns::ArrayBuilder& out) {
  const std::string* const text = value.as_string();
  if (text == nullptr) {
    return false;
  }
  if (scalar == Scalar::kDate) {
    const auto days = schema::parse_date(*text);
    if (days.has_value()) {
      out.append_integer(*days);
    }
    return days.has_value();
  }
  const auto milliseconds = schema::parse_date_time(*text);
  if (milliseconds.has_value()) {
    out.append_integer(*milliseconds);
  }
  return milliseconds.has_value();
}

// Appends one value that is not null; false if it does not fit.
bool append_scalar(Scalar scalar, const json::Value& value, columns::ArrayBuilder& out) {
  switch (scalar) {
    case Scalar::kString:
    case Scalar::kBlob: {
      const std::string* const text = value.as_string();
      if (text != nullptr) {
        out.append_text(*text);
      }
      return text != nullptr;
    }
    case Scalar::kBool: {
      const auto truth = value.as_boolean();
      if (truth.has_value()) {
        out.append_boolean(*truth);
      }
      return truth.has_value();
    }
    case Scalar::kI32:
    case Scalar::kI64:
    case Scalar::kU32:
    case Scalar::kU64: {
      const auto number = as_integer(scalar, value);
      if (number.has_value()) {
        out.append_integer(*number);
      }
      return number.has_value();
    }
    case Scalar::kF32:
    case Scalar::kF64: {
      const auto number = value.as_double();
      if (!number.has_value() || !std::isfinite(*number)) {
        return false;
      }
      if (scalar == Scalar::kF32) {
        out.append_float(to_float(*number));
      } else {
        out.append_double(*number);
      }
      return true;
    }
    case Scalar::kDate:
    case Scalar::kDateTime:
      break;
  }
  return append_moment(scalar, value, out);
}

// Why an array is no value of a list or vector; "" if it is one, which was appended.
std::string append_items(const PropertyType& type, const json::Value& value,
                         columns::ArrayBuilder& out) {
  if (!value.is_array()) {
    return "an array is wanted";
  }
  if (type.is_vector() && value.items().size() != type.vector_width) {
    return "it has " + std::to_string(value.items().size()) + " items";
  }
  for (const json::Value& item : value.items()) {
    if (!append_scalar(type.scalar, item, out.child(0))) {
      return "item " + shown(item) + " is no " + std::string(schema::scalar_name(type.scalar));
    }
    if (type.is_vector() && !std::isfinite(to_float(item.as_double().value_or(0)))) {
      return "item " + shown(item) + " is out of the range of F32";
    }
  }
  if (type.is_vector()) {
    out.append_fixed_list();
  } else {
    out.append_list(value.items().size());
  }
  return "";
}

Result<columns::ArrayPtr> read_value(const gq::Parameter& parameter, const json::Value* value) {
  const PropertyType& type = parameter.type;
  columns::ArrayBuilder out(ndjson::column_type(type));
  const auto refuse = [&](std::string why) {
    return Error(ErrorKind::kInvalid,
                 "parameter " + parameter.name.text + " is " + type.to_string() + ": " + why)
        .with("parameter", parameter.name.text)
        .with("type", type.to_string());
  };
  if (value == nullptr || value->is_null()) {
    if (!type.nullable) {
      return refuse(value == nullptr ? "it is missing" : "it cannot be null");
    }
    out.append_null();
    return out.finish();
  }
  if (type.scalar == Scalar::kBlob) {
    return Error(ErrorKind::kUnsupported, "values of type Blob are not supported yet")
        .with("parameter", parameter.name.text);
  }
  if (!type.is_plain()) {
    if (const std::string why = append_items(type, *value, out); !why.empty()) {
      return refuse(shown(*value) + " does not fit: " + why);
    }
  } else if (!append_scalar(type.scalar, *value, out)) {
    return refuse(shown(*value) + " does not fit");
  }
  return out.finish();
}

}  // namespace

Result<ParameterValues> read_parameters(const gq::Query& query, std::string_view text) {
  json::Value object = json::Value::object();
  if (!text.empty()) {
    Result<json::Value> parsed = json::parse(text);
    if (!parsed.ok()) {
      Error error(parsed.error().kind(), "parameters are no JSON");
      for (const Error::Fact& fact : parsed.error().facts()) {
        error.add(fact.key, fact.value);
      }
      return error;
    }
    object = *std::move(parsed);
  }
  if (!object.is_object()) {
    return Error(ErrorKind::kInvalid, "parameters are a JSON object: {\"name\": value}")
        .with("given", shown(object));
  }
  ParameterValues out;
  for (const gq::Parameter& parameter : query.parameters) {
    WEFT_TRY(columns::ArrayPtr value, read_value(parameter, object.find(parameter.name.text)));
    out.values.emplace(parameter.name.text, std::move(value));
  }
  for (const json::Member& member : object.members()) {
    if (query.find_parameter(member.name) == nullptr) {
      out.unknown.push_back(member.name);
    }
  }
  return out;
}

}  // namespace weft::gqexec
