#include "weft/exec/text_condition.h"

#include <utility>

#include <string.h>

#include "weft/exec/functions/functions.h"
#include "weft/rdf/term.h"
#include "weft/rdf/value.h"

namespace weft::exec {

using sparql::Expression;
using sparql::Function;

// A call, with the text that it takes and the constant that it compares it with.
struct TextCondition::Node {
  enum class Origin : uint8_t { kString, kStr, kLang };  // ?x, STR(?x), LANG(?x)
  enum class Case : uint8_t { kAsIs, kLower, kUpper };
  Function function = Function::kStr;
  Origin origin = Origin::kString;
  Case letters = Case::kAsIs;
  std::string constant;
  std::unique_ptr<Regex> regex;
  std::vector<Node> parts;  // of && || !
};

TextCondition::TextCondition() = default;
TextCondition::~TextCondition() = default;

class TextCondition::Builder {
 public:
  std::optional<plan::Variable> variable;

  // False if `condition` is of another form.
  Result<bool> truth(const Expression& condition, Node& node) {
    const auto* call = std::get_if<Expression::Call>(&condition.form);
    if (call == nullptr) {
      return false;
    }
    node.function = call->function;
    const std::vector<Expression>& arguments = call->arguments;
    switch (call->function) {
      case Function::kAnd:
      case Function::kOr:
      case Function::kNot:
        return truths(arguments, node);
      case Function::kIsIri:
      case Function::kIsBlank:
      case Function::kIsLiteral:
        return is_the_variable(arguments[0]);
      case Function::kContains:
      case Function::kStrStarts:
      case Function::kStrEnds:
        return constant(arguments[1], node.constant) && text(arguments[0], node);
      case Function::kEqual:
      case Function::kNotEqual:
        // These two are plain strings whatever the term is.
        return (is_call_of(arguments[0], Function::kLang) ||
                is_call_of(arguments[0], Function::kStr)) &&
               constant(arguments[1], node.constant) && text(arguments[0], node);
      case Function::kLangMatches:
        return is_call_of(arguments[0], Function::kLang) && constant(arguments[1], node.constant) &&
               text(arguments[0], node);
      case Function::kRegex:
        return regex(arguments, node);
      default:
        return false;
    }
  }

