#include "weft/exec/character_set.h"

#include <cstdint>
#include <span>
#include <utility>

#include <unicode/uniset.h>
#include <unicode/unistr.h>

namespace weft::exec {
namespace {

struct CodeRange {
  uint32_t first;
  uint32_t last;
};
constexpr uint32_t kCodePointMax = 0x10FFFF;

// XML 1.0 (fifth edition), rules 4 and 4a: \i is NameStartChar, \c is NameChar. Ascending.
constexpr CodeRange kNameStart[] = {
    {':', ':'},       {'A', 'Z'},       {'_', '_'},       {'a', 'z'},
    {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x2FF},    {0x370, 0x37D},
    {0x37F, 0x1FFF},  {0x200C, 0x200D}, {0x2070, 0x218F}, {0x2C00, 0x2FEF},
    {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}};
constexpr CodeRange kName[] = {
    {'-', '.'},       {'0', ':'},       {'A', 'Z'},        {'_', '_'},       {'a', 'z'},
    {0xB7, 0xB7},     {0xC0, 0xD6},     {0xD8, 0xF6},      {0xF8, 0x37D},    {0x37F, 0x1FFF},
    {0x200C, 0x200D}, {0x203F, 0x2040}, {0x2070, 0x218F},  {0x2C00, 0x2FEF}, {0x3001, 0xD7FF},
    {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF}};

void append_range(std::string& out, uint32_t first, uint32_t last) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto append_code = [&](uint32_t code) {
    out += "\\x{";
    for (int shift = 20; shift >= 0; shift -= 4) {
      out += kDigits[code >> static_cast<unsigned>(shift) & 0xFU];
    }
    out += '}';
  };
  append_code(first);
  out += '-';
  append_code(last);
}

// The inside of a class of these characters, or of all others.
void append_ranges(std::string& out, std::span<const CodeRange> ranges, bool others) {
  uint32_t next = 0;
  for (const CodeRange& range : ranges) {
    if (!others) {
      append_range(out, range.first, range.last);
    } else if (next < range.first) {
      append_range(out, next, range.first - 1);
    }
    next = range.last + 1;
  }
  if (others) {
    append_range(out, next, kCodePointMax);
  }
}

// Reads a class and writes it as a set of ICU (the syntax of icu::UnicodeSet), in which every
// difference stands in brackets of its own.
class SetReader {
 public:
  SetReader(std::string_view pattern, size_t at) : pattern_(pattern), at_(at) {}
  size_t at() const { return at_; }

