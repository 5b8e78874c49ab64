// Values of terms, as expressions compute with them: XSD 1.1 datatypes with the operators that
// SPARQL 1.1 §17 takes from XPath. A term is a canonical token (term.h); a Value is what the token
// means. Terms are told apart by token or id, never by Value: "01"^^xsd:integer and
// "1"^^xsd:integer are two terms with one value, and to_token(from_token(t)) is t only if t's
// lexical form is the canonical one. So who hands a term on unchanged (BIND(?x AS ?y), IF, MIN,
// SAMPLE) hands on its token or id.
//
// V1  Arithmetic on integers and decimals is exact, of any size up to kNumberDigitsMax digits, past
//     which it is an error; only quotients are rounded, half to even, to kQuotientDigits digits
//     after the point (to more if an operand has more).
// V2  A literal whose lexical form is not in its datatype (or is past a limit below) is kOther: it
//     stays a term, equals only itself and takes part in no arithmetic.
// V3  An error and an unbound variable are both kUndefined; operators take it and give it.
// V4  order() is a total preorder over all values, finer than less() and equal().
// A value type of 32 bytes; strings up to 24 bytes, numbers that fit and dates need no heap. Heap
// parts are immutable and shared, so copies are cheap and may be used from several threads.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::rdf {

// Digits of one integer or decimal number, after removal of leading and trailing zeros.
inline constexpr uint32_t kNumberDigitsMax = 4'096;
inline constexpr uint32_t kQuotientDigits = 18;
// Years of dates go from -kYearMax to kYearMax; fractions of seconds have at most 18 digits.
inline constexpr int64_t kYearMax = 999'999'999;

enum class ValueKind : uint8_t {
  kUndefined,  // unbound, or an error
  kBlankNode,
  kIri,
  kString,
  kLangString,  // with or without a direction
  kBoolean,
  kInteger,  // xsd:integer and all that derive from it
  kDecimal,
  kFloat,
  kDouble,
  kDateTime,  // and xsd:dateTimeStamp
  kDate,
  kTime,
  kGYear,
  kGYearMonth,
  kGMonth,
  kGMonthDay,
  kGDay,
  kDuration,
  kYearMonthDuration,
  kDayTimeDuration,
  kOther,  // a literal of an unknown datatype, or ill-typed (V2)
  kTriple,
};

// Datatypes that derive from one of the kinds; kNone: the datatype of the kind itself.
enum class Derived : uint8_t {
  kNone,
  kNonPositiveInteger,
  kNegativeInteger,
  kLong,
  kInt,
  kShort,
  kByte,
  kNonNegativeInteger,
  kUnsignedLong,
  kUnsignedInt,
  kUnsignedShort,
  kUnsignedByte,
  kPositiveInteger,
  kDateTimeStamp,
};

// The seven properties of XSD 1.1 part 2, D.2.1; which are meant depends on the kind.
struct DateTimeParts {
  int64_t year = 0;
  uint8_t month = 0;
  uint8_t day = 0;
  uint8_t hour = 0;
  uint8_t minute = 0;
  uint8_t second = 0;
  uint64_t attosecond = 0;  // 10^-18 s
  std::optional<int16_t> timezone_minutes;
};

class Value {
 public:
  Value() = default;  // kUndefined
  Value(const Value& other) noexcept;
  Value& operator=(const Value& other) noexcept;
  Value(Value&& other) noexcept;
  Value& operator=(Value&& other) noexcept;
  ~Value() { release(); }

  // The value of a canonical token; kUndefined for an empty one. Never fails (V2).
  static Value from_token(std::string_view token);
  static Value boolean(bool value);
  static Value integer(int64_t value);
  static Value float_number(float value);
  static Value double_number(double value);
  static Value string(std::string_view text);
  // `language` and `direction` in lower case, `direction` may be empty.
  static Value lang_string(std::string_view text, std::string_view language,
                           std::string_view direction = {});
  // A token whose kind is kIri, kBlankNode, kTriple or kOther.
  static Value term(ValueKind kind, std::string_view token);
  // Milliseconds since 1970-01-01T00:00:00Z, with timezone Z.
  static Value date_time(int64_t unix_milliseconds);

  ValueKind kind() const { return kind_; }
  Derived derived() const { return derived_; }
  bool is_defined() const { return kind_ != ValueKind::kUndefined; }
  bool is_numeric() const { return kind_ >= ValueKind::kInteger && kind_ <= ValueKind::kDouble; }
  bool is_literal() const { return kind_ >= ValueKind::kString && kind_ <= ValueKind::kOther; }

