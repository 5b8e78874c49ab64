// The header field Content-Range, as any server may send it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/base/check.h"
#include "weft/remote/content_range.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto range = weft::remote::parse_content_range(text);
  if (!range) {
    return 0;
  }
  WEFT_CHECK(range->first.has_value() == range->last.has_value());
  WEFT_CHECK(range->first || range->size);
  WEFT_CHECK(!range->first || *range->first <= *range->last);
  WEFT_CHECK(!range->first || !range->size || *range->last < *range->size);
  // What was understood, written again, is understood the same.
  const auto shown = [](const std::optional<uint64_t>& number) {
    return number ? std::to_string(*number) : std::string("*");
  };
  const std::string again = "bytes " +
                            (range->first ? shown(range->first) + "-" + shown(range->last) : "*") +
                            "/" + shown(range->size);
  const auto second = weft::remote::parse_content_range(again);
  WEFT_CHECK(second && second->first == range->first && second->last == range->last &&
             second->size == range->size);
  return 0;
}
