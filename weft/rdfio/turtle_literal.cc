// Literals of Turtle and TriG, and where to go on after bad text.
#include <algorithm>
#include <utility>

#include "weft/rdf/scan.h"
#include "weft/rdf/term.h"
#include "weft/rdfio/characters.h"
#include "weft/rdfio/turtle_lexer.h"

namespace weft::rdfio {
namespace {

constexpr std::string_view kXsdString = "<http://www.w3.org/2001/XMLSchema#string>";

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

bool is_line_end(char byte) {
  return byte == '\n' || byte == '\r';
}

const char* skip_digits(const char* at) {
  while (is_digit(*at)) {
    ++at;
  }
  return at;
}

// The first byte that a string with these quotes has to look at.
const char* find_string_stop(const char* at, const char* end, char quote) {
  if (quote == '"') {
    bool non_ascii = false;
    return rdf::find_literal_end(at, end, non_ascii);
  }
  return std::find_if(at, end, [](char c) { return c == '\'' || c == '\\' || is_line_end(c); });
}

}  // namespace

// Goes behind the string and gives what stands between its quotes, still escaped. The view is of
// the window. [String]
bool TurtleLexer::scan_string(std::string_view& raw) {
  const char quote = peek();
  const bool is_long = peek(1) == quote && peek(2) == quote;
  const size_t quote_count = is_long ? 3 : 1;
  // Offsets from at(), since the window may grow.
  size_t offset = quote_count;
  while (true) {
    const char* const stop = find_string_stop(window_.at() + offset, window_.end(), quote);
    offset = static_cast<size_t>(stop - window_.at());
    if (offset > options_.literal_size_max_bytes) {
      return fail("literal is too long (literal_size_max_bytes)", ErrorKind::kLimit);
    }
    const auto left = static_cast<size_t>(window_.end() - stop);
    // A backslash takes one more byte, long quotes two.
    if (left < 3 && !window_.ended()) {
      const Status status = window_.grow();
      if (!status.ok()) {
        return fail_outside(status.error());
      }
      continue;
    }
    if (left == 0 || (!is_long && is_line_end(*stop))) {
      return fail("string without closing quote");
    }
    if (*stop == '\\') {
      offset += left < 2 ? 1 : 2;
    } else if (*stop == quote && (!is_long || (stop[1] == quote && stop[2] == quote))) {
      raw = between(window_.at() + quote_count, stop);
      window_.advance_to(stop + quote_count);
      return true;
    } else {
      ++offset;
    }
  }
}

bool TurtleLexer::read_literal(std::string_view& token) {
  std::string_view raw;
  if (!scan_string(raw) || !check_utf8(raw)) {
    return false;
  }
  scratch_.assign("\"");
  if (const size_t bad = append_canonical_literal(scratch_, raw); bad != raw.size()) {
    return fail_at(raw.data() + bad, "bad escape in a string");
  }
  scratch_.push_back('"');
  if (!read_literal_suffix()) {
    return false;
  }
  token = arena_.keep(scratch_);
  return true;
}

// Appends the language tag or the datatype that follows to scratch_.
bool TurtleLexer::read_literal_suffix() {
  if (!skip_space()) {
    return false;
  }
  if (peek() == '@') {
    const ScannedTag tag = scan_language_tag(window_.at() + 1, window_.end());
    if (tag.end == nullptr) {
      return fail("malformed language tag");
    }
    if (!check_token(tag.end)) {
      return false;
    }
    rdf::append_literal_suffix(scratch_, between(window_.at() + 1, tag.end), {}, {});
    window_.advance_to(tag.end);
    return true;
  }
  if (peek() != '^' || peek(1) != '^') {
    return true;
  }
  skip(2);
  if (!skip_space()) {
    return false;
  }
  std::string_view datatype;
  const char* const at = window_.at();
  if (!read_iri(datatype)) {
    return false;
  }
  if (needs_language(datatype)) {
    return fail_at(at, "rdf:langString and rdf:dirLangString need a language tag");
  }
  if (datatype != kXsdString) {
    scratch_.append("^^").append(datatype);
  }
  return true;
}

bool TurtleLexer::read_number(std::string_view& token) {
  std::string_view type = "integer";
  const char* const begin = window_.at();
  const char* const digits = begin + (*begin == '+' || *begin == '-' ? 1 : 0);
  const char* stop = skip_digits(digits);
  const bool has_integer = stop != digits;
  const auto has_exponent = [](const char* at) {
    return (*at == 'e' || *at == 'E') &&
           (is_digit(at[1]) || ((at[1] == '+' || at[1] == '-') && is_digit(at[2])));
  };
  if (*stop == '.' && is_digit(stop[1])) {
    stop = skip_digits(stop + 1);
    type = "decimal";
  } else if (*stop == '.' && has_integer && has_exponent(stop + 1)) {
    ++stop;
  } else if (!has_integer) {
    return fail("expected a term");
  }
  if (has_exponent(stop)) {
    stop = skip_digits(stop + 2);
    type = "double";
  }
  if (!check_token(stop)) {
    return false;
  }
  scratch_.assign("\"").append(between(begin, stop)).append("\"^^<").append(rdf::kXsd);
  scratch_.append(type).append(">");
  token = arena_.keep(scratch_);
  window_.advance_to(stop);
  return true;
}

bool TurtleLexer::read_version() {
  if (!skip_space()) {
    return false;
  }
  const char quote = peek();
  if (quote != '"' && quote != '\'') {
    return fail("expected a version in quotes");
  }
  const char* const at = window_.at();
  std::string_view raw;
  if (peek(1) == quote && peek(2) == quote) {
    return fail("expected a version in single or double quotes");
  }
  if (!scan_string(raw)) {
    return false;
  }
  if (raw.find('\\') != std::string_view::npos) {
    return fail_at(at, "malformed version");
  }
  return check_utf8(raw);
}

bool TurtleLexer::recover(bool in_graph) {
  bool done = false;
  while (!done) {
    if (!fill()) {
      return false;
    }
    if (at_end()) {
      return true;
    }
    if (!recover_step(in_graph, done)) {
      if (!failure_ || !failure_->is_in_text) {
        return false;
      }
      // A string that does not end, or a comment that is not UTF-8: go on with the next line.
      failure_.reset();
      if (!skip_line(done)) {
        return false;
      }
    }
  }
  return true;
}

// One token, or one byte of what is none. False only for a bad string or comment.
bool TurtleLexer::recover_step(bool in_graph, bool& done) {
  const char byte = peek();
  switch (byte) {
    case '#':
      return skip_space();
    case '"':
    case '\'': {
      std::string_view raw;
      return scan_string(raw);
    }
    case '<': {
      bool non_ascii = false;
      const char* const stop =
          rdf::find_iri_end(window_.at() + 1, window_.end() + kPaddingBytes, non_ascii);
      window_.advance_to(*stop == '>' ? stop + 1 : window_.at() + 1);
      return true;
    }
    case '}':
      done = in_graph;
      skip(in_graph ? 0 : 1);
      return true;
    case '.': {
      const char next = peek(1);
      done = next == ' ' || next == '\t' || is_line_end(next) || next == '#' || next == '}' ||
             next == '\0';
      skip(1);
      return true;
    }
    default:
      skip(1);
      return true;
  }
}

bool TurtleLexer::skip_line(bool& ends_with_dot) {
  ends_with_dot = false;
  while (fill()) {
    const char byte = peek();
    if (at_end() || is_line_end(byte)) {
      return true;
    }
    if (byte != ' ' && byte != '\t') {
      ends_with_dot = byte == '.';
    }
    skip(1);
  }
  return false;
}

}  // namespace weft::rdfio
