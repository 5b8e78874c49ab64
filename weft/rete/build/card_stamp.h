// The dataset card's note of the format it travels in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::rete::build {

// `card` with the digits of its first `"format_version":` replaced by `generation` if the number is
// smaller; nothing else is touched.
std::string stamp_card(std::string_view card, uint8_t generation);

}  // namespace weft::rete::build
