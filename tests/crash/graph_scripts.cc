// Scripts of writes to one branch: loads and mutations of all kinds.
#include "tests/crash/graph_at.h"
#include "tests/crash/hook_store.h"

namespace weft::crash {
namespace {

using base::Ulid;
using graph::LoadMode;

constexpr std::string_view kPublication = "__manifest/_versions/";
constexpr std::string_view kSeveral =
    R"({"type":"Person","data":{"name":"dee"}}
{"type":"Note","data":{"id":"n1","text":"x"}}
{"edge":"Knows","from":"dee","to":"ada","data":{"id":"k3"}}
)";
constexpr std::string_view kChanges =
    R"({"type":"Person","data":{"name":"dee","age":4}}
{"type":"Person","data":{"name":"ben"}}
{"edge":"Knows","from":"dee","to":"ada","data":{"id":"k1"}}
)";
constexpr std::string_view kAll =
    R"({"type":"Person","data":{"name":"eve"}}
{"edge":"Knows","from":"eve","to":"eve","data":{"id":"k9"}}
)";

std::string person(const std::string& name) {
  return R"({"type":"Person","data":{"name":")" + name + "\"}}\n";
}

std::string people(const std::string& letter, int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    lines += person(letter + std::to_string(i));
  }
  return lines;
}

Script::Step load(std::string lines, LoadMode mode, uint64_t waiting_rows_max = UINT64_MAX) {
  return [=](GraphAt& graph, Ulid operation) {
    return graph.load(lines,
                      {.mode = mode, .operation = operation, .waiting_rows_max = waiting_rows_max});
  };
}

Script::Step mutate(std::string body) {
  return [=](GraphAt& graph, Ulid operation) { return graph.mutate(body, operation); };
}

std::function<Status(GraphAt&)> loads(std::vector<std::string> lines) {
  return [=](GraphAt& graph) -> Status {
    for (const std::string& some : lines) {
      WEFT_TRY_STATUS(graph.load(some, {.mode = LoadMode::kMerge}));
    }
    return ok_status();
  };
}

std::vector<std::string> several_loads(int count) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    lines.push_back(person("q" + std::to_string(i)));
  }
  return lines;
}

// Told that others were there before it, strict work is done again by its caller.
Status again_if_told(GraphAt& graph, const Script::Step& step, Ulid operation) {
  const Status first = step(graph, operation);
  const bool is_told = !first.ok() && first.error().fact("reason") == "read-set-changed";
  return is_told ? step(graph, operation) : first;
}

// The second step is overtaken by the first one just before it publishes.
Script contention(std::string name, Script::Step first, Script::Step second) {
  Script script{.name = std::move(name), .steps = {first, second}};
  script.run = [first, second](GraphAt& graph, const std::vector<Ulid>& ids) -> Status {
    HookStore store(graph.store(), std::string(kPublication), [&] {
      GraphAt rival(graph.store(), 77);
      return first(rival, ids[0]);
    });
    GraphAt ours(store, 78);
    return again_if_told(ours, second, ids[1]);
  };
  return script;
}

}  // namespace

