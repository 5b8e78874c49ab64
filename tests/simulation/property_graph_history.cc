#include "tests/simulation/property_graph_history.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "weft/catalog/pinned_table.h"
#include "weft/codec/stream.h"
#include "weft/graph/export.h"
#include "weft/graph/snapshot.h"
#include "weft/lance/rows/table_reader.h"
#include "weft/txn/write.h"

namespace weft::simulation {

namespace {

Result<std::string> text_at(const catalog::CatalogPlace& place, const catalog::CatalogView& view) {
  WEFT_TRY(const auto snapshot, graph::open_snapshot(place, view));
  codec::StringOutput out;
  WEFT_TRY_STATUS(graph::export_graph(*snapshot, {}, out, {}));
  return std::move(out).text();
}

}  // namespace

Result<std::vector<ReadVersion>> read_chain(const catalog::CatalogPlace& place, uint64_t after) {
  WEFT_TRY(const catalog::CatalogView newest, catalog::open_latest(place));
  std::vector<ReadVersion> versions;
  for (uint64_t version = after + 1; version <= newest.version(); ++version) {
    WEFT_TRY(const catalog::CatalogView view, catalog::open_version(place, version));
    WEFT_TRY(std::vector<catalog::CommitRecord> commits, view.commits_since(version - 1));
    std::ranges::reverse(commits);
    ReadVersion& read = versions.emplace_back(ReadVersion{view, {}});
    for (catalog::CommitRecord& commit : commits) {
      WEFT_TRY(const catalog::CatalogView then, catalog::open_commit(place, commit));
      WEFT_TRY(std::string text, text_at(place, then));
      read.commits.push_back({std::move(commit), std::move(text)});
    }
  }
  return versions;
}

Result<std::map<std::string, int64_t>> read_cities(const lance::Snapshot& version) {
  WEFT_TRY(const auto table, lance::TableReader::open(version));
  WEFT_TRY(const auto scan, table->scan());
  std::map<std::string, int64_t> cities;
  while (true) {
    WEFT_TRY(const auto rows, scan->next());
    if (!rows.has_value()) {
      return cities;
    }
    const columns::Batch& batch = rows->batch;
    for (size_t i = 0; i < batch.row_count(); ++i) {
      cities[std::string(batch.column(0)->text(i))] =
          batch.column(2)->is_null(i) ? -1 : batch.column(2)->value<int32_t>(i);
    }
  }
}

catalog::CatalogPlace plain_place(World& world, base::Executor& executor) {
  return {.store = world.plain,
          .clock = world.clock,
          .random = world.random,
          .executor = executor,
          .life = {}};
}

std::string version_text(const catalog::CatalogPlace& place, uint64_t version) {
  return "version " + std::to_string(version) + " of \"" + place.life + "\"";
}

namespace {

class ChainChecker {
 public:
  ChainChecker(World& world, base::Executor& executor) : world_(world), executor_(executor) {}

  History run() {
    check_chain("main", plain_place(world_, executor_), {});
    check_lives();
    return std::move(history_);
  }

 private:
  void check_lives() {
    const auto lives = catalog::list_lives(plain_place(world_, executor_));
    if (!holds(world_, lives, "the refs of branches")) {
      return;
    }
    // One may begin at another that is listed after it.
    std::vector<const catalog::BranchLife*> waiting;
    for (const catalog::BranchLife& life : *lives) {
      history_.refs[life.branch].push_back(life.life);
      waiting.push_back(&life);
      ++world_.counts.branches;
    }
    const auto is_ready = [&](const catalog::BranchLife* life) {
      return history_.chains.contains(life->lineage.front().life);
    };
    while (!waiting.empty()) {
      const auto next = std::ranges::find_if(waiting, is_ready);
      if (next == waiting.end()) {
        world_.violate("branch " + waiting.front()->life + " begins in a chain that is not there");
        return;
      }
      check_life(**next);
      waiting.erase(next);
    }
  }

