// Scripts of branches, and of a graph that other programs work on.
#include "tests/crash/graph_at.h"
#include "tests/crash/hook_store.h"

namespace weft::crash {
namespace {

using base::Ulid;

constexpr std::string_view kPerson = R"({"type":"Person","data":{"name":"x","age":1}})";
constexpr std::string_view kPersonAndEdge =
    R"({"type":"Person","data":{"name":"y"}}
{"edge":"Knows","from":"y","to":"ada","data":{"id":"k3"}}
)";

Script::Step write(std::string branch, std::string_view lines = kPerson) {
  return [=](GraphAt& graph, Ulid operation) {
    return graph.load(lines,
                      {.mode = graph::LoadMode::kMerge, .branch = branch, .operation = operation});
  };
}

Script::Step make(std::string name, std::string from = "main") {
  return [=](GraphAt& graph, Ulid) {
    return graph.branch(name, {.branch = from, .at = graph::Newest()});
  };
}

Script::Step end(std::string name) {
  return [=](GraphAt& graph, Ulid) { return graph.delete_branch(name); };
}

// Steps without faults.
std::function<Status(GraphAt&)> prepared(std::vector<Script::Step> steps) {
  return [=](GraphAt& graph) -> Status {
    for (const Script::Step& step : steps) {
      WEFT_TRY_STATUS(step(graph, graph.ulid()));
    }
    return ok_status();
  };
}

using Act = Status (GraphAt::*)(std::string_view);
Script::Step other(Act act, std::string_view key = "node:Person") {
  return [=](GraphAt& graph, Ulid) { return (graph.*act)(key); };
}

// The last step while `rival` happens just before a name with `prefix` is created.
Script contention(std::string name, std::function<Status(GraphAt&)> before, std::string prefix,
                  Script::Step rival, Script::Step ours) {
  Script script{.name = std::move(name), .before = std::move(before), .steps = {rival, ours}};
  script.run = [=](GraphAt& graph, const std::vector<Ulid>& ids) -> Status {
    HookStore store(graph.store(), prefix, [&] {
      GraphAt another(graph.store(), 77);
      return rival(another, ids[0]);
    });
    GraphAt own(store, 78);
    return ours(own, ids[1]);
  };
  return script;
}

}  // namespace

std::vector<Script> scripts_of_branches() {
  std::vector<Script> scripts;
  const auto add = [&](Script script) { scripts.push_back(std::move(script)); };
  add({.name = "CreateABranch", .steps = {make("b")}});
  add({.name = "CreateAndWriteABranch", .steps = {make("b"), write("b")}});
  add({.name = "FirstWriteOfABranch", .before = prepared({make("b")}), .steps = {write("b")}});
  add({.name = "FirstWriteOfABranchToTwoTables",
       .before = prepared({make("b")}),
       .steps = {write("b", kPersonAndEdge)}});
  add({.name = "AnotherTableOfABranchIsForkedLater",
       .before = prepared({make("b"), write("b")}),
       .steps = {write("b", kPersonAndEdge)}});
  add({.name = "DeleteOnABranch",
       .before = prepared({make("b")}),
       .steps = {[](GraphAt& graph, Ulid operation) {
         return graph.mutate(R"(delete Person where name = "ben")", operation, "b");
       }}});
  add({.name = "BranchOfABranch",
       .before = prepared({make("b"), write("b")}),
       .steps = {make("c", "b"), write("c", kPersonAndEdge)}});
  add({.name = "MainGoesOnBesideABranch",
       .before = prepared({make("b"), write("b")}),
       .steps = {write("main", kPersonAndEdge)}});
  add({.name = "DeleteABranch", .before = prepared({make("b")}), .steps = {end("b")}});
  add({.name = "DeleteAWrittenBranch",
       .before = prepared({make("b"), write("b")}),
       .steps = {end("b")}});
  add({.name = "ABranchIsMadeAgainAndWritten",
       .before = prepared({make("b"), write("b"), end("b")}),
       .steps = {make("b"), write("b", kPersonAndEdge)}});
  add(contention("TwoFirstWritesOfABranch", prepared({make("b")}), "__manifest/tree/", write("b"),
                 write("b", kPersonAndEdge)));
  return scripts;
}

std::vector<Script> scripts_with_others() {
  std::vector<Script> scripts;
  const auto add = [&](Script script) { scripts.push_back(std::move(script)); };
  const Script::Step more = write("main", kPersonAndEdge);
  const Script::Step compact = other(&GraphAt::compact);
  const Script::Step touch = other(&GraphAt::touch);
  const Script::Step lose_head = other(&GraphAt::lose_head);
  add({.name = "TheHeadIsMissing",
       .before = prepared({write("main"), lose_head}),
       .steps = {more}});
  add({.name = "UponACompaction", .before = prepared({write("main"), compact}), .steps = {more}});
  add({.name = "UponAVersionWithoutChanges", .before = prepared({touch}), .steps = {more}});
  add({.name = "UponACompactionThatWasCleaned",
       .before = prepared({write("main"), compact, other(&GraphAt::clean)}),
       .steps = {more}});
  add({.name = "UponATakenNumber",
       .before = prepared({write("main"), write("main", R"({"type":"Person","data":{"name":"z"}})"),
                           lose_head, compact}),
       .steps = {more}});
  add({.name = "UponATag", .before = prepared({other(&GraphAt::tag)}), .steps = {more}});
  add({.name = "BesideRowsOfOthersInAnotherTable",
       .before = prepared({other(&GraphAt::append_foreign_row, "edge:Knows")}),
       .steps = {write("main")}});
  add(contention("ACompactionBeforeThePublication", prepared({write("main")}),
                 "__manifest/_versions/", compact, more));
  add(contention("AnotherVersionBeforeThePublication", {}, "__manifest/_versions/", touch, more));
  add(contention(
      "AReaderBesideAWrite", {}, "__manifest/_versions/",
      [](GraphAt& graph, Ulid) -> Status {
        WEFT_TRY(const std::string text, graph.state());
        return text.find("-- main") == 0
                   ? ok_status()
                   : Status(Error(ErrorKind::kInternal, "not what was published"));
      },
      more));
  return scripts;
}

}  // namespace weft::crash
