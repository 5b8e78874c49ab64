// Types, annotations and constraints of properties.
#include <algorithm>
#include <set>
#include <utility>

#include "weft/schema/parser.h"

namespace weft::schema {
namespace {

bool is_constraint_name(std::string_view word) {
  return word == "key" || word == "unique" || word == "index" || word == "range" || word == "check";
}

}  // namespace

bool Parser::type(PropertyType& out) {
  if (accept("[")) {
    out.is_list = true;
    return scalar(out) && mark("]");
  }
  if (scanner_.peek().is_word("Vector")) {
    scanner_.take();
    return mark("(") && vector_width(out) && mark(")");
  }
  if (scanner_.peek().is_word("enum")) {
    scanner_.take();
    return mark("(") && enum_values(out);
  }
  return scalar(out);
}

bool Parser::scalar(PropertyType& out) {
  const Token& token = scanner_.peek();
  const auto found = token.kind == TokenKind::kWord ? find_scalar(token.text) : std::nullopt;
  if (!found.has_value()) {
    return fail(out.is_list ? "a scalar type"
                            : "a type: String, Bool, I32, I64, U32, U64, F32, F64, Date, "
                              "DateTime, Blob, [T], Vector(n) or enum(…)");
  }
  out.scalar = *found;
  scanner_.take();
  return true;
}

bool Parser::vector_width(PropertyType& out) {
  const Token token = scanner_.peek();
  if (token.kind != TokenKind::kNumber || token.text.find('.') != std::string_view::npos) {
    return fail("the number of items of the vector");
  }
  scanner_.take();
  const auto width = Number::parse(token.text, false);
  if (!width.has_value() || width->magnitude() < 1 || width->magnitude() > kVectorWidthMax) {
    problems_.add(token.place, "schema",
                  "a Vector has 1 to 2147483647 items, not " + std::string(token.text));
    out.vector_width = 1;
  } else {
    out.vector_width = static_cast<uint32_t>(width->magnitude());
  }
  out.scalar = Scalar::kF32;
  return true;
}

bool Parser::enum_values(PropertyType& out) {
  std::set<std::string_view> seen;
  do {
    const Scanner::Mark here = scanner_.mark();
    const Token value = scanner_.enum_value();
    if (value.kind != TokenKind::kWord) {
      scanner_.reset(here);
      construct_ = {"enum", scanner_.peek().place};
      return fail("a value of the enum (letters, digits, '_', '-')");
    }
    if (!seen.insert(value.text).second) {
      problems_.add(value.place, "schema",
                    "enum value " + std::string(value.text) + " is listed twice");
    } else if (out.enum_values.size() >= kEnumValuesMax) {
      problems_.add(value.place, "schema",
                    "an enum has at most " + std::to_string(kEnumValuesMax) + " values");
      return false;
    } else {
      out.enum_values.emplace_back(value.text);
    }
  } while (accept(","));
  std::sort(out.enum_values.begin(), out.enum_values.end());
  return mark(")");
}

bool Parser::annotations(std::vector<DeclaredAnnotation>& out) {
  while (scanner_.peek().is_mark("@")) {
    const Scanner::Mark here = scanner_.mark();
    scanner_.take();
    if (!scanner_.peek().is_lower()) {
      return fail("the name of an annotation");
    }
    DeclaredAnnotation annotation;
    annotation.place = scanner_.peek().place;
    annotation.annotation.name = scanner_.take().text;
    const bool bracket = scanner_.peek().is_mark("(");
    if (bracket && is_constraint_name(annotation.annotation.name)) {
      scanner_.reset(here);
      return true;
    }
    if (bracket && !annotation_arguments(annotation.annotation)) {
      return false;
    }
    out.push_back(std::move(annotation));
  }
  return true;
}

bool Parser::annotation_arguments(Annotation& out) {
  scanner_.take();  // '('
  construct_ = {"argument", scanner_.peek().place};
  AnnotationValue first;
  if (!annotation_value(first)) {
    return false;
  }
  out.value = std::move(first);
  while (accept(",")) {
    construct_ = {"argument", scanner_.peek().place};
    if (!scanner_.peek().is_lower()) {
      return fail("NAME=VALUE");
    }
    std::string name(scanner_.take().text);
    AnnotationValue value;
    if (!mark("=") || !annotation_value(value)) {
      return false;
    }
    out.named.emplace_back(std::move(name), std::move(value));
  }
  return mark(")");
}

bool Parser::annotation_value(AnnotationValue& out) {
  const Token token = scanner_.peek();
  if (token.kind == TokenKind::kString) {
    out = token.value;
  } else if (token.kind == TokenKind::kNumber) {
    const auto number = Number::parse(token.text, false);
    if (!number.has_value()) {
      return fail("a number that fits 64 bits");
    }
    out = *number;
  } else if (token.is_word("true") || token.is_word("false")) {
    out = token.text == "true";
  } else if (token.is_lower()) {
    out = BareName{std::string(token.text)};
  } else {
    return fail("a string, a number, true, false or a name");
  }
  scanner_.take();
  return true;
}

bool Parser::constraint(Declaration& out) {
  construct_ = {"constraint", scanner_.peek().place};
  scanner_.take();  // '@'
  if (!is_constraint_name(scanner_.peek().text)) {
    return fail("key, unique, index, range or check");
  }
  DeclaredConstraint constraint;
  take_name(constraint.kind);
  if (!mark("(")) {
    return false;
  }
  do {
    construct_ = {"argument", scanner_.peek().place};
    constraint.arguments.push_back({scanner_.peek().place, {}});
    if (constraint.arguments.size() > kMembersMax) {
      return fail("at most " + std::to_string(kMembersMax) + " members of a constraint");
    }
    if (!constraint_argument(constraint.arguments.back())) {
      return false;
    }
  } while (accept(","));
  if (!mark(")")) {
    return false;
  }
  out.constraints.push_back(std::move(constraint));
  return true;
}

bool Parser::constraint_argument(ConstraintArgument& out) {
  const Token token = scanner_.peek();
  if (token.is_mark("..") || token.is_mark("-") || token.kind == TokenKind::kNumber) {
    return range(out);
  }
  if (token.is_lower() && !token.is_word("true") && !token.is_word("false")) {
    out.value = Name{std::string(scanner_.take().text), token.place};
    return true;
  }
  AnnotationValue value;
  if (!annotation_value(value)) {
    return false;
  }
  out.value = std::move(value);
  return true;
}

bool Parser::range(ConstraintArgument& out) {
  BareRange range;
  const bool open_below = accept("..");
  Number first;
  if (!signed_number(first)) {
    return false;
  }
  if (open_below) {
    range.max = first;
    out.value = range;
    return true;
  }
  if (!scanner_.peek().is_mark("..")) {
    out.value = AnnotationValue(first);
    return true;
  }
  scanner_.take();
  range.min = first;
  if (scanner_.peek().is_mark("-") || scanner_.peek().kind == TokenKind::kNumber) {
    Number last;
    if (!signed_number(last)) {
      return false;
    }
    range.max = last;
  }
  out.value = range;
  return true;
}

bool Parser::signed_number(Number& out) {
  const bool negative = accept("-");
  if (scanner_.peek().kind != TokenKind::kNumber) {
    return fail("a number");
  }
  const auto number = Number::parse(scanner_.peek().text, negative);
  if (!number.has_value()) {
    return fail("a number that fits 64 bits");
  }
  scanner_.take();
  out = *number;
  return true;
}

}  // namespace weft::schema
