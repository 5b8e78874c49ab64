#include "cli/rdf_options.h"

#include "cli/progress.h"

namespace weft::cli {

void add_read_options(CLI::App& command, ReadOptions& options, const std::string& format_option) {
  command.add_option(format_option, options.format,
                     "Syntax of the input: nt, nq, ttl, trig, rdfxml (default: by file name)");
  command.add_option("--base", options.base_iri, "Base of relative IRIs");
  command.add_flag("--lenient", options.lenient, "Report and skip bad statements");
  command
      .add_option("--quoted-triple-syntax", options.triple_terms,
                  "What << s p o >> means: rdf12 (a reifier) or rdf-star (the triple itself)")
      ->check(CLI::IsMember({"rdf12", "rdf-star"}));
}

Result<rdfio::Format> choose_format(const std::string& named, const std::string& path,
                                    const std::string& option) {
  if (!named.empty()) {
    const std::optional<rdfio::Format> format = rdfio::format_by_name(named);
    if (!format) {
      return Error(ErrorKind::kInvalid, "unknown RDF syntax; take nt, nq, ttl, trig or rdfxml")
          .with(option, named);
    }
    return *format;
  }
  const std::optional<rdfio::Format> format = rdfio::format_by_file_name(path);
  if (!format) {
    return Error(ErrorKind::kInvalid, "cannot tell the RDF syntax from the file name; name it")
        .with("file", path)
        .with("option", option);
  }
  return *format;
}

Result<rdfio::TripleTermSyntax> choose_triple_terms(const std::string& name) {
  for (const auto syntax : {rdfio::TripleTermSyntax::kRdf12, rdfio::TripleTermSyntax::kRdfStar}) {
    if (rdfio::triple_term_syntax_name(syntax) == name) {
      return syntax;
    }
  }
  return Error(ErrorKind::kInvalid, "unknown triple-term syntax; take rdf12 or rdf-star")
      .with("value", name);
}

Result<rdfio::ParseOptions> parse_options(const ReadOptions& options, const std::string& path,
                                          Session& session) {
  rdfio::ParseOptions parse;
  parse.base_iri = options.base_iri;
  parse.file_name = path;
  parse.lenient = options.lenient;
  parse.stop = session.stop();
  WEFT_TRY(parse.triple_terms, choose_triple_terms(options.triple_terms));
  parse.on_warning = [&session, shown = size_t{0}](const Error& warning) mutable {
    if (++shown <= rdfio::kWarningsMax) {
      session.note("weft: skipped: " + warning.to_string());
    }
  };
  return parse;
}

void note_skipped(const rdfio::ParseReport& report, const std::string& path, Session& session) {
  if (report.skipped > 0) {
    session.note("weft: " + path + ": skipped " + with_separators(report.skipped) +
                 " bad statements");
  }
}

}  // namespace weft::cli