  bool as_boolean() const { return payload_.boolean; }  // kBoolean
  // kInteger that fits; nullopt for others.
  std::optional<int64_t> as_int64() const;
  // Any numeric kind, rounded to nearest if need be; infinite if too large; NaN for others.
  double as_double() const;

  // kString, kLangString: the lexical form, unescaped. kIri: the IRI without brackets. kBlankNode,
  // kTriple, kOther: the token. Others: "".
  std::string_view text() const&;
  std::string_view text() && = delete;
  std::string_view language() const&;   // kLangString, else ""
  std::string_view direction() const&;  // kLangString, else ""

  // kDateTime to kGDay; nullopt for others.
  std::optional<DateTimeParts> date_time_parts() const;

  // The canonical token (XSD 1.1 canonical lexical forms; derived datatypes are kept); "" for
  // kUndefined.
  std::string to_token() const;
  // STR(): the lexical form of literals, the IRI; nullopt for blank nodes, triples, kUndefined.
  std::optional<std::string> lexical() const;
  // DATATYPE(): an IRI without brackets; "" for what is no literal.
  std::string_view datatype() const&;

 private:
  friend struct ValueAccess;  // value_internal.h: the other source files of this class

  enum class Storage : uint8_t { kInline, kText, kNumber };
  struct SharedText;
  struct SharedNumber;
  // A number coefficient × 10^-scale.
  struct SmallDecimal {
    int64_t coefficient;
    uint32_t scale;
  };
  struct Seconds {
    int64_t months;       // durations
    int64_t seconds;      // local, since 1970-01-01T00:00:00; of durations: the whole seconds
    int64_t attoseconds;  // fraction; of durations with the sign of the whole
  };
  union Payload {
    bool boolean;
    int64_t integer;
    float float_number;
    double double_number;
    SmallDecimal decimal;
    Seconds time;
    char text[24];
    SharedText* shared_text;
    SharedNumber* shared_number;
  };

  void release() noexcept;

  ValueKind kind_ = ValueKind::kUndefined;
  Derived derived_ = Derived::kNone;
  Storage storage_ = Storage::kInline;
  uint8_t text_length_ = 0;  // of inline text
  bool has_timezone_ = false;
  int16_t timezone_minutes_ = 0;
  Payload payload_ = {};
};
static_assert(sizeof(Value) <= 32);

// --- Operators. nullopt and kUndefined are type errors (SPARQL 1.1 §17.2, §17.3).

// The effective boolean value, as SPARQL 1.2 has it: strings with a language and ill-typed literals
// have none.
std::optional<bool> effective_boolean(const Value& value);
// = : equal values; true also for one and the same term. An error if one is kOther and they are
// not the same term, or for dates whose order hangs on a missing timezone.
std::optional<bool> equal(const Value& a, const Value& b);
// < and <= ; > is less(b, a). Numbers, strings, booleans, dates and durations, each among its own.
std::optional<bool> less(const Value& a, const Value& b);
std::optional<bool> less_or_equal(const Value& a, const Value& b);
// sameTerm of values that are not terms of the graph: equal tokens.
bool same_term(const Value& a, const Value& b);

// ORDER BY: undefined, blank nodes, IRIs, literals, triple terms. Numbers by exact value with NaN
// first; what `<` does not compare goes by kind, then text.
std::weak_ordering order(const Value& a, const Value& b);

// Numbers, after promotion: integer, decimal, float, double; integer / integer is a decimal.
// Also dates ± durations, date - date, duration ± duration, duration × and ÷ number.
Value add(const Value& a, const Value& b);
Value subtract(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value divide(const Value& a, const Value& b);
Value negate(const Value& a);
Value unary_plus(const Value& a);

// fn:abs, fn:ceiling, fn:floor, fn:round (half towards positive infinity).
Value absolute(const Value& a);
Value ceiling(const Value& a);
Value floor(const Value& a);
Value round(const Value& a);

// xsd:boolean(…), xsd:integer(…), …: `target` is one of kString, kBoolean, kInteger, kDecimal,
// kFloat, kDouble, kDateTime, kDate, kTime, kDuration, kYearMonthDuration, kDayTimeDuration.
Value cast(const Value& a, ValueKind target);

// The IRI of a kind's own datatype; "" for kinds without one.
std::string_view datatype_of(ValueKind kind);

}  // namespace weft::rdf
