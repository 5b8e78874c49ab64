// Text of the schema and the query language as tokens, one at a time: words, $variables, numbers,
// strings, punctuation; blanks and comments (// to the end of the line, /* to */) lie between them.
//
// The scanner can be asked for what the next characters are in another reading (`enum_value`) and
// can be set back (`mark`, `reset`), since both grammars are written for parsers that try. A
// Token's text is a view of the scanned text, which must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/schema/problem.h"

namespace weft::schema {

inline constexpr uint64_t kTextBytesMax = uint64_t{4} << 20U;

enum class TokenKind : uint8_t {
  kEnd,
  kWord,      // a letter or '_', then letters, digits, '_'
  kVariable,  // '$' and a word that begins lower case or with '_'; text is without '$'
  kNumber,    // digits, and perhaps '.' and digits
  kString,    // value: unescaped
  kMark,      // ".." "->" ">=" "<=" "!=" or one character
  kBad,       // value: what is wrong
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::string value;
  Place place;

  bool is_mark(std::string_view mark) const { return kind == TokenKind::kMark && text == mark; }
  bool is_word(std::string_view word) const { return kind == TokenKind::kWord && text == word; }
  // A name of a type; of a property, a query, an edge in a traversal.
  bool is_upper() const;
  bool is_lower() const;
  // For messages: "the end of the text", "'}'".
  std::string described() const;
};

class Scanner {
 public:
  struct Mark {
    size_t offset = 0;
    Place place;
  };

  explicit Scanner(std::string_view text) : text_(text) {}

  const Token& peek();
  Token take();
  // Letters, digits, '_' and '-' from the next character that is no blank; a token of kind kWord,
  // or kMark with empty text if there is none.
  Token enum_value();

  Mark mark();
  void reset(const Mark& mark);

 private:
  char at(size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }
  void advance(size_t bytes);
  // False, with what is wrong in `bad`, at an unterminated comment.
  bool skip_blanks(Token& bad);
  Token scan();
  Token scan_string();
  Token piece(TokenKind kind, size_t size_bytes);

  std::string_view text_;
  size_t offset_ = 0;
  Place place_;
  Token peeked_;
  bool has_peeked_ = false;
};

// The place of the first bytes that are no UTF-8, if there are any.
bool find_bad_utf8(std::string_view text, Place& place);

bool is_word_character(char c);
bool is_upper_letter(char c);
bool is_digit(char c);
// A letter that is lower case, or '_'.
bool begins_lower(char c);
// Lower case, of ASCII letters.
std::string lowered(std::string_view word);

// `text` in quotes as both languages write it.
std::string quoted(std::string_view text);

}  // namespace weft::schema
