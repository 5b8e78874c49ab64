// weft journal verify, repair, dump.

#include "weft/journal/journal.h"

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/json_text.h"
#include "cli/progress.h"
#include <fmt/format.h>
#include <unistd.h>

#include "weft/engine/local_paths.h"
#include "weft/journal/repair.h"
#include "weft/manifest/manifest_store.h"
#include "weft/quads/seal_mark.h"
#include "weft/storage/local_store.h"

namespace weft::cli {
namespace {

struct JournalArguments {
  std::string target;
  bool keep_later = false;
  bool dry_run = false;
};

// The journal of a graph, or the journal itself.
std::string named_journal(const std::string& target) {
  return target.ends_with(journal::kJournalSuffix) ? target : journal::journal_of(target);
}

// What the log beside the journal has taken in already.
Result<std::optional<journal::JournalPosition>> sealed_of(engine::Environment& environment,
                                                          const std::string& journal_path) {
  const std::string manifest_path =
      journal_path.substr(0, journal_path.size() - journal::kJournalSuffix.size());
  std::optional<journal::JournalPosition> none;
  if (!journal_path.ends_with(journal::kJournalSuffix) || !manifest_path.ends_with(".json")) {
    return none;
  }
  const auto reader = environment.open_object(manifest_path);
  if (!reader.ok()) {
    return reader.error().kind() == ErrorKind::kNotFound
               ? Result<std::optional<journal::JournalPosition>>(none)
               : Result<std::optional<journal::JournalPosition>>(reader.error());
  }
  WEFT_TRY(const manifest::Manifest manifest, manifest::read_manifest(**reader));
  const auto opener = environment.make_opener();
  WEFT_TRY(const auto segments, quads::SegmentSet::open(manifest.log(), manifest_path, *opener,
                                                        environment.fold_resources()));
  return quads::sealed_position(manifest, *segments);
}

void print_report(const journal::JournalReport& report, Session& session) {
  if (session.options().json) {
    JsonText json;
    json.begin_object()
        .field("schemaVersion", uint64_t{1})
        .field("bytes", report.size_bytes)
        .field("commits", report.commit_count)
        .field("sealed_commits", report.sealed_commits)
        .field("changes", report.change_count)
        .field("unmarked_changes", report.unmarked_changes)
        .field("journal", std::string_view(report.journal_id))
        .field("sequence", report.last_sequence)
        .field("cut_bytes", report.cut_bytes)
        .field("cut_offset", report.cut_offset)
        .field("cut_reason", std::string_view(report.cut_reason))
        .end_object();
    session.print(json.text() + "\n");
    return;
  }
  session.print(fmt::format("OK: {} changes in {} commits, last sequence {}\n",
                            with_separators(report.change_count),
                            with_separators(report.commit_count), report.last_sequence));
  if (report.unmarked_changes > 0) {
    session.print(fmt::format("  {} changes of other writers, without marks\n",
                              with_separators(report.unmarked_changes)));
  }
  if (report.sealed_commits > 0) {
    session.print(fmt::format("  {} commits are sealed already and do not count\n",
                              with_separators(report.sealed_commits)));
  }
  if (report.cut_bytes > 0) {
    session.print(fmt::format("  torn tail: {} bytes at {} (line {}) do not count: {}\n",
                              report.cut_bytes, report.cut_offset, report.cut_line,
                              report.cut_reason));
  }
}

class Printer final : public journal::ChangeSink {
 public:
  explicit Printer(Session* session) : session_(session) {}
  Status change(bool insert, const rdf::QuadView& quad) override {
    if (session_ != nullptr) {
      line_.clear();
      journal::append_line(line_, insert, quad);
      session_->print(line_);
    }
    return ok_status();
  }

 private:
  Session* session_;
  std::string line_;
};

Status read(const JournalArguments& arguments, bool prints, Session& session) {
  const auto environment = make_environment(session);
  const std::string path = named_journal(arguments.target);
  WEFT_TRY(const auto sealed, sealed_of(*environment, path));
  WEFT_TRY(const auto reader, environment->open_growing(path));
  Printer printer(prints ? &session : nullptr);
  WEFT_TRY(const journal::JournalReport report, journal::read_journal(*reader, printer, sealed));
  if (!prints) {
    print_report(report, session);
  }
  return ok_status();
}

Status verify(const JournalArguments& arguments, Session& session) {
  return read(arguments, false, session);
}

Status dump(const JournalArguments& arguments, Session& session) {
  return read(arguments, true, session);
}

Status repair(const JournalArguments& arguments, Session& session) {
  const auto environment = make_environment(session);
  const std::string path = named_journal(arguments.target);
  WEFT_TRY(const auto sealed, sealed_of(*environment, path));
  const auto [folder, name] = engine::split_path(path);
  WEFT_TRY(const auto store, storage::open_local_store(folder));
  WEFT_TRY(const auto right,
           store->hold(name, {.holder = "pid " + std::to_string(::getpid()) + " (weft journal)",
                              .wait_ms = 0}));
  base::Random random = base::Random::from_system();
  WEFT_TRY(const journal::RepairReport report,
           journal::repair_journal(
               *store, name,
               {.keep_later = arguments.keep_later, .dry_run = arguments.dry_run, .sealed = sealed},
               random));
  for (const journal::RepairReport::Lost& lost : report.lost) {
    session.print(fmt::format("{}: {} bytes at {} (line {}): {}\n",
                              arguments.dry_run ? "would drop" : "dropped", lost.size, lost.offset,
                              lost.line, lost.reason));
  }
  session.print(
      fmt::format("{} {} changes in {} commits\n", arguments.dry_run ? "would keep" : "kept",
                  with_separators(report.kept_changes), with_separators(report.kept_commits)));
  if (!report.kept_as.empty()) {
    session.note("the journal as it was: " + folder + (folder.ends_with('/') ? "" : "/") +
                 report.kept_as);
  }
  return ok_status();
}

CLI::App* add_one(CLI::App& group, const char* name, const char* text,
                  Status (*run)(const JournalArguments&, Session&),
                  const std::shared_ptr<JournalArguments>& arguments, Action& action) {
  CLI::App* command = group.add_subcommand(name, text);
  command->add_option("target", arguments->target, "A manifest, a .rete file, or a journal")
      ->required();
  command->callback([arguments, run, &action] {
    action = [arguments, run](Session& s) { return run(*arguments, s); };
  });
  return command;
}

}  // namespace

void add_journal(CLI::App& app, Action& action) {
  CLI::App* group = app.add_subcommand("journal", "The journal of a graph that is updated");
  group->require_subcommand(1);
  group->fallthrough();
  add_one(*group, "verify",
          "Check every commit\n\nExample: weft journal verify my.rete-manifest.json", verify,
          std::make_shared<JournalArguments>(), action);
  add_one(*group, "dump",
          "Print the changes that count\n\nExample: weft journal dump my.rete-manifest.json", dump,
          std::make_shared<JournalArguments>(), action);
  const auto arguments = std::make_shared<JournalArguments>();
  CLI::App* command =
      add_one(*group, "repair",
              "Drop what is damaged, and keep the old journal beside the new one\n\n"
              "Example: weft journal repair my.rete-manifest.json --dry-run",
              repair, arguments, action);
  command->add_flag("--keep-later", arguments->keep_later,
                    "Keep whole commits behind the damage, too");
  command->add_flag("--dry-run", arguments->dry_run, "Say what would be dropped, and do nothing");
}

}  // namespace weft::cli
