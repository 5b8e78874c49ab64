// Types of expressions.
#include <algorithm>
#include <utility>

#include "weft/gq/checker.h"
#include "weft/schema/moment.h"

namespace weft::gq {

using schema::PropertyType;
using schema::Scalar;

namespace {

PropertyType plain(Scalar scalar, bool nullable = false) {
  PropertyType type;
  type.scalar = scalar;
  type.nullable = nullable;
  return type;
}

bool agree(Scalar left, Scalar right) {
  return left == right || (schema::is_numeric(left) && schema::is_numeric(right));
}

}  // namespace

Checker::Type Checker::type_of(Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kNow:
      return {Type::Kind::kValue, plain(Scalar::kDateTime), {}};
    case ExpressionKind::kLiteral:
      return type_of_literal(expression.literal, expression.place);
    case ExpressionKind::kVariable:
      return type_of_variable(expression);
    case ExpressionKind::kProperty:
      return type_of_property(expression);
    case ExpressionKind::kAlias:
      return type_of_alias(expression);
    case ExpressionKind::kCount:
    case ExpressionKind::kSum:
    case ExpressionKind::kAvg:
    case ExpressionKind::kMin:
    case ExpressionKind::kMax:
      return type_of_aggregate(expression);
    case ExpressionKind::kSearch:
    case ExpressionKind::kMatchText:
    case ExpressionKind::kFuzzy:
    case ExpressionKind::kBm25:
      return type_of_text_function(expression);
    case ExpressionKind::kNearest:
      return type_of_nearest(expression);
    case ExpressionKind::kRrf:
      return type_of_ranking(expression);
  }
  return {};
}

// A binding hides a parameter of the same name.
Checker::Type Checker::type_of_variable(Expression& expression) {
  const auto found = scope_.find(expression.name);
  if (found == scope_.end()) {
    const Parameter* const parameter = out_.query.find_parameter(expression.name);
    if (parameter == nullptr) {
      report(expression.place, "type", "$" + expression.name + " is neither bound nor a parameter");
      return {};
    }
    expression.is_parameter = true;
    return {Type::Kind::kValue, parameter->type, {}};
  }
  if (outer_uses_ != nullptr && outer_scope_->contains(expression.name)) {
    outer_uses_->insert(expression.name);
  }
  if (found->second.is_edge) {
    report(expression.place, "T23",
           "$" + expression.name + " is an edge; its properties can be used, not itself");
    return {};
  }
  if (found->second.type.empty()) {
    return {};
  }
  return {Type::Kind::kNode, {}, found->second.type};
}

Checker::Type Checker::type_of_property(Expression& expression) {
  const std::string text = "$" + expression.name + "." + expression.property;
  const auto found = scope_.find(expression.name);
  if (found == scope_.end()) {
    report(expression.place, "T6", "$" + expression.name + " is not bound");
    return {};
  }
  if (outer_uses_ != nullptr && outer_scope_->contains(expression.name)) {
    outer_uses_->insert(expression.name);
  }
  const Variable& variable = found->second;
  if (variable.type.empty()) {
    return {};
  }
  const schema::EntityType* type = schema_.find_node(variable.type);
  if (variable.is_edge) {
    type = schema_.find_edge(variable.type);
  }
  const schema::Property* const property = type->find(expression.property);
  if (property == nullptr) {
    report(expression.place, "T6", variable.type + " has no property " + expression.property);
    return {};
  }
  if (property->type.scalar == Scalar::kBlob) {
    report(expression.place, "T24", "a Blob cannot be read here: " + text);
    return {};
  }
  return {Type::Kind::kValue, property->type, {}};
}

Checker::Type Checker::type_of_alias(Expression& expression) {
  for (size_t i = 0; projections_ != nullptr && i < projection_types_.size(); ++i) {
    if ((*projections_)[i].alias.text == expression.name) {
      expression.column = i;
      return projection_types_[i];
    }
  }
  report(expression.place, "T6",
         expression.name + " is no column" +
             (in_match_ ? " that match could know" : " that is named before with `as`"));
  return {};
}

Checker::Type Checker::type_of_aggregate(Expression& expression) {
  Expression& argument = expression.arguments[0];
  const std::string name(function_name(expression.kind));
  if (is_aggregate(argument.kind)) {
    report(expression.place, "T8", name + " of an aggregate");
    return {};
  }
  const Type type = type_of(argument);
  const bool is_count = expression.kind == ExpressionKind::kCount;
  if (type.is_broken() && !is_count) {
    return {};
  }
  if (is_count) {
    return {Type::Kind::kValue, plain(Scalar::kI64, true), {}};
  }
  const bool is_plain = type.kind == Type::Kind::kValue && type.value.is_plain();
  const bool takes_text =
      expression.kind == ExpressionKind::kMin || expression.kind == ExpressionKind::kMax;
  if (!is_plain || !(schema::is_numeric(type.value.scalar) ||
                     (takes_text && type.value.scalar == Scalar::kString))) {
    report(expression.place, "T8",
           name + " of " + type.described() + "; it takes numbers" +
               (takes_text ? " and String" : ""));
    return {};
  }
  if (!takes_text) {
    return {Type::Kind::kValue, plain(Scalar::kF64, true), {}};
  }
  PropertyType result = type.value;
  result.nullable = true;
  return {Type::Kind::kValue, result, {}};
}

