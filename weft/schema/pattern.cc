#include "weft/schema/pattern.h"

#include <utility>

#include <re2/re2.h>

namespace weft::schema {

struct Pattern::Compiled {
  Compiled(const std::string& text, const RE2::Options& options) : expression(text, options) {}
  RE2 expression;
};

namespace {

// RE2's \d, \w, \s are those of ASCII. `in_class`: between brackets, where the expansion must not
// bring brackets of its own.
std::string_view class_expansion(char letter, bool in_class) {
  switch (letter) {
    case 'd':
      return "\\p{Nd}";
    case 'D':
      return "\\P{Nd}";
    case 'w':
      return in_class ? "\\p{L}\\p{M}\\p{Nd}\\p{Pc}" : "[\\p{L}\\p{M}\\p{Nd}\\p{Pc}]";
    case 'W':
      return in_class ? "" : "[^\\p{L}\\p{M}\\p{Nd}\\p{Pc}]";
    case 's':
      return in_class ? "\\t\\n\\v\\f\\r\\x{85}\\p{Z}" : "[\\t\\n\\v\\f\\r\\x{85}\\p{Z}]";
    case 'S':
      return in_class ? "" : "[^\\t\\n\\v\\f\\r\\x{85}\\p{Z}]";
    default:
      return "";
  }
}

std::string with_unicode_classes(std::string_view text) {
  std::string out;
  bool in_class = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      ++i;
      const std::string_view expansion = class_expansion(text[i], in_class);
      if (expansion.empty()) {
        out += c;
        out += text[i];
      } else {
        out += expansion;
      }
      continue;
    }
    if (c == '[' && !in_class) {
      in_class = true;
      // A bracket that closes at once is a member.
      out += c;
      for (const char member : {'^', ']'}) {
        if (i + 1 < text.size() && text[i + 1] == member) {
          out += member;
          ++i;
        }
      }
      continue;
    }
    if (in_class && c == '[' && i + 1 < text.size() && text[i + 1] == ':') {
      // A class by name: its brackets are not those of the class around it.
      const size_t end = text.find(":]", i + 2);
      const size_t size = (end == std::string_view::npos ? text.size() : end + 2) - i;
      out += text.substr(i, size);
      i += size - 1;
      continue;
    }
    if (c == ']') {
      in_class = false;
    }
    out += c;
  }
  return out;
}

}  // namespace

Pattern::Pattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

Result<Pattern> Pattern::compile(std::string_view text) {
  if (text.size() > kPatternBytesMax) {
    return Error(ErrorKind::kLimit, "pattern is too long")
        .with("pattern_bytes", text.size())
        .with("pattern_bytes_max", kPatternBytesMax);
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemoryMaxBytes);
  auto compiled = std::make_unique<Compiled>(with_unicode_classes(text), options);
  if (!compiled->expression.ok()) {
    return Error(ErrorKind::kInvalid, "pattern is no regular expression")
        .with("pattern", text)
        .with("reason", compiled->expression.error());
  }
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->expression);
}

}  // namespace weft::schema
