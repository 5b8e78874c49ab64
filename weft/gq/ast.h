// Queries and mutations of the `.gq` language as trees. The parser fills in what is written, the
// type checker (check.h) what is marked "checked".
//
// Values. Language: docs/formats/gq-language.md
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/schema/number.h"
#include "weft/schema/problem.h"
#include "weft/schema/property_type.h"

namespace weft::gq {

using schema::Place;

struct Name {
  std::string text;
  Place place;
};

struct Literal;
struct DateLiteral {
  std::string text;
  int32_t days = 0;  // since 1970-01-01; checked
};
struct DateTimeLiteral {
  std::string text;
  int64_t milliseconds = 0;  // since 1970-01-01T00:00Z; checked
};
// Whole numbers are at most 2^63 - 1; there are no negative ones.
struct Literal {
  std::variant<std::string, schema::Number, bool, DateLiteral, DateTimeLiteral,
               std::vector<Literal>>
      value;
};

enum class ExpressionKind : uint8_t {
  kNow,       // constant within a request
  kLiteral,   // literal
  kVariable,  // a bound node, or a parameter (checked: is_parameter); name without '$'
  kProperty,  // name.property
  kAlias,     // the name of an earlier column
  kCount,     // arguments[0] of all aggregates
  kSum,
  kAvg,
  kMin,
  kMax,
  kNearest,    // arguments: a property, the vector or text
  kSearch,     // arguments: a property, the text
  kMatchText,  // likewise
  kFuzzy,      // arguments: a property, the text, perhaps the number of edits
  kBm25,       // arguments: a property, the text
  kRrf,        // arguments: nearest or bm25, nearest or bm25, perhaps k
};
bool is_aggregate(ExpressionKind kind);
bool is_text_call(ExpressionKind kind);  // search, match_text, fuzzy
std::string_view function_name(ExpressionKind kind);

struct Expression {
  ExpressionKind kind = ExpressionKind::kLiteral;
  Place place;
  std::string name;
  std::string property;
  Literal literal;
  std::vector<Expression> arguments;
  bool is_parameter = false;  // checked
  size_t column = 0;          // checked, of a kAlias: index of the projection it means
};
// True if both are written the same.
bool same(const Expression& left, const Expression& right);

enum class Operator : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kContains,
  kStartsWith,
};
std::string_view operator_text(Operator op);

// NAME: VALUE of a binding, an insert, an update. The value is a literal, a parameter or now().
struct Assignment {
  Name property;
  Expression value;
};

struct Clause;

// $variable: Type { matches }
struct Binding {
  Name variable;
  Name type;
  std::vector<Assignment> matches;
};

enum class Direction : uint8_t { kOut, kIn, kBoth };

// $left [$edge:] name{min,max} $right
struct Traversal {
  Name left;
  Name right;
  Name edge;           // as written
  Name edge_variable;  // empty: none
  bool undirected = false;
  bool has_bounds = false;
  uint32_t hops_min = 1;
  std::optional<uint32_t> hops_max = 1;  // nullopt was written, and is refused
  Place bounds_place;
  // Checked: the edge type's name; where to go from left (kOut: left is the edge's `from`); the
  // types of both ends; whether this clause binds them or finds them bound.
  std::string edge_type;
  Direction direction = Direction::kOut;
  std::string left_type;
  std::string right_type;
  bool binds_left = false;
  bool binds_right = false;
};

struct Filter {
  Expression left;
  Operator op = Operator::kEqual;
  Expression right;
};

struct TextCall {
  Expression call;
};

// Rows for which the clauses have no answer.
struct Negation {
  Place place;
  std::vector<Clause> clauses;
};

struct Clause {
  std::variant<Binding, Traversal, Filter, TextCall, Negation> value;
};

struct Projection {
  Expression expression;
  Name alias;               // empty: none
  std::string column_name;  // checked
};

struct Ordering {
  Expression expression;
  bool descending = false;
};

struct Read {
  std::vector<Clause> clauses;
  std::vector<Projection> projections;
  std::vector<Ordering> orderings;
  std::optional<uint64_t> limit;
  bool aggregates = false;  // checked: some projection is an aggregate
};

// property OP value
struct Predicate {
  Name property;
  Operator op = Operator::kEqual;
  Expression value;
};

struct Insert {
  Name type;
  std::vector<Assignment> values;
  bool is_edge = false;  // checked
};

struct Update {
  Name type;
  std::vector<Assignment> values;
  Predicate where;
};

struct Delete {
  Name type;
  Predicate where;
  bool is_edge = false;  // checked
};

using Statement = std::variant<Insert, Update, Delete>;

struct Mutation {
  std::vector<Statement> statements;
};

struct Parameter {
  Name name;
  schema::PropertyType type;
};

struct Query {
  Name name;
  std::vector<Parameter> parameters;
  std::string description;
  std::string instruction;
  std::variant<Read, Mutation> body;

  bool is_read() const { return std::holds_alternative<Read>(body); }
  const Parameter* find_parameter(std::string_view parameter) const;
};

}  // namespace weft::gq
