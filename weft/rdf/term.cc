#include "weft/rdf/term.h"

#include <array>

#include "weft/rdf/scan.h"
#include "weft/rdf/utf8.h"

namespace weft::rdf {
namespace {

constexpr std::string_view kXsdString = "http://www.w3.org/2001/XMLSchema#string";
constexpr std::string_view kLangString = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";
constexpr std::string_view kDirLangString =
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString";

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

void append_lower(std::string& out, std::string_view text) {
  for (const char letter : text) {
    out.push_back(lower(letter));
  }
}

// Splits `@tag` or `@tag--dir`; `tag` comes without '@'.
void split_tag(std::string_view tag, LiteralParts& parts) {
  parts.language = tag;
  if (const size_t dashes = tag.find("--"); dashes != std::string_view::npos) {
    parts.language = tag.substr(0, dashes);
    parts.direction = tag.substr(dashes + 2);
  }
}

bool is_space(char byte) {
  return byte == ' ' || byte == '\t';
}

size_t skip_spaces(std::string_view token, size_t at) {
  while (at < token.size() && is_space(token[at])) {
    ++at;
  }
  return at;
}

// The end of what follows the quote of a literal: the tag or the datatype. npos if malformed.
size_t literal_suffix_end(std::string_view token, size_t at) {
  if (at < token.size() && token[at] == '@') {
    ++at;
    while (at < token.size() &&
           (std::string_view(" \t>)").find(token[at]) == std::string_view::npos)) {
      ++at;
    }
    return at;
  }
  if (token.substr(at).starts_with("^^<")) {
    const size_t close = token.find('>', at);
    return close == std::string_view::npos ? close : close + 1;
  }
  return at;
}

// The end of the term that starts at `at`, npos if there is none. Triple terms nest at most
// kTripleNestingMax deep; deeper ones are malformed here.
size_t term_end(std::string_view token, size_t at) {
  size_t depth = 0;
  do {
    at = skip_spaces(token, at);
    const std::string_view rest = token.substr(at);
    if (rest.empty()) {
      return std::string_view::npos;
    }
    if (rest.starts_with("<<")) {
      if (++depth > kTripleNestingMax) {
        return std::string_view::npos;
      }
      at += rest.starts_with("<<(") ? 3 : 2;
      continue;
    }
    if (depth != 0 && (rest.starts_with(">>") || rest.starts_with(")>>"))) {
      at += rest[0] == ')' ? 3 : 2;
      --depth;
      continue;
    }
    if (rest[0] == '<') {
      at = token.find('>', at);
      at = at == std::string_view::npos ? at : at + 1;
    } else if (rest[0] == '"') {
      const size_t quote = find_closing_quote(rest);
      at = quote == std::string_view::npos ? quote : literal_suffix_end(token, at + quote + 1);
    } else if (rest.starts_with("_:")) {
      at += 2;
      while (at < token.size() &&
             (std::string_view(" \t<>\"()").find(token[at]) == std::string_view::npos)) {
        ++at;
      }
    } else {
      return std::string_view::npos;
    }
    if (at == std::string_view::npos) {
      return at;
    }
  } while (depth != 0);
  return at;
}

}  // namespace

size_t find_closing_quote(std::string_view token) {
  size_t at = 1;
  while (at < token.size()) {
    bool non_ascii = false;
    const char* const stop =
        find_literal_end(token.data() + at, token.data() + token.size(), non_ascii);
    at = static_cast<size_t>(stop - token.data());
    if (at >= token.size()) {
      break;
    }
    if (token[at] == '"') {
      return at;
    }
    at += token[at] == '\\' ? 2 : 1;
  }
  return std::string_view::npos;
}

TermKind kind_of(std::string_view token) {
  WEFT_CHECK(!token.empty());
  if (token[0] == '"') {
    return TermKind::kLiteral;
  }
  if (token[0] == '_') {
    return TermKind::kBlankNode;
  }
  return token.starts_with("<<") ? TermKind::kTriple : TermKind::kIri;
}

LiteralParts split_literal(std::string_view token) {
  const size_t quote = find_closing_quote(token);
  WEFT_CHECK(quote != std::string_view::npos);
  LiteralParts parts;
  parts.escaped = token.substr(1, quote - 1);
  const std::string_view suffix = token.substr(quote + 1);
  if (suffix.starts_with('@')) {
    split_tag(suffix.substr(1), parts);
  } else if (suffix.starts_with("^^<")) {
    parts.datatype = iri_of(suffix.substr(2));
  }
  return parts;
}

std::optional<TripleParts> split_triple(std::string_view token) {
  const bool round = token.starts_with("<<(");
  const std::string_view open = round ? "<<(" : "<<";
  const std::string_view close = round ? ")>>" : ">>";
  if (!token.starts_with(open) || !token.ends_with(close) ||
      token.size() < open.size() + close.size()) {
    return std::nullopt;
  }
  const std::string_view inside = token.substr(0, token.size() - close.size());
  std::array<std::string_view, 3> terms;
  size_t at = open.size();
  for (std::string_view& term : terms) {
    at = skip_spaces(inside, at);
    const size_t end = term_end(inside, at);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    term = inside.substr(at, end - at);
    at = end;
  }
  if (skip_spaces(inside, at) != inside.size()) {
    return std::nullopt;
  }
  return TripleParts{terms[0], terms[1], terms[2]};
}

std::string_view iri_of(std::string_view token) {
  WEFT_CHECK(token.size() >= 2);
  return token.substr(1, token.size() - 2);
}

std::string make_iri(std::string_view iri) {
  std::string out;
  out.reserve(iri.size() + 2);
  out.push_back('<');
  out.append(iri);
  out.push_back('>');
  return out;
}

void append_literal_suffix(std::string& out, std::string_view language, std::string_view direction,
                           std::string_view datatype) {
  if (!language.empty()) {
    out.push_back('@');
    append_lower(out, language);
    if (!direction.empty()) {
      out.append("--");
      append_lower(out, direction);
    }
  } else if (!datatype.empty() && datatype != kXsdString) {
    out.append("^^<");
    out.append(datatype);
    out.push_back('>');
  }
}

std::string make_literal(std::string_view lexical, std::string_view language,
                         std::string_view direction, std::string_view datatype) {
  std::string out;
  out.reserve(lexical.size() + language.size() + direction.size() + datatype.size() + 8);
  out.push_back('"');
  append_escaped(out, lexical);
  out.push_back('"');
  append_literal_suffix(out, language, direction, datatype);
  return out;
}

std::string make_triple(std::string_view subject, std::string_view predicate,
                        std::string_view object) {
  std::string out;
  out.reserve(subject.size() + predicate.size() + object.size() + 6);
  out.append("<<").append(subject).append(" ").append(predicate).append(" ").append(object);
  out.append(">>");
  return out;
}

std::string_view effective_datatype(const LiteralParts& parts) {
  if (!parts.language.empty()) {
    return parts.direction.empty() ? kLangString : kDirLangString;
  }
  return parts.datatype.empty() ? kXsdString : parts.datatype;
}

bool is_valid_utf8(std::string_view text) {
  return find_invalid_utf8(text) == text.size();
}

}  // namespace weft::rdf
