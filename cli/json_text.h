// JSON that the program prints of itself: written field by field, since it is flat and small.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/error.h"

namespace weft::cli {

void append_json_string(std::string& out, std::string_view text);

// Builds an object or array in order. Values nest through begin/end; commas are placed by the
// writer.
class JsonText {
 public:
  JsonText& begin_object();
  JsonText& end_object();
  JsonText& begin_array();
  JsonText& end_array();
  JsonText& key(std::string_view name);
  JsonText& value(std::string_view text);
  JsonText& value(const char* text) { return value(std::string_view(text)); }
  JsonText& value(uint64_t number);
  JsonText& value(double number);
  JsonText& value(bool truth);
  JsonText& null();
  // `json` as it stands.
  JsonText& raw(std::string_view json);
  template <typename T>
  JsonText& field(std::string_view name, const T& content) {
    return key(name).value(content);
  }
  const std::string& text() const& { return text_; }

 private:
  void separate();
  std::string text_;
  bool need_comma_ = false;
};

// {"error":{"kind":…,"message":…,"facts":[{"key":…,"value":…}]}}
std::string error_json(const Error& error);

}  // namespace weft::cli