Checker::Type Checker::type_of_text_function(Expression& expression) {
  const std::string name(function_name(expression.kind));
  const bool is_search =
      expression.kind == ExpressionKind::kSearch || expression.kind == ExpressionKind::kFuzzy;
  const std::string_view code = is_search ? "T19" : "T20";
  const Type result = {
      Type::Kind::kValue,
      is_text_call(expression.kind) ? plain(Scalar::kBool) : plain(Scalar::kF64, true),
      {}};
  const Type field = type_of(expression.arguments[0]);
  const auto bound = scope_.find(expression.arguments[0].name);
  if (expression.arguments[0].kind != ExpressionKind::kProperty ||
      (bound != scope_.end() && bound->second.is_edge)) {
    report(expression.place, code, name + " takes a property of a node");
  } else if (!field.is_broken() && !field.is_plain(Scalar::kString)) {
    report(expression.place, code, name + " takes a String property, not " + field.described());
  }
  const Type text = type_of(expression.arguments[1]);
  if (!text.is_broken() && !text.is_plain(Scalar::kString)) {
    report(expression.place, code, name + " looks for a String, not " + text.described());
  }
  if (expression.arguments.size() > 2) {
    const Type edits = type_of(expression.arguments[2]);
    const bool is_count = edits.kind == Type::Kind::kValue && edits.value.is_plain() &&
                          schema::is_integer(edits.value.scalar);
    if (!edits.is_broken() && !is_count) {
      report(expression.place, code, name + " takes a whole number of edits");
    }
  }
  return result;
}

Checker::Type Checker::type_of_nearest(Expression& expression) {
  const Type field = type_of(expression.arguments[0]);
  const Type wanted = type_of(expression.arguments[1]);
  if (field.is_broken() || wanted.is_broken()) {
    return {Type::Kind::kValue, plain(Scalar::kF64, true), {}};
  }
  if (field.kind != Type::Kind::kValue || !field.value.is_vector()) {
    report(expression.place, "T15", "nearest takes a Vector property, not " + field.described());
    return {};
  }
  const bool is_text = wanted.is_plain(Scalar::kString);
  const auto* const items =
      std::get_if<std::vector<Literal>>(&expression.arguments[1].literal.value);
  const bool is_number_list = expression.arguments[1].kind == ExpressionKind::kLiteral &&
                              items != nullptr && wanted.kind == Type::Kind::kValue &&
                              schema::is_numeric(wanted.value.scalar);
  const uint64_t width = is_number_list ? items->size() : wanted.value.vector_width;
  if (!is_text && !is_number_list && !wanted.value.is_vector()) {
    report(expression.place, "T15",
           "nearest compares with a Vector or a String, not " + wanted.described());
  } else if (!is_text && width != field.value.vector_width) {
    report(expression.place, "T15",
           "nearest compares " + field.described() + " with a Vector of " + std::to_string(width));
  }
  return {Type::Kind::kValue, plain(Scalar::kF64, true), {}};
}

Checker::Type Checker::type_of_ranking(Expression& expression) {
  type_of(expression.arguments[0]);
  type_of(expression.arguments[1]);
  if (expression.arguments.size() > 2) {
    const Type constant = type_of(expression.arguments[2]);
    const auto* const number = std::get_if<schema::Number>(&expression.arguments[2].literal.value);
    const bool is_zero = expression.arguments[2].kind == ExpressionKind::kLiteral &&
                         number != nullptr && number->compare(int64_t{0}) <= 0;
    const bool is_count = constant.kind == Type::Kind::kValue && constant.value.is_plain() &&
                          schema::is_integer(constant.value.scalar);
    if (!constant.is_broken() && (!is_count || is_zero)) {
      report(expression.place, "T21", "the constant of rrf is a whole number above 0");
    }
  }
  return {Type::Kind::kValue, plain(Scalar::kF64, true), {}};
}

Checker::Type Checker::type_of_literal(Literal& literal, Place place) {
  const auto of = [](Scalar scalar) -> Type { return {Type::Kind::kValue, plain(scalar), {}}; };
  if (std::holds_alternative<std::string>(literal.value)) {
    return of(Scalar::kString);
  }
  if (std::holds_alternative<bool>(literal.value)) {
    return of(Scalar::kBool);
  }
  if (const auto* const number = std::get_if<schema::Number>(&literal.value)) {
    return of(number->is_integer() ? Scalar::kI64 : Scalar::kF64);
  }
  if (auto* const date = std::get_if<DateLiteral>(&literal.value)) {
    const auto days = schema::parse_date(date->text);
    if (!days.has_value()) {
      report(place, "T3", "\"" + date->text + "\" is no Date");
      return {};
    }
    date->days = *days;
    return of(Scalar::kDate);
  }
  if (auto* const time = std::get_if<DateTimeLiteral>(&literal.value)) {
    const auto milliseconds = schema::parse_date_time(time->text);
    if (!milliseconds.has_value()) {
      report(place, "T3", "\"" + time->text + "\" is no DateTime");
      return {};
    }
    time->milliseconds = *milliseconds;
    return of(Scalar::kDateTime);
  }
  auto& items = std::get<std::vector<Literal>>(literal.value);
  if (items.empty()) {
    return {Type::Kind::kEmptyList, {}, {}};
  }
  Type list;
  for (Literal& literal_item : items) {
    // Lists do not nest; asked first, since a list of lists of lists … would take its time.
    const bool nested = std::holds_alternative<std::vector<Literal>>(literal_item.value);
    const Type item =
        nested ? Type{Type::Kind::kEmptyList, {}, {}} : type_of_literal(literal_item, place);
    if (item.is_broken()) {
      return {};
    }
    if (list.is_broken()) {
      list = item;
    }
    if (nested || !agree(item.value.scalar, list.value.scalar)) {
      report(place, "T3", "a list has items of one scalar type");
      return {};
    }
    if (item.value.scalar == Scalar::kF64) {
      list.value.scalar = Scalar::kF64;
    }
  }
  list.value.is_list = true;
  return list;
}

}  // namespace weft::gq
