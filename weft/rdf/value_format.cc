// From values to tokens.
#include <utility>

#include "weft/rdf/term.h"
#include "weft/rdf/value_internal.h"

namespace weft::rdf {

std::string canonical_lexical(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBoolean:
      return value.as_boolean() ? "true" : "false";
    case ValueKind::kInteger:
      if (const std::optional<int64_t> small = value.as_int64()) {
        return std::to_string(*small);
      }
      return to_text(ValueAccess::exact(value));
    case ValueKind::kDecimal: {
      // XSD 1.1 writes whole numbers without a point; XSD 1.0 wanted "1.0".
      return to_text(ValueAccess::exact(value));
    }
    case ValueKind::kFloat:
      return canonical_text(ValueAccess::float_value(value));
    case ValueKind::kDouble:
      return canonical_text(ValueAccess::double_value(value));
    case ValueKind::kDateTime:
    case ValueKind::kDate:
    case ValueKind::kTime:
    case ValueKind::kGYear:
    case ValueKind::kGYearMonth:
    case ValueKind::kGMonth:
    case ValueKind::kGMonthDay:
    case ValueKind::kGDay:
      return time_text(value);
    case ValueKind::kDuration:
    case ValueKind::kYearMonthDuration:
    case ValueKind::kDayTimeDuration:
      return duration_text(value);
    case ValueKind::kUndefined:
    case ValueKind::kBlankNode:
    case ValueKind::kIri:
    case ValueKind::kString:
    case ValueKind::kLangString:
    case ValueKind::kOther:
    case ValueKind::kTriple:
      break;
  }
  return {};
}

std::string Value::to_token() const {
  switch (kind_) {
    case ValueKind::kUndefined:
      return {};
    case ValueKind::kIri:
      return make_iri(text());
    case ValueKind::kBlankNode:
    case ValueKind::kTriple:
    case ValueKind::kOther:
      return std::string(text());
    case ValueKind::kString:
      return make_literal(text());
    case ValueKind::kLangString:
      return make_literal(text(), language(), direction());
    default:
      return make_literal(canonical_lexical(*this), {}, {}, datatype());
  }
}

std::optional<std::string> Value::lexical() const {
  switch (kind_) {
    case ValueKind::kUndefined:
    case ValueKind::kBlankNode:
    case ValueKind::kTriple:
      return std::nullopt;
    case ValueKind::kIri:
    case ValueKind::kString:
    case ValueKind::kLangString:
      return std::string(text());
    case ValueKind::kOther:
      return unescape(split_literal(text()).escaped);
    default:
      return canonical_lexical(*this);
  }
}

}  // namespace weft::rdf
