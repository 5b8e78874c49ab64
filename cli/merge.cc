// weft merge: several segments to one.

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/segment_output.h"

#include "weft/quads/merge_segments.h"

namespace weft::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> inputs;
  SegmentOutputOptions output;
};

Status merge(const MergeArguments& arguments, Session& session) {
  const auto environment = make_environment(session);
  std::vector<std::shared_ptr<rete::Segment>> segments;
  for (const std::string& input : arguments.inputs) {
    WEFT_TRY(auto segment, environment->open_segment(input));
    segments.push_back(std::move(segment));
  }
  ProgressLine progress(session.clock(), !session.options().quiet);
  WEFT_TRY(rete::BuildOptions options, build_options(arguments.output.content, session, progress));
  WEFT_TRY_STATUS(quads::merge_options(segments, session.executor(), options));
  WEFT_TRY(auto output, SegmentOutput::open(arguments.output, std::move(options), session));
  WEFT_TRY_STATUS(
      quads::merge_into(segments, session.executor(), output->builder(), session.stop()));
  return output->publish();
}

}  // namespace

void add_merge(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "merge", "Make one segment of several\n\nExample: weft merge a.rete b.rete -o both.rete");
  const auto arguments = std::make_shared<MergeArguments>();
  // The inputs' own permutations decide, and asking for six adds the others.
  arguments->output.content.permutations = 3;
  command->add_option("inputs", arguments->inputs, ".rete files or URLs")->required();
  add_segment_output_options(*command, arguments->output);
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return merge(*arguments, s); }; });
}

}  // namespace weft::cli
