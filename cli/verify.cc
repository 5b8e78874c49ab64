// weft verify: every byte of a segment, or of all segments of a manifest.

#include "weft/rete/verify.h"

#include <set>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/json_text.h"
#include "cli/progress.h"
#include <fmt/format.h>

#include "weft/engine/graph.h"
#include "weft/journal/rewriter.h"
#include "weft/manifest/address.h"
#include "weft/manifest/manifest_store.h"

namespace weft::cli {
namespace {

struct VerifyArguments {
  std::string target;
};

void print_report(const rete::VerifyReport& report, size_t segments, Session& session) {
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("schemaVersion", uint64_t{1})
        .field("ok", true)
        .field("segments", uint64_t{segments})
        .field("bytes", report.bytes)
        .field("quads", report.quads)
        .field("terms", report.terms)
        .field("graphs", report.graphs)
        .field("blocks", report.blocks)
        .field("digests", report.digests)
        .end_object();
    session.print(json.text() + "\n");
    return;
  }
  session.print(fmt::format("OK: {}, {} quads, {} terms, {} blocks, {} digests\n",
                            readable_bytes(report.bytes), with_separators(report.quads),
                            with_separators(report.terms), with_separators(report.blocks),
                            with_separators(report.digests)));
}

Result<rete::VerifyReport> verify_segment(std::unique_ptr<storage::ObjectReader> reader,
                                          Session& session) {
  ProgressLine progress(session.clock(), !session.options().quiet);
  rete::VerifyOptions options;
  options.executor = &session.executor();
  options.stop = session.stop();
  options.progress = [&progress](const rete::VerifyProgress& state) {
    progress.update("verifying", state.done_bytes, state.total_bytes);
  };
  return rete::verify(std::move(reader), options);
}

// The pin first: a sound file in the place of another is damage, too.
Result<rete::VerifyReport> verify_pinned(engine::Environment& environment,
                                         const std::string& address,
                                         const manifest::SegmentPin& pin, Session& session) {
  WEFT_TRY(auto reader, environment.open_object(address));
  rete::SegmentOptions options = environment.segment_options();
  WEFT_TRY(auto for_pin, environment.open_object(address));
  WEFT_TRY(const auto segment, rete::Segment::open(std::move(for_pin), options));
  if (segment->facts().file_size != pin.size_bytes || segment->facts().content_hash != pin.hash) {
    return Error(ErrorKind::kCorrupt, "a segment does not match its pin")
        .with("segment", address)
        .with("size", segment->facts().file_size)
        .with("pinned_size", pin.size_bytes)
        .with("hash", manifest::hash_text(segment->facts().content_hash))
        .with("pinned_hash", manifest::hash_text(pin.hash));
  }
  return verify_segment(std::move(reader), session);
}

Status verify_journal(engine::Environment& environment, const std::string& path, Session& session) {
  const auto reader = environment.open_growing(path);
  if (!reader.ok()) {
    return reader.error().kind() == ErrorKind::kNotFound ? ok_status() : Status(reader.error());
  }
  journal::NullSink nobody;
  WEFT_TRY(const journal::JournalReport report, journal::read_journal(**reader, nobody));
  if (report.cut_bytes > 0) {
    session.note(fmt::format("weft: the journal has a torn tail, {} bytes at {}: {}",
                             report.cut_bytes, report.cut_offset, report.cut_reason));
  }
  return ok_status();
}

// All segments, each once, although one is damaged: the first damaged one is the error, the others
// are named.
Status verify_manifest(engine::Environment& environment, const std::string& target,
                       const manifest::Manifest& manifest, Session& session) {
  rete::VerifyReport sum;
  std::set<std::string> seen;
  std::optional<Error> first;
  for (size_t i = 0; i < manifest.log().size(); ++i) {
    for (const manifest::Role role : {manifest::Role::kAdds, manifest::Role::kDels}) {
      const auto& pin =
          role == manifest::Role::kAdds ? manifest.log()[i].adds : manifest.log()[i].dels;
      if (!pin.has_value() || !seen.insert(pin->url).second) {
        continue;
      }
      const auto report =
          verify_pinned(environment, manifest::resolve(target, pin->url), *pin, session);
      if (report.ok()) {
        sum.bytes += report->bytes;
        sum.quads += report->quads;
        sum.terms += report->terms;
        sum.graphs += report->graphs;
        sum.blocks += report->blocks;
        sum.digests += report->digests;
        continue;
      }
      if (report.error().kind() == ErrorKind::kCancelled) {
        return report.error();
      }
      Error error = report.error();
      error.add("place", fmt::format("log[{}].{}", i, manifest::role_name(role)));
      error.add("segment", pin->url);
      session.note("weft: " + error.to_string());
      first = first.has_value() ? first : error;
    }
  }
  if (first.has_value()) {
    return *first;
  }
  if (!engine::is_url(target)) {
    WEFT_TRY_STATUS(verify_journal(environment, journal::journal_of(target), session));
  }
  print_report(sum, seen.size(), session);
  return ok_status();
}

Status verify_target(const VerifyArguments& arguments, Session& session) {
  const auto environment = make_environment(session);
  WEFT_TRY(auto reader, environment->open_object(arguments.target));
  WEFT_TRY(const bool segment, engine::is_segment(*reader));
  if (!segment) {
    WEFT_TRY(const manifest::Manifest manifest, manifest::read_manifest(*reader));
    return verify_manifest(*environment, arguments.target, manifest, session);
  }
  WEFT_TRY(const rete::VerifyReport report, verify_segment(std::move(reader), session));
  print_report(report, 1, session);
  return ok_status();
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "verify",
      "Check every byte of a segment, or of all segments of a manifest and its journal\n\n"
      "Example: weft verify base.rete\n"
      "         weft verify my.rete-manifest.json");
  const auto arguments = std::make_shared<VerifyArguments>();
  command->add_option("target", arguments->target, "A .rete file, a manifest, or a URL of either")
      ->required();
  command->callback([arguments, &action] {
    action = [arguments](Session& s) { return verify_target(*arguments, s); };
  });
}

}  // namespace weft::cli