std::vector<Script> scripts_of_writes() {
  std::vector<Script> scripts;
  const auto add = [&](Script script) { scripts.push_back(std::move(script)); };
  add({.name = "Init",
       .steps = {[](GraphAt& graph, Ulid operation) { return graph.init(operation); }},
       .has_graph = false});
  add({.name = "InitAndFirstLoad",
       .steps = {[](GraphAt& graph, Ulid operation) { return graph.init(operation); },
                 load(std::string(kAll), LoadMode::kAppend)},
       .has_graph = false});
  add({.name = "AppendToSeveralTables", .steps = {load(std::string(kSeveral), LoadMode::kAppend)}});
  add({.name = "AppendWrittenAsItComes",
       .steps = {load(std::string(kSeveral), LoadMode::kAppend, 0)}});
  add({.name = "FirstRowsOfATable",
       .steps = {load(R"({"type":"Note","data":{"id":"n1","text":"x"}})", LoadMode::kAppend)}});
  add({.name = "Merge", .steps = {load(std::string(kChanges), LoadMode::kMerge)}});
  add({.name = "MergeWrittenAsItComes",
       .steps = {load(std::string(kChanges), LoadMode::kMerge, 0)}});
  add({.name = "Overwrite", .steps = {load(std::string(kAll), LoadMode::kOverwrite)}});
  add({.name = "OverwriteWrittenAsItComes",
       .steps = {load(std::string(kAll), LoadMode::kOverwrite, 0)}});
  add({.name = "TwoLoads",
       .steps = {load(person("x"), LoadMode::kAppend), load(person("y"), LoadMode::kAppend)}});
  add({.name = "LoadWithAKeySentTwice", .steps = {[](GraphAt& graph, Ulid) -> Status {
                                          for (int i = 0; i < 2; ++i) {
                                            WEFT_TRY_STATUS(graph.load(
                                                person("x"), {.idempotency_key = "once"}));
                                          }
                                          return ok_status();
                                        }}});
  add({.name = "LoadUponAnExpectedHead",
       .steps = {[](GraphAt& graph, Ulid operation) -> Status {
         WEFT_TRY(const auto view, catalog::open_latest(graph.place()));
         return graph.load(person("x"),
                           {.operation = operation, .expected_head = view.state().head.id});
       }}});
  add({.name = "KeysThatBecomeARun",
       .before = loads({people("r", 60)}),
       .steps = {load(people("s", 10), LoadMode::kAppend)}});
  add({.name = "KeysWhoseRunsAreMerged",
       .before = loads({people("r", 70)}),
       .steps = {load(people("s", 70), LoadMode::kAppend)}});
  add({.name = "SmallFragmentsAreFolded",
       .before = loads(several_loads(7)),
       .steps = {load(person("x"), LoadMode::kAppend), load(person("y"), LoadMode::kAppend)}});
  add({.name = "Insert", .steps = {mutate(R"(insert Person { name: "dee", age: 4 })")}});
  add({.name = "Upsert", .steps = {mutate(R"(insert Person { name: "ada", age: 9 })")}});
  add({.name = "Update", .steps = {mutate(R"(update Person set { age: 7 } where age > 1)")}});
  add({.name = "DeleteEdges", .steps = {mutate("delete Knows where since = 1")}});
  add({.name = "DeleteANodeWithItsEdges",
       .steps = {mutate(R"(delete Person where name = "ben")")}});
  add({.name = "DeleteAllRows", .steps = {mutate("delete Person where age > 0")}});
  add({.name = "SeveralStatements",
       .steps = {mutate(R"(insert Person { name: "dee", age: 4 } insert Person { name: "fay" } )"
                        R"(update Person set { age: 5 } where name = "dee")")}});
  add({.name = "DeleteAndInsertAgain",
       .steps = {mutate(R"(delete Person where name = "cy")"),
                 mutate(R"(insert Person { name: "cy", age: 33 })")}});
  add(contention("TwoAppends", load(person("x"), LoadMode::kAppend),
                 load(person("y"), LoadMode::kAppend)));
  add(contention("TwoMergesOfOneRow",
                 load(R"({"type":"Person","data":{"name":"ada","age":5}})", LoadMode::kMerge),
                 load(R"({"type":"Person","data":{"name":"ada","age":6}})", LoadMode::kMerge)));
  add(contention("AppendsToTwoTables",
                 load(R"({"type":"Note","data":{"id":"n1","text":"x"}})", LoadMode::kAppend),
                 load(person("y"), LoadMode::kAppend)));
  add(contention("UpdateThatIsOvertaken", load(person("x"), LoadMode::kAppend),
                 mutate(R"(update Person set { age: 7 } where name = "ada")")));
  add(contention("OverwriteThatIsOvertaken", load(person("x"), LoadMode::kAppend),
                 load(std::string(kAll), LoadMode::kOverwrite)));
  return scripts;
}

}  // namespace weft::crash
