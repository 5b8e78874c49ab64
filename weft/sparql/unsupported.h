// The one place where a parsed query is refused for what exec cannot answer yet. Supporting a
// feature means to delete its line here.
#pragma once

#include "weft/base/result.h"
#include "weft/sparql/algebra.h"

namespace weft::sparql {

// Errors: kUnsupported with facts "feature", "line", "column": functions named by
// an IRI.
Status check_supported(const Query& query);

}  // namespace weft::sparql
