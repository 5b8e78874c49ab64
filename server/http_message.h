// Requests and responses of HTTP as plain data, without a network.
//
// H1  Field names match in any letter case. A field that comes twice is the list of both values,
//     joined by a comma (RFC 9110 §5.3); those that must not come twice are refused by
//     check_request.
// Values; not thread-safe to change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.h"
#include "weft/base/result.h"

namespace weft::server {

enum class Method : uint8_t { kGet, kHead, kPost, kPut, kDelete, kPatch, kOptions, kOther };

Method method_by_name(std::string_view name);

struct Field {
  std::string name;
  std::string value;
};

// True if equal but for the case of ASCII letters.
bool equals_without_case(std::string_view a, std::string_view b);

struct RequestHead {
  Method method = Method::kGet;
  std::string method_name;  // as sent
  std::string target;       // as sent: "/sparql?query=…"
  std::string path;         // of the target, still percent-encoded
  std::string query;        // behind '?', without it
  int version = 11;         // 10 or 11
  std::vector<Field> fields;
  std::string remote;   // the peer's address, for the log
  bool secure = false;  // came over TLS

  bool has(std::string_view name) const;
  // All values of this field, joined by ", "; "" if there is none.
  std::string value(std::string_view name) const;
  // How many fields have this name.
  size_t count(std::string_view name) const;
};

// Fills path and query from target (origin form, or absolute form of a proxy). Errors: kInvalid for
// another form.
Status split_target(RequestHead& head);

// What RFC 9112 wants refused: no or several Host fields in HTTP/1.1, Content-Length beside
// Transfer-Encoding, several or unequal Content-Length. Errors: kInvalid.
Status check_request(const RequestHead& head);

struct ResponseHead {
  unsigned status = 200;
  std::vector<Field> fields;

  void set(std::string_view name, std::string_view value);
  const std::string* find(std::string_view name) const;
};

std::string_view reason_phrase(unsigned status);

// The status for an error (docs/protocols/http.md, "Errors").
unsigned status_of(const Error& error);
// {"error":{"kind":…,"message":…,"facts":[{"key":…,"value":…}]}} and a newline.
std::string error_json(const Error& error);

// "Sun, 06 Nov 1994 08:49:37 GMT" of seconds since 1970.
std::string http_date(int64_t unix_seconds);
// "2026-11-30T04:03:00.123456Z".
std::string iso_time(int64_t unix_microseconds);

}  // namespace weft::server
