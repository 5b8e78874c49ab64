#include <cmath>
#include <limits>
#include <string>

#include <unicode/locid.h>
#include <unicode/unistr.h>

#include "weft/exec/functions/functions.h"
#include "weft/rdf/utf8.h"

namespace weft::exec {
namespace {

using rdf::Value;
using rdf::ValueKind;
using sparql::Function;

// SPARQL 1.1 §17.4.3.1.2: a plain second argument, or one of the same language.
bool are_compatible(const Value& a, const Value& b) {
  return is_text(a) && is_text(b) &&
         (b.kind() == ValueKind::kString ||
          (a.kind() == ValueKind::kLangString && a.language() == b.language() &&
           a.direction() == b.direction()));
}

Value in_case(const Value& value, bool upper) {
  std::string result;
  return change_case(value.text(), upper, result) ? text_like(value, result) : Value();
}

// XPath's rounding: half towards positive infinity.
double xpath_round(double value) {
  return std::floor(value + 0.5);
}

// fn:substring: the code points at positions p, from 1, with
// round(start) <= p < round(start) + round(length).
Value substring(Arguments arguments) {
  const Value& source = *arguments[0].value;
  if (!is_text(source) || !arguments[1].value->is_numeric() ||
      (arguments.size() == 3 && !arguments[2].value->is_numeric())) {
    return {};
  }
  const double first = xpath_round(arguments[1].value->as_double());
  double end = std::numeric_limits<double>::infinity();
  if (arguments.size() == 3) {
    end = first + xpath_round(arguments[2].value->as_double());
  }
  const std::string_view text = source.text();
  size_t begin_byte = text.size();
  size_t end_byte = text.size();
  double position = 1;
  bool begun = false;
  for (size_t at = 0; at < text.size(); position += 1) {
    if (!begun && position >= first && position < end) {
      begin_byte = at;
      begun = true;
    }
    if (begun && !(position < end)) {
      end_byte = at;
      break;
    }
    const uint8_t size = rdf::decode_code_point(text.substr(at)).size_bytes;
    at += size == 0 ? 1 : size;
  }
  return text_like(source, begun ? text.substr(begin_byte, end_byte - begin_byte) : "");
}

Value before_or_after(const Value& a, const Value& b, bool before) {
  if (!are_compatible(a, b)) {
    return {};
  }
  const std::string_view text = a.text();
  const size_t at = text.find(b.text());
  if (at == std::string_view::npos) {
    return Value::string("");
  }
  return text_like(a, before ? text.substr(0, at) : text.substr(at + b.text().size()));
}

Value encode_for_uri(const Value& value) {
  if (!is_text(value)) {
    return {};
  }
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : value.text()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
    if (unreserved) {
      result += c;
    } else {
      result += '%';
      result += kHex[byte >> 4U];
      result += kHex[byte & 15U];
    }
  }
  return Value::string(result);
}

Value concat(Arguments arguments) {
  std::string result;
  bool same = true;
  for (const Cell& argument : arguments) {
    const Value& value = *argument.value;
    if (!is_text(value)) {
      return {};
    }
    const Value& first = *arguments[0].value;
    same = same && value.kind() == first.kind() && value.language() == first.language() &&
           value.direction() == first.direction();
    result += value.text();
  }
  return same && !arguments.empty() ? text_like(*arguments[0].value, result)
                                    : Value::string(result);
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A letter of ASCII in the wanted case, anything else as it is.
template <char kFirst, char kLast>
bool change_ascii(std::string_view text, std::string& result) {
  result.resize(text.size());
  unsigned char all = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    all |= static_cast<unsigned char>(c);
    result[i] = c >= kFirst && c <= kLast ? static_cast<char>(c ^ 0x20) : c;
  }
  return all < 0x80;
}

}  // namespace

bool change_case(std::string_view text, bool upper, std::string& result) {
  if (text.size() > INT32_MAX / 4) {
    return false;
  }
  if (upper ? change_ascii<'a', 'z'>(text, result) : change_ascii<'A', 'Z'>(text, result)) {
    return true;
  }
  icu::UnicodeString unicode = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<int32_t>(text.size())));
  if (upper) {
    unicode.toUpper(icu::Locale::getRoot());
  } else {
    unicode.toLower(icu::Locale::getRoot());
  }
  result.clear();
  unicode.toUTF8String(result);
  return true;
}

bool language_matches(std::string_view tag, std::string_view range) {
  if (range == "*") {
    return !tag.empty();
  }
  bool matches = tag.size() >= range.size() &&
                 (tag.size() == range.size() || tag[range.size()] == '-') &&
                 !(range.empty() && !tag.empty());
  for (size_t i = 0; matches && i < range.size(); ++i) {
    matches = lower(tag[i]) == lower(range[i]);
  }
  return matches;
}

Value text_like(const Value& like, std::string_view text) {
  return like.kind() == ValueKind::kLangString
             ? Value::lang_string(text, like.language(), like.direction())
             : Value::string(text);
}

Value string_function(Function function, Arguments arguments) {
  if (function == Function::kConcat) {
    return concat(arguments);
  }
  const Value& first = *arguments[0].value;
  switch (function) {
    case Function::kStrLen:
      return is_text(first)
                 ? Value::integer(static_cast<int64_t>(rdf::count_code_points(first.text())))
                 : Value();
    case Function::kSubStr:
      return substring(arguments);
    case Function::kUCase:
    case Function::kLCase:
      return is_text(first) ? in_case(first, function == Function::kUCase) : Value();
    case Function::kStrStarts:
    case Function::kStrEnds:
    case Function::kContains: {
      const Value& second = *arguments[1].value;
      if (!are_compatible(first, second)) {
        return {};
      }
      const std::string_view text = first.text();
      const std::string_view part = second.text();
      return Value::boolean(function == Function::kStrStarts ? text.starts_with(part)
                            : function == Function::kStrEnds ? text.ends_with(part)
                                                             : text.contains(part));
    }
    case Function::kStrBefore:
    case Function::kStrAfter:
      return before_or_after(first, *arguments[1].value, function == Function::kStrBefore);
    case Function::kEncodeForUri:
      return encode_for_uri(first);
    case Function::kLangMatches:
      return first.kind() == ValueKind::kString && arguments[1].value->kind() == ValueKind::kString
                 ? Value::boolean(language_matches(first.text(), arguments[1].value->text()))
                 : Value();
    default:
      return {};
  }
}

}  // namespace weft::exec
