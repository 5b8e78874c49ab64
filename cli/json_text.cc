#include "cli/json_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace weft::cli {

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (octet < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", octet);
      out += escape.data();
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

void JsonText::separate() {
  if (need_comma_) {
    text_.push_back(',');
  }
  need_comma_ = true;
}

JsonText& JsonText::begin_object() {
  separate();
  text_.push_back('{');
  need_comma_ = false;
  return *this;
}

JsonText& JsonText::end_object() {
  text_.push_back('}');
  need_comma_ = true;
  return *this;
}

JsonText& JsonText::begin_array() {
  separate();
  text_.push_back('[');
  need_comma_ = false;
  return *this;
}

JsonText& JsonText::end_array() {
  text_.push_back(']');
  need_comma_ = true;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  append_json_string(text_, name);
  text_.push_back(':');
  need_comma_ = false;
  return *this;
}

JsonText& JsonText::value(std::string_view text) {
  separate();
  append_json_string(text_, text);
  return *this;
}

JsonText& JsonText::value(uint64_t number) {
  separate();
  text_ += std::to_string(number);
  return *this;
}

JsonText& JsonText::value(double number) {
  if (!std::isfinite(number)) {
    return null();
  }
  separate();
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.17g", number);
  text_ += digits.data();
  return *this;
}

JsonText& JsonText::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonText& JsonText::null() {
  separate();
  text_ += "null";
  return *this;
}

JsonText& JsonText::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

std::string error_json(const Error& error) {
  JsonText json;
  json.begin_object().key("error").begin_object();
  json.field("kind", error_kind_name(error.kind())).field("message", error.message());
  json.key("facts").begin_array();
  for (const Error::Fact& fact : error.facts()) {
    json.begin_object()
        .field("key", std::string_view(fact.key))
        .field("value", std::string_view(fact.value))
        .end_object();
  }
  json.end_array().end_object().end_object();
  return json.text();
}

}  // namespace weft::cli
