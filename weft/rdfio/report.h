// Counting what was left out, and telling about it.
#pragma once

#include "weft/rdfio/parse.h"

namespace weft::rdfio {

// Counts one bad statement and passes its error on as a warning.
void skip_statement(ParseReport& report, const ParseOptions& options, Error error);

// Adds the counts of `part` to `whole`, and its warnings in order of their lines.
void merge_report(ParseReport& whole, ParseReport part);

}  // namespace weft::rdfio
