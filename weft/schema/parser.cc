#include "weft/schema/parser.h"

#include <charconv>
#include <utility>

namespace weft::schema {
namespace {

bool is_declaration_word(const Token& token) {
  return token.is_word("node") || token.is_word("edge") || token.is_word("interface");
}

}  // namespace

std::vector<Declaration> Parser::run() {
  std::vector<Declaration> declarations;
  while (scanner_.peek().kind != TokenKind::kEnd && !problems_.full()) {
    if (!is_declaration_word(scanner_.peek())) {
      fail("interface, node or edge");
      scanner_.take();
      skip_to_declaration();
      continue;
    }
    declarations.emplace_back();
    if (!declaration(declarations.back())) {
      skip_to_declaration();
    }
  }
  return declarations;
}

bool Parser::fail(std::string_view expected) {
  const Token& found = scanner_.peek();
  std::string message = "expected " + std::string(expected) + ", found " + found.described();
  if (found.kind == TokenKind::kBad) {
    message = found.value;
  } else if (construct_.place != found.place && construct_.name != nullptr) {
    message += std::string(" (in the ") + construct_.name + " that begins at " +
               to_string(construct_.place) + ")";
  }
  problems_.add(found.place, "parse", std::move(message));
  return false;
}

bool Parser::mark(std::string_view mark) {
  if (!scanner_.peek().is_mark(mark)) {
    return fail("'" + std::string(mark) + "'");
  }
  scanner_.take();
  return true;
}

bool Parser::accept(std::string_view mark) {
  if (!scanner_.peek().is_mark(mark)) {
    return false;
  }
  scanner_.take();
  return true;
}

bool Parser::upper_name(Name& name, std::string_view what) {
  if (!scanner_.peek().is_upper()) {
    return fail(std::string(what) + " (a word with a capital)");
  }
  return take_name(name);
}

bool Parser::take_name(Name& name) {
  const Token token = scanner_.take();
  name = {std::string(token.text), token.place};
  if (token.text.size() > kNameBytesMax) {
    problems_.add(token.place, "schema",
                  "a name has at most " + std::to_string(kNameBytesMax) + " characters");
  }
  return true;
}

void Parser::skip_to_declaration() {
  while (scanner_.peek().kind != TokenKind::kEnd) {
    if (is_declaration_word(scanner_.peek()) && begins_declaration()) {
      return;
    }
    scanner_.take();
  }
}

bool Parser::begins_declaration() {
  const Scanner::Mark here = scanner_.mark();
  scanner_.take();
  const bool begins = scanner_.peek().is_upper();
  scanner_.reset(here);
  return begins;
}

bool Parser::declaration(Declaration& out) {
  const Token word = scanner_.take();
  construct_ = {"declaration", word.place};
  out.kind = word.text == "node"   ? DeclarationKind::kNode
             : word.text == "edge" ? DeclarationKind::kEdge
                                   : DeclarationKind::kInterface;
  if (!upper_name(out.name, "the name of a type")) {
    return false;
  }
  switch (out.kind) {
    case DeclarationKind::kInterface:
      return mark("{") && body(out);
    case DeclarationKind::kNode:
      return annotations(out.annotations) && implements(out) && mark("{") && body(out);
    case DeclarationKind::kEdge:
      break;
  }
  if (!mark(":") || !upper_name(out.from, "the node type the edge begins at") || !mark("->") ||
      !upper_name(out.to, "the node type the edge ends at") || !cardinality(out) ||
      !annotations(out.annotations)) {
    return false;
  }
  return accept("{") ? body(out) : true;
}

bool Parser::implements(Declaration& out) {
  if (!scanner_.peek().is_word("implements")) {
    return true;
  }
  scanner_.take();
  do {
    out.interfaces.emplace_back();
    if (!upper_name(out.interfaces.back(), "the name of an interface")) {
      out.interfaces.pop_back();
      return false;
    }
  } while (accept(","));
  return true;
}

bool Parser::cardinality(Declaration& out) {
  const Scanner::Mark here = scanner_.mark();
  if (!accept("@")) {
    return true;
  }
  if (!scanner_.peek().is_word("card")) {
    scanner_.reset(here);
    return true;
  }
  scanner_.take();
  if (!mark("(")) {
    return false;
  }
  out.cardinality_place = scanner_.peek().place;
  if (!count(out.cardinality.min) || !mark("..")) {
    return false;
  }
  if (!scanner_.peek().is_mark(")")) {
    uint32_t max = 0;
    if (!count(max)) {
      return false;
    }
    out.cardinality.max = max;
  }
  return mark(")");
}

bool Parser::count(uint32_t& out) {
  const Token& token = scanner_.peek();
  const char* const end = token.text.data() + token.text.size();
  if (token.kind != TokenKind::kNumber) {
    return fail("a whole number");
  }
  const auto [rest, failed] = std::from_chars(token.text.data(), end, out);
  if (failed != std::errc() || rest != end) {
    return fail("a whole number below 2^32");
  }
  scanner_.take();
  return true;
}

bool Parser::body(Declaration& out) {
  while (!accept("}")) {
    if (problems_.full() || scanner_.peek().kind == TokenKind::kEnd) {
      construct_ = {"declaration", out.name.place};
      return fail("'}', a property or a constraint");
    }
    construct_ = {"declaration", out.name.place};
    const bool read = body_item(out);
    if (!read && !skip_to_body_item()) {
      return false;
    }
  }
  return true;
}

bool Parser::body_item(Declaration& out) {
  if (scanner_.peek().is_mark("@")) {
    if (out.kind == DeclarationKind::kInterface) {
      scanner_.take();
      return fail(
          "no constraint with brackets in an interface; put @unique, @index or @key "
          "behind the property");
    }
    return constraint(out);
  }
  if (!scanner_.peek().is_lower()) {
    return fail("'}', a property or a constraint");
  }
  return property(out);
}

bool Parser::skip_to_body_item() {
  size_t depth = 0;
  while (scanner_.peek().kind != TokenKind::kEnd) {
    const Token& token = scanner_.peek();
    if (token.is_mark("(") || token.is_mark("[")) {
      ++depth;
    } else if ((token.is_mark(")") || token.is_mark("]")) && depth > 0) {
      --depth;
    } else if (token.is_mark("}")) {
      return true;
    } else if (is_declaration_word(token) && begins_declaration()) {
      return false;
    } else if (depth == 0 && token.is_lower() && begins_property()) {
      return true;
    }
    scanner_.take();
  }
  return false;
}

bool Parser::begins_property() {
  const Scanner::Mark here = scanner_.mark();
  scanner_.take();
  const bool begins = scanner_.peek().is_mark(":");
  scanner_.reset(here);
  return begins;
}

bool Parser::property(Declaration& out) {
  DeclaredProperty property;
  construct_ = {"property", scanner_.peek().place};
  take_name(property.name);
  if (!mark(":")) {
    return false;
  }
  construct_ = {"type", scanner_.peek().place};
  property.type_place = scanner_.peek().place;
  property.broken = !type(property.type);
  if (property.broken) {
    out.properties.push_back(std::move(property));
    return false;
  }
  property.type.nullable = accept("?");
  construct_ = {"property", property.name.place};
  const bool read = annotations(property.annotations);
  out.properties.push_back(std::move(property));
  return read;
}

std::string_view declaration_kind_name(DeclarationKind kind) {
  switch (kind) {
    case DeclarationKind::kInterface:
      return "interface";
    case DeclarationKind::kNode:
      return "node";
    case DeclarationKind::kEdge:
      break;
  }
  return "edge";
}

std::vector<Declaration> parse_declarations(std::string_view text, Problems& problems) {
  return Parser(text, problems).run();
}

}  // namespace weft::schema
