// Spellings of terms that several writers share.
#pragma once

#include <string>
#include <string_view>

#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/rdfio/parse.h"

namespace weft::rdfio {

// Whether RDF 1.1 has no such term: a triple term, a literal with a direction.
bool needs_rdf12(std::string_view token);

// kInvalid for a quad that RDF 1.2 does not allow with this spelling: a triple term as subject
// (also within triple terms), unless the older reading is written.
Status check_writable(const rdf::QuadView& quad, TripleTermSyntax triple_terms);

// kInvalid: "`format` cannot hold …", with the fact "term".
Error cannot_hold(std::string_view format, std::string_view what, std::string_view term);

}  // namespace weft::rdfio
