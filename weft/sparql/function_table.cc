#include "weft/sparql/function_table.h"

#include <array>
#include <cstddef>

#include "weft/base/check.h"
#include "weft/sparql/expression.h"

namespace weft::sparql {
namespace {

// In the order of the enumeration (checked below).
constexpr std::array kTable = {
    FunctionEntry{Function::kOr, "||", {2, kArgumentsMax}, false},
    FunctionEntry{Function::kAnd, "&&", {2, kArgumentsMax}, false},
    FunctionEntry{Function::kNot, "!", {1, 1}, false},
    FunctionEntry{Function::kEqual, "=", {2, 2}, false},
    FunctionEntry{Function::kNotEqual, "!=", {2, 2}, false},
    FunctionEntry{Function::kLess, "<", {2, 2}, false},
    FunctionEntry{Function::kLessOrEqual, "<=", {2, 2}, false},
    FunctionEntry{Function::kGreater, ">", {2, 2}, false},
    FunctionEntry{Function::kGreaterOrEqual, ">=", {2, 2}, false},
    FunctionEntry{Function::kIn, "IN", {1, kArgumentsMax}, false},
    FunctionEntry{Function::kNotIn, "NOT IN", {1, kArgumentsMax}, false},
    FunctionEntry{Function::kAdd, "+", {2, 2}, false},
    FunctionEntry{Function::kSubtract, "-", {2, 2}, false},
    FunctionEntry{Function::kMultiply, "*", {2, 2}, false},
    FunctionEntry{Function::kDivide, "/", {2, 2}, false},
    FunctionEntry{Function::kUnaryPlus, "+", {1, 1}, false},
    FunctionEntry{Function::kUnaryMinus, "-", {1, 1}, false},
    FunctionEntry{Function::kBound, "BOUND", {1, 1}, true},
    FunctionEntry{Function::kIf, "IF", {3, 3}, true},
    FunctionEntry{Function::kCoalesce, "COALESCE", {0, kArgumentsMax}, true},
    FunctionEntry{Function::kSameTerm, "sameTerm", {2, 2}, true},
    FunctionEntry{Function::kIsIri, "isIRI", {1, 1}, true},
    FunctionEntry{Function::kIsBlank, "isBLANK", {1, 1}, true},
    FunctionEntry{Function::kIsLiteral, "isLITERAL", {1, 1}, true},
    FunctionEntry{Function::kIsNumeric, "isNUMERIC", {1, 1}, true},
    FunctionEntry{Function::kStr, "STR", {1, 1}, true},
    FunctionEntry{Function::kLang, "LANG", {1, 1}, true},
    FunctionEntry{Function::kDatatype, "DATATYPE", {1, 1}, true},
    FunctionEntry{Function::kIri, "IRI", {1, 1}, true},
    FunctionEntry{Function::kBnode, "BNODE", {0, 1}, true},
    FunctionEntry{Function::kStrDt, "STRDT", {2, 2}, true},
    FunctionEntry{Function::kStrLang, "STRLANG", {2, 2}, true},
    FunctionEntry{Function::kUuid, "UUID", {0, 0}, true},
    FunctionEntry{Function::kStrUuid, "STRUUID", {0, 0}, true},
    FunctionEntry{Function::kStrLen, "STRLEN", {1, 1}, true},
    FunctionEntry{Function::kSubStr, "SUBSTR", {2, 3}, true},
    FunctionEntry{Function::kUCase, "UCASE", {1, 1}, true},
    FunctionEntry{Function::kLCase, "LCASE", {1, 1}, true},
    FunctionEntry{Function::kStrStarts, "STRSTARTS", {2, 2}, true},
    FunctionEntry{Function::kStrEnds, "STRENDS", {2, 2}, true},
    FunctionEntry{Function::kContains, "CONTAINS", {2, 2}, true},
    FunctionEntry{Function::kStrBefore, "STRBEFORE", {2, 2}, true},
    FunctionEntry{Function::kStrAfter, "STRAFTER", {2, 2}, true},
    FunctionEntry{Function::kEncodeForUri, "ENCODE_FOR_URI", {1, 1}, true},
    FunctionEntry{Function::kConcat, "CONCAT", {0, kArgumentsMax}, true},
    FunctionEntry{Function::kLangMatches, "LANGMATCHES", {2, 2}, true},
    FunctionEntry{Function::kRegex, "REGEX", {2, 3}, true},
    FunctionEntry{Function::kReplace, "REPLACE", {3, 4}, true},
    FunctionEntry{Function::kAbs, "ABS", {1, 1}, true},
    FunctionEntry{Function::kRound, "ROUND", {1, 1}, true},
    FunctionEntry{Function::kCeil, "CEIL", {1, 1}, true},
    FunctionEntry{Function::kFloor, "FLOOR", {1, 1}, true},
    FunctionEntry{Function::kRand, "RAND", {0, 0}, true},
    FunctionEntry{Function::kNow, "NOW", {0, 0}, true},
    FunctionEntry{Function::kYear, "YEAR", {1, 1}, true},
    FunctionEntry{Function::kMonth, "MONTH", {1, 1}, true},
    FunctionEntry{Function::kDay, "DAY", {1, 1}, true},
    FunctionEntry{Function::kHours, "HOURS", {1, 1}, true},
    FunctionEntry{Function::kMinutes, "MINUTES", {1, 1}, true},
    FunctionEntry{Function::kSeconds, "SECONDS", {1, 1}, true},
    FunctionEntry{Function::kTimezone, "TIMEZONE", {1, 1}, true},
    FunctionEntry{Function::kTz, "TZ", {1, 1}, true},
    FunctionEntry{Function::kMd5, "MD5", {1, 1}, true},
    FunctionEntry{Function::kSha1, "SHA1", {1, 1}, true},
    FunctionEntry{Function::kSha256, "SHA256", {1, 1}, true},
    FunctionEntry{Function::kSha384, "SHA384", {1, 1}, true},
    FunctionEntry{Function::kSha512, "SHA512", {1, 1}, true},
    FunctionEntry{Function::kCastBoolean, "xsd:boolean", {1, 1}, false},
    FunctionEntry{Function::kCastInteger, "xsd:integer", {1, 1}, false},
    FunctionEntry{Function::kCastDecimal, "xsd:decimal", {1, 1}, false},
    FunctionEntry{Function::kCastFloat, "xsd:float", {1, 1}, false},
    FunctionEntry{Function::kCastDouble, "xsd:double", {1, 1}, false},
    FunctionEntry{Function::kCastString, "xsd:string", {1, 1}, false},
    FunctionEntry{Function::kCastDateTime, "xsd:dateTime", {1, 1}, false},
    FunctionEntry{Function::kCastDate, "xsd:date", {1, 1}, false},
    FunctionEntry{Function::kCastTime, "xsd:time", {1, 1}, false},
    FunctionEntry{Function::kCastDuration, "xsd:duration", {1, 1}, false},
    FunctionEntry{Function::kCastDayTimeDuration, "xsd:dayTimeDuration", {1, 1}, false},
    FunctionEntry{Function::kCastYearMonthDuration, "xsd:yearMonthDuration", {1, 1}, false},
    FunctionEntry{Function::kTriple, "TRIPLE", {3, 3}, true},
    FunctionEntry{Function::kSubject, "SUBJECT", {1, 1}, true},
    FunctionEntry{Function::kPredicate, "PREDICATE", {1, 1}, true},
    FunctionEntry{Function::kObject, "OBJECT", {1, 1}, true},
    FunctionEntry{Function::kIsTriple, "isTRIPLE", {1, 1}, true},
    FunctionEntry{Function::kLangDir, "LANGDIR", {1, 1}, true},
    FunctionEntry{Function::kHasLang, "hasLANG", {1, 1}, true},
    FunctionEntry{Function::kHasLangDir, "hasLANGDIR", {1, 1}, true},
    FunctionEntry{Function::kStrLangDir, "STRLANGDIR", {3, 3}, true},
};

constexpr bool in_order() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].function) != i) {
      return false;
    }
  }
  return true;
}
static_assert(in_order());
static_assert(kTable.back().function == Function::kStrLangDir, "a function has no entry");

const FunctionEntry& entry(Function function) {
  return kTable[static_cast<size_t>(function)];
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) {
      return false;
    }
  }
  return true;
}

std::string_view function_name(Function function) {
  return entry(function).name;
}

Arity function_arity(Function function) {
  return entry(function).arity;
}

std::optional<Function> find_function(std::string_view keyword) {
  if (equal_ignoring_case(keyword, "URI")) {
    return Function::kIri;
  }
  if (equal_ignoring_case(keyword, "isURI")) {
    return Function::kIsIri;
  }
  for (const FunctionEntry& candidate : kTable) {
    if (candidate.keyword && equal_ignoring_case(candidate.name, keyword)) {
      return candidate.function;
    }
  }
  return std::nullopt;
}

std::optional<Function> find_cast(std::string_view xsd_name) {
  constexpr std::string_view kPrefix = "xsd:";
  for (const FunctionEntry& candidate : kTable) {
    if (candidate.name.starts_with(kPrefix) && candidate.name.substr(kPrefix.size()) == xsd_name) {
      return candidate.function;
    }
  }
  return std::nullopt;
}

}  // namespace weft::sparql
