#include "weft/rete/text_words.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <unicode/uchar.h>
#include <unicode/uset.h>

#include "weft/rdf/utf8.h"
#include "weft/rete/lower_case.h"

namespace weft::rete {
namespace {

using Letters = rdf::TextNeed::Letters;

// Characters that Unicode assigned by then mean the same to every version that wrote an index:
// weft's first writer had version 15.
constexpr uint8_t kUnicodeVersion = 15;

enum class Kind : uint8_t {
  kLetter,     // alphanumeric, and in lower case the same wherever it stands
  kSeparator,  // not alphanumeric
  kUncertain,
};

bool is_settled(UChar32 c) {
  UVersionInfo age;
  u_charAge(c, age);
  return age[0] != 0 && age[0] <= kUnicodeVersion;
}

bool is_alphanumeric(UChar32 c) {
  constexpr uint32_t kNumeric = U_GC_ND_MASK | U_GC_NL_MASK | U_GC_NO_MASK;
  return u_hasBinaryProperty(c, UCHAR_ALPHABETIC) != 0 || (U_GET_GC_MASK(c) & kNumeric) != 0;
}

// In lower case its form depends on what follows.
bool is_sigma(UChar32 c) {
  return c == 0x3A3 || c == 0x3C3 || c == 0x3C2;
}

// The İ becomes two characters.
bool is_dotted_i(UChar32 c) {
  return c == 0x130;
}

struct CloseSet {
  void operator()(USet* set) const { uset_close(set); }
};

// True if all characters that equal `c` up to case have one lower case. (The long s equals an s and
// has another; Greek has several such.) Taken from ICU, whose classes include those of RE2.
bool has_one_lower_case(UChar32 c) {
  const std::unique_ptr<USet, CloseSet> alike(uset_open(c, c));
  uset_closeOver(alike.get(), USET_CASE_INSENSITIVE);
  const UChar32 lower = u_tolower(c);
  for (int32_t i = 0; i < uset_getItemCount(alike.get()); ++i) {
    UErrorCode status = U_ZERO_ERROR;
    UChar32 first = 0;
    UChar32 last = 0;
    if (uset_getItem(alike.get(), i, &first, &last, nullptr, 0, &status) != 0 ||
        U_FAILURE(status)) {
      continue;  // a string, which no regular expression takes for a character
    }
    for (UChar32 each = first; each <= last; ++each) {
      if (u_tolower(each) != lower || !is_alphanumeric(each)) {
        return false;
      }
    }
  }
  return true;
}

Kind kind_of(UChar32 c, Letters letters) {
  if (c < 0x80 && !(u_isalpha(c) != 0 || u_isdigit(c) != 0)) {
    return Kind::kSeparator;
  }
  if (!is_settled(c) || !is_alphanumeric(c) || is_sigma(c) || is_dotted_i(c)) {
    return Kind::kUncertain;
  }
  if ((letters == Letters::kLowered && u_tolower(c) != c) ||
      (letters == Letters::kFolded && !has_one_lower_case(c))) {
    return Kind::kUncertain;
  }
  return Kind::kLetter;
}

}  // namespace

std::vector<WordPart> word_parts(const rdf::TextNeed& need) {
  std::vector<WordPart> parts;
  const std::string_view text = need.text;
  bool begins = need.at_start;
  size_t begin = 0;
  size_t characters = 0;
  const auto close = [&](size_t end, bool ends) {
    if (characters >= 2) {
      WordPart part{to_lower_case(text.substr(begin, end - begin)), begins, ends};
      if (std::ranges::find(parts, part) == parts.end()) {
        parts.push_back(std::move(part));
      }
    }
    characters = 0;
  };
  for (size_t at = 0; at < text.size();) {
    const rdf::DecodedCodePoint decoded = rdf::decode_code_point(text.substr(at));
    const Kind kind = decoded.size_bytes == 0
                          ? Kind::kUncertain
                          : kind_of(static_cast<UChar32>(decoded.value), need.letters);
    if (kind == Kind::kLetter) {
      begin = characters == 0 ? at : begin;
      ++characters;
    } else {
      close(at, kind == Kind::kSeparator);
      begins = kind == Kind::kSeparator;
    }
    at += std::max<size_t>(decoded.size_bytes, 1);
  }
  close(text.size(), need.at_end);
  return parts;
}

}  // namespace weft::rete
