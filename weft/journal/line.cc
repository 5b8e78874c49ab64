#include "weft/journal/line.h"

#include <array>
#include <cstddef>
#include <utility>

#include "weft/rdf/term.h"

namespace weft::journal {
namespace {

Error bad(std::string_view reason) {
  return {ErrorKind::kInvalid, std::string(reason)};
}

constexpr bool is_space(char c) {
  return c == ' ' || c == '\t';
}

std::string_view left_trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  return text;
}

// Behind the closing quote of the literal that `text` begins with, or npos.
size_t behind_quote(std::string_view text) {
  for (size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

// The length of the literal in front, tag or datatype included.
size_t literal_size(std::string_view text) {
  size_t at = behind_quote(text);
  if (at == std::string_view::npos) {
    return at;
  }
  if (text.substr(at).starts_with("^^<")) {
    const size_t close = text.find('>', at);
    return close == std::string_view::npos ? close : close + 1;
  }
  if (at < text.size() && text[at] == '@') {
    constexpr std::string_view kTag =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    const size_t end = text.find_first_not_of(kTag, at + 1);
    return end == std::string_view::npos ? text.size() : end;
  }
  return at;
}

// The length of the triple term in front: up to the ">>" that closes it. Literals and IRIs inside
// may hold brackets, so both are stepped over.
size_t triple_size(std::string_view text) {
  size_t depth = 0;
  size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    size_t step = 1;
    if (rest.starts_with("<<")) {
      ++depth;
      step = 2;
    } else if (rest.starts_with(">>") && depth > 0) {
      --depth;
      step = 2;
    } else if (rest.starts_with('<')) {
      step = rest.find('>');
      step = step == std::string_view::npos ? step : step + 1;
    } else if (rest.starts_with('"')) {
      step = behind_quote(rest);
    }
    if (step == std::string_view::npos) {
      return step;
    }
    at += step;
    if (depth == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

size_t token_size(std::string_view text) {
  if (text.starts_with("<<")) {
    return triple_size(text);
  }
  if (text.starts_with('<')) {
    const size_t close = text.find('>');
    return close == std::string_view::npos ? close : close + 1;
  }
  if (text.starts_with('"')) {
    return literal_size(text);
  }
  if (text.starts_with("_:")) {
    const size_t end = text.find_first_of(" \t");
    return end == std::string_view::npos ? text.size() : end;
  }
  return std::string_view::npos;
}

Status check_positions(const JournalLine& line) {
  const rdf::TermKind subject = rdf::kind_of(line.subject);
  if (subject == rdf::TermKind::kLiteral) {
    return bad("a literal as subject");
  }
  if (rdf::kind_of(line.predicate) != rdf::TermKind::kIri) {
    return bad("the predicate is no IRI");
  }
  if (!line.graph.empty() && rdf::kind_of(line.graph) != rdf::TermKind::kIri &&
      rdf::kind_of(line.graph) != rdf::TermKind::kBlankNode) {
    return bad("the graph name is neither IRI nor blank node");
  }
  return ok_status();
}

}  // namespace

Result<JournalLine> parse_line(std::string_view text) {
  JournalLine line;
  if (text.front() != '+' && text.front() != '-') {
    return bad("unknown journal operation (expected + or -)");
  }
  line.insert = text.front() == '+';
  std::string_view rest = text.substr(1);
  if (!rest.ends_with('.')) {
    return bad("missing trailing '.'");
  }
  rest.remove_suffix(1);
  std::array<std::string, 4> tokens;
  size_t count = 0;
  for (rest = left_trimmed(rest); !rest.empty(); rest = left_trimmed(rest)) {
    const size_t size = token_size(rest);
    if (size == std::string_view::npos) {
      return bad("not an RDF term");
    }
    if (count == tokens.size()) {
      return bad("more than one statement");
    }
    Result<std::string> token = rdf::canonical_token(rest.substr(0, size));
    if (!token.ok()) {
      return bad(token.error().message());
    }
    if (!rdf::is_canonical(*token)) {
      return bad("not an RDF term");
    }
    tokens[count++] = std::move(token).value();
    rest.remove_prefix(size);
  }
  if (count < 3) {
    return bad("a statement needs three or four terms");
  }
  line.subject = std::move(tokens[0]);
  line.predicate = std::move(tokens[1]);
  line.object = std::move(tokens[2]);
  line.graph = std::move(tokens[3]);
  WEFT_TRY_STATUS(check_positions(line));
  return line;
}

}  // namespace weft::journal
