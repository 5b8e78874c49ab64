// The datatypes that values know, and their limits.
#include <array>
#include <limits>

#include "weft/rdf/term.h"
#include "weft/rdf/value_internal.h"

namespace weft::rdf {
namespace {

struct Entry {
  std::string_view iri;
  ValueKind kind;
  Derived derived;
};

#define WEFT_XSD(name) "http://www.w3.org/2001/XMLSchema#" name

// The frequent ones first.
constexpr std::array kEntries = {
    Entry{WEFT_XSD("integer"), ValueKind::kInteger, Derived::kNone},
    Entry{WEFT_XSD("string"), ValueKind::kString, Derived::kNone},
    Entry{WEFT_XSD("decimal"), ValueKind::kDecimal, Derived::kNone},
    Entry{WEFT_XSD("double"), ValueKind::kDouble, Derived::kNone},
    Entry{WEFT_XSD("boolean"), ValueKind::kBoolean, Derived::kNone},
    Entry{WEFT_XSD("dateTime"), ValueKind::kDateTime, Derived::kNone},
    Entry{WEFT_XSD("date"), ValueKind::kDate, Derived::kNone},
    Entry{WEFT_XSD("float"), ValueKind::kFloat, Derived::kNone},
    Entry{WEFT_XSD("int"), ValueKind::kInteger, Derived::kInt},
    Entry{WEFT_XSD("long"), ValueKind::kInteger, Derived::kLong},
    Entry{WEFT_XSD("short"), ValueKind::kInteger, Derived::kShort},
    Entry{WEFT_XSD("byte"), ValueKind::kInteger, Derived::kByte},
    Entry{WEFT_XSD("nonNegativeInteger"), ValueKind::kInteger, Derived::kNonNegativeInteger},
    Entry{WEFT_XSD("positiveInteger"), ValueKind::kInteger, Derived::kPositiveInteger},
    Entry{WEFT_XSD("nonPositiveInteger"), ValueKind::kInteger, Derived::kNonPositiveInteger},
    Entry{WEFT_XSD("negativeInteger"), ValueKind::kInteger, Derived::kNegativeInteger},
    Entry{WEFT_XSD("unsignedLong"), ValueKind::kInteger, Derived::kUnsignedLong},
    Entry{WEFT_XSD("unsignedInt"), ValueKind::kInteger, Derived::kUnsignedInt},
    Entry{WEFT_XSD("unsignedShort"), ValueKind::kInteger, Derived::kUnsignedShort},
    Entry{WEFT_XSD("unsignedByte"), ValueKind::kInteger, Derived::kUnsignedByte},
    Entry{WEFT_XSD("time"), ValueKind::kTime, Derived::kNone},
    Entry{WEFT_XSD("gYear"), ValueKind::kGYear, Derived::kNone},
    Entry{WEFT_XSD("gYearMonth"), ValueKind::kGYearMonth, Derived::kNone},
    Entry{WEFT_XSD("gMonth"), ValueKind::kGMonth, Derived::kNone},
    Entry{WEFT_XSD("gMonthDay"), ValueKind::kGMonthDay, Derived::kNone},
    Entry{WEFT_XSD("gDay"), ValueKind::kGDay, Derived::kNone},
    Entry{WEFT_XSD("duration"), ValueKind::kDuration, Derived::kNone},
    Entry{WEFT_XSD("yearMonthDuration"), ValueKind::kYearMonthDuration, Derived::kNone},
    Entry{WEFT_XSD("dayTimeDuration"), ValueKind::kDayTimeDuration, Derived::kNone},
    Entry{WEFT_XSD("dateTimeStamp"), ValueKind::kDateTime, Derived::kDateTimeStamp},
};

#undef WEFT_XSD

constexpr std::string_view kLangString = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";
constexpr std::string_view kDirLangString =
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString";

}  // namespace

Datatype find_datatype(std::string_view iri) {
  if (!iri.starts_with(kXsd)) {
    return {};
  }
  for (const Entry& entry : kEntries) {
    if (entry.iri == iri) {
      return {entry.kind, entry.derived};
    }
  }
  return {};
}

std::string_view datatype_of(ValueKind kind) {
  if (kind == ValueKind::kLangString) {
    return kLangString;
  }
  for (const Entry& entry : kEntries) {
    if (entry.kind == kind && entry.derived == Derived::kNone) {
      return entry.iri;
    }
  }
  return {};
}

std::string_view derived_iri(Derived derived) {
  for (const Entry& entry : kEntries) {
    if (entry.derived == derived) {
      return entry.iri;
    }
  }
  return {};
}

std::string_view Value::datatype() const& {
  if (kind_ == ValueKind::kOther) {
    return effective_datatype(split_literal(text()));
  }
  if (kind_ == ValueKind::kLangString && !direction().empty()) {
    return kDirLangString;
  }
  return derived_ == Derived::kNone ? datatype_of(kind_) : derived_iri(derived_);
}

}  // namespace weft::rdf
