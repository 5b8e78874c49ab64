// Reads the answer of another endpoint: SPARQL 1.1 Query Results JSON of a SELECT, triple terms and
// base directions of 1.2 included. The counterpart of json_writer.cc; for SERVICE.
#pragma once

#include <string_view>

#include "weft/base/result.h"
#include "weft/exec/service_client.h"

namespace weft::results {

// Errors: kInvalid for what is no such document, kLimit (those of weft/json).
Result<exec::ServiceAnswer> read_json_answer(std::string_view text);

}  // namespace weft::results
