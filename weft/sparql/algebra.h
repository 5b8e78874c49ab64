// SPARQL queries as algebra: SPARQL 1.1 Query §18.2, with these liberties, none of which changes an
// answer: Join and Union are n-ary, several filters of one group are one node, joins with the empty
// pattern are left out, sequences, inverses and alternatives of property paths are triples, joins
// and unions, and triple terms with variables are taken apart (a hidden variable for the whole,
// SUBJECT, PREDICATE and OBJECT of it for its parts).
//
// A1  Constants are canonical tokens (weft/rdf/term.h).
// A2  Every variable is an index into Query::variables. Blank nodes of patterns are hidden ones.
// A3  scope and certain of every node are right (they are computed by make_node).
// A4  No tree is deeper than kTreeHeightMax, so recursion over one is safe.
// Plain data: whoever owns the Query owns everything in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/result.h"
#include "weft/sparql/expression.h"

namespace weft::sparql {

// The height of the deepest tree of nodes and expressions (limit "tree height" in errors).
inline constexpr uint32_t kTreeHeightMax = 1'000;

class VariableTable {
 public:
  struct Entry {
    std::string name;     // without '?'
    bool hidden = false;  // not written in the query: a blank node, an aggregate, a path's middle
  };

  // The variable of this name; adds it if it is new.
  VariableIndex intern(std::string_view name);
  // A new hidden variable; its name is ".0", ".1", …, which no query can write.
  VariableIndex add_hidden();
  std::optional<VariableIndex> find(std::string_view name) const;
  void set_hidden(VariableIndex variable, bool hidden) { entries_[variable].hidden = hidden; }

