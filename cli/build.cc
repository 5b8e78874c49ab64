// weft build: RDF files to one segment.

#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/progress.h"
#include "cli/rdf_options.h"
#include "cli/segment_output.h"
#include "cli/text_file.h"
#include <fmt/format.h>

#include "weft/codec/blake3.h"
#include "weft/quads/ingest.h"

namespace weft::cli {
namespace {

struct BuildArguments {
  std::vector<std::string> inputs;
  std::string blank_nodes = "scope";
  bool collapse_graphs = false;
  SegmentOutputOptions output;
  ReadOptions read;
};

Result<quads::IngestOptions> ingest_options(const BuildArguments& arguments, Session& session) {
  quads::IngestOptions options;
  if (!arguments.read.format.empty()) {
    WEFT_TRY(options.format, choose_format(arguments.read.format, "", "--format"));
  }
  options.blank_nodes = arguments.blank_nodes == "keep" ? quads::BlankNodeScope::kKeep
                                                        : quads::BlankNodeScope::kDocument;
  options.collapse_graphs = arguments.collapse_graphs;
  WEFT_TRY(options.parse, parse_options(arguments.read, "", session));
  return options;
}

Status build(const BuildArguments& arguments, Session& session) {
  WEFT_TRY(const quads::IngestOptions options, ingest_options(arguments, session));
  ProgressLine progress(session.clock(), !session.options().quiet);
  WEFT_TRY(rete::BuildOptions build_with,
           build_options(arguments.output.content, session, progress));
  WEFT_TRY(auto output, SegmentOutput::open(arguments.output, std::move(build_with), session));
  WEFT_TRY(const quads::IngestReport read,
           quads::ingest(arguments.inputs, options, session.executor(), output->scratch(),
                         output->builder(), session.stop()));
  if (read.skipped > 0) {
    session.note("weft: skipped " + with_separators(read.skipped) + " bad statements");
  }
  return output->publish();
}

}  // namespace

void add_build(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("build",
                         "Build a segment from RDF files\n\n"
                         "Example: weft build people.ttl -o base.rete\n"
                         "         zcat big.nt.gz | weft build - --format nt -o big.rete");
  const auto arguments = std::make_shared<BuildArguments>();
  command->add_option("inputs", arguments->inputs, "RDF files; - is standard input")->required();
  command
      ->add_option("--blank-nodes", arguments->blank_nodes,
                   "Labels: scope (unique to their document) or keep (as they stand)")
      ->check(CLI::IsMember({"scope", "keep"}));
  command->add_flag("--collapse-graphs", arguments->collapse_graphs,
                    "Put everything into the default graph");
  add_read_options(*command, arguments->read);
  add_segment_output_options(*command, arguments->output);
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return build(*arguments, s); }; });
}

}  // namespace weft::cli
