#include "weft/rete/build/card_stamp.h"

#include <charconv>

namespace weft::rete::build {

std::string stamp_card(std::string_view card, uint8_t generation) {
  constexpr std::string_view kKey = "\"format_version\":";
  std::string stamped(card);
  const size_t key = card.find(kKey);
  if (key == std::string_view::npos) {
    return stamped;
  }
  const size_t begin = key + kKey.size();
  unsigned version = 0;
  const auto [end, failure] =
      std::from_chars(card.data() + begin, card.data() + card.size(), version);
  if (failure == std::errc() && version < generation) {
    stamped.replace(begin, static_cast<size_t>(end - card.data()) - begin,
                    std::to_string(generation));
  }
  return stamped;
}

}  // namespace weft::rete::build
