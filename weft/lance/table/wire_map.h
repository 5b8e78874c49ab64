// Maps in protocol buffers: repeated entries of a key and a value.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "weft/codec/protobuf_wire.h"

namespace weft::lance {

// Appends the entry. False if it is damaged.
bool take_entry(const codec::WireField& field,
                std::vector<std::pair<std::string, std::string>>& map);
void write_map(codec::WireWriter& writer, uint32_t number,
               const std::vector<std::pair<std::string, std::string>>& map);

}  // namespace weft::lance
