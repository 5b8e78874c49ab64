// Values that stand beside properties: in a binding's match, an insert, an update, a `where`.
#include <utility>

#include "weft/gq/checker.h"
#include "weft/schema/moment.h"

namespace weft::gq {

using schema::PropertyType;
using schema::Scalar;

namespace {

bool agree(Scalar left, Scalar right) {
  return left == right || (schema::is_numeric(left) && schema::is_numeric(right));
}

std::string without_null(PropertyType type) {
  type.nullable = false;
  type.enum_values.clear();
  return type.to_string();
}

std::string number_mismatch(const PropertyType& type, const schema::Number& number) {
  if (!schema::is_integer(type.scalar)) {
    return type.scalar == Scalar::kF32 && number.compare(3.5e38) > 0
               ? number.to_string() + " is out of the range of F32"
               : "";
  }
  if (!number.is_integer()) {
    return number.to_string() + " is no whole number";
  }
  uint64_t max = 0;
  switch (type.scalar) {
    case Scalar::kI32:
      max = INT32_MAX;
      break;
    case Scalar::kU32:
      max = UINT32_MAX;
      break;
    default:
      max = INT64_MAX;  // no literal is larger
  }
  return number.magnitude() > max ? number.to_string() + " is out of the range of " +
                                        std::string(schema::scalar_name(type.scalar))
                                  : "";
}

}  // namespace

void Checker::check_value(const schema::Property& property, Expression& value, ValueUse use) {
  const std::string& name = property.name;
  if (property.type.scalar == Scalar::kBlob && use != ValueUse::kAssign) {
    report(value.place, use == ValueUse::kMatch ? "T3" : "T11",
           "a Blob cannot be compared: " + name);
    return;
  }
  switch (value.kind) {
    case ExpressionKind::kVariable:
      check_parameter_value(property, value, use);
      return;
    case ExpressionKind::kNow:
      if (!property.type.is_plain() || property.type.scalar != Scalar::kDateTime) {
        report(value.place, "T7",
               "now() is a DateTime, " + name + " is " + without_null(property.type));
      }
      return;
    default:
      check_literal_value(property, value, use);
  }
}

void Checker::check_parameter_value(const schema::Property& property, Expression& value,
                                    ValueUse use) {
  const Parameter* const parameter = out_.query.find_parameter(value.name);
  if (parameter == nullptr) {
    report(value.place, "T14", "$" + value.name + " is no parameter of this query");
    return;
  }
  value.is_parameter = true;
  const PropertyType& given = parameter->type;
  const PropertyType& wanted = property.type;
  const bool same_scalar = agree(given.scalar, wanted.scalar);
  bool good =
      same_scalar && given.is_list == wanted.is_list && given.vector_width == wanted.vector_width;
  if (use == ValueUse::kMatch && wanted.is_list) {
    good = same_scalar && given.is_plain();  // membership
  } else if (use != ValueUse::kAssign) {
    good = good && given.is_plain();
  }
  if (!good) {
    report(value.place, "T7",
           "parameter $" + value.name + " is " + without_null(given) + ", " + property.name +
               " is " + without_null(wanted));
  }
}

void Checker::check_literal_value(const schema::Property& property, Expression& value,
                                  ValueUse use) {
  const size_t problems_before = problems_.size();
  const Type type = type_of_literal(value.literal, value.place);
  if (problems_.size() > problems_before) {
    return;
  }
  const PropertyType& wanted = property.type;
  const auto mismatch = [&](const std::string& why) {
    report(value.place, "T3",
           property.name + " is " + without_null(wanted) + ", the literal is " + type.described() +
               (why.empty() ? "" : " (" + why + ")"));
  };
  auto* const items = std::get_if<std::vector<Literal>>(&value.literal.value);
  if (items == nullptr) {
    const bool membership = use == ValueUse::kMatch && wanted.is_list;
    if ((!wanted.is_plain() && !membership) || !agree(wanted.scalar, type.value.scalar)) {
      mismatch("");
    } else if (const std::string why = literal_mismatch(wanted, value.literal, use); !why.empty()) {
      mismatch(why);
    }
    return;
  }
  if (use != ValueUse::kAssign) {
    mismatch(use == ValueUse::kMatch && wanted.is_list ? "give one item, not a list"
                                                       : "lists cannot be compared");
    return;
  }
  if (wanted.is_vector() && items->size() != wanted.vector_width) {
    mismatch("it has " + std::to_string(items->size()) + " items");
    return;
  }
  if (wanted.is_plain()) {
    mismatch("");
    return;
  }
  for (const Literal& item : *items) {
    if (!agree(wanted.scalar, type.value.scalar)) {
      mismatch("");
      return;
    }
    if (const std::string why = literal_mismatch(wanted, item, use); !why.empty()) {
      mismatch(why);
      return;
    }
  }
}

std::string Checker::literal_mismatch(const PropertyType& type, const Literal& literal,
                                      ValueUse use) const {
  if (const auto* const number = std::get_if<schema::Number>(&literal.value)) {
    // Comparisons are exact whatever the range: nothing is equal to 1.5.
    return use == ValueUse::kAssign ? number_mismatch(type, *number) : "";
  }
  if (const auto* const text = std::get_if<std::string>(&literal.value);
      text != nullptr && type.is_enum() && !type.has_enum_value(*text)) {
    return "\"" + *text + "\" is none of " + type.to_string();
  }
  return "";
}

}  // namespace weft::gq
