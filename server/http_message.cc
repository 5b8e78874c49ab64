#include "server/http_message.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "weft/json/value.h"

namespace weft::server {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::tm utc(int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  return parts;
}

}  // namespace

Method method_by_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Method>, 7> kMethods = {{
      {"GET", Method::kGet},
      {"HEAD", Method::kHead},
      {"POST", Method::kPost},
      {"PUT", Method::kPut},
      {"DELETE", Method::kDelete},
      {"PATCH", Method::kPatch},
      {"OPTIONS", Method::kOptions},
  }};
  for (const auto& [known, method] : kMethods) {
    if (name == known) {
      return method;
    }
  }
  return Method::kOther;
}

bool equals_without_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](char left, char right) { return lower(left) == lower(right); });
}

bool RequestHead::has(std::string_view name) const {
  return count(name) != 0;
}

size_t RequestHead::count(std::string_view name) const {
  return static_cast<size_t>(std::count_if(fields.begin(), fields.end(), [&](const Field& field) {
    return equals_without_case(field.name, name);
  }));
}

std::string RequestHead::value(std::string_view name) const {
  std::string joined;
  bool first = true;
  for (const Field& field : fields) {
    if (equals_without_case(field.name, name)) {
      joined += first ? "" : ", ";
      joined += field.value;
      first = false;
    }
  }
  return joined;
}

Status split_target(RequestHead& head) {
  std::string_view rest = head.target;
  if (!rest.starts_with('/')) {
    const size_t scheme = rest.find("://");
    if (scheme == std::string_view::npos) {
      if (rest == "*" && head.method == Method::kOptions) {
        head.path = "*";
        return ok_status();
      }
      return Error(ErrorKind::kInvalid, "the request target is no path");
    }
    const size_t slash = rest.find_first_of("/?", scheme + 3);
    rest = slash == std::string_view::npos ? std::string_view("/") : rest.substr(slash);
  }
  rest = rest.substr(0, rest.find('#'));
  const size_t question = rest.find('?');
  head.path = rest.substr(0, question);
  head.query = question == std::string_view::npos ? "" : rest.substr(question + 1);
  if (head.path.empty()) {
    head.path = "/";
  }
  return ok_status();
}

Status check_request(const RequestHead& head) {
  const size_t hosts = head.count("Host");
  if (hosts > 1 || (hosts == 0 && head.version >= 11)) {
    return Error(ErrorKind::kInvalid, "a request has one Host field").with("fields", hosts);
  }
  const size_t lengths = head.count("Content-Length");
  if (lengths > 1 || (lengths == 1 && head.has("Transfer-Encoding"))) {
    return Error(ErrorKind::kInvalid, "the length of the body is stated in two ways");
  }
  if (head.version < 11 && head.has("Transfer-Encoding")) {
    return Error(ErrorKind::kInvalid, "HTTP/1.0 has no Transfer-Encoding");
  }
  return ok_status();
}

void ResponseHead::set(std::string_view name, std::string_view value) {
  for (Field& field : fields) {
    if (equals_without_case(field.name, name)) {
      field.value = value;
      return;
    }
  }
  fields.push_back({std::string(name), std::string(value)});
}

const std::string* ResponseHead::find(std::string_view name) const {
  for (const Field& field : fields) {
    if (equals_without_case(field.name, name)) {
      return &field.value;
    }
  }
  return nullptr;
}

std::string_view reason_phrase(unsigned status) {
  constexpr std::array<std::pair<unsigned, std::string_view>, 27> kReasons = {{
      {200, "OK"},
      {201, "Created"},
      {204, "No Content"},
      {206, "Partial Content"},
      {303, "See Other"},
      {304, "Not Modified"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {411, "Length Required"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {416, "Range Not Satisfiable"},
      {417, "Expectation Failed"},
      {428, "Precondition Required"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {508, "Loop Detected"},
  }};
  for (const auto& [known, reason] : kReasons) {
    if (known == status) {
      return reason;
    }
  }
  return "Unknown";
}

unsigned status_of(const Error& error) {
  if (const std::string_view own = error.fact("http_status"); own.size() == 3) {
    return static_cast<unsigned>((own[0] - '0') * 100 + (own[1] - '0') * 10 + (own[2] - '0'));
  }
  switch (error.kind()) {
    case ErrorKind::kInvalid:
      return 400;
    case ErrorKind::kUnsupported:
      return 501;
    case ErrorKind::kDenied:
      return 403;
    case ErrorKind::kNotFound:
      return 404;
    case ErrorKind::kAlreadyExists:
    case ErrorKind::kConflict:
      return 409;
    case ErrorKind::kLimit:
      return 413;
    case ErrorKind::kCancelled:
      return 408;
    case ErrorKind::kUnavailable:
    case ErrorKind::kRecoveryRequired:
      return 503;
    case ErrorKind::kCorrupt:
    case ErrorKind::kInternal:
      return 500;
  }
  std::unreachable();
}

std::string error_json(const Error& error) {
  std::string out = "{\"error\":{\"kind\":";
  json::append_quoted(out, error_kind_name(error.kind()));
  out += ",\"message\":";
  json::append_quoted(out, error.message());
  out += ",\"facts\":[";
  bool first = true;
  for (const Error::Fact& fact : error.facts()) {
    out += first ? "{\"key\":" : ",{\"key\":";
    json::append_quoted(out, fact.key);
    out += ",\"value\":";
    json::append_quoted(out, fact.value);
    out += '}';
    first = false;
  }
  out += "]}}\n";
  return out;
}

std::string http_date(int64_t unix_seconds) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::tm parts = utc(unix_seconds);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                kDays[static_cast<size_t>(parts.tm_wday)], parts.tm_mday,
                kMonths[static_cast<size_t>(parts.tm_mon)], parts.tm_year + 1900, parts.tm_hour,
                parts.tm_min, parts.tm_sec);
  return text.data();
}

std::string iso_time(int64_t unix_microseconds) {
  const std::tm parts = utc(unix_microseconds / 1'000'000);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, static_cast<int>(unix_microseconds % 1'000'000));
  return text.data();
}

}  // namespace weft::server
