// weft dump: the quads of a segment or manifest as RDF text.

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/output_file.h"
#include "cli/rdf_options.h"

#include "weft/engine/graph.h"
#include "weft/quads/dump_fold.h"
#include "weft/rdfio/write.h"

namespace weft::cli {
namespace {

struct DumpArguments {
  std::string target;
  std::string output = "-";
  std::string format;
  std::string triple_terms = "rdf12";
  bool merge_graphs = false;
  bool replace = false;
};

Result<rdfio::Format> dump_format(const DumpArguments& arguments) {
  if (arguments.format.empty() && arguments.output == "-") {
    return rdfio::Format::kNQuads;
  }
  return choose_format(arguments.format, arguments.output, "--format");
}

Status dump(const DumpArguments& arguments, Session& session) {
  WEFT_TRY(const rdfio::Format format, dump_format(arguments));
  rdfio::WriteOptions options;
  WEFT_TRY(options.triple_terms, choose_triple_terms(arguments.triple_terms));
  options.gather_prefixes = true;
  options.merge_graphs = arguments.merge_graphs;
  const auto environment = make_environment(session);
  WEFT_TRY(const auto graph, engine::Graph::open(*environment, arguments.target));
  WEFT_TRY(auto output, OutputFile::open(arguments.output, arguments.replace));
  const auto writer = rdfio::make_quad_writer(format, output->stream(), options);
  WEFT_TRY_STATUS(quads::dump_fold(graph->fold(), *writer, {}, session.stop()));
  WEFT_TRY_STATUS(writer->finish());
  return output->publish();
}

}  // namespace

void add_dump(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("dump",
                         "Write the quads of a segment or a manifest as RDF text\n\n"
                         "Example: weft dump base.rete > base.nq\n"
                         "         weft dump my.rete-manifest.json -o all.trig");
  const auto arguments = std::make_shared<DumpArguments>();
  command->add_option("target", arguments->target, "A .rete file, a manifest, or a URL")
      ->required();
  command->add_option("-o,--output", arguments->output, "Where to (default: standard output)");
  command->add_option("--format", arguments->format,
                      "nq, nt, ttl, trig, rdfxml (default: by file name, else nq)");
  command
      ->add_option("--quoted-triple-syntax", arguments->triple_terms,
                   "Spelling of triple terms: rdf12 <<( )>> or rdf-star << >>")
      ->check(CLI::IsMember({"rdf12", "rdf-star"}));
  command->add_flag("--collapse-graphs", arguments->merge_graphs,
                    "Write named graphs into a syntax that has none");
  command->add_flag("--replace", arguments->replace, "Replace an existing output");
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return dump(*arguments, s); }; });
}

}  // namespace weft::cli