  // From '[' to behind its ']'.
  Result<std::string> read(size_t depth = 0) {
    if (depth > kClassNestingMax) {
      return Error(ErrorKind::kLimit, "character classes are nested too deeply")
          .with("class_nesting_max", kClassNestingMax);
    }
    std::string group = "[";
    ++at_;
    if (next_is('^')) {
      group += '^';
      ++at_;
    }
    const size_t begin = at_;
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == ']' && at_ != begin) {
        ++at_;
        return group + "]";
      }
      if (c == '-' && at_ != begin && at_ + 1 < pattern_.size() && pattern_[at_ + 1] == '[') {
        ++at_;
        WEFT_TRY(const std::string taken, read(depth + 1));
        if (!next_is(']')) {
          return malformed("what a class takes away comes last in it");
        }
        ++at_;
        return "[" + group + "]-" + taken + "]";
      }
      if (c == '[' || c == ']') {
        return malformed("a class is empty, or has '[' inside");
      }
      if (c == '\\') {
        WEFT_TRY_STATUS(escape(group));
      } else if (c == '-') {
        const bool is_range = at_ != begin && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']';
        group += is_range ? "-" : "\\-";
        ++at_;
      } else if (!append_space(group)) {
        append_plain(group, c);
        ++at_;
      }
    }
    return malformed("a class has no end");
  }

 private:
  bool next_is(char c) const { return at_ < pattern_.size() && pattern_[at_] == c; }
  Error malformed(std::string_view reason) const {
    return Error(ErrorKind::kInvalid, "regular expression is malformed")
        .with("pattern", pattern_)
        .with("reason", reason);
  }

  // Characters beyond ASCII that ICU would skip.
  bool append_space(std::string& group) {
    constexpr std::pair<std::string_view, std::string_view> kSpaces[] = {
        {"\xC2\x85", "\\u0085"},
        {"\xE2\x80\x8E", "\\u200E"},
        {"\xE2\x80\x8F", "\\u200F"},
        {"\xE2\x80\xA8", "\\u2028"},
        {"\xE2\x80\xA9", "\\u2029"}};
    for (const auto& [bytes, escaped] : kSpaces) {
      if (pattern_.substr(at_).starts_with(bytes)) {
        group += escaped;
        at_ += bytes.size();
        return true;
      }
    }
    return false;
  }
  // A character that means itself; bytes of longer ones one by one.
  static void append_plain(std::string& group, char c) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    const auto code = static_cast<unsigned char>(c);
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (code <= ' ') {
      group += "\\u00";
      group += kDigits[code >> 4U];
      group += kDigits[code & 0xFU];
    } else {
      group += code < 0x7F && !is_word ? "\\" : "";
      group += c;
    }
  }

  Status escape(std::string& group) {
    if (at_ + 1 >= pattern_.size()) {
      return malformed("it ends with a backslash");
    }
    const char c = pattern_[at_ + 1];
    at_ += 2;
    switch (c) {
      case 'i':
      case 'I':
      case 'c':
      case 'C':
        append_name_characters(group, c);
        return ok_status();
      case 's':
        group += "\\u0020\\u0009\\u000A\\u000D";
        return ok_status();
      case 'S':
        group += "[^\\u0020\\u0009\\u000A\\u000D]";
        return ok_status();
      case 'd':
        group += "\\p{Nd}";
        return ok_status();
      case 'D':
        group += "\\P{Nd}";
        return ok_status();
      case 'w':
        group += "[^\\p{P}\\p{Z}\\p{C}]";
        return ok_status();
      case 'W':
        group += "\\p{P}\\p{Z}\\p{C}";
        return ok_status();
      case 'n':
        append_plain(group, '\n');
        return ok_status();
      case 'r':
        append_plain(group, '\r');
        return ok_status();
      case 't':
        append_plain(group, '\t');
        return ok_status();
      case 'p':
      case 'P':
        return category(group, c);
      default:
        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) {
          return malformed("there is no such escape in a class");
        }
        append_plain(group, c);
        return ok_status();
    }
  }

  // \p{Lu} and the like; only letters and digits, so that nothing else of ICU's syntax gets in.
  Status category(std::string& group, char letter) {
    const size_t end = pattern_.find('}', at_);
    if (!next_is('{') || end == std::string_view::npos) {
      return malformed("a category stands in braces");
    }
    const std::string_view name = pattern_.substr(at_ + 1, end - at_ - 1);
    for (const char c : name) {
      const bool is_known = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      if (!is_known) {
        return malformed("there is no such category");
      }
    }
    group += '\\';
    group += letter;
    group += '{';
    group += name;
    group += '}';
    at_ = end + 1;
    return ok_status();
  }

  std::string_view pattern_;
  size_t at_;
};

}  // namespace

bool takes_away(std::string_view pattern, size_t at) {
  bool any = false;
  for (size_t i = at + 1; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == ']') {
      return false;
    } else if (pattern[i] == '[') {
      return any && pattern[i - 1] == '-';
    }
    any = true;
  }
  return false;
}

Status append_difference(std::string& out, std::string_view pattern, size_t& at) {
  SetReader reader(pattern, at);
  WEFT_TRY(const std::string text, reader.read());
  UErrorCode code = U_ZERO_ERROR;
  icu::UnicodeSet set(icu::UnicodeString::fromUTF8(
                          icu::StringPiece(text.data(), static_cast<int32_t>(text.size()))),
                      code);
  if (U_FAILURE(code) != 0) {
    return Error(ErrorKind::kInvalid, "regular expression is malformed")
        .with("pattern", pattern)
        .with("reason", u_errorName(code));
  }
  set.removeAllStrings();
  set.remove(0xD800, 0xDFFF);  // no characters
  at = reader.at();
  if (set.isEmpty() != 0) {
    out += "[^\\x{000000}-\\x{10FFFF}]";
    return ok_status();
  }
  out += '[';
  for (int32_t i = 0; i < set.getRangeCount(); ++i) {
    append_range(out, static_cast<uint32_t>(set.getRangeStart(i)),
                 static_cast<uint32_t>(set.getRangeEnd(i)));
  }
  out += ']';
  return ok_status();
}

void append_name_characters(std::string& out, char letter) {
  const bool starts = letter == 'i' || letter == 'I';
  append_ranges(out, starts ? std::span<const CodeRange>(kNameStart) : kName,
                letter == 'I' || letter == 'C');
}

}  // namespace weft::exec
