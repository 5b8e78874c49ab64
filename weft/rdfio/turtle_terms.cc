// The terms of Turtle and TriG that may hold others, and the triples they stand for.
#include <string>
#include <utility>

#include "weft/rdf/term.h"
#include "weft/rdfio/turtle_parser.h"

namespace weft::rdfio {
namespace {

constexpr std::string_view kReifies = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies>";
constexpr std::string_view kFirst = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>";
constexpr std::string_view kRest = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>";
constexpr std::string_view kNil = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>";
constexpr std::string_view kTrue = "\"true\"^^<http://www.w3.org/2001/XMLSchema#boolean>";
constexpr std::string_view kFalse = "\"false\"^^<http://www.w3.org/2001/XMLSchema#boolean>";

}  // namespace

// Reads a term for the open frame, or opens the frame of one.
bool TurtleParser::read_term(Wants position) {
  const bool is_subject = position == Wants::kSubject;
  const Kind kind = frames_.back().kind;
  const bool in_triple = kind == Kind::kReified || kind == Kind::kTripleTerm;
  std::string_view token;
  switch (lexer_.peek()) {
    case '<':
      if (lexer_.peek(1) == '<') {
        return open_angles(position);
      }
      return lexer_.read_iri_reference(token) && deliver(token);
    case '_':
      return lexer_.read_blank_node(token) && deliver(token);
    case '[':
      return open_bracket(position);
    case '(':
      if (in_triple) {
        return lexer_.fail("a triple term cannot hold a collection");
      }
      lexer_.skip(1);
      return push(Kind::kCollection, Wants::kObject);
    case '"':
    case '\'':
      if (is_subject) {
        return lexer_.fail("a literal cannot be a subject");
      }
      return lexer_.read_literal(token) && deliver(token);
    default:
      break;
  }
  const char byte = lexer_.peek();
  if ((byte >= '0' && byte <= '9') || byte == '+' || byte == '-' || byte == '.') {
    if (is_subject) {
      return lexer_.fail("a literal cannot be a subject");
    }
    return lexer_.read_number(token) && deliver(token);
  }
  const std::string_view word = lexer_.bare_word();
  if (!is_subject && (word == "true" || word == "false")) {
    const bool value = word == "true";
    lexer_.skip(word.size());
    return deliver(value ? kTrue : kFalse);
  }
  return lexer_.read_prefixed_name(token) && deliver(token);
}

// At '[': a node without properties, or with some.
bool TurtleParser::open_bracket(Wants position) {
  const Kind kind = frames_.back().kind;
  lexer_.skip(1);
  std::string_view node;
  if (!lexer_.skip_space() || !lexer_.make_blank_node(node)) {
    return false;
  }
  if (lexer_.peek() == ']') {
    lexer_.skip(1);
    return deliver(node);
  }
  if (kind == Kind::kReified || kind == Kind::kTripleTerm) {
    return lexer_.fail("a triple term cannot hold a node with properties");
  }
  // With properties of its own a subject needs no others.
  frames_.back().may_end = position == Wants::kSubject;
  return push(Kind::kPropertyList, Wants::kVerb, node);
}

// At '<<': a reified triple or a triple term.
bool TurtleParser::open_angles(Wants position) {
  Frame& frame = frames_.back();
  const bool is_term = lexer_.peek(2) == '(';
  const bool is_subject = position == Wants::kSubject;
  if (is_term && is_subject && !is_star_) {
    return lexer_.fail("a triple term cannot be a subject");
  }
  if (!is_term && frame.kind == Kind::kTripleTerm && !is_star_) {
    return lexer_.fail("a triple term cannot hold a reified triple");
  }
  if (++triple_depth_ > rdf::kTripleNestingMax) {
    return lexer_.fail("triple terms nest too deep (triple_nesting_max)", ErrorKind::kLimit);
  }
  lexer_.skip(is_term ? 3 : 2);
  // A reified triple says something by itself; the older reading has a mere term here.
  frame.may_end = is_subject && !is_term && !is_star_ && frame.kind == Kind::kTriples;
  return push(is_term ? Kind::kTripleTerm : Kind::kReified, Wants::kSubject);
}

// Gives a term to the frame that waits for it.
bool TurtleParser::deliver(std::string_view term) {
  Frame& frame = frames_.back();
  if (frame.kind == Kind::kCollection) {
    return deliver_item(frame, term);
  }
  const bool in_triple = frame.kind == Kind::kReified || frame.kind == Kind::kTripleTerm;
  if (frame.wants == Wants::kSubject) {
    frame.subject = term;
    frame.wants = Wants::kVerb;
    return true;
  }
  frame.object = term;
  frame.wants = Wants::kEnd;
  if (!in_triple) {
    emit(frame.subject, frame.predicate, term);
  }
  return true;
}

bool TurtleParser::want_item(Frame& frame) {
  if (lexer_.peek() != ')') {
    return read_term(Wants::kObject);
  }
  lexer_.skip(1);
  const std::string_view head = frame.subject.empty() ? kNil : frame.subject;
  if (!frame.subject.empty()) {
    emit(frame.object, kRest, kNil);
  }
  frames_.pop_back();
  return deliver(head);
}

bool TurtleParser::deliver_item(Frame& frame, std::string_view term) {
  std::string_view cell;
  if (!lexer_.make_blank_node(cell)) {
    return false;
  }
  if (frame.subject.empty()) {
    frame.subject = cell;
  } else {
    emit(frame.object, kRest, cell);
  }
  frame.object = cell;
  emit(cell, kFirst, term);
  return true;
}

// Behind the object of a reified triple or a triple term.
bool TurtleParser::end_triple(Frame& frame) {
  const bool is_term = frame.kind == Kind::kTripleTerm;
  if (lexer_.peek() == '~' && !is_term && !is_star_ && frame.reifier.empty()) {
    return read_reifier(frame);
  }
  const std::string_view close = is_term ? ")>>" : ">>";
  if (!lexer_.starts_with(close)) {
    return lexer_.fail(is_term ? "expected ')>>'" : "expected '>>'");
  }
  std::string_view token;
  if (is_term || is_star_) {
    token = arena_.keep(rdf::make_triple(frame.subject, frame.predicate, frame.object));
  } else if (!frame.reifier.empty()) {
    token = frame.reifier;
  } else if (!reify(frame, token)) {
    return false;
  }
  lexer_.skip(close.size());
  frames_.pop_back();
  --triple_depth_;
  return deliver(token);
}

// At '~': an IRI or a blank node, or nothing for a fresh one.
bool TurtleParser::read_reifier(Frame& frame) {
  if (is_star_) {
    return lexer_.fail("'~' is of RDF 1.2; here << >> has the older reading");
  }
  lexer_.skip(1);
  if (!lexer_.skip_space()) {
    return false;
  }
  frame.reifier = {};
  const char byte = lexer_.peek();
  if (byte == '_') {
    if (!lexer_.read_blank_node(frame.reifier)) {
      return false;
    }
  } else if (byte == '[') {
    lexer_.skip(1);
    if (!lexer_.expect(']', "expected ']': a reifier has no properties here") ||
        !lexer_.make_blank_node(frame.reifier)) {
      return false;
    }
  } else if ((byte == '<' && lexer_.peek(1) != '<') || lexer_.at_prefixed_name()) {
    if (!lexer_.read_iri(frame.reifier)) {
      return false;
    }
  }
  return reify(frame, frame.reifier);
}

// Says that `reifier`, a fresh node if it is empty, reifies the triple of the frame.
bool TurtleParser::reify(const Frame& frame, std::string_view& reifier) {
  if (reifier.empty() && !lexer_.make_blank_node(reifier)) {
    return false;
  }
  const std::string token = rdf::make_triple(frame.subject, frame.predicate, frame.object);
  emit(reifier, kReifies, arena_.keep(token));
  return true;
}

// At '{|'.
bool TurtleParser::open_annotation(Frame& frame) {
  lexer_.skip(2);
  std::string_view subject = frame.reifier;
  frame.reifier = {};
  if (is_star_) {
    subject = arena_.keep(rdf::make_triple(frame.subject, frame.predicate, frame.object));
  } else if (subject.empty() && !reify(frame, subject)) {
    return false;
  }
  return push(Kind::kAnnotation, Wants::kVerb, subject);
}

}  // namespace weft::rdfio
