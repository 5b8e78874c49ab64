#include "weft/gqexec/constants.h"

#include <utility>

#include "weft/columns/builder.h"

namespace weft::gqexec {
namespace {

constexpr int64_t kMicrosPerMilli = 1'000;

columns::TypePtr moment_type() {
  return columns::timestamp(columns::TimeUnit::kMilli, "UTC");
}

columns::TypePtr literal_type(const gq::Literal& literal) {
  using columns::TypeId;
  if (std::holds_alternative<std::string>(literal.value)) {
    return columns::simple_type(TypeId::kString);
  }
  if (const auto* const number = std::get_if<schema::Number>(&literal.value)) {
    return columns::simple_type(number->is_integer() ? TypeId::kInt64 : TypeId::kDouble);
  }
  if (std::holds_alternative<bool>(literal.value)) {
    return columns::simple_type(TypeId::kBool);
  }
  if (std::holds_alternative<gq::DateLiteral>(literal.value)) {
    return columns::simple_type(TypeId::kDate32);
  }
  if (std::holds_alternative<gq::DateTimeLiteral>(literal.value)) {
    return moment_type();
  }
  const auto& items = std::get<std::vector<gq::Literal>>(literal.value);
  columns::TypePtr item = columns::simple_type(TypeId::kString);
  for (const gq::Literal& value : items) {
    item = literal_type(value);
    if (item->id() == TypeId::kDouble) {
      break;  // [1, 2.5] is a list of floats
    }
  }
  return columns::list_of(std::move(item));
}

void append_literal(const gq::Literal& literal, columns::ArrayBuilder& out) {
  if (const auto* const text = std::get_if<std::string>(&literal.value)) {
    out.append_text(*text);
  } else if (const auto* const number = std::get_if<schema::Number>(&literal.value)) {
    if (out.type()->id() == columns::TypeId::kDouble) {
      out.append_double(number->as_double());
    } else {
      out.append_integer(number->as_int64().value_or(0));
    }
  } else if (const bool* const truth = std::get_if<bool>(&literal.value)) {
    out.append_boolean(*truth);
  } else if (const auto* const date = std::get_if<gq::DateLiteral>(&literal.value)) {
    out.append_integer(date->days);
  } else if (const auto* const moment = std::get_if<gq::DateTimeLiteral>(&literal.value)) {
    out.append_integer(moment->milliseconds);
  } else {
    const auto& items = std::get<std::vector<gq::Literal>>(literal.value);
    for (const gq::Literal& item : items) {
      append_literal(item, out.child(0));
    }
    out.append_list(items.size());
  }
}

}  // namespace

bool is_constant(const gq::Expression& expression) {
  return expression.kind == gq::ExpressionKind::kLiteral ||
         expression.kind == gq::ExpressionKind::kNow ||
         (expression.kind == gq::ExpressionKind::kVariable && expression.is_parameter);
}

Result<columns::ArrayPtr> constant_value(const gq::Expression& expression,
                                         const ParameterValues& parameters, base::WallTime now) {
  if (expression.kind == gq::ExpressionKind::kVariable) {
    const auto found = parameters.values.find(expression.name);
    if (found == parameters.values.end()) {
      return Error(ErrorKind::kInvalid, "parameter " + expression.name + " is missing")
          .with("parameter", expression.name);
    }
    return found->second;
  }
  if (expression.kind == gq::ExpressionKind::kNow) {
    columns::ArrayBuilder out(moment_type());
    out.append_integer(now.microseconds / kMicrosPerMilli);
    return out.finish();
  }
  columns::ArrayBuilder out(literal_type(expression.literal));
  append_literal(expression.literal, out);
  return out.finish();
}

}  // namespace weft::gqexec
