// Property paths as automata (PathProgram in plan.h), by Glushkov's construction: one position for
// each IRI or negated set of the expression, no empty transitions; positions that go on alike are
// one state.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "weft/base/result.h"
#include "weft/plan/plan.h"
#include "weft/sparql/algebra.h"

namespace weft::plan {

// IRIs and negated sets in one path (limit "path steps"); the automaton may have the square of it.
inline constexpr size_t kPathStepsMax = 256;

// `inverse`: of the path walked from object to subject. `id_of` gives stored ids; a predicate that
// is kNoTerm has no edges. Errors: kLimit.
Result<PathProgram> make_path_program(
    const sparql::PathExpression& path, bool inverse,
    const std::function<rdf::TermId(const std::string& token)>& id_of);

// As in a query, for explain: "(<p>/^<q>)+".
std::string path_text(const sparql::PathExpression& path);

}  // namespace weft::plan
