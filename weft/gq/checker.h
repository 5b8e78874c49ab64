// The type checker of one query.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "weft/gq/check.h"

namespace weft::gq {

// One run per checker. What is wrong is reported and left out, so that the rest is checked too.
class Checker {
 public:
  // `schema` must outlive the checker.
  Checker(Query query, const schema::Schema& schema) : schema_(schema) {
    out_.query = std::move(query);
  }
  CheckOutcome run();

 private:
  // The type of an expression. Broken: already reported, agrees with everything.
  struct Type {
    enum class Kind : uint8_t { kBroken, kValue, kNode, kEmptyList };
    Kind kind = Kind::kBroken;
    schema::PropertyType value;
    std::string node;

    bool is_broken() const { return kind == Kind::kBroken; }
    bool is_plain(schema::Scalar scalar) const {
      return kind == Kind::kValue && value.is_plain() && value.scalar == scalar;
    }
    // As messages name it; nullability left out.
    std::string described() const;
  };
  struct Variable {
    bool is_edge = false;
    std::string type;
  };
  using Scope = std::map<std::string, Variable, std::less<>>;

  void report(Place place, std::string_view code, std::string message) {
    problems_.add(place, code, std::move(message));
  }
  void use(std::set<TypeUse>& set, bool is_edge, std::string_view name) {
    set.insert({is_edge, std::string(name)});
  }
  void check_parameters();

  // check_match.cc
  void check_clauses(std::vector<Clause>& clauses);
  void check_binding(Binding& binding);
  void check_traversal(Traversal& traversal);
  bool check_bounds(const Traversal& traversal);
  void orient(Traversal& traversal, const schema::EdgeType& edge);
  // The type a bound variable has; "" if it is free. Reports an edge's variable.
  std::string bound_type(const Name& variable);
  void bind_end(const Name& variable, std::string_view type);
  void bind_edge(const Traversal& traversal, const schema::EdgeType& edge);
  void check_filter(Filter& filter);
  void check_comparison(const Filter& filter, const Type& left, const Type& right);
  void check_string_operator(const Filter& filter, const Type& left, const Type& right);
  void check_negation(Negation& negation);

  // check_return.cc
  void check_read(Read& read);
  void check_projections(Read& read);
  void name_columns(Read& read);
  void check_orderings(Read& read);
  void check_ordering(Read& read, Ordering& ordering);

  // check_expression.cc
  Type type_of(Expression& expression);
  Type type_of_variable(Expression& expression);
  Type type_of_property(Expression& expression);
  Type type_of_alias(Expression& expression);
  Type type_of_aggregate(Expression& expression);
  Type type_of_text_function(Expression& expression);
  Type type_of_nearest(Expression& expression);
  Type type_of_ranking(Expression& expression);
  Type type_of_literal(Literal& literal, Place place);

  // check_values.cc: values given to properties
  enum class ValueUse : uint8_t { kMatch, kAssign, kWhere };
  void check_value(const schema::Property& property, Expression& value, ValueUse use);
  void check_parameter_value(const schema::Property& property, Expression& value, ValueUse use);
  void check_literal_value(const schema::Property& property, Expression& value, ValueUse use);
  // "" or why `literal` is no value of this scalar type.
  std::string literal_mismatch(const schema::PropertyType& type, const Literal& literal,
                               ValueUse use) const;

  // check_mutation.cc
  void check_mutation(Mutation& mutation);
  void check_insert(Insert& insert);
  void check_update(Update& update);
  void check_delete(Delete& statement);
  void check_assignments(const schema::EntityType& type, std::vector<Assignment>& values,
                         bool has_endpoints);
  void check_where(const schema::EntityType& type, Predicate& where, bool has_endpoints);
  void check_one_kind(const Mutation& mutation);  // D2: constructive or destructive

  const schema::Schema& schema_;
  CheckedQuery out_;
  schema::Problems problems_;
  Scope scope_;
  // Variables outside the innermost negation that were named in it.
  std::set<std::string>* outer_uses_ = nullptr;
  const Scope* outer_scope_ = nullptr;
  // Types of the projections checked so far, for references to their names.
  std::vector<Type> projection_types_;
  const std::vector<Projection>* projections_ = nullptr;
  bool in_match_ = false;
  std::set<TypeUse> reads_;
  std::set<TypeUse> writes_;
};

// "Knows: Person -> Person"
std::string edge_text(const schema::EdgeType& edge);

}  // namespace weft::gq
