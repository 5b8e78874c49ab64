#include "weft/exec/regex.h"

#include <utility>
#include <vector>

#include <re2/re2.h>

#include "weft/exec/character_set.h"

namespace weft::exec {
namespace {

// Memory for one automaton; RE2 refuses patterns that need more.
constexpr int64_t kRegexMemoryBytes = int64_t{16} << 20U;

struct Flags {
  bool dot_all = false;
  bool multi_line = false;
  bool ignore_case = false;
  bool free_spacing = false;
  bool literal = false;
};

Result<Flags> read_flags(std::string_view text) {
  Flags flags;
  for (const char c : text) {
    switch (c) {
      case 's':
        flags.dot_all = true;
        break;
      case 'm':
        flags.multi_line = true;
        break;
      case 'i':
        flags.ignore_case = true;
        break;
      case 'x':
        flags.free_spacing = true;
        break;
      case 'q':
        flags.literal = true;
        break;
      default:
        return Error(ErrorKind::kInvalid, "regular expression has an unknown flag")
            .with("flag", std::string_view(&c, 1));
    }
  }
  return flags;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Rewrites what XPath and RE2 mean differently.
class Translation {
 public:
  Translation(std::string_view pattern, const Flags& flags) : pattern_(pattern), flags_(flags) {}

  Result<std::string> run() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (flags_.free_spacing && !in_class_ && is_space(c)) {
        ++at_;
      } else if (c == '\\') {
        WEFT_TRY_STATUS(escape());
      } else if (in_class_) {
        WEFT_TRY_STATUS(inside_class(c));
      } else if (c == '[' && takes_away(pattern_, at_)) {
        WEFT_TRY_STATUS(append_difference(out_, pattern_, at_));
      } else if (c == '[') {
        begin_class();
      } else if (c == '.' && !flags_.dot_all) {
        out_ += "[^\\n\\r]";
        ++at_;
      } else {
        out_ += c;
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  void begin_class() {
    in_class_ = true;
    class_start_ = true;
    out_ += pattern_[at_++];
    if (at_ < pattern_.size() && pattern_[at_] == '^') {
      out_ += pattern_[at_++];
    }
  }

  Status inside_class(char c) {
    if (c == '[') {
      return Error(ErrorKind::kInvalid, "regular expression has '[' inside a character class")
          .with("pattern", pattern_);
    }
    if (c == ']' && class_start_) {
      return Error(ErrorKind::kInvalid, "regular expression has an empty character class")
          .with("pattern", pattern_);
    }
    class_start_ = false;
    in_class_ = c != ']';
    out_ += c;
    ++at_;
    return ok_status();
  }

  Status escape() {
    if (at_ + 1 >= pattern_.size()) {
      return Error(ErrorKind::kInvalid, "regular expression ends with a backslash")
          .with("pattern", pattern_);
    }
    const char c = pattern_[at_ + 1];
    if (c >= '1' && c <= '9') {
      return Error(ErrorKind::kUnsupported,
                   "back-references in regular expressions are not supported")
          .with("pattern", pattern_);
    }
    class_start_ = false;
    if (c == 'i' || c == 'I' || c == 'c' || c == 'C') {
      out_ += in_class_ ? "" : "[";
      append_name_characters(out_, c);
      out_ += in_class_ ? "" : "]";
      at_ += 2;
      return ok_status();
    }
    // XPath: \s is exactly space, tab, newline and return; \w and \d are those of Unicode.
    if (c == 's') {
      out_ += in_class_ ? " \\t\\n\\r" : "[ \\t\\n\\r]";
    } else if (c == 'd') {
      out_ += "\\p{Nd}";
    } else if (c == 'D') {
      out_ += "\\P{Nd}";
    } else if (c == 'S' && !in_class_) {
      out_ += "[^ \\t\\n\\r]";
    } else if (c == 'w' && !in_class_) {
      out_ += "[^\\p{P}\\p{Z}\\p{C}]";
    } else if (c == 'W' && !in_class_) {
      out_ += "[\\p{P}\\p{Z}\\p{C}]";
    } else if (c == 'w') {
      out_ += "\\p{L}\\p{M}\\p{N}\\p{S}";
    } else if (c == 'W') {
      out_ += "\\p{P}\\p{Z}\\p{C}";
    } else if (c == '-' || c == '^') {
      out_ += '\\';
      out_ += c;
    } else {
      out_ += pattern_.substr(at_, 2);
    }
    at_ += 2;
    return ok_status();
  }

  std::string_view pattern_;
  const Flags& flags_;
  std::string out_;
  size_t at_ = 0;
  bool in_class_ = false;
  bool class_start_ = false;
};

}  // namespace

struct Regex::Compiled {
  Compiled(const std::string& pattern, const RE2::Options& options) : automaton(pattern, options) {}
  RE2 automaton;
  bool literal = false;  // replacements are literal too
};

Regex::Regex(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Regex::~Regex() = default;

Result<std::unique_ptr<Regex>> Regex::compile(std::string_view pattern, std::string_view flags) {
  WEFT_TRY(const Flags wanted, read_flags(flags));
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRegexMemoryBytes);
  options.set_case_sensitive(!wanted.ignore_case);
  options.set_literal(wanted.literal);
  std::string text(pattern);
  if (!wanted.literal) {
    WEFT_TRY(text, Translation(pattern, wanted).run());
    if (wanted.dot_all) {
      text.insert(0, "(?s)");
    }
    if (wanted.multi_line) {
      text.insert(0, "(?m)");
    }
  }
  auto compiled = std::make_unique<Compiled>(text, options);
  if (!compiled->automaton.ok()) {
    return Error(ErrorKind::kInvalid, "regular expression is malformed")
        .with("pattern", pattern)
        .with("reason", compiled->automaton.error());
  }
  compiled->literal = wanted.literal;
  return std::unique_ptr<Regex>(new Regex(std::move(compiled)));
}

bool Regex::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->automaton);
}

namespace {

// Appends the replacement of one match; false if it is malformed.
bool append_replacement(std::string& out, std::string_view replacement,
                        const std::vector<re2::StringPiece>& groups) {
  for (size_t i = 0; i < replacement.size(); ++i) {
    const char c = replacement[i];
    if (c == '\\') {
      if (i + 1 >= replacement.size() ||
          (replacement[i + 1] != '\\' && replacement[i + 1] != '$')) {
        return false;
      }
      out += replacement[++i];
    } else if (c == '$') {
      if (i + 1 >= replacement.size() || replacement[i + 1] < '0' || replacement[i + 1] > '9') {
        return false;
      }
      // As many digits as still name a group; a group that does not exist is empty.
      size_t group = static_cast<size_t>(replacement[++i] - '0');
      while (i + 1 < replacement.size() && replacement[i + 1] >= '0' && replacement[i + 1] <= '9') {
        const size_t longer = group * 10 + static_cast<size_t>(replacement[i + 1] - '0');
        if (longer >= groups.size()) {
          break;
        }
        group = longer;
        ++i;
      }
      if (group < groups.size()) {
        out.append(groups[group].data(), groups[group].size());
      }
    } else {
      out += c;
    }
  }
  return true;
}

}  // namespace

Result<std::optional<std::string>> Regex::replace(std::string_view text,
                                                  std::string_view replacement,
                                                  size_t bytes_max) const {
  const std::optional<std::string> no_result;
  const RE2& automaton = compiled_->automaton;
  if (RE2::FullMatch("", automaton)) {
    return no_result;  // err:FORX0003
  }
  std::vector<re2::StringPiece> groups(static_cast<size_t>(automaton.NumberOfCapturingGroups()) +
                                       1);
  const re2::StringPiece whole(text.data(), text.size());
  std::string out;
  size_t at = 0;
  while (at <= text.size() && automaton.Match(whole, at, text.size(), RE2::UNANCHORED,
                                              groups.data(), static_cast<int>(groups.size()))) {
    const auto begin = static_cast<size_t>(groups[0].data() - text.data());
    if (groups[0].empty()) {
      return no_result;  // an empty match inside is as bad
    }
    out += text.substr(at, begin - at);
    if (compiled_->literal) {
      out += replacement;
    } else if (!append_replacement(out, replacement, groups)) {
      return no_result;
    }
    at = begin + groups[0].size();
    if (out.size() > bytes_max) {
      return Error(ErrorKind::kLimit, "result of REPLACE is too long")
          .with("expression_bytes_max", bytes_max);
    }
  }
  out += text.substr(at);
  return std::optional<std::string>(std::move(out));
}

}  // namespace weft::exec
