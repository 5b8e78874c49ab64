#include "weft/rdfio/characters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "weft/rdf/scan.h"
#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"

namespace weft::rdfio {
namespace {

constexpr std::array<std::pair<char32_t, char32_t>, 12> kNameStartRanges = {{
    {0x00C0, 0x00D6},
    {0x00D8, 0x00F6},
    {0x00F8, 0x02FF},
    {0x0370, 0x037D},
    {0x037F, 0x1FFF},
    {0x200C, 0x200D},
    {0x2070, 0x218F},
    {0x2C00, 0x2FEF},
    {0x3001, 0xD7FF},
    {0xF900, 0xFDCF},
    {0xFDF0, 0xFFFD},
    {0x10000, 0xEFFFF},
}};

bool is_ascii_name_char(char byte) {
  return is_ascii_letter(byte) || is_digit(byte) || byte == '_' || byte == '-';
}

// The code point at `at` if it is a PN_CHARS, else size 0.
size_t name_char_size(const char* at, const char* end) {
  if (static_cast<uint8_t>(*at) < 0x80) {
    return is_ascii_name_char(*at) ? 1 : 0;
  }
  const auto decoded = rdf::decode_code_point({at, static_cast<size_t>(end - at)});
  return decoded.size_bytes != 0 && is_name_char(decoded.value) ? decoded.size_bytes : 0;
}

// The end of (PN_CHARS | '.')* PN_CHARS behind the first character.
const char* scan_name_rest(const char* at, const char* end) {
  const char* name_end = at;
  while (at != end) {
    if (*at == '.') {
      ++at;
      continue;
    }
    const size_t size = name_char_size(at, end);
    if (size == 0) {
      break;
    }
    at += size;
    name_end = at;
  }
  return name_end;
}

constexpr ptrdiff_t kTagPartMax = 8;

}  // namespace

bool is_name_start(char32_t value) {
  if (value < 0x80) {
    return is_ascii_letter(static_cast<char>(value));
  }
  return std::ranges::any_of(kNameStartRanges, [value](const auto& range) {
    return value >= range.first && value <= range.second;
  });
}

bool is_name_char(char32_t value) {
  if (value < 0x80) {
    return is_ascii_name_char(static_cast<char>(value));
  }
  return value == 0x00B7 || (value >= 0x0300 && value <= 0x036F) || value == 0x203F ||
         value == 0x2040 || is_name_start(value);
}

const char* scan_blank_node_label(const char* at, const char* end) {
  if (at != end && (is_digit(*at) || *at == '_')) {
    return scan_name_rest(at + 1, end);
  }
  return scan_prefix(at, end);
}

const char* scan_prefix(const char* at, const char* end) {
  if (at == end) {
    return at;
  }
  const auto first = rdf::decode_code_point({at, static_cast<size_t>(end - at)});
  const bool starts = first.size_bytes != 0 && is_name_start(first.value);
  return starts ? scan_name_rest(at + first.size_bytes, end) : at;
}

ScannedTag scan_language_tag(const char* at, const char* end) {
  ScannedTag tag;
  const char* const begin = at;
  const char* part = at;
  while (at != end && (is_ascii_letter(*at) || (part != begin && is_digit(*at)))) {
    while (at != end && (is_ascii_letter(*at) || (part != begin && is_digit(*at)))) {
      tag.is_lower = tag.is_lower && (*at < 'A' || *at > 'Z');
      ++at;
    }
    if (at - part > kTagPartMax) {
      return {};
    }
    tag.end = at;
    tag.language_size = static_cast<size_t>(at - begin);
    if (end - at < 2 || *at != '-') {
      return tag;
    }
    part = ++at;
  }
  if (tag.end == nullptr || *at != '-') {
    return {};  // nothing, or a dash with nothing behind it
  }
  const std::string_view direction(at + 1, std::min<size_t>(3, static_cast<size_t>(end - at) - 1));
  const char* const behind = at + 1 + direction.size();
  if ((direction != "ltr" && direction != "rtl") ||
      (behind != end && (is_ascii_letter(*behind) || is_digit(*behind) || *behind == '-'))) {
    return {};
  }
  tag.end = behind;
  return tag;
}

bool has_scheme(std::string_view iri) {
  if (iri.empty() || !is_ascii_letter(iri[0])) {
    return false;
  }
  for (const char byte : iri.substr(1)) {
    if (byte == ':') {
      return true;
    }
    if (!is_ascii_letter(byte) && !is_digit(byte) && byte != '+' && byte != '-' && byte != '.') {
      return false;
    }
  }
  return false;
}

bool needs_language(std::string_view datatype) {
  return datatype == "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>" ||
         datatype == "<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>";
}

size_t append_canonical_literal(std::string& out, std::string_view raw) {
  size_t at = 0;
  while (true) {
    const size_t slash = std::min(raw.find('\\', at), raw.size());
    rdf::append_escaped(out, raw.substr(at, slash - at));
    if (slash == raw.size()) {
      return slash;
    }
    constexpr std::string_view kCanonicalEscapes = "\"\\ntrbf";
    if (raw.size() - slash >= 2 &&
        kCanonicalEscapes.find(raw[slash + 1]) != std::string_view::npos) {
      out.append(raw.substr(slash, 2));
      at = slash + 2;
      continue;
    }
    const auto escape = rdf::decode_escape(raw.substr(slash));
    if (!escape) {
      return slash;
    }
    if (escape->value < 0x80) {
      const auto byte = static_cast<char>(escape->value);
      rdf::append_escaped(out, {&byte, 1});
    } else {
      rdf::append_code_point(out, escape->value);
    }
    at = slash + escape->size_bytes;
  }
}

size_t append_unescaped_iri(std::string& out, std::string_view raw) {
  const char* const begin = raw.data();
  const char* const end = begin + raw.size();
  const char* at = begin;
  bool non_ascii = false;
  while (true) {
    const char* const stop = rdf::find_iri_end(at, end, non_ascii);
    out.append(at, stop);
    const auto offset = static_cast<size_t>(stop - begin);
    if (stop == end || *stop != '\\') {
      return offset;
    }
    const auto escape = rdf::decode_numeric_escape(raw.substr(offset));
    if (!escape || rdf::ends_iri(escape->value)) {
      return offset;
    }
    rdf::append_code_point(out, escape->value);
    at = stop + escape->size_bytes;
  }
}

}  // namespace weft::rdfio
