// Values of header fields, query strings, forms and multipart bodies, as clients send them.

#include <array>
#include <cstdint>
#include <string_view>

#include "server/field_values.h"
#include "server/http_message.h"
#include "server/multipart.h"
#include "server/sparql_protocol.h"
#include "server/tokens.h"

#include "weft/base/check.h"

using weft::server::ByteRange;
using weft::server::RangeOutcome;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view first = text.substr(0, text.find('\n'));
  const std::string_view rest =
      first.size() == text.size() ? std::string_view() : text.substr(first.size() + 1);

  constexpr std::array<std::string_view, 2> kOffers = {"text/turtle", "application/json"};
  const auto best = weft::server::best_media_type(first, kOffers);
  WEFT_CHECK(!best.has_value() || *best < kOffers.size());
  static_cast<void>(weft::server::best_coding(first));
  ByteRange range;
  if (weft::server::parse_range(first, 1'000, range) == RangeOutcome::kPart) {
    WEFT_CHECK(range.first <= range.last && range.last < 1'000);
  }
  static_cast<void>(weft::server::parse_entity_tags(first));
  static_cast<void>(weft::server::bearer_token(first));
  static_cast<void>(weft::server::parse_seconds(first));
  static_cast<void>(weft::server::is_absolute_iri(first));

  weft::server::RequestHead head;
  head.method_name = size % 2 == 0 ? "GET" : "POST";
  head.method = weft::server::method_by_name(head.method_name);
  head.target = first;
  head.fields.push_back({"Content-Type", std::string(first)});
  if (weft::server::split_target(head).ok() && weft::server::check_request(head).ok()) {
    WEFT_CHECK(!head.path.empty());
  }
  head.query = first;
  const auto request =
      weft::server::parse_sparql_request(head, weft::server::Operations::kBoth, std::string(rest));
  if (request.ok()) {
    for (const std::string& graph : request->graphs) {
      WEFT_CHECK(weft::server::is_absolute_iri(graph));
    }
  }
  if (const auto type = weft::server::parse_media_type(first); type.has_value()) {
    const std::string* const boundary = type->parameter("boundary");
    const auto parts = weft::server::parse_multipart(rest, boundary == nullptr ? "b" : *boundary);
    if (parts.ok()) {
      for (const auto& part : *parts) {
        WEFT_CHECK(part.bytes.size() <= rest.size());
      }
    }
  }
  weft::server::TokenTable tokens;
  static_cast<void>(tokens.add_lines(rest).ok());
  return 0;
}
