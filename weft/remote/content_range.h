// The header field Content-Range ("HTTP Semantics", RFC 9110 §14.4), for the unit "bytes".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::remote {

struct ContentRange {
  // Bytes [first, last], both included; nothing for an unsatisfied range ("*/size").
  std::optional<uint64_t> first;
  std::optional<uint64_t> last;
  // Nothing if the server does not say ("*").
  std::optional<uint64_t> size;
};

// Nothing if `text` is not of this form, or contradicts itself.
std::optional<ContentRange> parse_content_range(std::string_view text);

}  // namespace weft::remote
