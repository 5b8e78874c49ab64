// Values of one property from JSON into a column, checked as its type, range and pattern say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/columns/builder.h"
#include "weft/ndjson/json_reader.h"
#include "weft/ndjson/violations.h"
#include "weft/schema/pattern.h"
#include "weft/schema/schema.h"

namespace weft::ndjson {

// Not thread-safe. One per property of a type.
class ValueReader {
 public:
  // `property` and `owner` must outlive the reader. `node`: null for a property of an edge.
  ValueReader(const schema::Property& property, const schema::EntityType& owner,
              const schema::NodeType* node);

  // Reads the next value of `json` and appends it, or null with a violation, to `column`: one
  // element in any case, unless `json` failed (false). With `text` the value's canonical text goes
  // there (nullopt for null): that of keys.
  bool read(JsonReader& json, uint64_t line, columns::ArrayBuilder& column, Violations& violations,
            std::optional<std::string>* text);
  // For a property without a member in a row: appends null; a violation if it is required.
  void absent(uint64_t line, columns::ArrayBuilder& column, Violations& violations);

 private:
  struct Scalar {
    int64_t integer = 0;  // also the bits of a U64, days, milliseconds, a Bool
    double real = 0;
    std::string text;
  };

  // False with `why_` if the value does not fit, or if `json` failed.
  bool read_scalar(JsonReader& json, Scalar& out);
  bool read_integer(std::string_view spelling, Scalar& out);
  bool read_real(std::string_view spelling, Scalar& out);
  bool read_moment(JsonReader& json, Scalar& out);
  bool refuse(std::string_view shown);
  void append(const Scalar& value, columns::ArrayBuilder& column) const;
  bool read_items(JsonReader& json, columns::ArrayBuilder& column, std::string& text);
  bool check_constraints(const Scalar& value, uint64_t line, Violations& violations) const;
  std::string canonical(const Scalar& value) const;
  std::string owner_text() const;  // "property Person.age"

  const schema::Property& property_;
  const schema::EntityType& owner_;
  std::vector<const schema::Range*> ranges_;
  struct CompiledCheck {
    const schema::Check* check;
    schema::Pattern pattern;
  };
  std::vector<CompiledCheck> checks_;
  Scalar scratch_;
  std::string_view code_;  // of the violation: value, enum, input
  std::string why_;
};

// The text of a JSON value for a message: at most some of it, without line ends.
std::string shown(std::string_view json);

// Shortest decimal without exponent, 0 for both zeros: how keys write floats.
std::string float_text(double value);
std::string float_text(float value);

}  // namespace weft::ndjson
