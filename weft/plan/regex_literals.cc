#include "weft/plan/regex_literals.h"

#include <utility>

#include "weft/rdf/utf8.h"

namespace weft::plan {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Reads a pattern's outermost sequence: characters that must come, one behind the other, are a
// literal; anything else ends it. Groups are passed over whole.
class Reader {
 public:
  explicit Reader(std::string_view pattern) : pattern_(pattern) {}

  std::vector<std::string> run() {
    while (understood_ && at_ < pattern_.size()) {
      step();
    }
    end_literal();
    return understood_ && depth_ == 0 ? std::move(literals_) : std::vector<std::string>();
  }

 private:
  void give_up() { understood_ = false; }

  void step() {
    switch (const char c = pattern_[at_]) {
      case '\\':
        escape();
        return;
      case '[':
        character_class();
        return;
      case '(':
        open_group();
        return;
      case ')':
        ++at_;
        end_literal();  // still inside
        close_group();
        quantifier();
        return;
      case '|':
        ++at_;
        end_literal();
        if (depth_ == 0) {
          give_up();  // no literal stands in all alternatives
        }
        return;
      case '.':
      case '^':
      case '$':
        ++at_;
        end_literal();
        quantifier();
        return;
      case '*':
      case '+':
      case '?':
      case '{':
      case '}':
      case ']':
        give_up();  // not behind what it could belong to
        return;
      default:
        character(static_cast<uint8_t>(c) < 0x80 ? 1 : utf8_size());
    }
  }

  size_t utf8_size() const {
    const size_t size = rdf::decode_code_point(pattern_.substr(at_)).size_bytes;
    return size == 0 ? 1 : size;
  }

  // A character that stands for itself.
  void character(size_t size) { take(pattern_.substr(at_, size), size); }

  // `text` is matched by the `size` bytes at hand.
  void take(std::string_view text, size_t size) {
    at_ += size;
    switch (quantifier()) {
      case Repeats::kOnce:
        literal_ += text;
        break;
      case Repeats::kOnceOrMore:
        literal_ += text;
        end_literal();  // what follows stands behind the last of them; so does it begin anew
        break;
      case Repeats::kPerhaps:
        end_literal();
        break;
    }
  }

  void escape() {
    if (at_ + 1 >= pattern_.size()) {
      give_up();
      return;
    }
    const char c = pattern_[at_ + 1];
    constexpr std::string_view kClasses = "sSdDwWiIcC";
    if (kClasses.find(c) != std::string_view::npos) {
      at_ += 2;
      end_literal();
      quantifier();
    } else if (c == 'n' || c == 'r' || c == 't') {
      take(c == 'n' ? "\n" : c == 'r' ? "\r" : "\t", 2);
    } else if (is_letter_or_digit(c) || static_cast<uint8_t>(c) >= 0x80) {
      give_up();  // \p{…}, back-references, and what only RE2 knows
    } else {
      take(pattern_.substr(at_ + 1, 1), 2);
    }
  }

  // Up to its end; a class taken away lies inside it.
  void character_class() {
    end_literal();
    size_t open = 0;
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      at_ += c == '\\' ? 2 : 1;
      if (c == '[') {
        ++open;
      } else if (c == ']' && --open == 0) {
        quantifier();
        return;
      }
    }
    give_up();
  }

  void open_group() {
    end_literal();
    ++at_;
    if (pattern_.substr(at_).starts_with("?:")) {
      at_ += 2;
    } else if (pattern_.substr(at_).starts_with('?')) {
      give_up();  // it may change what follows
    }
    ++depth_;
  }

  void close_group() {
    if (depth_ == 0) {
      give_up();
    } else {
      --depth_;
    }
  }

  enum class Repeats : uint8_t { kOnce, kOnceOrMore, kPerhaps };

  // Passes over the quantifier behind what was read, if there is one.
  Repeats quantifier() {
    if (at_ >= pattern_.size()) {
      return Repeats::kOnce;
    }
    Repeats repeats = Repeats::kOnce;
    const char c = pattern_[at_];
    if (c == '*' || c == '?') {
      repeats = Repeats::kPerhaps;
      ++at_;
    } else if (c == '+') {
      repeats = Repeats::kOnceOrMore;
      ++at_;
    } else if (c == '{') {
      repeats = Repeats::kPerhaps;
      if (!counted()) {
        give_up();
        return repeats;
      }
    } else {
      return repeats;
    }
    if (at_ < pattern_.size() && pattern_[at_] == '?') {
      ++at_;  // as few as possible
    }
    return repeats;
  }

  // {n}, {n,} or {n,m}.
  bool counted() {
    size_t at = at_ + 1;
    const size_t digits = at;
    while (at < pattern_.size() && is_digit(pattern_[at])) {
      ++at;
    }
    if (at == digits) {
      return false;
    }
    if (at < pattern_.size() && pattern_[at] == ',') {
      ++at;
      while (at < pattern_.size() && is_digit(pattern_[at])) {
        ++at;
      }
    }
    if (at >= pattern_.size() || pattern_[at] != '}') {
      return false;
    }
    at_ = at + 1;
    return true;
  }

  void end_literal() {
    if (depth_ == 0 && !literal_.empty()) {
      literals_.push_back(std::move(literal_));
    }
    literal_.clear();
  }

  std::string_view pattern_;
  size_t at_ = 0;
  size_t depth_ = 0;  // groups
  bool understood_ = true;
  std::string literal_;
  std::vector<std::string> literals_;
};

}  // namespace

std::vector<std::string> regex_literals(std::string_view pattern, std::string_view flags) {
  if (flags.find('q') != std::string_view::npos) {
    return {std::string(pattern)};
  }
  if (flags.find('x') != std::string_view::npos) {
    return {};  // white space is no part of it
  }
  return Reader(pattern).run();
}

}  // namespace weft::plan
