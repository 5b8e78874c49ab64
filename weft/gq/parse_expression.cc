// Expressions, calls and literals.
#include <array>
#include <utility>

#include "weft/gq/parser.h"

namespace weft::gq {
namespace {

struct Function {
  std::string_view name;
  ExpressionKind kind;
  size_t arguments_min;
  size_t arguments_max;
};

constexpr std::array<Function, 12> kFunctions = {{
    {"now", ExpressionKind::kNow, 0, 0},
    {"count", ExpressionKind::kCount, 1, 1},
    {"sum", ExpressionKind::kSum, 1, 1},
    {"avg", ExpressionKind::kAvg, 1, 1},
    {"min", ExpressionKind::kMin, 1, 1},
    {"max", ExpressionKind::kMax, 1, 1},
    {"nearest", ExpressionKind::kNearest, 2, 2},
    {"search", ExpressionKind::kSearch, 2, 2},
    {"match_text", ExpressionKind::kMatchText, 2, 2},
    {"fuzzy", ExpressionKind::kFuzzy, 2, 3},
    {"bm25", ExpressionKind::kBm25, 2, 2},
    {"rrf", ExpressionKind::kRrf, 2, 3},
}};

const Function* find_function(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) {
      return &function;
    }
  }
  return nullptr;
}

}  // namespace

using schema::Token;
using schema::TokenKind;

bool Parser::expression(Expression& out) {
  const Level level(depth_);
  if (!deeper()) {
    return false;
  }
  const Token token = scanner_.peek();
  out.place = token.place;
  if (token.kind == TokenKind::kVariable) {
    return property_access(out);
  }
  if (token.is_lower()) {
    const Function* const function = is_next_after_word("(") ? find_function(token.text) : nullptr;
    if (function != nullptr) {
      return call(out, function->kind, function->arguments_min, function->arguments_max);
    }
    const bool begins_literal =
        token.is_word("true") || token.is_word("false") ||
        ((token.is_word("date") || token.is_word("datetime")) && is_next_after_word("("));
    if (!begins_literal) {
      out.kind = ExpressionKind::kAlias;
      out.name = scanner_.take().text;
      return true;
    }
  } else if (token.kind != TokenKind::kString && token.kind != TokenKind::kNumber &&
             !token.is_mark("[")) {
    return fail("an expression");
  }
  out.kind = ExpressionKind::kLiteral;
  return literal(out.literal);
}

bool Parser::call(Expression& out, ExpressionKind kind, size_t arguments_min,
                  size_t arguments_max) {
  out.kind = kind;
  scanner_.take();
  scanner_.take();  // '('
  const Construct around = construct_;
  while (out.arguments.size() < arguments_max) {
    if (!out.arguments.empty()) {
      if (out.arguments.size() >= arguments_min && !scanner_.peek().is_mark(",")) {
        break;
      }
      if (!mark(",")) {
        return false;
      }
    }
    construct_ = {"argument", scanner_.peek().place};
    out.arguments.emplace_back();
    if (!expression(out.arguments.back())) {
      return false;
    }
  }
  if (!mark(")")) {
    return false;
  }
  construct_ = around;
  return check_call_shape(out);
}

// The grammar asks for a property in nearest, and for rankings in rrf.
bool Parser::check_call_shape(const Expression& call) {
  const auto refuse = [this](const Expression& argument, std::string_view wanted) {
    problems_.add(argument.place, "parse", "expected " + std::string(wanted));
    return false;
  };
  if (call.kind == ExpressionKind::kNearest &&
      call.arguments[0].kind != ExpressionKind::kProperty) {
    return refuse(call.arguments[0], "a property as the first argument of nearest");
  }
  if (call.kind == ExpressionKind::kRrf) {
    for (size_t i = 0; i < 2; ++i) {
      if (call.arguments[i].kind != ExpressionKind::kNearest &&
          call.arguments[i].kind != ExpressionKind::kBm25) {
        return refuse(call.arguments[i], "nearest(…) or bm25(…) in rrf");
      }
    }
  }
  return true;
}

bool Parser::property_access(Expression& out) {
  Name name;
  if (!variable(name)) {
    return false;
  }
  out.name = std::move(name.text);
  out.kind = ExpressionKind::kVariable;
  if (!accept(".")) {
    return true;
  }
  Name property;
  if (!lower_name(property, "the name of a property")) {
    return false;
  }
  out.kind = ExpressionKind::kProperty;
  out.property = std::move(property.text);
  return true;
}

bool Parser::literal(Literal& out) {
  const Level level(depth_);
  if (!deeper()) {
    return false;
  }
  const Token token = scanner_.peek();
  if (token.kind == TokenKind::kString) {
    out.value = scanner_.take().value;
    return true;
  }
  if (token.kind == TokenKind::kNumber) {
    const auto number = schema::Number::parse(token.text, false);
    if (!number.has_value() || (number->is_integer() && !number->as_int64().has_value())) {
      return fail(
          "a number that fits (whole numbers go to 9223372036854775807; larger ones come "
          "as parameters)");
    }
    out.value = *number;
    scanner_.take();
    return true;
  }
  if (token.is_word("true") || token.is_word("false")) {
    out.value = token.text == "true";
    scanner_.take();
    return true;
  }
  if (token.is_word("date") || token.is_word("datetime")) {
    return moment(out, token.text == "datetime");
  }
  if (token.is_mark("[")) {
    return list(out);
  }
  return fail("a value: a text in quotes, a number, true, false, date(…), datetime(…), a list");
}

bool Parser::list(Literal& out) {
  scanner_.take();  // '['
  out.value = std::vector<Literal>();
  auto& items = std::get<std::vector<Literal>>(out.value);
  if (accept("]")) {
    return true;
  }
  do {
    if (!room(items.size())) {
      return false;
    }
    items.emplace_back();
    if (!literal(items.back())) {
      return false;
    }
  } while (accept(","));
  return mark("]");
}

bool Parser::moment(Literal& out, bool with_time) {
  scanner_.take();
  std::string text;
  if (!mark("(") || !string(text) || !mark(")")) {
    return false;
  }
  if (with_time) {
    out.value = DateTimeLiteral{std::move(text)};
  } else {
    out.value = DateLiteral{std::move(text)};
  }
  return true;
}

}  // namespace weft::gq
