// Tokens and terms of the parser (grammar.h).
#include <utility>

#include "weft/rdf/iri.h"
#include "weft/rdf/term.h"
#include "weft/sparql/function_table.h"
#include "weft/sparql/grammar.h"

namespace weft::sparql {
namespace {

constexpr size_t kShownBytesMax = 40;

// What the user wrote, cut short at a character.
std::string shown(std::string_view text) {
  if (text.size() <= kShownBytesMax) {
    return std::string(text);
  }
  size_t end = kShownBytesMax;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return result;
}

}  // namespace

Parser::Parser(std::string_view text, const ParseOptions& options)
    : options_(options), lexer_(text) {
  query_.base_iri = options.base_iri;
  for (const auto& [prefix, iri] : options.prefixes) {
    prefixes_[prefix] = iri;
  }
  advance();
}

Status Parser::Nesting::entered() const {
  if (parser_.nesting_ > kNestingMax) {
    return Error(ErrorKind::kLimit, "parse query: nested too deeply")
        .with("limit", "query nesting")
        .with("nesting_max", kNestingMax)
        .with("line", parser_.current_.place.line)
        .with("column", parser_.current_.place.column);
  }
  return ok_status();
}

void Parser::advance() {
  if (lexical_error_.has_value()) {
    return;
  }
  taken_end_ = current_.text.data() + current_.text.size();
  Result<Token> next = lexer_.next();
  if (next.ok()) {
    current_ = std::move(next).value();
    return;
  }
  lexical_error_ = next.error();
  current_ = Token();
  current_.kind = TokenKind::kPunctuation;  // and no text: nothing accepts it
}

bool Parser::at(std::string_view punctuation) const {
  return current_.kind == TokenKind::kPunctuation && current_.text == punctuation;
}

bool Parser::at_word(std::string_view keyword) const {
  return current_.kind == TokenKind::kWord && equal_ignoring_case(current_.text, keyword);
}

bool Parser::take(std::string_view punctuation) {
  const bool taken = at(punctuation);
  if (taken) {
    advance();
  }
  return taken;
}

bool Parser::take_word(std::string_view keyword) {
  const bool taken = at_word(keyword);
  if (taken) {
    advance();
  }
  return taken;
}

Status Parser::expect(std::string_view punctuation) {
  if (!take(punctuation)) {
    return error_here("'" + std::string(punctuation) + "'");
  }
  return ok_status();
}

Status Parser::expect_word(std::string_view keyword) {
  if (!take_word(keyword)) {
    return error_here(keyword);
  }
  return ok_status();
}

Error Parser::error_here(std::string_view wanted) const {
  if (lexical_error_.has_value()) {
    return Error(lexical_error_->kind(), "parse query: " + lexical_error_->message())
        .with("line", lexical_error_->fact("line"))
        .with("column", lexical_error_->fact("column"));
  }
  std::string message = "parse query: expected " + std::string(wanted);
  message += at(TokenKind::kEnd) ? " but the query ends" : ", found " + shown(current_.text);
  return error_at(current_.place, std::move(message));
}

Error Parser::error_at(Place place, std::string message) const {
  return Error(ErrorKind::kInvalid, std::move(message))
      .with("line", place.line)
      .with("column", place.column);
}

Error Parser::unsupported(Place place, std::string_view feature) const {
  return Error(ErrorKind::kUnsupported, "this version does not answer " + std::string(feature))
      .with("feature", feature)
      .with("line", place.line)
      .with("column", place.column);
}

bool Parser::at_iri() const {
  return at(TokenKind::kIri) || at(TokenKind::kPrefixedName);
}

Result<std::string> Parser::iri() {
  if (at(TokenKind::kIri)) {
    std::string result = rdf::resolve_iri(query_.base_iri, current_.value);
    advance();
    return result;
  }
  if (!at(TokenKind::kPrefixedName)) {
    return error_here("an IRI");
  }
  const std::string prefix(current_.text.substr(0, current_.prefix_length));
  const auto found = prefixes_.find(prefix);
  if (found == prefixes_.end()) {
    return error_at(current_.place, "parse query: the prefix '" + prefix + ":' is not declared");
  }
  std::string result = found->second + current_.value;
  advance();
  return result;
}

bool Parser::at_literal() const {
  return at(TokenKind::kString) || at(TokenKind::kInteger) || at(TokenKind::kDecimal) ||
         at(TokenKind::kDouble) || at("+") || at("-") || at_word("true") || at_word("false");
}

Result<std::string> Parser::literal_token() {
  const std::string xsd(rdf::kXsd);
  if (at_word("true") || at_word("false")) {
    const std::string lexical = lower(current_.text);
    advance();
    return rdf::make_literal(lexical, {}, {}, xsd + "boolean");
  }
  if (at(TokenKind::kString)) {
    const std::string lexical = std::move(current_.value);
    advance();
    if (at(TokenKind::kLanguage)) {
      const std::string tag = lower(current_.value);
      const Place place = current_.place;
      advance();
      const size_t dashes = tag.find("--");
      const std::string direction = dashes == std::string::npos ? "" : tag.substr(dashes + 2);
      if (dashes != std::string::npos && direction != "ltr" && direction != "rtl") {
        return error_at(place, "parse query: a base direction is ltr or rtl");
      }
      return rdf::make_literal(lexical, tag.substr(0, dashes), direction, {});
    }
    if (take("^^")) {
      WEFT_TRY(const std::string datatype, iri());
      return rdf::make_literal(lexical, {}, {}, datatype);
    }
    return rdf::make_literal(lexical);
  }
  std::string lexical;
  if (at("+") || at("-")) {
    const char* end = current_.text.data() + current_.text.size();
    lexical = std::string(current_.text);
    advance();
    if (current_.text.data() != end) {
      return error_here("a number right behind the sign");
    }
  }
  std::string datatype = xsd;
  if (at(TokenKind::kInteger)) {
    datatype += "integer";
  } else if (at(TokenKind::kDecimal)) {
    datatype += "decimal";
  } else if (at(TokenKind::kDouble)) {
    datatype += "double";
  } else {
    return error_here(lexical.empty() ? "a literal" : "a number");
  }
  lexical += current_.text;
  advance();
  return rdf::make_literal(lexical, {}, {}, datatype);
}

Result<VariableIndex> Parser::variable() {
  if (!at(TokenKind::kVariable)) {
    return error_here("a variable");
  }
  const auto alias = aliases_.find(current_.value);
  const VariableIndex result =
      alias == aliases_.end() ? query_.variables.intern(current_.value) : alias->second;
  advance();
  return result;
}

Result<PatternTerm> Parser::variable_or_iri() {
  if (at(TokenKind::kVariable)) {
    WEFT_TRY(const VariableIndex name, variable());
    return PatternTerm(name);
  }
  if (!at_iri()) {
    return error_here("a variable or an IRI");
  }
  WEFT_TRY(const std::string name, iri());
  return PatternTerm(rdf::make_iri(name));
}

Result<std::string> Parser::data_value() {
  if (at_iri()) {
    WEFT_TRY(const std::string name, iri());
    return rdf::make_iri(name);
  }
  if (take("<<(")) {
    return data_triple();
  }
  if (!at_literal()) {
    return error_here("an IRI, a literal or UNDEF");
  }
  return literal_token();
}

Result<std::string> Parser::data_triple() {
  const Nesting nesting(*this);
  WEFT_TRY_STATUS(nesting.entered());
  WEFT_TRY(const std::string subject, iri());
  std::string predicate = std::string(rdf::kRdf) + "type";
  if (current_.kind == TokenKind::kWord && current_.text == "a") {
    advance();
  } else {
    WEFT_TRY(predicate, iri());
  }
  WEFT_TRY(const std::string object, data_value());
  WEFT_TRY_STATUS(expect(")>>"));
  return rdf::make_triple(rdf::make_iri(subject), rdf::make_iri(predicate), object);
}

VariableIndex Parser::blank_variable(const std::string& label, Place place, Status& status) {
  const auto found = blanks_.find(label);
  if (found == blanks_.end()) {
    const VariableIndex hidden = query_.variables.add_hidden();
    blanks_.emplace(label, BlankUse{hidden, pattern_number_});
    return hidden;
  }
  if (found->second.pattern != pattern_number_) {
    status = error_at(place, "parse query: the blank node label _:" + label +
                                 " is used in two basic graph patterns");
  }
  return found->second.variable;
}

}  // namespace weft::sparql
