// weft count: statements of RDF text, quads of segments and manifests.

#include <atomic>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/json_text.h"
#include "cli/rdf_options.h"

#include "weft/engine/graph.h"

namespace weft::cli {
namespace {

struct CountArguments {
  std::vector<std::string> targets;
  ReadOptions read;
};

class DiscardingSink final : public rdf::QuadSink {
 public:
  Status accept(std::span<const rdf::QuadView> /*quads*/) override { return ok_status(); }
};

bool is_graph(const std::string& target) {
  return target.ends_with(".rete") || target.ends_with(".json");
}

Result<uint64_t> count_text(const std::string& path, const ReadOptions& read, Session& session) {
  WEFT_TRY(const rdfio::Format format, choose_format(read.format, path, "--format"));
  WEFT_TRY(const rdfio::ParseOptions options, parse_options(read, path, session));
  WEFT_TRY(auto input, rdfio::open_input(path));
  DiscardingSink sink;
  rdfio::ParseReport report;
  if (rdfio::is_line_format(format)) {
    WEFT_TRY(report, rdfio::parse_lines_parallel(
                         *input, format, options, session.executor(),
                         [&sink](size_t /*worker*/) -> rdf::QuadSink& { return sink; }));
  } else {
    WEFT_TRY(report, rdfio::parse(*input, format, options, sink));
  }
  note_skipped(report, path, session);
  return report.statements;
}

Status count(const CountArguments& arguments, Session& session) {
  const auto environment = make_environment(session);
  uint64_t total = 0;
  for (const std::string& target : arguments.targets) {
    uint64_t quads = 0;
    if (is_graph(target)) {
      WEFT_TRY(const auto graph, engine::Graph::open(*environment, target));
      WEFT_TRY(quads, graph->fold().quad_count(session.stop()));
    } else {
      WEFT_TRY(quads, count_text(target, arguments.read, session));
    }
    total += quads;
  }
  if (session.options().json) {
    JsonText json;
    json.begin_object().field("schemaVersion", uint64_t{1}).field("quads", total).end_object();
    session.print(json.text() + "\n");
  } else {
    session.print(std::to_string(total) + "\n");
  }
  return ok_status();
}

}  // namespace

void add_count(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "count",
      "Count statements of RDF files, or visible quads of segments and manifests\n\n"
      "Example: weft count data.nt.gz more.ttl\n"
      "         weft count my.rete-manifest.json");
  const auto arguments = std::make_shared<CountArguments>();
  command->add_option("targets", arguments->targets, "RDF files, .rete files, manifests")
      ->required();
  add_read_options(*command, arguments->read);
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return count(*arguments, s); }; });
}

}  // namespace weft::cli