  void check_life(const catalog::BranchLife& life) {
    const catalog::ForkPoint& from = life.lineage.front();
    const std::vector<State>& states = history_.chains.find(from.life)->second.states;
    const auto state = std::ranges::find(states, life.parent_commit, &State::commit);
    if (state == states.end() || state->version != from.version) {
      world_.violate("branch " + life.life +
                     " begins at a commit that is not there: " + life.parent_commit.text() +
                     ", version " + std::to_string(from.version) + " of \"" + from.life + "\"");
      return;
    }
    check_chain(life.branch, catalog::place_of(plain_place(world_, executor_), life), *state);
  }

  // Each commit is what the model makes of the one before it.
  void check_chain(const std::string& branch, const catalog::CatalogPlace& place, State first) {
    auto read = read_chain(place, first.version);
    const auto archived = world_.archive.find(place.life);
    const bool is_struck = !read.ok() && archived != world_.archive.end();
    if (!is_struck && !holds(world_, read, "the chain of \"" + place.life + "\"")) {
      return;
    }
    Chain& chain =
        history_.chains.emplace(place.life, Chain{branch, place, {}, {}, {}, false, is_struck})
            .first->second;
    State state = std::move(first);
    settle(chain, state.rows);
    if (!place.life.empty()) {
      chain.states.push_back(state);
    }
    std::vector<catalog::CommitRecord> before;
    for (const ReadVersion& version : is_struck ? archived->second : *read) {
      state.version = version.view.version();
      if (!check_version(chain, version, before, state)) {
        return;
      }
      collect_pins(version.view);
      ++world_.counts.versions;
    }
    if (is_struck) {
      check_struck(chain, before);
    }
  }

  // Of a branch that a cleanup has taken its last commit still says so.
  void check_struck(const Chain& chain, const std::vector<catalog::CommitRecord>& before) {
    ++world_.counts.struck;
    const auto last = catalog::open_latest(chain.place);
    if (holds(world_, last, "the end of \"" + chain.place.life + "\"") &&
        (!chain.has_ended || last->state().head != before.back())) {
      world_.violate("a cleanup has taken the branch " + chain.place.life);
    }
  }

  // All commits of one version, each as it is read by its id. False: what comes after them cannot
  // be compared with anything.
  bool check_version(Chain& chain, const ReadVersion& version,
                     std::vector<catalog::CommitRecord>& before, State& state) {
    const std::string where = version_text(chain.place, version.view.version());
    if (version.commits.empty() || version.commits.back().record != version.view.state().head) {
      world_.violate(where + " does not end with its head");
      return false;
    }
    world_.counts.shared += version.commits.size() - 1;
    for (const ReadCommit& commit : version.commits) {
      check_commit(chain, commit.record, before, version.view, commit.text, state.rows);
      state.commit = commit.record.id;
      if (commit.text != export_text(state.rows)) {
        world_.violate(where + " (" + commit.record.message + ") has\n" + commit.text +
                       "and should have\n" + export_text(state.rows));
        return false;
      }
      settle(chain, state.rows);
      before.push_back(commit.record);
      chain.states.push_back(state);
    }
    return true;
  }

  // Rows of the foreigner that are in the graph have nothing to be decided about any more.
  static void settle(Chain& chain, const ModelRows& rows) {
    for (const auto& [name, size] : rows.cities) {
      if (size.value_or(0) >= kForeignSizeMin) {
        chain.settled.insert(*size);
      }
    }
  }

  // The rows of the foreigner that a repair has found and nobody has decided about.
  std::map<std::string, Number> found_by_repair(Chain& chain, const catalog::CatalogView& view,
                                                const std::string& text) {
    const catalog::TableEntry* const table = view.state().find("node:City");
    const auto base = catalog::open_pin_base(chain.place, *table);
    std::map<std::string, Number> found;
    if (!holds(world_, base, "what a repair was staged upon") || !base->has_value()) {
      return found;
    }
    auto cities = read_cities(**base);
    if (!cities.ok() && world_.weather.has_foreigner) {
      // The foreigner has cleaned its files meanwhile. What was adopted has at least been its.
      cities = cities_of(text, table_name((*base)->location()));
    }
    if (holds(world_, cities, "what a repair has found")) {
      for (const auto& [name, size] : *cities) {
        if (size >= kForeignSizeMin && chain.settled.insert(size).second) {
          found.emplace(name, size);
        }
      }
    }
    return found;
  }