 private:
  Result<bool> truths(const std::vector<Expression>& arguments, Node& node) {
    for (const Expression& argument : arguments) {
      WEFT_TRY(const bool fits, truth(argument, node.parts.emplace_back()));
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  Result<bool> regex(const std::vector<Expression>& arguments, Node& node) {
    std::string pattern;
    std::string flags;
    if (!constant(arguments[1], pattern) ||
        (arguments.size() > 2 && !constant(arguments[2], flags)) || !text(arguments[0], node)) {
      return false;
    }
    WEFT_TRY(node.regex, Regex::compile(pattern, flags));
    return true;
  }

  // What the call of `node` takes as its text.
  bool text(const Expression& argument, Node& node) {
    const auto* call = std::get_if<Expression::Call>(&argument.form);
    if (call == nullptr) {
      return is_the_variable(argument);
    }
    switch (call->function) {
      case Function::kStr:
      case Function::kLang:
        node.origin = call->function == Function::kStr ? Node::Origin::kStr : Node::Origin::kLang;
        return is_the_variable(call->arguments[0]);
      case Function::kLCase:
      case Function::kUCase:
        if (node.letters != Node::Case::kAsIs) {
          return false;
        }
        node.letters = call->function == Function::kLCase ? Node::Case::kLower : Node::Case::kUpper;
        return text(call->arguments[0], node);
      default:
        return false;
    }
  }

  bool is_the_variable(const Expression& expression) {
    const auto* found = std::get_if<Expression::Variable>(&expression.form);
    if (found == nullptr || (variable.has_value() && *variable != found->variable)) {
      return false;
    }
    variable = found->variable;
    return true;
  }

  static bool is_call_of(const Expression& expression, Function function) {
    const auto* call = std::get_if<Expression::Call>(&expression.form);
    return call != nullptr && call->function == function;
  }

  // A plain string.
  static bool constant(const Expression& expression, std::string& text) {
    const auto* found = std::get_if<Expression::Constant>(&expression.form);
    if (found == nullptr) {
      return false;
    }
    const rdf::Value value = rdf::Value::from_token(found->token);
    text = value.text();
    return value.kind() == rdf::ValueKind::kString;
  }
};

Result<std::unique_ptr<TextCondition>> TextCondition::make(const Expression& condition) {
  std::unique_ptr<TextCondition> test(new TextCondition());
  test->root_ = std::make_unique<Node>();
  Builder builder;
  WEFT_TRY(const bool fits, builder.truth(condition, *test->root_));
  if (!fits || !builder.variable.has_value()) {
    return std::unique_ptr<TextCondition>();
  }
  test->variable_ = *builder.variable;
  return test;
}

std::optional<bool> TextCondition::truth(std::string_view token) {
  return token.empty() ? std::nullopt : truth(*root_, token);
}

std::optional<bool> TextCondition::truth(const Node& node, std::string_view token) {
  switch (node.function) {
    case Function::kAnd:
    case Function::kOr: {
      const bool deciding = node.function == Function::kOr;
      bool failed = false;
      for (const Node& part : node.parts) {
        const std::optional<bool> one = truth(part, token);
        if (one == deciding) {
          return deciding;
        }
        failed = failed || !one.has_value();
      }
      return failed ? std::nullopt : std::optional<bool>(!deciding);
    }
    case Function::kNot: {
      const std::optional<bool> one = truth(node.parts[0], token);
      return one.has_value() ? std::optional<bool>(!*one) : std::nullopt;
    }
    case Function::kIsIri:
      return rdf::kind_of(token) == rdf::TermKind::kIri;
    case Function::kIsBlank:
      return rdf::kind_of(token) == rdf::TermKind::kBlankNode;
    case Function::kIsLiteral:
      return rdf::kind_of(token) == rdf::TermKind::kLiteral;
    default:
      return compare(node, token);
  }
}

std::optional<std::string_view> TextCondition::text(const Node& node, std::string_view token) {
  if (rdf::kind_of(token) == rdf::TermKind::kIri && node.origin == Node::Origin::kStr) {
    return rdf::iri_of(token);
  }
  if (rdf::kind_of(token) != rdf::TermKind::kLiteral) {
    return std::nullopt;
  }
  rdf::LiteralParts parts;
  if (token.back() == '"') {
    parts.escaped = token.substr(1, token.size() - 2);
  } else {
    parts = rdf::split_literal(token);
  }
  if (node.origin == Node::Origin::kLang) {
    return parts.language;
  }
  if (node.origin == Node::Origin::kString && !parts.datatype.empty()) {
    return std::nullopt;
  }
  if (parts.escaped.find('\\') == std::string_view::npos) {
    return parts.escaped;
  }
  std::optional<std::string> unescaped = rdf::unescape(parts.escaped);
  if (!unescaped.has_value()) {
    return std::nullopt;
  }
  unescaped_ = std::move(*unescaped);
  return unescaped_;
}

std::optional<bool> TextCondition::compare(const Node& node, std::string_view token) {
  std::optional<std::string_view> found = text(node, token);
  if (found.has_value() && node.letters != Node::Case::kAsIs) {
    found = change_case(*found, node.letters == Node::Case::kUpper, other_case_)
                ? std::optional<std::string_view>(other_case_)
                : std::nullopt;
  }
  if (!found.has_value()) {
    return std::nullopt;
  }
  switch (node.function) {
    case Function::kContains:
      // An empty text may have no address, which memmem neither takes nor tells from "not there".
      return node.constant.empty() ||
             (!found->empty() && memmem(found->data(), found->size(), node.constant.data(),
                                        node.constant.size()) != nullptr);
    case Function::kStrStarts:
      return found->starts_with(node.constant);
    case Function::kStrEnds:
      return found->ends_with(node.constant);
    case Function::kEqual:
      return *found == node.constant;
    case Function::kNotEqual:
      return *found != node.constant;
    case Function::kLangMatches:
      return language_matches(*found, node.constant);
    default:
      return node.regex->matches(*found);
  }
}

}  // namespace weft::exec
