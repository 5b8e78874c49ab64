#include "weft/gq/ast.h"

#include <algorithm>

namespace weft::gq {
namespace {

bool same_literal(const Literal& left, const Literal& right) {
  if (left.value.index() != right.value.index()) {
    return false;
  }
  if (const auto* const items = std::get_if<std::vector<Literal>>(&left.value)) {
    const auto& others = std::get<std::vector<Literal>>(right.value);
    return std::equal(items->begin(), items->end(), others.begin(), others.end(), same_literal);
  }
  if (const auto* const date = std::get_if<DateLiteral>(&left.value)) {
    return date->text == std::get<DateLiteral>(right.value).text;
  }
  if (const auto* const time = std::get_if<DateTimeLiteral>(&left.value)) {
    return time->text == std::get<DateTimeLiteral>(right.value).text;
  }
  if (const auto* const text = std::get_if<std::string>(&left.value)) {
    return *text == std::get<std::string>(right.value);
  }
  if (const auto* const number = std::get_if<schema::Number>(&left.value)) {
    return *number == std::get<schema::Number>(right.value);
  }
  return std::get<bool>(left.value) == std::get<bool>(right.value);
}

}  // namespace

bool is_aggregate(ExpressionKind kind) {
  return kind >= ExpressionKind::kCount && kind <= ExpressionKind::kMax;
}

bool is_text_call(ExpressionKind kind) {
  return kind == ExpressionKind::kSearch || kind == ExpressionKind::kMatchText ||
         kind == ExpressionKind::kFuzzy;
}

std::string_view function_name(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kNow:
      return "now";
    case ExpressionKind::kCount:
      return "count";
    case ExpressionKind::kSum:
      return "sum";
    case ExpressionKind::kAvg:
      return "avg";
    case ExpressionKind::kMin:
      return "min";
    case ExpressionKind::kMax:
      return "max";
    case ExpressionKind::kNearest:
      return "nearest";
    case ExpressionKind::kSearch:
      return "search";
    case ExpressionKind::kMatchText:
      return "match_text";
    case ExpressionKind::kFuzzy:
      return "fuzzy";
    case ExpressionKind::kBm25:
      return "bm25";
    case ExpressionKind::kRrf:
      return "rrf";
    case ExpressionKind::kLiteral:
    case ExpressionKind::kVariable:
    case ExpressionKind::kProperty:
    case ExpressionKind::kAlias:
      break;
  }
  return "";
}

bool same(const Expression& left, const Expression& right) {
  return left.kind == right.kind && left.name == right.name && left.property == right.property &&
         (left.kind != ExpressionKind::kLiteral || same_literal(left.literal, right.literal)) &&
         std::equal(left.arguments.begin(), left.arguments.end(), right.arguments.begin(),
                    right.arguments.end(), same);
}

std::string_view operator_text(Operator op) {
  switch (op) {
    case Operator::kEqual:
      return "=";
    case Operator::kNotEqual:
      return "!=";
    case Operator::kLess:
      return "<";
    case Operator::kLessOrEqual:
      return "<=";
    case Operator::kGreater:
      return ">";
    case Operator::kGreaterOrEqual:
      return ">=";
    case Operator::kContains:
      return "contains";
    case Operator::kStartsWith:
      break;
  }
  return "starts_with";
}

const Parameter* Query::find_parameter(std::string_view parameter) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& p) { return p.name.text == parameter; });
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace weft::gq