  // Rows of the foreigner that it has written to this table, as an export has them. The others that
  // it has written there may have been decided about, too.
  std::map<std::string, int64_t> cities_of(const std::string& text, const std::string& table) {
    std::map<std::string, int64_t> cities;
    for (const auto& [size, row] : world_.foreign_attempts) {
      const std::string line =
          export_text({.people = {}, .cities = {{row.name, size}}, .knows = {}});
      if (row.table == table && text.find(line) != std::string::npos) {
        cities.emplace(row.name, size);
      } else if (row.table == table) {
        history_.lost_sight.insert(size);
      }
    }
    return cities;
  }

  void check_commit(Chain& chain, const catalog::CommitRecord& commit,
                    const std::vector<catalog::CommitRecord>& before,
                    const catalog::CatalogView& view, const std::string& text, ModelRows& rows) {
    const std::string where = version_text(chain.place, commit.catalog_version);
    chain.operations.insert(commit.operation.text());
    if (chain.has_ended) {
      world_.violate(where + " comes after the end of its branch");
    }
    if (!before.empty() && commit.parent != before.back().id) {
      world_.violate(where + " has another parent");
    }
    if (commit.kind == catalog::kDeleteBranchKind) {
      chain.has_ended = true;
      history_.ends.insert(commit.id);
      return;
    }
    if (commit.kind == txn::kRebaseKind) {
      ++world_.counts.rebases;
      return;
    }
    if (commit.kind == "init") {
      return;
    }
    const auto operation =
        std::ranges::find(world_.operations, commit.message, &Operation::message);
    if (operation == world_.operations.end()) {
      world_.violate(where + " is of nobody: " + commit.message);
      return;
    }
    history_.published[operation->number].push_back({chain.place.life, commit});
    if (operation->request.is_repair()) {
      operation->request.rows.cities = found_by_repair(chain, view, text);
      const bool adopts = operation->request.act == Act::kAdopt;
      ++(adopts ? world_.counts.adopted : world_.counts.discarded);
    }
    if (simulation::apply(operation->request, rows) != Effect::kChanged) {
      world_.violate(where + " holds " + operation->message() + ", which does not fit the state: " +
                     operation->request.describe() + " upon\n" + export_text(rows));
    }
    check_expected(*operation, before, where);
  }

  void check_expected(const Operation& operation, const std::vector<catalog::CommitRecord>& before,
                      const std::string& where) {
    if (!operation.expected_head) {
      return;
    }
    for (auto commit = before.rbegin(); commit != before.rend(); ++commit) {
      if (commit->id == *operation.expected_head) {
        return;
      }
      if (commit->kind != txn::kRebaseKind) {
        world_.violate(where + " holds " + operation.message() + ", which expected another head");
        return;
      }
    }
  }

  void collect_pins(const catalog::CatalogView& view) {
    for (const catalog::TableEntry& table : view.state().tables) {
      history_.pins[{table.path + "@" + table.pin.ref, table.pin.head_version}].insert(
          table.pin.head_hash);
    }
  }

  World& world_;
  base::Executor& executor_;
  History history_;
};

}  // namespace

History check_chains(World& world, base::Executor& executor) {
  return ChainChecker(world, executor).run();
}

void World::archive_ended() {
  base::InlineExecutor executor;
  const auto lives = catalog::list_lives(plain_place(*this, executor));
  if (!holds(*this, lives, "the refs of branches")) {
    return;
  }
  for (const catalog::BranchLife& life : *lives) {
    const catalog::CatalogPlace place = catalog::place_of(plain_place(*this, executor), life);
    const auto newest = catalog::open_latest(place);
    if (!newest.ok() || catalog::check_goes_on(*newest).ok()) {
      continue;
    }
    // One that was taken before cannot be read any more.
    auto read = read_chain(place, life.lineage.front().version);
    if (read.ok()) {
      archive[life.life] = std::move(read).value();
    }
  }
}

}  // namespace weft::simulation
