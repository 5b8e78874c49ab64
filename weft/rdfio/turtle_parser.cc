#include "weft/rdfio/turtle_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "weft/rdf/term.h"
#include "weft/rdfio/report.h"
#include "weft/rdfio/syntaxes.h"

namespace weft::rdfio {
namespace {

constexpr std::string_view kType = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";

// In lenient mode the quads of a statement are held back until its end, so that a bad one leaves
// nothing. Statements beyond this are handed on in pieces.
constexpr size_t kHeldQuadsMax = 1'000'000;
constexpr size_t kArenaBytesMax = size_t{64} << 20U;

// Of ASCII letters.
bool equals_ignoring_case(std::string_view word, std::string_view lower) {
  return std::ranges::equal(word, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

}  // namespace

Result<ParseReport> parse_turtle(InputStream& input, Format format, const ParseOptions& options,
                                 rdf::QuadSink& sink) {
  TurtleParser parser(input, format, options, sink);
  return parser.parse();
}

TurtleParser::TurtleParser(InputStream& input, Format format, const ParseOptions& options,
                           rdf::QuadSink& sink)
    : format_(format),
      options_(options),
      sink_(sink),
      is_star_(options.triple_terms == TripleTermSyntax::kRdfStar),
      prefix_(options_.blank_node_prefix),
      lexer_(input, options_, prefix_, arena_) {}

Result<ParseReport> TurtleParser::parse() {
  WEFT_TRY_STATUS(lexer_.start());
  while (!parse_all()) {
    if (!skip_bad_statement()) {
      return lexer_.take_failure().error;
    }
  }
  report_.bytes = lexer_.bytes();
  return std::move(report_);
}

bool TurtleParser::parse_all() {
  while (true) {
    const bool is_large = arena_.used_bytes() > kArenaBytesMax + 2 * live_bytes_;
    if (batch_.size() >= kBatchQuads || is_large) {
      const bool held =
          options_.lenient && !frames_.empty() && !is_large && batch_.size() < kHeldQuadsMax;
      if (!held && !flush()) {
        return false;
      }
    }
    if (!lexer_.skip_space()) {
      return false;
    }
    if (lexer_.at_end()) {
      break;
    }
    if (!step()) {
      return false;
    }
  }
  if (!frames_.empty()) {
    return lexer_.fail("unexpected end of the text within a statement");
  }
  if (in_graph_) {
    return lexer_.fail("unexpected end of the text within a graph: expected '}'");
  }
  return flush();
}

// Gives the batch to the sink. The tokens that are still needed move to fresh memory.
bool TurtleParser::flush() {
  if (options_.stop.stop_requested()) {
    return lexer_.fail_outside(Error(ErrorKind::kCancelled, "reading was stopped"));
  }
  if (!batch_.empty()) {
    const Status status = sink_.accept(batch_);
    if (!status.ok()) {
      return lexer_.fail_outside(status.error());
    }
    report_.statements += batch_.size();
    batch_.clear();
  }
  statement_begin_ = 0;
  std::vector<std::string_view*> live = {&graph_};
  for (Frame& frame : frames_) {
    live.insert(live.end(), {&frame.subject, &frame.predicate, &frame.object, &frame.reifier});
  }
  std::string kept;
  for (const std::string_view* token : live) {
    kept.append(*token);
  }
  arena_.clear();
  std::string_view rest = arena_.keep(kept);
  live_bytes_ = kept.size();
  for (std::string_view* token : live) {
    const size_t size = token->size();
    *token = rest.substr(0, size);
    rest.remove_prefix(size);
  }
  return true;
}

// After a failure: true if it was bad text that may be skipped and has been.
bool TurtleParser::skip_bad_statement() {
  TurtleLexer::Failure failure = lexer_.take_failure();
  if (!options_.lenient || !failure.is_in_text) {
    return lexer_.fail_outside(std::move(failure.error));
  }
  skip_statement(report_, options_, std::move(failure.error));
  batch_.resize(std::min(statement_begin_, batch_.size()));
  frames_.clear();
  triple_depth_ = 0;
  if (lexer_.at_end()) {
    in_graph_ = false;
    graph_ = {};
  }
  return lexer_.recover(in_graph_);
}

void TurtleParser::emit(std::string_view subject, std::string_view predicate,
                        std::string_view object) {
  batch_.push_back({subject, predicate, object, graph_});
}

bool TurtleParser::push(Kind kind, Wants wants, std::string_view subject) {
  if (frames_.size() >= options_.nesting_max) {
    return lexer_.fail("brackets nest too deep (nesting_max)", ErrorKind::kLimit);
  }
  Frame& frame = frames_.emplace_back();
  frame.kind = kind;
  frame.wants = wants;
  frame.subject = subject;
  return true;
}

bool TurtleParser::step() {
  return frames_.empty() ? step_outside() : step_frame();
}

// Outside of any statement: directives, graphs, and the first term of a statement.
bool TurtleParser::step_outside() {
  statement_begin_ = batch_.size();
  if (in_graph_) {
    if (lexer_.peek() == '}') {
      lexer_.skip(1);
      in_graph_ = false;
      graph_ = {};
      return true;
    }
    return begin_statement();
  }
  const bool is_at = lexer_.peek() == '@';
  lexer_.skip(is_at ? 1 : 0);
  const std::string_view word = is_at ? lexer_.letters() : lexer_.bare_word();
  for (const std::string_view keyword : {"prefix", "base", "version"}) {
    if (is_at ? word == keyword : equals_ignoring_case(word, keyword)) {
      lexer_.skip(word.size());
      return read_directive(keyword) &&
             (!is_at || lexer_.expect('.', "expected '.' at the end of the directive"));
    }
  }
  if (is_at) {
    return lexer_.fail("expected @prefix, @base or @version");
  }
  if (format_ == Format::kTriG) {
    if (equals_ignoring_case(word, "graph")) {
      lexer_.skip(word.size());
      return read_named_graph();
    }
    if (lexer_.peek() == '{') {
      return open_graph({});
    }
    return read_graph_or_statement();
  }
  return begin_statement();
}

bool TurtleParser::read_directive(std::string_view word) {
  if (word == "prefix") {
    return lexer_.read_prefix_declaration();
  }
  return word == "base" ? lexer_.read_base_declaration() : lexer_.read_version();
}

bool TurtleParser::open_graph(std::string_view name) {
  if (!lexer_.expect('{', "expected '{'")) {
    return false;
  }
  graph_ = name;
  in_graph_ = true;
  return true;
}

// Behind GRAPH.
bool TurtleParser::read_named_graph() {
  if (!lexer_.skip_space()) {
    return false;
  }
  std::string_view name;
  if (lexer_.peek() == '[') {
    lexer_.skip(1);
    return lexer_.expect(']', "expected ']': a graph name has no properties") &&
           lexer_.make_blank_node(name) && open_graph(name);
  }
  if (lexer_.peek() == '_') {
    return lexer_.read_blank_node(name) && open_graph(name);
  }
  return lexer_.read_iri(name) && open_graph(name);
}

// TriG: a name may begin a graph or a statement.
bool TurtleParser::read_graph_or_statement() {
  if (!begin_statement() || !lexer_.skip_space()) {
    return false;
  }
  const Frame& frame = frames_.front();
  if (frames_.size() != 1 || frame.wants != Wants::kVerb || frame.may_end || lexer_.peek() != '{' ||
      frame.subject.starts_with("<<")) {
    return true;
  }
  const std::string_view name = frame.subject;
  frames_.clear();
  return open_graph(name);
}

bool TurtleParser::begin_statement() {
  return push(Kind::kTriples, Wants::kSubject) && read_term(Wants::kSubject);
}

bool TurtleParser::end_statement() {
  if (lexer_.peek() == '.') {
    lexer_.skip(1);
  } else if (!in_graph_ || lexer_.peek() != '}') {
    return lexer_.fail(in_graph_ ? "expected '.' or '}' at the end of the statement"
                                 : "expected '.' at the end of the statement");
  }
  frames_.pop_back();
  statement_begin_ = batch_.size();
  return true;
}

bool TurtleParser::step_frame() {
  Frame& frame = frames_.back();
  switch (frame.wants) {
    case Wants::kSubject:
      return read_term(Wants::kSubject);
    case Wants::kVerb:
      return want_verb(frame);
    case Wants::kObject:
      return frame.kind == Kind::kCollection ? want_item(frame) : read_term(Wants::kObject);
    case Wants::kEnd:
      return frame.kind == Kind::kReified || frame.kind == Kind::kTripleTerm ? end_triple(frame)
                                                                             : after_object(frame);
  }
  return false;
}

bool TurtleParser::read_verb(std::string_view& token) {
  const std::string_view word = lexer_.bare_word();
  if (word == "a") {
    lexer_.skip(1);
    token = kType;
    return true;
  }
  const char byte = lexer_.peek();
  if ((byte == '<' && lexer_.peek(1) == '<') || byte == '_' || byte == '"' || byte == '[' ||
      byte == '(') {
    return lexer_.fail("expected a predicate: an IRI or 'a'");
  }
  return lexer_.read_iri(token);
}

bool TurtleParser::want_verb(Frame& frame) {
  const char byte = lexer_.peek();
  const bool ends = byte == '.' || byte == '}' || byte == ']' || lexer_.starts_with("|}");
  if (ends && frame.may_end) {
    return end_verbs(frame);
  }
  if (byte == ';' && !frame.predicate.empty()) {
    lexer_.skip(1);
    return true;
  }
  frame.wants = Wants::kObject;
  frame.may_end = false;
  return read_verb(frame.predicate);
}

// Behind an object: reifiers, annotations, and what may follow.
bool TurtleParser::after_object(Frame& frame) {
  switch (lexer_.peek()) {
    case '~':
      return read_reifier(frame);
    case '{':
      if (lexer_.peek(1) == '|') {
        return open_annotation(frame);
      }
      break;
    case ',':
      lexer_.skip(1);
      frame.wants = Wants::kObject;
      frame.reifier = {};
      return true;
    case ';':
      lexer_.skip(1);
      frame.wants = Wants::kVerb;
      frame.may_end = true;
      frame.reifier = {};
      return true;
    default:
      break;
  }
  return end_verbs(frame);
}

// The end of a list of predicates and objects.
bool TurtleParser::end_verbs(Frame& frame) {
  const std::string_view subject = frame.subject;
  switch (frame.kind) {
    case Kind::kTriples:
      return end_statement();
    case Kind::kPropertyList:
      if (lexer_.peek() != ']') {
        return lexer_.fail("expected ']', ';' or ','");
      }
      lexer_.skip(1);
      frames_.pop_back();
      return deliver(subject);
    case Kind::kAnnotation:
      if (!lexer_.starts_with("|}")) {
        return lexer_.fail("expected '|}', ';' or ','");
      }
      lexer_.skip(2);
      frames_.pop_back();
      return true;
    case Kind::kCollection:
    case Kind::kReified:
    case Kind::kTripleTerm:
      break;
  }
  return false;
}

}  // namespace weft::rdfio
