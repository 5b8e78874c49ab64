// Recursive descent over the tokens of a query text. After a mistake it goes on at the next query,
// so that one run reports one syntax error per query.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/gq/ast.h"
#include "weft/schema/problem.h"
#include "weft/schema/scanner.h"

namespace weft::gq {

// `not` in `not`, calls in calls, lists in lists.
inline constexpr uint32_t kNestingMax = 32;
// Clauses, columns, assignments, statements, parameters, items of one list.
inline constexpr size_t kItemsMax = 4'096;

// Methods that read something return false after they reported a mistake. One run per parser.
class Parser {
 public:
  // Both must outlive the parser.
  Parser(std::string_view text, schema::Problems& problems) : scanner_(text), problems_(problems) {}
  std::vector<Query> run();

 private:
  // What is being read, for messages; or, after it, what was read last.
  struct Construct {
    const char* name;
    Place place;
    bool complete = false;
  };
  // Counts nesting; the parser reports when it is too deep.
  class Level {
   public:
    explicit Level(uint32_t& depth) : depth_(depth) { ++depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --depth_; }

   private:
    uint32_t& depth_;
  };

  // parser.cc: a query around its body
  bool fail(std::string_view expected);
  bool mark(std::string_view mark);
  bool accept(std::string_view mark);
  bool word(std::string_view word);
  bool accept_word(std::string_view word);
  bool is_next_after_word(std::string_view mark);  // the next token is a word, then `mark`
  bool variable(Name& out);
  bool lower_name(Name& out, std::string_view what);
  bool upper_name(Name& out, std::string_view what);
  bool string(std::string& out);
  bool count(uint64_t max, uint64_t& out);
  bool room(size_t items);
  bool deeper();
  void skip_to_query();
  bool query(Query& out);
  bool parameter(Parameter& out);
  bool parameter_type(schema::PropertyType& out);
  bool scalar(schema::PropertyType& out);
  bool annotations(Query& out);

  // parse_read.cc
  bool read(Read& out);
  bool clauses(std::vector<Clause>& out);
  bool clause(Clause& out);
  bool negation(Negation& out);
  bool binding(Name variable, Clause& out);
  bool begins_traversal();
  bool traversal(Traversal& out);
  bool bounds(Traversal& out);
  bool filter(Clause& out);
  bool find_operator(Operator& out);
  bool projections(Read& out);
  bool orderings(Read& out);

  // parse_expression.cc
  bool expression(Expression& out);
  bool call(Expression& out, ExpressionKind kind, size_t arguments_min, size_t arguments_max);
  bool check_call_shape(const Expression& call);
  bool property_access(Expression& out);
  bool literal(Literal& out);
  bool list(Literal& out);
  bool moment(Literal& out, bool with_time);

  // parse_mutation.cc
  bool mutation(Mutation& out);
  bool assignments(std::vector<Assignment>& out);
  bool value(Expression& out);
  bool predicate(Predicate& out);

  schema::Scanner scanner_;
  schema::Problems& problems_;
  Construct construct_ = {nullptr, {}};
  uint32_t depth_ = 0;
};

}  // namespace weft::gq
