// Reads the answer of another endpoint to a SELECT: SPARQL 1.1 Query Results JSON and XML, triple
// terms and base directions of 1.2 included. The counterpart of json_writer.cc and xml_writer.cc;
// for SERVICE.
#pragma once

#include <string_view>

#include "weft/base/result.h"
#include "weft/exec/service_client.h"

namespace weft::results {

// Errors: kInvalid for what is no such document, kLimit (those of weft/json).
Result<exec::ServiceAnswer> read_json_answer(std::string_view text);
// A document type declaration is refused: entities are of no use here, and a danger.
Result<exec::ServiceAnswer> read_xml_answer(std::string_view text);
// By the media type: JSON or XML. Errors: also kInvalid for another one.
Result<exec::ServiceAnswer> read_answer(std::string_view content_type, std::string_view text);

}  // namespace weft::results
