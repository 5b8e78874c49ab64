// Lower case as the label index has it: Unicode's full mapping without a language, final sigma
// included.
#pragma once

#include <string>
#include <string_view>

namespace weft::rete {

// Longer texts go piece by piece: a sigma at a border does not see what stands behind it.
inline constexpr size_t kLowerCasePieceBytesMax = size_t{1} << 28U;
// `text` is UTF-8; what is not is left as it is.
std::string to_lower_case(std::string_view text, size_t piece_bytes_max = kLowerCasePieceBytesMax);

}  // namespace weft::rete
