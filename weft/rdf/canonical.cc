#include <algorithm>
#include <utility>

#include "weft/rdf/scan.h"
#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"

namespace weft::rdf {
namespace {

constexpr std::string_view kXsdString = "http://www.w3.org/2001/XMLSchema#string";

// Of `tag` or `tag--direction`.
bool is_lower_tag(std::string_view tag) {
  const size_t dashes = std::min(tag.find("--"), tag.size());
  const std::string_view language = tag.substr(0, dashes);
  const std::string_view direction = tag.substr(dashes);
  if (language.empty() || language[0] < 'a' || language[0] > 'z' || language.back() == '-') {
    return false;
  }
  const bool plain = std::ranges::all_of(language, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  });
  return plain && (direction.empty() || direction == "--ltr" || direction == "--rtl");
}

bool is_canonical_iri(std::string_view token) {
  bool non_ascii = false;
  const char* const last = token.data() + token.size() - 1;
  if (token.size() < 2 || token[0] != '<' || *last != '>') {
    return false;
  }
  return find_iri_end(token.data() + 1, last, non_ascii) == last &&
         (!non_ascii || is_valid_utf8(token));
}

bool is_canonical_blank_node(std::string_view token) {
  if (token.size() < 3 || !token.starts_with("_:") || !is_valid_utf8(token)) {
    return false;
  }
  return std::ranges::all_of(token.substr(2), [](char byte) {
    return static_cast<uint8_t>(byte) > 0x20 && byte != 0x7F &&
           std::string_view("<>\"{}|^`\\()").find(byte) == std::string_view::npos;
  });
}

// An escape as the canonical form writes it, at `at` (on the backslash): its length, or 0.
size_t canonical_escape_size(std::string_view token, size_t at) {
  const std::string_view rest = token.substr(at + 1, 5);
  if (rest.empty()) {
    return 0;
  }
  if (rest[0] != 'u') {
    return std::string_view("btnfr\"\\").find(rest[0]) == std::string_view::npos ? 0 : 2;
  }
  if (rest.size() < 5 || rest[1] != '0' || rest[2] != '0') {
    return 0;
  }
  const auto is_upper_hex = [](char d) { return (d >= '0' && d <= '9') || (d >= 'A' && d <= 'F'); };
  if (!is_upper_hex(rest[3]) || !is_upper_hex(rest[4])) {
    return 0;
  }
  const std::optional<DecodedEscape> escape = decode_numeric_escape(token.substr(at));
  WEFT_CHECK(escape.has_value());
  const char32_t value = escape->value;
  const bool has_short = value == 8 || value == 9 || value == 10 || value == 12 || value == 13;
  return (value < 0x20 && !has_short) || value == 0x7F ? 6 : 0;
}

bool is_canonical_literal(std::string_view token) {
  bool non_ascii = false;
  size_t at = 1;
  while (true) {
    const char* const stop =
        find_literal_end(token.data() + at, token.data() + token.size(), non_ascii);
    at = static_cast<size_t>(stop - token.data());
    if (at >= token.size()) {
      return false;
    }
    if (token[at] == '"') {
      break;
    }
    const size_t size = token[at] == '\\' ? canonical_escape_size(token, at) : 0;
    if (size == 0) {
      return false;
    }
    at += size;
  }
  if (non_ascii && !is_valid_utf8(token.substr(0, at))) {
    return false;
  }
  const std::string_view suffix = token.substr(at + 1);
  if (suffix.empty()) {
    return true;
  }
  if (suffix[0] == '@') {
    return is_lower_tag(suffix.substr(1));
  }
  return suffix.starts_with("^^<") && is_canonical_iri(suffix.substr(2)) &&
         suffix.substr(3, suffix.size() - 4) != kXsdString;
}

bool is_canonical_at(std::string_view token, size_t depth);

bool is_canonical_triple(std::string_view token, size_t depth) {
  if (depth > kTripleNestingMax || token.size() < 4 || token[2] == '(' || token[2] == ' ' ||
      token[2] == '\t') {
    return false;
  }
  const std::optional<TripleParts> parts = split_triple(token);
  if (!parts) {
    return false;
  }
  const size_t tight = parts->subject.size() + parts->predicate.size() + parts->object.size() + 6;
  return tight == token.size() && is_canonical_at(parts->subject, depth) &&
         is_canonical_at(parts->predicate, depth) && is_canonical_at(parts->object, depth);
}

bool is_canonical_at(std::string_view token, size_t depth) {
  if (token.empty()) {
    return false;
  }
  if (token.starts_with("<<")) {
    return is_canonical_triple(token, depth + 1);
  }
  switch (token[0]) {
    case '<':
      return is_canonical_iri(token);
    case '_':
      return is_canonical_blank_node(token);
    case '"':
      return is_canonical_literal(token);
    default:
      return false;
  }
}

Error no_term(std::string_view reason, std::string_view token) {
  constexpr size_t kShownMax = 200;
  return Error(ErrorKind::kInvalid, "not an RDF term")
      .with("reason", reason)
      .with("token", token.substr(0, kShownMax));
}

// Resolves \u escapes whose character may stand in an IRI; whatever no IRI may hold stays as it is
// spelt, so that two spellings of two different tokens stay two.
std::string canonical_iri(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  size_t at = 0;
  while (at < token.size()) {
    if (token[at] == '\\') {
      const std::optional<DecodedEscape> escape = decode_numeric_escape(token.substr(at));
      if (escape && !ends_iri(escape->value)) {
        append_code_point(out, escape->value);
        at += escape->size_bytes;
        continue;
      }
    }
    out.push_back(token[at++]);
  }
  return out;
}

Result<std::string> canonical_literal(std::string_view token) {
  const size_t quote = find_closing_quote(token);
  if (quote == std::string_view::npos) {
    return no_term("literal without closing quote", token);
  }
  const std::optional<std::string> lexical = unescape(token.substr(1, quote - 1));
  if (!lexical) {
    return no_term("bad escape in literal", token);
  }
  const std::string_view suffix = token.substr(quote + 1);
  if (suffix.empty()) {
    return make_literal(*lexical);
  }
  if (suffix.size() > 1 && suffix[0] == '@') {
    std::string out = make_literal(*lexical, suffix.substr(1));
    // Not the 8 characters per part of BCP 47: old files hold others, and they are what they are.
    return is_canonical_literal(out) ? Result(std::move(out))
                                     : Result<std::string>(no_term("bad language tag", token));
  }
  if (!suffix.starts_with("^^<") || suffix.find('>') != suffix.size() - 1) {
    return no_term("neither language nor datatype follows the literal", token);
  }
  return make_literal(*lexical, {}, {}, iri_of(canonical_iri(suffix.substr(2))));
}

Result<std::string> canonical_at(std::string_view token, size_t depth) {
  if (token.empty()) {
    return no_term("empty", token);
  }
  if (token.starts_with("<<")) {
    if (depth >= kTripleNestingMax) {
      return Error(ErrorKind::kLimit, "triple terms nest too deep")
          .with("nesting_max", kTripleNestingMax);
    }
    const std::optional<TripleParts> parts = split_triple(token);
    if (!parts) {
      return no_term("malformed triple term", token);
    }
    WEFT_TRY(const std::string subject, canonical_at(parts->subject, depth + 1));
    WEFT_TRY(const std::string predicate, canonical_at(parts->predicate, depth + 1));
    WEFT_TRY(const std::string object, canonical_at(parts->object, depth + 1));
    return make_triple(subject, predicate, object);
  }
  if (token[0] == '"') {
    return canonical_literal(token);
  }
  if (token[0] == '<') {
    if (token.size() < 2 || token.back() != '>') {
      return no_term("IRI without closing bracket", token);
    }
    return canonical_iri(token);
  }
  if (is_canonical_blank_node(token)) {
    return std::string(token);
  }
  return no_term("neither IRI, blank node, literal nor triple term", token);
}

}  // namespace

bool is_canonical(std::string_view token) {
  return is_canonical_at(token, 0);
}

Result<std::string> canonical_token(std::string_view token) {
  if (!is_valid_utf8(token)) {
    return no_term("not UTF-8", "");
  }
  if (is_canonical(token)) {
    return std::string(token);
  }
  return canonical_at(token, 0);
}

}  // namespace weft::rdf
