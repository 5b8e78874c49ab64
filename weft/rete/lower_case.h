// Lower case as the label index has it: Unicode's full mapping without a language, final sigma
// included.
#pragma once

#include <string>
#include <string_view>

namespace weft::rete {

// `text` is UTF-8; what is not is left as it is.
std::string to_lower_case(std::string_view text);

}  // namespace weft::rete
