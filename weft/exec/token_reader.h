// Tokens of ids of both origins, each looked up once: late materialisation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/exec/quad_source.h"
#include "weft/exec/term_pool.h"

namespace weft::exec {

// Appends the token of each id, in the order asked; "" for kNoTerm. One call to the source.
Status read_tokens(QuadSource& source, const TermPool& pool, std::span<const rdf::TermId> ids,
                   std::vector<std::string>& tokens);

}  // namespace weft::exec
