// Options that several commands share because they read or write RDF text.
#pragma once

#include <string>

#include "cli/session.h"
#include <CLI/CLI.hpp>

#include "weft/base/result.h"
#include "weft/rdfio/parse.h"

namespace weft::cli {

struct ReadOptions {
  std::string format;
  std::string base_iri;
  std::string triple_terms = "rdf12";
  bool lenient = false;
};

// Adds --format (under `format_option`), --base, --lenient, --quoted-triple-syntax.
void add_read_options(CLI::App& command, ReadOptions& options,
                      const std::string& format_option = "--format");

// The format named, or that of `path`. Errors: kInvalid says how to name one.
Result<rdfio::Format> choose_format(const std::string& named, const std::string& path,
                                    const std::string& option);

Result<rdfio::TripleTermSyntax> choose_triple_terms(const std::string& name);

// For parse(): names `path` in messages, prints warnings as they come, stops with the session.
Result<rdfio::ParseOptions> parse_options(const ReadOptions& options, const std::string& path,
                                          Session& session);

// A note for the reader if statements were skipped.
void note_skipped(const rdfio::ParseReport& report, const std::string& path, Session& session);

}  // namespace weft::cli
