// Regular expressions of XPath: whatever the pattern, it is compiled or refused, and matches in
// time, and a text that it matches holds the literals that an index of words is asked for. Input:
// three lines, the flags, the pattern, the text. Where the pattern is the inside of a
// class (`a-z`), the law of subtraction holds as well: [P-[a-m]] is [P] without [a-m].
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/check.h"
#include "weft/exec/regex.h"
#include "weft/plan/regex_literals.h"
#include "weft/rdf/term.h"

namespace {

using weft::exec::Regex;

constexpr size_t kResultBytesMax = 1 << 16;

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void check_subtraction(std::string_view inside) {
  // A difference of its own, or an end of the class, makes another pattern of it.
  if (inside.empty() || !weft::rdf::is_valid_utf8(inside) ||
      inside.find_first_of("[]\\^-") != std::string_view::npos) {
    return;
  }
  const auto whole = Regex::compile("^[" + std::string(inside) + "]$", "");
  const auto less = Regex::compile("^[" + std::string(inside) + "-[a-m]]$", "");
  WEFT_CHECK(whole.ok() == less.ok());
  if (!whole.ok()) {
    return;
  }
  for (char c = ' '; c < '\x7f'; ++c) {
    const std::string_view text(&c, 1);
    const bool taken = c >= 'a' && c <= 'm';
    WEFT_CHECK((*less)->matches(text) == ((*whole)->matches(text) && !taken));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view flags = take_line(text);
  const std::string_view pattern = take_line(text);
  const auto regex = Regex::compile(pattern, flags);
  if (regex.ok()) {
    const bool matches = (*regex)->matches(text);
    if (matches && flags.find('i') == std::string_view::npos) {
      for (const std::string& literal : weft::plan::regex_literals(pattern, flags)) {
        WEFT_CHECK(text.find(literal) != std::string_view::npos);
      }
    }
    const auto replaced = (*regex)->replace(text, "<$0>", kResultBytesMax);
    WEFT_CHECK(!replaced.ok() || !replaced->has_value() ||
               (*replaced)->size() <= 4 * kResultBytesMax);
  }
  check_subtraction(pattern);
  return 0;
}
