// weft verify: every byte of a segment, or of all segments of a manifest.

#include "weft/rete/verify.h"

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/json_text.h"
#include "cli/progress.h"
#include <fmt/format.h>

namespace weft::cli {
namespace {

struct VerifyArguments {
  std::string target;
};

Status verify_segment(const VerifyArguments& arguments, Session& session) {
  const auto environment = make_environment(session);
  WEFT_TRY(auto reader, environment->open_object(arguments.target));
  ProgressLine progress(session.clock(), !session.options().quiet);
  rete::VerifyOptions options;
  options.executor = &session.executor();
  options.stop = session.stop();
  options.progress = [&progress](const rete::VerifyProgress& state) {
    progress.update("verifying", state.done_bytes, state.total_bytes);
  };
  WEFT_TRY(const rete::VerifyReport report, rete::verify(std::move(reader), options));
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("schemaVersion", uint64_t{1})
        .field("ok", true)
        .field("bytes", report.bytes)
        .field("quads", report.quads)
        .field("terms", report.terms)
        .field("graphs", report.graphs)
        .field("blocks", report.blocks)
        .field("digests", report.digests)
        .end_object();
    session.print(json.text() + "\n");
  } else {
    session.print(fmt::format("OK: {}, {} quads, {} terms, {} blocks, {} digests\n",
                              readable_bytes(report.bytes), with_separators(report.quads),
                              with_separators(report.terms), with_separators(report.blocks),
                              with_separators(report.digests)));
  }
  return ok_status();
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "verify", "Check every byte of a segment\n\nExample: weft verify base.rete");
  const auto arguments = std::make_shared<VerifyArguments>();
  command->add_option("target", arguments->target, "A .rete file or URL")->required();
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return verify_segment(*arguments, s); };
  });
}

}  // namespace weft::cli
