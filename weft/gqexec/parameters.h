// Values of a query's parameters, from JSON.
//
//   String        text                     I32 I64 U32 U64  integers; also digits as text
//   Bool          true, false              F32 F64          numbers
//   Date          text (schema/moment.h)   DateTime         likewise
//   [T]           an array without null    Vector(n)        an array of n finite numbers
//
// A parameter with `?` may be null or left out, which is the same. All others must be there.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/gq/ast.h"

namespace weft::gqexec {

struct ParameterValues {
  // Name -> an array of one element, of the column type of the parameter's type.
  std::map<std::string, columns::ArrayPtr, std::less<>> values;
  // Members that are no parameter of the query: ignored, and worth a note.
  std::vector<std::string> unknown;
};

// `text` is a JSON object; empty: no values. Errors: kInvalid "parameter NAME: …" says what was
// given and what the type is.
Result<ParameterValues> read_parameters(const gq::Query& query, std::string_view text);

}  // namespace weft::gqexec
