// The recursive-descent parser behind parse_query (parser.h). One object parses one query. Its
// member functions stand in several files, by part of the grammar: terms, expressions, triples,
// groups, and the query as a whole.
//
// A lexical error becomes a token that no rule accepts, so every rule that meets it fails, and
// failing reports it (error_here).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "weft/base/result.h"
#include "weft/sparql/algebra.h"
#include "weft/sparql/lexer.h"
#include "weft/sparql/parser.h"
#include "weft/sparql/update.h"

namespace weft::sparql {

// A triple as written, with reified triples and annotations already expanded. In patterns no term
// is a TemplateTerm::Blank.
struct ParsedTriple {
  TemplateTerm subject;
  std::variant<TemplateTerm, PathExpression> verb;
  TemplateTerm object;
};

// What { … } means: its filters are kept apart, because OPTIONAL takes them for itself.
struct ParsedGroup {
  NodePtr pattern;
  std::vector<Expression> filters;
};

// SELECT clause, or DESCRIBE's list of variables.
struct SelectItem {
  VariableIndex variable = 0;
  std::optional<Expression> expression;
  Place place;
};
struct SelectClause {
  bool distinct = false;
  bool reduced = false;
  bool star = false;
  std::vector<SelectItem> items;
};

struct Modifiers {
  std::vector<GroupKey> group_keys;
  std::vector<Expression> having;
  std::vector<OrderCondition> order;
  uint64_t offset = 0;
  std::optional<uint64_t> limit;
  std::optional<Values> values;
  std::vector<Aggregate> aggregates;  // of SELECT, HAVING and ORDER BY
  Place group_place;
};

// `text` without a byte order mark, if it is valid UTF-8 and not longer than `bytes_max`. `what` is
// "query" or "update".
Result<std::string_view> checked_text(std::string_view text, size_t bytes_max,
                                      std::string_view what);

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options);

  Result<Query> query();
  Result<Update> update();

 private:
  enum class TripleMode : uint8_t {
    kPattern,
    kTemplate,   // CONSTRUCT { … }: blank nodes are fresh, no paths
    kShortForm,  // CONSTRUCT WHERE { … }: a pattern without paths
  };
  // Bounds recursion over the text; check entered() before going on.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) { ++parser_.nesting_; }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Status entered() const;

   private:
    Parser& parser_;
  };

  // --- Tokens (parse_term.cc)
  void advance();
  bool at(std::string_view punctuation) const;
  bool at(TokenKind kind) const { return current_.kind == kind; }
  bool at_word(std::string_view keyword) const;
  bool take(std::string_view punctuation);
  bool take_word(std::string_view keyword);
  Status expect(std::string_view punctuation);
  Status expect_word(std::string_view keyword);
  // "expected …" at the current token; the lexer's own error if it is one.
  Error error_here(std::string_view wanted) const;
  Error error_at(Place place, std::string message) const;
  Error unsupported(Place place, std::string_view feature) const;

  // --- Terms (parse_term.cc)
  Result<std::string> iri();  // without brackets, resolved
  bool at_iri() const;
  Result<std::string> literal_token();  // numbers with or without sign, strings, booleans
  bool at_literal() const;
  Result<VariableIndex> variable();
  Result<PatternTerm> variable_or_iri();
  Result<std::string> data_value();   // a term of VALUES, as a token
  Result<std::string> data_triple();  // after "<<("
  VariableIndex blank_variable(const std::string& label, Place place, Status& status);
  // What follows is another basic graph pattern.
  void next_pattern() { pattern_number_ = ++pattern_count_; }

  // --- Expressions (parse_expression.cc, parse_call.cc)
  Result<Expression> expression();
  Result<Expression> conjunction();
  Result<Expression> relation();
  Result<Expression> sum();
  Result<Expression> product();
  Result<Expression> unary();
  Result<Expression> primary();
  Result<Expression> bracketted();
  Result<Expression> built_in();
  Result<Expression> call_or_iri();
  Result<Expression> constraint();  // of FILTER, HAVING, ORDER BY
  bool at_constraint() const;
  Result<Expression> aggregate(AggregateFunction function);
  Result<Expression> exists(bool negated, Place place);
  Result<Expression> triple_expression();  // after "<<("
  Result<Expression> triple_expression_part(bool subject);
  Result<std::vector<Expression>> arguments(bool* distinct);
  Result<Expression> bounded(Expression expression) const;

  // --- Triples (parse_triples.cc, parse_path.cc)
  bool at_triples() const;
  // Triples up to what cannot be one; dots are consumed.
  Status triples_block(TripleMode mode, std::vector<ParsedTriple>& out);
  Status same_subject(TripleMode mode, std::vector<ParsedTriple>& out);
  Status property_list(const TemplateTerm& subject, TripleMode mode,
                       std::vector<ParsedTriple>& out);
  Status object_list(const TemplateTerm& subject,
                     const std::variant<TemplateTerm, PathExpression>& verb, TripleMode mode,
                     std::vector<ParsedTriple>& out);
  Status annotations(const TemplateTerm& subject,
                     const std::variant<TemplateTerm, PathExpression>& verb,
                     const TemplateTerm& object, TripleMode mode, std::vector<ParsedTriple>& out);
  Result<std::variant<TemplateTerm, PathExpression>> verb(TripleMode mode);
  bool at_verb(TripleMode mode) const;
  Result<TemplateTerm> node(TripleMode mode, std::vector<ParsedTriple>& out);
  Result<TemplateTerm> bracketted_node(TripleMode mode, std::vector<ParsedTriple>& out,
                                       bool& had_properties);
  Result<TemplateTerm> collection(TripleMode mode, std::vector<ParsedTriple>& out);
  Result<TemplateTerm> simple_term(TripleMode mode);
  Result<TemplateTerm> triple_term(TripleMode mode);
  Result<TemplateTerm> reified_triple(TripleMode mode, std::vector<ParsedTriple>& out);
  Result<TemplateTerm> reifier(TripleMode mode);  // after "~"
  Result<TemplateTerm> simple_verb();
  TemplateTerm fresh_blank(TripleMode mode);
  Result<TemplateTerm> labelled_blank(TripleMode mode);
  bool at_path_start() const;
  Result<PathExpression> path();
  Result<PathExpression> path_sequence();
  Result<PathExpression> path_step();
  Result<PathExpression> path_primary();
  Result<PathExpression> negated_set();
  Result<PathExpression> negated_one();

  // --- Groups (parse_group.cc)
  Result<ParsedGroup> group();
  Result<NodePtr> group_node();  // with its filters on top
  Status group_element(class GroupBuilder& builder);
  Result<NodePtr> group_or_union();
  Status bind(class GroupBuilder& builder);
  Result<NodePtr> graph();
  Result<NodePtr> graph_of_variable(Place place);
  Result<NodePtr> service();
  std::string prologue_text() const;
  Result<Values> inline_data();
  Result<NodePtr> bounded(NodePtr node) const;

  // --- Queries (parse_query.cc, parse_select.cc)
  Status prologue();
  Status prefix_declaration();
  Status version();
  Status dataset();
  Status select_query();
  Status ask_query();
  Status construct_query();
  Status construct_short_form();
  Status describe_query();
  Status describe_target();
  Result<NodePtr> where_clause();
  Result<SelectClause> select_clause();
  Status solution_modifiers(Modifiers& modifiers);
  Status group_by(Modifiers& modifiers);
  Status order_by(Modifiers& modifiers);
  Status limit_and_offset(Modifiers& modifiers);
  Result<uint64_t> count();
  Result<NodePtr> sub_select();
  // Everything from SELECT to the end of its modifiers.
  Result<NodePtr> select_body(bool top_level);
  Result<NodePtr> compose_select(SelectClause clause, NodePtr pattern, Modifiers modifiers,
                                 std::vector<VariableIndex>& columns);
  Result<NodePtr> compose_rest(NodePtr pattern, Modifiers modifiers);
  Result<NodePtr> compose_group(NodePtr pattern, Modifiers& modifiers);
  Result<NodePtr> compose_extends(NodePtr node, std::vector<SelectItem>& items);
  Status check_select(const SelectClause& clause, const Node& pattern,
                      const Modifiers& modifiers) const;

  // --- Updates (parse_update.cc)
  void begin_operation();
  Result<UpdateOperation> update_operation();
  Result<UpdateOperation> graph_operation();
  Result<UpdateOperation> insert_data();
  Result<UpdateOperation> delete_data();
  Result<UpdateOperation> delete_where();
  Result<UpdateOperation> modify(bool deletes);
  Status finish_modify(Modify& modify, NodePtr pattern);
  Result<UpdateOperation> load();
  Result<UpdateOperation> transfer(Transfer::Kind kind);
  Result<GraphTarget> graph_target();
  Result<std::optional<std::string>> graph_or_default();
  Result<std::vector<QuadTemplate>> quads();
  Status template_triples(const std::optional<PatternTerm>& graph, std::vector<QuadTemplate>& out);

  const ParseOptions& options_;
  Lexer lexer_;
  Token current_;
  std::optional<Error> lexical_error_;
  uint32_t nesting_ = 0;
  const char* taken_end_ = nullptr;  // of the token before the current one

  Query query_;
  std::unordered_map<std::string, std::string> prefixes_;

  // Inside GRAPH ?g { … } the name g means another variable than outside (graph_of_variable).
  std::unordered_map<std::string, VariableIndex> aliases_;

  // Blank node labels of patterns, and the basic graph pattern each belongs to.
  struct BlankUse {
    VariableIndex variable;
    uint32_t pattern;
  };
  std::unordered_map<std::string, BlankUse> blanks_;
  uint32_t pattern_number_ = 0;
  uint32_t pattern_count_ = 0;
  std::unordered_map<std::string, uint32_t> template_blanks_;
  uint32_t template_blank_count_ = 0;
  std::unordered_set<std::string> data_labels_;  // of every INSERT DATA so far
  std::string with_graph_;                       // of the operation at hand; may be empty

  // Where aggregates go; null where none may stand.
  std::vector<Aggregate>* aggregates_ = nullptr;
  bool in_aggregate_ = false;
};

}  // namespace weft::sparql
