// One spelling for damage: every kCorrupt of this layer names file, section and offset.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/base/error.h"

namespace weft::rete {

// "<what>: file=…, section=…, offset=…". `offset` is absolute in the file.
Error damage(std::string_view what, std::string_view file, std::string_view section,
             uint64_t offset);

}  // namespace weft::rete
