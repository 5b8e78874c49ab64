// return { … } order { … } limit n
#include <algorithm>
#include <map>
#include <utility>

#include "weft/gq/checker.h"

namespace weft::gq {
namespace {

// The alias; else `variable.property` or the variable; an aggregate has the name of its argument.
std::string column_name(const Projection& projection) {
  if (!projection.alias.text.empty()) {
    return projection.alias.text;
  }
  const Expression* expression = &projection.expression;
  if (is_aggregate(expression->kind)) {
    expression = expression->arguments.data();
  }
  switch (expression->kind) {
    case ExpressionKind::kProperty:
      return expression->name + "." + expression->property;
    case ExpressionKind::kVariable:
    case ExpressionKind::kAlias:
      return expression->name;
    case ExpressionKind::kLiteral:
      return "literal";
    default:
      return std::string(function_name(expression->kind));
  }
}

}  // namespace

void Checker::check_read(Read& read) {
  check_clauses(read.clauses);
  check_projections(read);
  name_columns(read);
  check_orderings(read);
}

void Checker::check_projections(Read& read) {
  projections_ = &read.projections;
  for (Projection& projection : read.projections) {
    read.aggregates = read.aggregates || is_aggregate(projection.expression.kind);
    // Evaluated first: a projection does not see its own name.
    Type type = type_of(projection.expression);
    projection_types_.push_back(std::move(type));
  }
  projections_ = nullptr;
  for (size_t i = 0; i < read.projections.size(); ++i) {
    const Expression* expression = &read.projections[i].expression;
    for (size_t steps = 0; expression->kind == ExpressionKind::kAlias && steps < i; ++steps) {
      expression = &read.projections[expression->column].expression;
    }
    const bool is_key =
        expression->kind == ExpressionKind::kProperty ||
        (expression->kind == ExpressionKind::kVariable && !expression->is_parameter);
    if (read.aggregates && !is_aggregate(expression->kind) && !is_key &&
        !projection_types_[i].is_broken()) {
      report(read.projections[i].expression.place, "T9",
             "beside aggregates only properties and whole nodes can be returned");
    }
  }
}

void Checker::name_columns(Read& read) {
  std::map<std::string_view, size_t> first;
  for (size_t i = 0; i < read.projections.size(); ++i) {
    read.projections[i].column_name = column_name(read.projections[i]);
  }
  for (size_t i = 0; i < read.projections.size(); ++i) {
    const Projection& projection = read.projections[i];
    const auto [earlier, added] = first.emplace(projection.column_name, i);
    const Projection& other = read.projections[earlier->second];
    // The same thing twice is one column shown twice.
    if (!added && (!same(projection.expression, other.expression) ||
                   projection.alias.text != other.alias.text)) {
      report(projection.expression.place, "type",
             "two columns are called " + projection.column_name + "; name one with `as`");
    }
    const Type& type = projection_types_[i];
    Column column;
    column.name = projection.column_name;
    column.type.kind =
        type.kind == Type::Kind::kNode ? ColumnType::Kind::kNode : ColumnType::Kind::kValue;
    column.type.node_type = type.node;
    column.type.type = type.value;
    if (type.kind == Type::Kind::kEmptyList) {
      column.type.type.is_list = true;
    }
    out_.columns.push_back(std::move(column));
  }
}

void Checker::check_orderings(Read& read) {
  projections_ = &read.projections;
  bool nearest = false;
  const Expression* alias = nullptr;
  for (Ordering& ordering : read.orderings) {
    check_ordering(read, ordering);
    nearest = nearest || ordering.expression.kind == ExpressionKind::kNearest;
    alias = ordering.expression.kind == ExpressionKind::kAlias ? &ordering.expression : alias;
  }
  projections_ = nullptr;
  if (nearest && alias != nullptr) {
    report(alias->place, "T18", "order by nearest cannot go on with column " + alias->name);
  }
}

void Checker::check_ordering(Read& read, Ordering& ordering) {
  Expression& expression = ordering.expression;
  const Type type = type_of(expression);
  const auto projected = [&read](const Expression& wanted) {
    return std::any_of(
        read.projections.begin(), read.projections.end(),
        [&wanted](const Projection& projection) { return same(projection.expression, wanted); });
  };
  if (expression.kind == ExpressionKind::kNearest && !read.limit.has_value()) {
    report(expression.place, "T17", "order by nearest needs a limit");
  } else if (expression.kind == ExpressionKind::kRrf && !read.limit.has_value()) {
    report(expression.place, "T21", "order by rrf needs a limit");
  } else if (type.is_broken()) {
    return;
  } else if (is_aggregate(expression.kind)) {
    report(expression.place, "type", "order by an aggregate by the name of its column");
  } else if (expression.kind == ExpressionKind::kProperty) {
    if (read.aggregates && !projected(expression)) {
      report(expression.place, "T9",
             "rows are grouped: order by what is returned, not by $" + expression.name + "." +
                 expression.property);
    }
  } else if (expression.kind == ExpressionKind::kVariable ||
             expression.kind == ExpressionKind::kLiteral ||
             expression.kind == ExpressionKind::kNow) {
    report(expression.place, "type", "order takes a property or the name of a column");
  }
}

}  // namespace weft::gq
