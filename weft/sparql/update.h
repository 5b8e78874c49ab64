// SPARQL 1.1 Update text to algebra. What exec runs it with: weft/exec/update.h.
//
// U1  Constants are canonical tokens (weft/rdf/term.h).
// U2  WITH is resolved: templates name its graph, and Modify::where has it as with_graph.
// U3  A blank node in data or a template is TemplateTerm::Blank, numbered within its operation:
//     fresh for each solution (INSERT DATA: for the operation). DELETE has none.
// U4  Operations run in order, each on what the ones before made; all of them or none.
// Plain data: whoever owns the Update owns everything in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/result.h"
#include "weft/sparql/algebra.h"
#include "weft/sparql/parser.h"

namespace weft::sparql {

// Limit "update text". Bulk data comes as RDF, not as INSERT DATA.
inline constexpr size_t kUpdateBytesMax = size_t{256} << 20U;

// A quad of data or of a template, its triple in the form of CONSTRUCT's.
struct QuadTemplate {
  std::optional<PatternTerm> graph;  // nullopt: the default graph; a token or a variable
  TripleTemplate triple;
};

struct InsertData {
  std::vector<QuadTemplate> quads;  // no variables
};
struct DeleteData {
  std::vector<QuadTemplate> quads;  // neither variables nor blank nodes
};
// DELETE { … } INSERT { … } WHERE { … } and DELETE WHERE { … }. Both templates are filled from the
// solutions of `where` over the state before; then all deletions come before all insertions.
struct Modify {
  std::vector<QuadTemplate> deletes;
  std::vector<QuadTemplate> inserts;
  // SELECT of the variables of the templates. USING and USING NAMED are its default_graphs and
  // named_graphs, else WITH is its with_graph.
  Query where;
};

struct Load {
  bool silent = false;
  std::string source;               // an IRI token
  std::optional<std::string> into;  // an IRI token; nullopt: the default graph
};

struct GraphTarget {
  enum class Kind : uint8_t { kDefault, kOne, kNamed, kAll };
  Kind kind = Kind::kDefault;
  std::string graph;  // of kOne, an IRI token
};
struct Clear {
  bool silent = false;
  GraphTarget target;
};
struct Drop {
  bool silent = false;
  GraphTarget target;
};
struct Create {
  bool silent = false;
  std::string graph;  // an IRI token
};

// ADD, MOVE and COPY. Nothing is to be done where both graphs are the same.
struct Transfer {
  enum class Kind : uint8_t { kAdd, kMove, kCopy };
  Kind kind = Kind::kAdd;
  bool silent = false;
  std::optional<std::string> from;  // IRI tokens; nullopt: the default graph
  std::optional<std::string> to;
};

using UpdateOperation =
    std::variant<InsertData, DeleteData, Modify, Load, Clear, Drop, Create, Transfer>;

struct Update {
  std::vector<UpdateOperation> operations;  // perhaps none
};

// Errors: kInvalid (syntax or static rule, "line", "column"), kUnsupported (as parse_query),
// kLimit.
Result<Update> parse_update(std::string_view text, const ParseOptions& options = {});

}  // namespace weft::sparql
