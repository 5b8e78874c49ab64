// multipart/form-data (RFC 7578) held in memory: the documents of a POST to a graph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"

namespace weft::server {

// Limit "multipart parts".
inline constexpr size_t kPartsMax = 1'000;

// Views into the body.
struct PartView {
  std::string_view content_type;  // "" if there is none
  std::string_view file_name;     // of Content-Disposition, unquoted; "" if there is none
  std::string_view bytes;
};

// `boundary` is the parameter of the media type. Errors: kInvalid for a body that is cut or has no
// such boundary; kLimit.
Result<std::vector<PartView>> parse_multipart(std::string_view body, std::string_view boundary);

}  // namespace weft::server
