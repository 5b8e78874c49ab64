// The names of SPARQL functions and how many arguments they take; for the parser only.
#pragma once

#include <optional>
#include <string_view>

#include "weft/sparql/expression.h"

namespace weft::sparql {

struct FunctionEntry {
  Function function;
  std::string_view name;
  Arity arity;
  bool keyword;  // called by its name; operators and casts are not
};

// ASCII letters only.
bool equal_ignoring_case(std::string_view a, std::string_view b);

// The built-in function of this keyword, in any letter case.
std::optional<Function> find_function(std::string_view keyword);
// The cast to the XSD datatype of this local name ("integer").
std::optional<Function> find_cast(std::string_view xsd_name);

}  // namespace weft::sparql
