// Turtle and TriG by an explicit stack: nesting costs memory, never C stack, and has a limit.
#pragma once

#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/rdfio/batch.h"
#include "weft/rdfio/turtle_lexer.h"

namespace weft::rdfio {

// Reads one document. Not thread-safe; the arguments must outlive it.
class TurtleParser {
 public:
  TurtleParser(InputStream& input, Format format, const ParseOptions& options, rdf::QuadSink& sink);

  // To be called once.
  Result<ParseReport> parse();

 private:
  // What is open, and what it waits for.
  enum class Kind : uint8_t {
    kTriples,       // a statement
    kPropertyList,  // [ … ]
    kAnnotation,    // {| … |}
    kCollection,    // ( … )
    kReified,       // << … >>
    kTripleTerm,    // <<( … )>>
  };
  enum class Wants : uint8_t {
    kSubject,
    kVerb,
    kObject,  // of a collection: an item or the end
    kEnd,     // everything is there: what may follow, and the end
  };
  struct Frame {
    Kind kind = Kind::kTriples;
    Wants wants = Wants::kSubject;
    bool may_end = false;      // without any verb
    std::string_view subject;  // of a collection: its head; "" while it has no item
    std::string_view predicate;
    std::string_view object;   // of a collection: its last cell
    std::string_view reifier;  // of the triple just read, or of a reified triple; "" if none
  };

  bool parse_all();
  bool step();
  bool step_outside();
  bool step_frame();
  bool begin_statement();
  bool end_statement();
  bool read_directive(std::string_view word);
  bool open_graph(std::string_view name);
  bool read_named_graph();
  bool read_graph_or_statement();

  bool want_verb(Frame& frame);
  bool want_object(Frame& frame);
  bool after_object(Frame& frame);
  bool want_item(Frame& frame);
  bool end_triple(Frame& frame);
  bool end_verbs(Frame& frame);
  bool read_verb(std::string_view& token);
  bool read_reifier(Frame& frame);
  bool open_annotation(Frame& frame);

  bool read_term(Wants position);
  bool open_bracket(Wants position);
  bool open_angles(Wants position);
  bool push(Kind kind, Wants wants, std::string_view subject = {});
  bool deliver(std::string_view term);
  bool deliver_item(Frame& frame, std::string_view term);
  bool reify(const Frame& frame, std::string_view& reifier);
  void emit(std::string_view subject, std::string_view predicate, std::string_view object);

  bool flush();
  bool skip_bad_statement();

  Format format_;
  const ParseOptions& options_;
  rdf::QuadSink& sink_;
  bool is_star_;
  DocumentPrefix prefix_;
  TextArena arena_;
  TurtleLexer lexer_;
  std::vector<Frame> frames_;
  size_t triple_depth_ = 0;
  bool in_graph_ = false;
  std::string_view graph_;
  std::vector<rdf::QuadView> batch_;
  // Where the open statement begins in batch_. Its first quads may have been handed on already.
  size_t statement_begin_ = 0;
  // What the arena takes for the tokens of open frames alone.
  size_t live_bytes_ = 0;
  ParseReport report_;
};

}  // namespace weft::rdfio
