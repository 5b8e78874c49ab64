// SPARQL expressions as a tree, after parsing: operators and functions are calls of one
// enumeration, aggregates are already replaced by (hidden) variables that a Group node binds.
//
// E1  Constants are canonical tokens (weft/rdf/term.h).
// E2  The number of arguments of a call is one that its function takes (function_arity).
// E3  No tree is deeper than kTreeHeightMax; && and || are n-ary, so that long chains stay flat.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::sparql {

struct Node;

// A variable by its number in the query's VariableTable.
using VariableIndex = uint32_t;

// Where something stands in the query text; both count from 1, columns in code points.
struct Place {
  uint32_t line = 0;
  uint32_t column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// Operators and built-in functions. Cast functions are the constructors xsd:boolean(…) and so on.
enum class Function : uint8_t {
  // Operators. kOr and kAnd take two or more arguments; kIn and kNotIn: the value, then the list.
  kOr,
  kAnd,
  kNot,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kIn,
  kNotIn,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kUnaryPlus,
  kUnaryMinus,
  // Functional forms.
  kBound,  // its argument is a Variable
  kIf,
  kCoalesce,
  kSameTerm,
  // Terms.
  kIsIri,
  kIsBlank,
  kIsLiteral,
  kIsNumeric,
  kStr,
  kLang,
  kDatatype,
  kIri,  // IRI and URI; relative ones are resolved against Query::base_iri
  kBnode,
  kStrDt,
  kStrLang,
  kUuid,
  kStrUuid,
  // Strings.
  kStrLen,
  kSubStr,
  kUCase,
  kLCase,
  kStrStarts,
  kStrEnds,
  kContains,
  kStrBefore,
  kStrAfter,
  kEncodeForUri,
  kConcat,
  kLangMatches,
  kRegex,
  kReplace,
  // Numbers.
  kAbs,
  kRound,
  kCeil,
  kFloor,
  kRand,
  // Dates and times.
  kNow,
  kYear,
  kMonth,
  kDay,
  kHours,
  kMinutes,
  kSeconds,
  kTimezone,
  kTz,
  // Hashes.
  kMd5,
  kSha1,
  kSha256,
  kSha384,
  kSha512,
  // Casts.
  kCastBoolean,
  kCastInteger,
  kCastDecimal,
  kCastFloat,
  kCastDouble,
  kCastString,
  kCastDateTime,
  kCastDate,
  kCastTime,
  kCastDuration,
  kCastDayTimeDuration,
  kCastYearMonthDuration,
  // SPARQL 1.2.
  kTriple,
  kSubject,
  kPredicate,
  kObject,
  kIsTriple,
  kLangDir,
  kHasLang,
  kHasLangDir,
  kStrLangDir,
};

// As written in a query: "STRLEN", "&&", "xsd:integer".
std::string_view function_name(Function function);

struct Arity {
  uint32_t least = 0;
  uint32_t most = 0;  // kArgumentsMax if unbounded
};
inline constexpr uint32_t kArgumentsMax = 65'535;
Arity function_arity(Function function);

struct Expression {
  struct Constant {
    std::string token;
  };
  struct Variable {
    VariableIndex variable;
  };
  struct Call {
    Function function;
    std::vector<Expression> arguments;
  };
  // A function that is named by an IRI and is no cast; refused for now (unsupported.h).
  struct Extension {
    std::string iri;
    bool distinct = false;
    std::vector<Expression> arguments;
  };
  // EXISTS and NOT EXISTS; refused for now (unsupported.h).
  struct Exists {
    bool negated = false;
    std::unique_ptr<Node> pattern;
  };

  std::variant<Constant, Variable, Call, Extension, Exists> form;
  Place place;
  uint32_t height = 1;  // of the tree, patterns of EXISTS included

  Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression();

  Expression clone() const;
};

Expression make_constant(std::string token, Place place = {});
Expression make_variable(VariableIndex variable, Place place = {});
Expression make_call(Function function, std::vector<Expression> arguments, Place place = {});
Expression make_extension(Expression::Extension extension, Place place = {});
Expression make_exists(Expression::Exists exists, Place place = {});

// The variables that occur in `expression`, also inside EXISTS patterns, ascending, each once.
std::vector<VariableIndex> variables_of(const Expression& expression);

}  // namespace weft::sparql
