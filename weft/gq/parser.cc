#include "weft/gq/parser.h"

#include <utility>

#include "weft/schema/schema.h"

namespace weft::gq {

using schema::Scanner;
using schema::Token;
using schema::TokenKind;

std::vector<Query> Parser::run() {
  std::vector<Query> queries;
  while (scanner_.peek().kind != TokenKind::kEnd && !problems_.full()) {
    construct_ = {nullptr, {}};
    depth_ = 0;
    if (!scanner_.peek().is_word("query")) {
      fail("query");
      scanner_.take();
      skip_to_query();
      continue;
    }
    queries.emplace_back();
    if (!query(queries.back())) {
      queries.pop_back();
      skip_to_query();
    }
  }
  return queries;
}

bool Parser::fail(std::string_view expected) {
  const Token& found = scanner_.peek();
  std::string message = "expected " + std::string(expected) + ", found " + found.described();
  if (found.kind == TokenKind::kBad) {
    message = found.value;
  } else if (construct_.name != nullptr && construct_.place != found.place) {
    message += (construct_.complete ? std::string(" (after the ") : std::string(" (in the ")) +
               construct_.name + " that begins at " + schema::to_string(construct_.place) + ")";
  }
  problems_.add(found.place, "parse", std::move(message));
  return false;
}

bool Parser::mark(std::string_view mark) {
  return accept(mark) || fail("'" + std::string(mark) + "'");
}

bool Parser::accept(std::string_view mark) {
  if (!scanner_.peek().is_mark(mark)) {
    return false;
  }
  scanner_.take();
  return true;
}

bool Parser::word(std::string_view word) {
  return accept_word(word) || fail("'" + std::string(word) + "'");
}

bool Parser::accept_word(std::string_view word) {
  if (!scanner_.peek().is_word(word)) {
    return false;
  }
  scanner_.take();
  return true;
}

bool Parser::is_next_after_word(std::string_view mark) {
  const Scanner::Mark here = scanner_.mark();
  const bool is = scanner_.take().kind == TokenKind::kWord && scanner_.peek().is_mark(mark);
  scanner_.reset(here);
  return is;
}

bool Parser::variable(Name& out) {
  if (scanner_.peek().kind != TokenKind::kVariable) {
    return fail("a $variable");
  }
  const Token token = scanner_.take();
  out = {std::string(token.text), token.place};
  return true;
}

bool Parser::lower_name(Name& out, std::string_view what) {
  if (!scanner_.peek().is_lower()) {
    return fail(what);
  }
  const Token token = scanner_.take();
  out = {std::string(token.text), token.place};
  return true;
}

bool Parser::upper_name(Name& out, std::string_view what) {
  if (!scanner_.peek().is_upper()) {
    return fail(std::string(what) + " (a word with a capital)");
  }
  const Token token = scanner_.take();
  out = {std::string(token.text), token.place};
  return true;
}

bool Parser::string(std::string& out) {
  if (scanner_.peek().kind != TokenKind::kString) {
    return fail("a text in quotes");
  }
  out = scanner_.take().value;
  return true;
}

bool Parser::count(uint64_t max, uint64_t& out) {
  const Token& token = scanner_.peek();
  const auto number =
      token.kind == TokenKind::kNumber ? schema::Number::parse(token.text, false) : std::nullopt;
  if (token.kind != TokenKind::kNumber || (number.has_value() && !number->is_integer())) {
    return fail("a whole number");
  }
  if (!number.has_value() || number->magnitude() > max) {
    return fail("a whole number up to " + std::to_string(max));
  }
  out = number->magnitude();
  scanner_.take();
  return true;
}

bool Parser::room(size_t items) {
  return items < kItemsMax || fail("at most " + std::to_string(kItemsMax) + " of a kind");
}

bool Parser::deeper() {
  return depth_ <= kNestingMax || fail("at most " + std::to_string(kNestingMax) + " levels");
}

void Parser::skip_to_query() {
  while (scanner_.peek().kind != TokenKind::kEnd) {
    if (scanner_.peek().is_word("query")) {
      const Scanner::Mark here = scanner_.mark();
      scanner_.take();
      const bool begins = scanner_.peek().is_lower() && is_next_after_word("(");
      scanner_.reset(here);
      if (begins) {
        return;
      }
    }
    scanner_.take();
  }
}

bool Parser::query(Query& out) {
  construct_ = {"query", scanner_.take().place};
  if (!lower_name(out.name, "the name of the query (a word in lower case)") || !mark("(")) {
    return false;
  }
  if (!accept(")")) {
    do {
      if (!room(out.parameters.size())) {
        return false;
      }
      out.parameters.emplace_back();
      if (!parameter(out.parameters.back())) {
        return false;
      }
    } while (accept(","));
    if (!mark(")")) {
      return false;
    }
  }
  if (!annotations(out) || !mark("{")) {
    return false;
  }
  if (scanner_.peek().is_word("match")) {
    out.body = Read();
    if (!read(std::get<Read>(out.body))) {
      return false;
    }
  } else {
    out.body = Mutation();
    if (!mutation(std::get<Mutation>(out.body))) {
      return false;
    }
  }
  return mark("}");
}

bool Parser::parameter(Parameter& out) {
  return variable(out.name) && mark(":") && parameter_type(out.type);
}

bool Parser::parameter_type(schema::PropertyType& out) {
  const Construct around = std::exchange(construct_, {"type", scanner_.peek().place});
  if (accept("[")) {
    out.is_list = true;
    if (!scalar(out) || !mark("]")) {
      return false;
    }
  } else if (scanner_.peek().is_word("Vector")) {
    scanner_.take();
    uint64_t width = 0;
    if (!mark("(") || !count(schema::kVectorWidthMax, width)) {
      return false;
    }
    if (width == 0) {
      return fail("a vector of at least one item");
    }
    out.scalar = schema::Scalar::kF32;
    out.vector_width = static_cast<uint32_t>(width);
    if (!mark(")")) {
      return false;
    }
  } else if (!scalar(out)) {
    return false;
  }
  out.nullable = accept("?");
  construct_ = around;
  return true;
}

bool Parser::scalar(schema::PropertyType& out) {
  const Token& token = scanner_.peek();
  const auto found =
      token.kind == TokenKind::kWord ? schema::find_scalar(token.text) : std::nullopt;
  if (!found.has_value()) {
    return fail(
        "a type: String, Bool, I32, I64, U32, U64, F32, F64, Date, DateTime, Blob, [T] or "
        "Vector(n)");
  }
  out.scalar = *found;
  scanner_.take();
  return true;
}

bool Parser::annotations(Query& out) {
  while (scanner_.peek().is_mark("@")) {
    const Scanner::Mark here = scanner_.mark();
    scanner_.take();
    std::string& text = scanner_.peek().is_word("description") ? out.description : out.instruction;
    if (!scanner_.peek().is_word("description") && !scanner_.peek().is_word("instruction")) {
      scanner_.reset(here);
      return fail("@description, @instruction or '{'");
    }
    scanner_.take();
    if (!mark("(") || !string(text) || !mark(")")) {
      return false;
    }
  }
  return true;
}

}  // namespace weft::gq
