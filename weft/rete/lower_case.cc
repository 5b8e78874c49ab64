#include "weft/rete/lower_case.h"

#include <algorithm>
#include <memory>

#include <unicode/ucasemap.h>

namespace weft::rete {
namespace {

struct CloseCaseMap {
  void operator()(UCaseMap* map) const { ucasemap_close(map); }
};

std::string lower_unicode(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UCaseMap, CloseCaseMap> map(ucasemap_open("", 0, &status));
  if (U_FAILURE(status)) {
    return std::string(text);
  }
  // Lower case is at most three times as long in UTF-8 (U+0130 takes three bytes for two).
  std::string out(text.size() * 3 + 1, '\0');
  const int32_t size =
      ucasemap_utf8ToLower(map.get(), out.data(), static_cast<int32_t>(out.size()), text.data(),
                           static_cast<int32_t>(text.size()), &status);
  if (U_FAILURE(status)) {
    return std::string(text);
  }
  out.resize(static_cast<size_t>(size));
  return out;
}

}  // namespace

std::string to_lower_case(std::string_view text, size_t piece_bytes_max) {
  const bool is_ascii = std::all_of(
      text.begin(), text.end(), [](char each) { return static_cast<unsigned char>(each) < 0x80; });
  if (!is_ascii) {
    std::string out;
    while (text.size() > piece_bytes_max) {
      size_t cut = piece_bytes_max;
      while (cut > 1 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80) {
        --cut;  // at a character
      }
      out += lower_unicode(text.substr(0, cut));
      text.remove_prefix(cut);
    }
    return out.empty() ? lower_unicode(text) : out + lower_unicode(text);
  }
  std::string out(text);
  for (char& each : out) {
    each = each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
  }
  return out;
}

}  // namespace weft::rete
