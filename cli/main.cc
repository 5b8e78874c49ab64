// The program `weft`: reads the command line, runs one command, turns its error into a message and
// an exit code.

#include <cstdio>
#include <string>

#include "cli/commands.h"
#include "cli/json_text.h"

namespace weft::cli {
namespace {

constexpr const char* kVersion = "0.1.0";

// Facts that are errors themselves stand on lines of their own, for there may be many.
bool is_error_of_many(const Error::Fact& fact) {
  return fact.key == "violation" || fact.key == "error";
}

std::string error_text(const Error& error) {
  const std::string_view kind = error_kind_name(error.kind());
  std::string text = "weft: " + error.message();
  std::string lines;
  const char* separator = ": ";
  for (const Error::Fact& fact : error.facts()) {
    if (is_error_of_many(fact)) {
      lines += "\n  " + fact.value;
      continue;
    }
    text += separator + fact.key + "=" + fact.value;
    separator = ", ";
  }
  return text + " [" + std::string(kind) + "]" + lines + "\n";
}

void report(const Error& error, bool json) {
  if (json) {
    const std::string text = error_json(error);
    std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  std::fputs(error_text(error).c_str(), stderr);
}

void add_shared_options(CLI::App& app, SharedOptions& shared) {
  app.add_flag("--json", shared.json, "Result as JSON; an error as JSON on standard error");
  app.add_flag("--quiet", shared.quiet, "No notes and no progress");
  app.add_option("--threads", shared.thread_count,
                 "At most this many threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--verify-remote", shared.verify_remote,
               "Check files of other programs over HTTP too, which fetches all of them");
  app.add_option("--memory", shared.memory_mib,
                 "Memory budget in MiB (default: a quarter of the machine's memory)")
      ->check(CLI::Range(32, 1 << 24));
}

// The word that was meant as a command and is none; empty if there is no such word.
std::string_view unknown_command(const CLI::App& app, int argc, char** argv) {
  if (!app.get_subcommands().empty()) {
    return {};
  }
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') {
      return argv[i];
    }
  }
  return {};
}

int run(int argc, char** argv) {
  CLI::App app{
      "weft: a versioned graph store on plain files\n\n"
      "  weft build people.ttl -o base.rete\n"
      "  weft query base.rete \"SELECT * WHERE { ?s ?p ?o } LIMIT 10\"\n"
      "  weft manifest init my.rete-manifest.json base.rete"};
  app.name("weft");
  app.set_version_flag("--version", std::string("weft ") + kVersion);
  app.require_subcommand(1);
  app.fallthrough();
  SharedOptions shared;
  add_shared_options(app, shared);
  Action action;
  add_build(app, action);
  add_query(app, action);
  add_federate(app, action);
  add_update(app, action);
  add_manifest(app, action);
  add_journal(app, action);
  add_serve(app, action);
  add_info(app, action);
  add_verify(app, action);
  add_dump(app, action);
  add_merge(app, action);
  add_convert(app, action);
  add_count(app, action);
  add_lance(app, action);
  add_lint(app, action);
  add_init(app, action);
  add_load(app, action);
  add_mutate(app, action);
  add_export(app, action);
  add_schema(app, action);
  add_commit(app, action);
  add_snapshot(app, action);
  add_branch(app, action);
  add_graph_diff(app, action);
  add_repair(app, action);
  add_cleanup(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::string_view word = unknown_command(app, argc, argv);
    if (error.get_exit_code() != 0 && !word.empty()) {
      report(Error(ErrorKind::kInvalid, "no such command; see weft --help").with("command", word),
             shared.json);
      return exit_code(ErrorKind::kInvalid);
    }
    const int code = app.exit(error);
    return code == 0 ? 0 : exit_code(ErrorKind::kInvalid);
  }
  install_signal_handlers();
  Session session(shared);
  Status status = action(session);
  if (status.ok()) {
    status = session.flush();
  } else {
    // What was printed before the error stays, and comes first.
    const Status flushed = session.flush();
    static_cast<void>(flushed);
  }
  if (!status.ok()) {
    report(status.error(), shared.json);
    return exit_code(status.error().kind());
  }
  return 0;
}

}  // namespace
}  // namespace weft::cli

int main(int argc, char** argv) {
  return weft::cli::run(argc, argv);
}
