#include <algorithm>
#include <cctype>
#include <optional>

#include "weft/exec/functions/functions.h"
#include "weft/rdf/iri.h"
#include "weft/rdf/term.h"

namespace weft::exec {
namespace {

using rdf::Value;
using rdf::ValueKind;
using sparql::Function;

// Characters that no IRI token may hold (RDF 1.1 N-Triples, IRIREF).
bool is_iri_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || std::string_view("<>\"{}|^`\\").contains(c);
  });
}

// Letters, then parts of letters and digits: [a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*, BCP 47 roughly.
bool is_language_tag(std::string_view tag) {
  size_t length = 0;
  bool first = true;
  for (const char c : tag) {
    if (c == '-') {
      if (length == 0) {
        return false;
      }
      length = 0;
      first = false;
      continue;
    }
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if ((!letter && (first || !digit)) || ++length > 8) {
      return false;
    }
  }
  return length != 0;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

Value make_iri_value(const Value& value, std::string_view base_iri) {
  if (value.kind() == ValueKind::kIri) {
    return value;
  }
  if (value.kind() != ValueKind::kString || !is_iri_text(value.text())) {
    return {};
  }
  return Value::from_token(rdf::make_iri(rdf::resolve_iri(base_iri, value.text())));
}

Value str_dt(const Value& text, const Value& datatype) {
  if (text.kind() != ValueKind::kString || datatype.kind() != ValueKind::kIri) {
    return {};
  }
  const std::string token = rdf::make_literal(text.text(), {}, {}, datatype.text());
  // These two would lack their language.
  if (datatype.text() == std::string(rdf::kRdf) + "langString" ||
      datatype.text() == std::string(rdf::kRdf) + "dirLangString") {
    return {};
  }
  return Value::from_token(token);
}

Value str_lang(Arguments arguments) {
  const Value& text = *arguments[0].value;
  const Value& language = *arguments[1].value;
  if (text.kind() != ValueKind::kString || language.kind() != ValueKind::kString ||
      !is_language_tag(language.text())) {
    return {};
  }
  std::string direction;
  if (arguments.size() == 3) {
    const Value& wanted = *arguments[2].value;
    if (wanted.kind() != ValueKind::kString || (wanted.text() != "ltr" && wanted.text() != "rtl")) {
      return {};
    }
    direction = wanted.text();
  }
  return Value::lang_string(text.text(), lowered(language.text()), direction);
}

Value make_triple_value(Arguments arguments) {
  const ValueKind subject = arguments[0].value->kind();
  if ((subject != ValueKind::kIri && subject != ValueKind::kBlankNode) ||
      arguments[1].value->kind() != ValueKind::kIri) {
    return {};
  }
  return Value::term(
      ValueKind::kTriple,
      rdf::make_triple(arguments[0].token(), arguments[1].token(), arguments[2].token()));
}

}  // namespace

std::optional<std::string> lexical_form(const Cell& cell) {
  if (cell.raw != nullptr) {
    return rdf::unescape(rdf::split_literal(*cell.raw).escaped);
  }
  if (cell.value->kind() == ValueKind::kOther) {
    return rdf::unescape(rdf::split_literal(cell.value->text()).escaped);
  }
  return cell.value->lexical();
}

Value term_function(Function function, Arguments arguments, std::string_view base_iri) {
  const Cell& cell = arguments[0];
  const Value& value = *cell.value;
  const ValueKind kind = value.kind();
  switch (function) {
    case Function::kIsIri:
      return Value::boolean(kind == ValueKind::kIri);
    case Function::kIsBlank:
      return Value::boolean(kind == ValueKind::kBlankNode);
    case Function::kIsLiteral:
      return Value::boolean(value.is_literal());
    case Function::kIsNumeric:
      return Value::boolean(value.is_numeric());
    case Function::kIsTriple:
      return Value::boolean(kind == ValueKind::kTriple);
    case Function::kStr: {
      const std::optional<std::string> text = lexical_form(cell);
      return text ? Value::string(*text) : Value();
    }
    case Function::kLang:
      return value.is_literal() ? Value::string(value.language()) : Value();
    case Function::kLangDir:
      return value.is_literal() ? Value::string(value.direction()) : Value();
    case Function::kHasLang:
      return value.is_defined() ? Value::boolean(kind == ValueKind::kLangString) : Value();
    case Function::kHasLangDir:
      return value.is_defined() ? Value::boolean(!value.direction().empty()) : Value();
    case Function::kDatatype:
      return value.is_literal() ? Value::from_token(rdf::make_iri(value.datatype())) : Value();
    case Function::kIri:
      return make_iri_value(value, base_iri);
    case Function::kStrDt:
      return str_dt(value, *arguments[1].value);
    case Function::kStrLang:
    case Function::kStrLangDir:
      return str_lang(arguments);
    case Function::kTriple:
      return make_triple_value(arguments);
    case Function::kSubject:
    case Function::kPredicate:
    case Function::kObject: {
      if (kind != ValueKind::kTriple) {
        return {};
      }
      const std::optional<rdf::TripleParts> parts = rdf::split_triple(value.text());
      if (!parts) {
        return {};
      }
      return Value::from_token(function == Function::kSubject     ? parts->subject
                               : function == Function::kPredicate ? parts->predicate
                                                                  : parts->object);
    }
    default:
      return {};
  }
}

}  // namespace weft::exec
