#include "weft/rete/build/unicode_text.h"

#include <algorithm>

#include <unicode/uchar.h>

#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"
#include "weft/rete/lower_case.h"

namespace weft::rete::build {
namespace {

bool is_ascii_alphanumeric(uint8_t octet) {
  return (octet >= '0' && octet <= '9') || (octet >= 'A' && octet <= 'Z') ||
         (octet >= 'a' && octet <= 'z');
}

bool is_alphanumeric(UChar32 c) {
  if (c < 0x80) {
    return c >= 0 && is_ascii_alphanumeric(static_cast<uint8_t>(c));
  }
  constexpr uint32_t kNumeric = U_GC_ND_MASK | U_GC_NL_MASK | U_GC_NO_MASK;
  return u_hasBinaryProperty(c, UCHAR_ALPHABETIC) != 0 || (U_GET_GC_MASK(c) & kNumeric) != 0;
}

// The character at `at`, which moves behind it. A byte that is no UTF-8 counts as one character
// that is neither a letter nor white space.
UChar32 next_character(std::string_view text, size_t& at) {
  const auto octet = static_cast<uint8_t>(text[at]);
  if (octet < 0x80) {
    ++at;
    return octet;
  }
  const rdf::DecodedCodePoint decoded = rdf::decode_code_point(text.substr(at));
  at += std::max<size_t>(decoded.size_bytes, 1);
  return decoded.size_bytes == 0 ? -1 : static_cast<UChar32>(decoded.value);
}

}  // namespace

std::string literal_value(std::string_view token) {
  const std::string_view escaped = rdf::split_literal(token).escaped;
  if (escaped.find('\\') == std::string_view::npos) {
    return std::string(escaped);
  }
  // Tokens of other writers may hold what is no escape; it stands for itself then.
  return rdf::unescape(escaped).value_or(std::string(escaped));
}

void for_each_word(std::string_view text, const std::function<void(std::string_view)>& take) {
  size_t begin = 0;
  size_t characters = 0;
  const auto close = [&](size_t end) {
    if (characters >= 2) {
      take(to_lower_case(text.substr(begin, end - begin)));
    }
    characters = 0;
  };
  size_t at = 0;
  while (at < text.size()) {
    const size_t start = at;
    if (is_alphanumeric(next_character(text, at))) {
      begin = characters == 0 ? start : begin;
      ++characters;
    } else {
      close(start);
    }
  }
  close(text.size());
}

std::string normalize_label(std::string_view text) {
  std::string label;
  size_t at = 0;
  bool in_word = false;
  while (at < text.size()) {
    const size_t start = at;
    const UChar32 c = next_character(text, at);
    if (c >= 0 && u_isUWhiteSpace(c) != 0) {
      if (in_word && label.size() >= kLabelBytesMax) {
        break;
      }
      in_word = false;
      continue;
    }
    if (!in_word && !label.empty()) {
      label.push_back(' ');
    }
    in_word = true;
    label.append(text.substr(start, at - start));
  }
  if (label.size() > kLabelBytesMax) {
    size_t cut = kLabelBytesMax;
    while ((static_cast<uint8_t>(label[cut]) & 0xC0U) == 0x80) {
      --cut;
    }
    label.resize(cut);
    while (!label.empty() && label.back() == ' ') {
      label.pop_back();
    }
  }
  return label;
}

}  // namespace weft::rete::build
