// The writers behind make_result_writer (result_writer.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "weft/results/result_writer.h"

namespace weft::results {

std::unique_ptr<ResultWriter> make_table_writer(rdfio::OutputStream& output);
std::unique_ptr<ResultWriter> make_json_writer(rdfio::OutputStream& output);
std::unique_ptr<ResultWriter> make_xml_writer(rdfio::OutputStream& output);
std::unique_ptr<ResultWriter> make_csv_writer(rdfio::OutputStream& output);
std::unique_ptr<ResultWriter> make_tsv_writer(rdfio::OutputStream& output);

// True if Turtle and SPARQL read `token` back from its bare lexical form: canonical-looking
// xsd:integer, xsd:decimal (with a point) and xsd:double (with an exponent).
bool has_bare_form(std::string_view token);
// `token` as SPARQL spells it, numbers bare where has_bare_form.
void append_short_term(std::string& out, std::string_view token);

// Columns that `text` (UTF-8) takes on a terminal: wide characters two, combining ones none.
size_t display_width(std::string_view text);

}  // namespace weft::results