  const Entry& operator[](VariableIndex variable) const { return entries_[variable]; }
  size_t size() const { return entries_.size(); }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<std::string, VariableIndex> by_name_;
  uint32_t hidden_count_ = 0;
};

// A variable or a constant token in a pattern.
using PatternTerm = std::variant<VariableIndex, std::string>;

struct TriplePattern {
  PatternTerm subject;
  PatternTerm predicate;
  PatternTerm object;
};

struct Node;
using NodePtr = std::unique_ptr<Node>;

// A basic graph pattern. With no triples: one solution that binds nothing.
struct Bgp {
  std::vector<TriplePattern> triples;
};

// What is left of a property path after translation: *, + or ? at the top, anything below.
struct PathExpression {
  enum class Kind : uint8_t {
    kIri,          // iri
    kInverse,      // one part
    kSequence,     // two or more parts
    kAlternative,  // two or more parts
    kZeroOrMore,   // one part
    kOneOrMore,    // one part
    kZeroOrOne,    // one part
    kNegatedSet,   // parts are kIri or kInverse of kIri
  };
  Kind kind = Kind::kIri;
  std::string iri;  // a token
  std::vector<PathExpression> parts;
};
struct Path {
  PatternTerm subject;
  PathExpression path;
  PatternTerm object;
};

struct Join {
  std::vector<NodePtr> parts;  // two or more
};
struct LeftJoin {
  NodePtr left;
  NodePtr right;
  std::vector<Expression> conditions;  // all must hold; may see variables of both sides
};
struct Filter {
  NodePtr input;
  std::vector<Expression> conditions;  // one or more; all must hold
};
struct Union {
  std::vector<NodePtr> parts;  // two or more
};
struct Minus {
  NodePtr left;
  NodePtr right;
};
// Binds `variable`, which `input` never binds; an error leaves it unbound.
struct Extend {
  NodePtr input;
  VariableIndex variable;
  Expression expression;
};
// Where `graph` is a variable, `input` does not mention it.
struct GraphPattern {
  PatternTerm graph;
  NodePtr input;
};
struct Service {
  PatternTerm endpoint;
  bool silent = false;
  NodePtr input;
  std::string query;  // "SELECT * WHERE { … }" with the prologue, as the query has it
  std::vector<std::pair<std::string, VariableIndex>> names;  // of its columns, by variable
};
struct Values {
  std::vector<VariableIndex> variables;
  std::vector<std::vector<std::optional<std::string>>> rows;  // tokens; nullopt: UNDEF
};

enum class AggregateFunction : uint8_t {
  kCount,
  kSum,
  kMin,
  kMax,
  kAvg,
  kSample,
  kGroupConcat,
};
struct Aggregate {
  AggregateFunction function = AggregateFunction::kCount;
  bool distinct = false;
  std::optional<Expression> argument;  // nullopt: COUNT(*)
  std::string separator = " ";         // of GROUP_CONCAT, unescaped
  VariableIndex result = 0;            // hidden
};
struct GroupKey {
  VariableIndex variable = 0;  // hidden for an expression without AS
  Expression expression;       // a Variable that is `variable` itself for GROUP BY ?x
};
// Binds the key variables and the results of the aggregates, nothing else. Without keys there is
// exactly one group, also over no solutions.
struct Group {
  NodePtr input;
  std::vector<GroupKey> keys;
  std::vector<Aggregate> aggregates;
};
struct Project {
  NodePtr input;
  std::vector<VariableIndex> variables;
};
struct Distinct {
  NodePtr input;
};
struct Reduced {
  NodePtr input;
};
struct OrderCondition {
  Expression expression;
  bool descending = false;
};
struct OrderBy {
  NodePtr input;
  std::vector<OrderCondition> conditions;  // one or more
};
struct Slice {
  NodePtr input;
  uint64_t offset = 0;
  std::optional<uint64_t> limit;
};

using Operation =
    std::variant<Bgp, Path, Join, LeftJoin, Filter, Union, Minus, Extend, GraphPattern, Service,
                 Values, Group, Project, Distinct, Reduced, OrderBy, Slice>;

struct Node {
  Operation operation;
  std::vector<VariableIndex> scope;    // variables a solution may bind (hidden ones too), ascending
  std::vector<VariableIndex> certain;  // those that every solution binds, ascending
  uint32_t height = 1;                 // of the tree, expressions included
  Place place;
};

// Computes scope, certain and height.
NodePtr make_node(Operation operation, Place place = {});
NodePtr clone(const Node& node);

enum class QueryForm : uint8_t { kSelect, kAsk, kConstruct, kDescribe };

// A term of a CONSTRUCT template: a variable, a token, a blank node (fresh for each solution, by
// number) or a triple term of three terms.
struct TemplateTerm {
  struct Blank {
    uint32_t number = 0;
  };
  struct Triple {
    std::vector<TemplateTerm> parts;  // three
  };
  std::variant<VariableIndex, std::string, Blank, Triple> form;
};
struct TripleTemplate {
  TemplateTerm subject;
  TemplateTerm predicate;
  TemplateTerm object;
};

struct Query {
  QueryForm form = QueryForm::kSelect;
  VariableTable variables;
  std::string base_iri;  // for IRI(); may be empty

  // FROM and FROM NAMED as IRI tokens. If both are empty, the dataset is the store's own.
  std::vector<std::string> default_graphs;
  std::vector<std::string> named_graphs;
  // WITH of an update, an IRI token: what the pattern sees as the default graph; the named graphs
  // stay the store's. Empty: none. Not together with the two above.
  std::string with_graph;

  // The whole query, solution modifiers included. SELECT: the top is Project, Distinct, Reduced or
  // Slice.
  NodePtr pattern;
  // SELECT: the columns in order, * expanded. DESCRIBE: its variables, * expanded.
  std::vector<VariableIndex> projection;
  std::vector<TripleTemplate> construct_template;  // CONSTRUCT
  std::vector<std::string> describe_terms;         // DESCRIBE: its constant IRIs as tokens
};

// The algebra as indented text, for --explain and tests; equal queries have equal dumps.
std::string dump(const Query& query);
std::string dump(const Node& node, const VariableTable& variables, int indent = 0);
std::string dump(const Expression& expression, const VariableTable& variables);

}  // namespace weft::sparql
