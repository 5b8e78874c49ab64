// weft manifest status: the log, the pins, the journal.

#include "cli/json_text.h"
#include "cli/manifest_commands.h"
#include "cli/manifest_target.h"
#include "cli/progress.h"
#include <fmt/format.h>

namespace weft::cli {
namespace {

struct StatusArguments {
  std::string manifest;
  quads::StatusRequest request;
};

void journal_json(const quads::StatusReport& report, JsonText& json) {
  json.key("journal");
  if (!report.journal_address) {
    json.null();
    return;
  }
  json.begin_object().field("path", std::string_view(*report.journal_address));
  if (report.journal) {
    json.field("changes", report.journal->change_count)
        .field("commits", report.journal->commit_count)
        .field("cut_bytes", report.journal->cut_bytes);
  }
  json.key("error");
  report.journal_error ? json.value(std::string_view(report.journal_error->to_string()))
                       : json.null();
  json.end_object();
}

std::string status_json(const quads::StatusReport& report) {
  JsonText json;
  json.begin_object()
      .field("schemaVersion", uint64_t{1})
      .field("name", std::string_view(report.name))
      .field("generation", report.generation)
      .field("entries", uint64_t{report.log_entries})
      .field("verified", report.verified());
  json.key("visible_quads");
  report.visible_quads ? json.value(*report.visible_quads) : json.null();
  journal_json(report, json);
  json.key("segments").begin_array();
  for (const quads::SegmentStatus& segment : report.segments) {
    json.begin_object()
        .field("entry", uint64_t{segment.entry})
        .field("role", manifest::role_name(segment.role))
        .field("url", std::string_view(segment.pin.url))
        .field("size", segment.pin.size_bytes)
        .field("blake3_16", std::string_view(manifest::hash_text(segment.pin.hash)))
        .field("ok", !segment.error.has_value())
        .field("checked", segment.is_checked)
        .field("quads", segment.quad_count)
        .field("pyramid", segment.has_pyramid);
    json.key("error");
    segment.error ? json.value(std::string_view(segment.error->to_string())) : json.null();
    json.end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

std::string status_text(const quads::StatusReport& report) {
  std::string text = fmt::format("{} — generation {}, {} log {}\n", report.name, report.generation,
                                 report.log_entries, report.log_entries == 1 ? "entry" : "entries");
  for (const quads::SegmentStatus& segment : report.segments) {
    text += fmt::format("  [{}] {} {} ({} bytes, blake3 {}) ", segment.entry,
                        manifest::role_name(segment.role), segment.pin.url, segment.pin.size_bytes,
                        manifest::hash_text(segment.pin.hash));
    text += segment.error        ? "MISMATCH — " + segment.error->to_string()
            : segment.is_checked ? "ok"
                                 : "ok, content not checked (see --verify-remote)";
    text += segment.has_pyramid ? ", pyramid\n" : "\n";
  }
  if (report.journal_address) {
    text += "  journal " + *report.journal_address;
    if (report.journal) {
      text += fmt::format(": {} changes folded in, not sealed", report.journal->change_count);
      if (report.journal->cut_bytes > 0) {
        text += fmt::format("; torn tail of {} bytes ignored from line {} ({})",
                            report.journal->cut_bytes, report.journal->cut_line,
                            report.journal->cut_reason);
      }
    } else if (report.journal_error) {
      text += ": " + report.journal_error->to_string();
    }
    text += "\n";
  }
  if (report.visible_quads) {
    text += fmt::format("  visible quads: {}\n", *report.visible_quads);
  }
  return text;
}

Status status(const StatusArguments& arguments, Session& session) {
  WEFT_TRY(const auto target, ManifestTarget::open(arguments.manifest, {}, {}, "", session));
  quads::StatusRequest request = arguments.request;
  request.stop = session.stop();
  WEFT_TRY(const quads::StatusReport report, target->log().status(request));
  session.print(session.options().json ? status_json(report) : status_text(report));
  if (report.verified()) {
    return ok_status();
  }
  Error failure(ErrorKind::kCorrupt, "one or more segments no longer match their manifest pins");
  failure.add("manifest", arguments.manifest);
  for (const quads::SegmentStatus& segment : report.segments) {
    if (segment.error) {
      failure.add("segment", segment.pin.url);
    }
  }
  if (report.journal_error) {
    failure.add("journal", report.journal_error->to_string());
  }
  return failure;
}

}  // namespace

void add_status(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("status",
                           "Tell the log, its pins and the journal\n\n"
                           "Example: weft manifest status my.rete-manifest.json --count --verify");
  const auto arguments = std::make_shared<StatusArguments>();
  command->add_option("manifest", arguments->manifest, "NAME.rete-manifest.json")->required();
  command->add_flag("--count", arguments->request.count, "Count the visible quads");
  command->add_flag("--verify", arguments->request.verify, "Check every byte of every segment");
  command->callback(
      [arguments, &action] { action = [arguments](Session& s) { return status(*arguments, s); }; });
}

}  // namespace weft::cli
