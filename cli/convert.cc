// weft convert, weft count: RDF text through the parsers.

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/output_file.h"
#include "cli/rdf_options.h"
#include <fcntl.h>
#include <unistd.h>

#include "weft/rdfio/write.h"

namespace weft::cli {
namespace {

struct ConvertArguments {
  std::string input;
  std::string output = "-";
  std::string to;
  std::string write_triple_terms = "rdf12";
  bool replace = false;
  bool merge_graphs = false;
  ReadOptions read;
};

Status convert(const ConvertArguments& arguments, Session& session) {
  WEFT_TRY(const rdfio::Format from,
           choose_format(arguments.read.format, arguments.input, "--from"));
  WEFT_TRY(const rdfio::Format to, choose_format(arguments.to, arguments.output, "--to"));
  WEFT_TRY(rdfio::ParseOptions parse, parse_options(arguments.read, arguments.input, session));
  rdfio::WriteOptions write;
  WEFT_TRY(write.triple_terms, choose_triple_terms(arguments.write_triple_terms));
  write.gather_prefixes = true;
  write.merge_graphs = arguments.merge_graphs;
  WEFT_TRY(auto input, rdfio::open_input(arguments.input));
  WEFT_TRY(auto output, OutputFile::open(arguments.output, arguments.replace));
  const auto writer = rdfio::make_quad_writer(to, output->stream(), write);
  WEFT_TRY(const rdfio::ParseReport report, rdfio::parse(*input, from, parse, *writer));
  WEFT_TRY_STATUS(writer->finish());
  WEFT_TRY_STATUS(output->publish());
  note_skipped(report, arguments.input, session);
  if (session.options().json && arguments.output != "-") {
    JsonText json;
    json.begin_object()
        .field("statements", report.statements)
        .field("skipped", report.skipped)
        .end_object();
    session.print(json.text() + "\n");
  }
  return ok_status();
}

}  // namespace

void add_convert(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "convert",
      "Rewrite RDF text in another syntax\n\nExample: weft convert data.ttl.gz -o data.nq");
  const auto arguments = std::make_shared<ConvertArguments>();
  command->add_option("input", arguments->input, "RDF file, or - for standard input")->required();
  command->add_option("-o,--output", arguments->output, "Where to (default: standard output)");
  command->add_option("--to", arguments->to, "Syntax of the output (default: by file name)");
  command
      ->add_option("--output-triple-syntax", arguments->write_triple_terms,
                   "Spelling of triple terms: rdf12 <<( )>> or rdf-star << >>")
      ->check(CLI::IsMember({"rdf12", "rdf-star"}));
  command->add_flag("--collapse-graphs", arguments->merge_graphs,
                    "Write named graphs into a syntax that has none");
  command->add_flag("--replace", arguments->replace, "Replace an existing output");
  add_read_options(*command, arguments->read, "--from");
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return convert(*arguments, s); };
  });
}

}  // namespace weft::cli
