#include "weft/remote/content_range.h"

#include <cctype>
#include <charconv>

namespace weft::remote {
namespace {

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

std::optional<uint64_t> take_number(std::string_view& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

bool take_unit(std::string_view& text) {
  for (const char letter : std::string_view("bytes")) {
    if (text.empty() || (text.front() | 0x20) != letter) {
      return false;
    }
    text.remove_prefix(1);
  }
  return !text.empty() && (text.front() == ' ' || text.front() == '\t');
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view text) {
  ContentRange range;
  skip_spaces(text);
  if (!take_unit(text)) {
    return std::nullopt;
  }
  skip_spaces(text);
  const bool unsatisfied = take(text, '*');
  if (!unsatisfied) {
    range.first = take_number(text);
    if (!range.first || !take(text, '-')) {
      return std::nullopt;
    }
    range.last = take_number(text);
    if (!range.last || *range.last < *range.first) {
      return std::nullopt;
    }
  }
  if (!take(text, '/')) {
    return std::nullopt;
  }
  if (!take(text, '*')) {
    range.size = take_number(text);
    if (!range.size) {
      return std::nullopt;
    }
  }
  skip_spaces(text);
  const bool contradicts = range.size && range.last && *range.last >= *range.size;
  if (!text.empty() || contradicts || (unsatisfied && !range.size)) {
    return std::nullopt;
  }
  return range;
}

}  // namespace weft::remote
