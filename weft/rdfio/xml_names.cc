#include "weft/rdfio/xml_names.h"

#include <algorithm>
#include <array>

#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"
#include "weft/rdfio/characters.h"

namespace weft::rdfio {
namespace {

// NameStartChar without ':'. It has what PN_CHARS_BASE has, and the underscore.
bool is_xml_name_start(char32_t value) {
  return value == '_' || is_name_start(value);
}

bool is_xml_name_char(char32_t value) {
  return value == '.' || is_name_char(value);
}

// What may stand in a name by every edition of XML 1.0: ASCII and letters of the common scripts.
// Many parsers, expat among them, keep to the fourth edition, which knows neither U+FEFF nor any
// character beyond U+FFFF in names.
bool is_letter_of_every_edition(char32_t value) {
  struct Letters {
    char32_t first;
    char32_t last;
  };
  constexpr std::array<Letters, 12> kLetters = {{{'A', 'Z'},
                                                 {'a', 'z'},
                                                 {0xC0, 0xD6},
                                                 {0xD8, 0xF6},
                                                 {0xF8, 0xFF},
                                                 {0x391, 0x3A1},
                                                 {0x3A3, 0x3CE},
                                                 {0x410, 0x44F},
                                                 {0x3041, 0x3094},
                                                 {0x30A1, 0x30FA},
                                                 {0x4E00, 0x9FA5},
                                                 {0xAC00, 0xD7A3}}};
  return std::ranges::any_of(
      kLetters, [value](const Letters& l) { return l.first <= value && value <= l.last; });
}

bool may_begin_written_name(char32_t value) {
  return value == '_' || is_letter_of_every_edition(value);
}

bool may_be_in_written_name(char32_t value) {
  return may_begin_written_name(value) || value == '-' || value == '.' ||
         (value >= '0' && value <= '9');
}

bool is_syntax_name(std::string_view iri) {
  constexpr std::array<std::string_view, 9> kNames = {"RDF",       "ID",        "about",
                                                      "parseType", "resource",  "nodeID",
                                                      "datatype",  "aboutEach", "aboutEachPrefix"};
  return iri.starts_with(rdf::kRdf) &&
         (std::ranges::find(kNames, iri.substr(rdf::kRdf.size())) != kNames.end() ||
          iri.substr(rdf::kRdf.size()) == "bagID");
}

}  // namespace

bool is_xml_name(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const rdf::DecodedCodePoint decoded = rdf::decode_code_point(text.substr(at));
    if (decoded.size_bytes == 0 ||
        !(at == 0 ? is_xml_name_start(decoded.value) : is_xml_name_char(decoded.value))) {
      return false;
    }
    at += decoded.size_bytes;
  }
  return !text.empty();
}

size_t xml_name_start(std::string_view iri) {
  size_t start = iri.size();
  size_t at = iri.size();
  while (at > 0) {
    size_t previous = at - 1;
    while (previous > 0 && (static_cast<uint8_t>(iri[previous]) & 0xC0U) == 0x80U) {
      --previous;
    }
    const rdf::DecodedCodePoint decoded = rdf::decode_code_point(iri.substr(previous));
    if (decoded.size_bytes != at - previous || !may_be_in_written_name(decoded.value)) {
      break;
    }
    at = previous;
    if (may_begin_written_name(decoded.value)) {
      start = at;
    }
  }
  return start;
}

bool may_be_node(std::string_view iri) {
  return !is_syntax_name(iri) && iri != std::string(rdf::kRdf) + "li";
}

bool may_be_property(std::string_view iri) {
  return !is_syntax_name(iri) && iri != std::string(rdf::kRdf) + "li" &&
         iri != std::string(rdf::kRdf) + "Description";
}

}  // namespace weft::rdfio
