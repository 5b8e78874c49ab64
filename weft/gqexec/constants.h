// Values that a query brings with it: literals, parameters, now().
#pragma once

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/gq/ast.h"
#include "weft/gqexec/parameters.h"

namespace weft::gqexec {

// A literal, now(), or a variable that is a parameter (checked).
bool is_constant(const gq::Expression& expression);

// Its value, an array of one element: whole numbers are int64, others double, now() and times
// timestamps, lists are lists of one of these. Errors: kInvalid names a parameter that is not
// given.
Result<columns::ArrayPtr> constant_value(const gq::Expression& expression,
                                         const ParameterValues& parameters, base::WallTime now);

}  // namespace weft::gqexec
