// Entailment regimes by name (SPARQL 1.1 Entailment Regimes).
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/base/result.h"

namespace weft::entail {

enum class Regime : uint8_t {
  kSimple,  // what the graph says
  kRdf,     // and that predicates are properties
  kRdfs,    // and what follows from classes, properties, domains and ranges
};

// "simple", "rdf", "rdfs" in any letter case. Errors: kUnsupported for the regimes of the standard
// that weft does not answer (D, OWL, RIF), kInvalid for others; both name what there is.
Result<Regime> regime_by_name(std::string_view name);
std::string_view regime_name(Regime regime);

}  // namespace weft::entail
