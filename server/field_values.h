// The values of header fields and of query strings: what clients send, checked and taken apart.
// Pure functions over untrusted text (fuzz/http_values_fuzz.cc); nothing allocates more than a
// small multiple of its input.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"

namespace weft::server {

// Parameters of one query string or form (limit "form parameters").
inline constexpr size_t kFormParametersMax = 10'000;
// Ranges of one Accept field that are looked at; more are ignored.
inline constexpr size_t kAcceptRangesMax = 100;

struct Parameter {
  std::string name;
  std::string value;
};

// %XX resolved; '+' is a space if `form`. nullopt for a '%' that no two hex digits follow.
std::optional<std::string> percent_decoded(std::string_view text, bool form);

// "a=1&b=2" of a query string or of an application/x-www-form-urlencoded body. Errors: kInvalid for
// bad escapes and for what is not UTF-8 when decoded; kLimit.
Result<std::vector<Parameter>> parse_form(std::string_view text);

// "text/turtle; charset=utf-8": type in lower case, parameters by name.
struct MediaType {
  std::string name;
  std::vector<Parameter> parameters;  // names in lower case, values unquoted

  const std::string* parameter(std::string_view name_wanted) const;
};
// nullopt if it is none.
std::optional<MediaType> parse_media_type(std::string_view text);

// The index of the offer that `accept` likes best (RFC 9110 §12.5.1): highest q, of equal ones the
// earliest offer. An empty `accept` takes the first. nullopt if all are refused. Parts that are no
// media ranges are ignored; a value of nothing else counts as empty.
std::optional<size_t> best_media_type(std::string_view accept,
                                      std::span<const std::string_view> offers);

enum class Coding : uint8_t { kIdentity, kGzip, kZstd };
std::string_view coding_name(Coding coding);
// What an Accept-Encoding field likes best; zstd before gzip where it likes both alike.
Coding best_coding(std::string_view accept_encoding);

// Bytes [first, last] of an object.
struct ByteRange {
  uint64_t first = 0;
  uint64_t last = 0;
};
enum class RangeOutcome : uint8_t { kWhole, kPart, kUnsatisfiable };
// A Range field over `size` bytes. Several ranges, other units and bad syntax mean the whole object
// (RFC 9110 §14.2 allows to ignore the field).
RangeOutcome parse_range(std::string_view text, uint64_t size, ByteRange& range);

// The entity tags of If-Match and If-None-Match, without quotes.
struct EntityTags {
  bool any = false;  // "*"
  std::vector<std::string> strong;
  std::vector<std::string> weak;
};
EntityTags parse_entity_tags(std::string_view text);

// The token of "Bearer TOKEN"; nullopt for another scheme.
std::optional<std::string_view> bearer_token(std::string_view authorization);

// "2.5" seconds as milliseconds. nullopt for what is no positive decimal number, or beyond a year.
std::optional<uint64_t> parse_seconds(std::string_view text);

// An absolute IRI without the characters that IRIREF forbids (SPARQL 1.1 §19.8), UTF-8.
bool is_absolute_iri(std::string_view text);

}  // namespace weft::server
