// An update whose default graph is a named one: PATCH of the Graph Store Protocol.
#pragma once

#include <string>

#include "weft/sparql/update.h"

namespace weft::engine {

// Wherever `update` reads or writes the default graph without naming a data set of its own (USING,
// WITH), it reads and writes the graph `token` (an IRI token). What it names stays.
void retarget(sparql::Update& update, const std::string& token);

}  // namespace weft::engine
