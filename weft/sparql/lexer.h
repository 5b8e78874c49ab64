// SPARQL text as tokens (SPARQL 1.1 Query §19.8 and the additions of 1.2), one at a time.
//
// Codepoint escapes (\uXXXX, \UXXXXXXXX) are understood in IRIs and strings, where SPARQL 1.2
// allows them. Places count lines and code points. A Token's text is a view of the query text,
// which must outlive the lexer and its tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/result.h"
#include "weft/sparql/expression.h"

namespace weft::sparql {

enum class TokenKind : uint8_t {
  kEnd,
  kIri,           // value: the IRI, unescaped, not resolved
  kPrefixedName,  // text: as written; value: local part, unescaped; prefix_length
  kBlankLabel,    // value: the label
  kVariable,      // value: the name
  kLanguage,      // value: tag and direction as written, without '@'
  kInteger,
  kDecimal,
  kDouble,
  kString,       // value: unescaped
  kWord,         // a keyword in any letter case, or `a`
  kPunctuation,  // longest match
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::string value;
  size_t prefix_length = 0;  // of a prefixed name: text before the colon
  bool long_quotes = false;  // of a string: """ or '''
  Place place;
};

class Lexer {
 public:
  // `text` must be valid UTF-8.
  explicit Lexer(std::string_view text) : text_(text) {}

  // Errors: kInvalid, with line and column.
  Result<Token> next();

 private:
  char peek(size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }
  // The code point at `offset` and its length in bytes; 0 and 0 at the end.
  struct CodePoint {
    char32_t value;
    uint32_t length;
  };
  CodePoint code_point(size_t offset) const;

  void skip_blanks();
  void advance_place();  // to offset_
  Error invalid(std::string message) const;
  Token token(TokenKind kind, size_t begin) const;

  bool looks_like_iri() const;
  Result<Token> iri();
  Result<Token> string();
  Result<Token> variable();
  Result<Token> language();
  Result<Token> number();
  Result<Token> blank_label();
  Result<Token> word_or_name();
  Result<Token> local_name(size_t begin);
  Result<Token> punctuation();
  Status append_escape(std::string& out, bool in_string);
  size_t name_end(size_t begin, bool digits_first) const;

  std::string_view text_;
  size_t offset_ = 0;
  Place place_ = {1, 1};     // of place_offset_
  size_t place_offset_ = 0;  // <= offset_
};

}  // namespace weft::sparql
