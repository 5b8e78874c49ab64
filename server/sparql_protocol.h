// What a request of the SPARQL 1.1 Protocol asks for, taken from its parameters and its body. Pure:
// no graph, no network. Document: docs/protocols/http.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/field_values.h"
#include "server/http_message.h"

#include "weft/base/result.h"

namespace weft::server {

// An error that is answered with `status` instead of the one of its kind (fact "http_status").
Error http_error(unsigned status, ErrorKind kind, std::string_view message);

// What an endpoint takes.
enum class Operations : uint8_t { kQuery, kUpdate, kBoth };

struct SparqlRequest {
  enum class Kind : uint8_t { kDescription, kQuery, kUpdate };
  Kind kind = Kind::kDescription;
  std::string text;
  // Absolute IRIs without brackets: default-graph-uri and named-graph-uri of a query,
  // using-graph-uri and using-named-graph-uri of an update.
  std::vector<std::string> graphs;
  std::vector<std::string> named_graphs;
  std::optional<std::string> format;   // parameter "format" or "output"
  std::optional<std::string> timeout;  // parameter "timeout", in seconds
};

// "application/x-www-form-urlencoded", with parameters or without.
bool is_form(const RequestHead& head);

// True if the form that begins with `start` holds a parameter "update".
bool form_updates(std::string_view start);

// Checked before the body is read: the method, and for POST the media type and its charset. Errors:
// kInvalid with http_status 405 or 415.
Status check_sparql_head(const RequestHead& head, Operations operations);

// `body` is empty for GET. Errors: kInvalid (400: no or several operations, an update by GET, not
// UTF-8, a graph that is no absolute IRI, parameters of the other operation).
Result<SparqlRequest> parse_sparql_request(const RequestHead& head, Operations operations,
                                           std::string body);

}  // namespace weft::server
