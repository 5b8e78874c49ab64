#include "weft/lance/table/wire_map.h"

namespace weft::lance {

bool take_entry(const codec::WireField& field,
                std::vector<std::pair<std::string, std::string>>& map) {
  ByteView message;
  if (!field.as_bytes(message)) {
    return false;
  }
  auto& entry = map.emplace_back();
  codec::WireReaderView reader(message);
  codec::WireField part;
  while (reader.next(part)) {
    if (part.number == 1) {
      reader.expect(part.as_text(entry.first));
    } else if (part.number == 2) {
      reader.expect(part.as_text(entry.second));
    }
  }
  return reader.ok();
}

void write_map(codec::WireWriter& writer, uint32_t number,
               const std::vector<std::pair<std::string, std::string>>& map) {
  for (const auto& [key, value] : map) {
    codec::WireWriter entry;
    entry.bytes(1, key);
    entry.bytes(2, value);
    writer.message(number, entry);
  }
}

}  // namespace weft::lance
