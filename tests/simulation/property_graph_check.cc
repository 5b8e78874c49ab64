// What must hold of a world once its processes have ended.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tests/simulation/property_graph_world.h"

#include "weft/catalog/pinned_table.h"
#include "weft/codec/blake3.h"
#include "weft/codec/stream.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"
#include "weft/graph/snapshot.h"
#include "weft/json/value.h"
#include "weft/lance/rows/table_reader.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/refs.h"
#include "weft/txn/write.h"

namespace weft::simulation {
namespace {

// One published version, as the model has it.
struct State {
  uint64_t version = 0;
  ModelRows rows;
};

// All versions of main or of one life of a branch.
struct Chain {
  std::string branch;
  catalog::CatalogPlace place;
  std::vector<State> states;  // the inherited one first
  bool has_ended = false;
};

struct Publication {
  std::string life;
  catalog::CommitRecord commit;
};

}  // namespace

class Checker {
 public:
  explicit Checker(World& world) : world_(world) {}

  void run() {
    check_chain("main", main(), {});
    for (const std::string& branch : {std::string("b"), std::string("c")}) {
      check_lives(branch);
    }
    check_operations();
    check_branches();
    check_readings();
    check_heads();
    check_next_writes();
  }

 private:
  catalog::CatalogPlace main() {
    return {.store = world_.plain,
            .clock = world_.clock,
            .random = world_.random,
            .executor = executor_,
            .life = {}};
  }

  template <typename T>
  bool holds(const Result<T>& result, const std::string& what) {
    if (!result.ok()) {
      world_.violate(what + ": " + result.error().to_string());
    }
    return result.ok();
  }

  static std::string place_text(const catalog::CatalogPlace& place, uint64_t version) {
    return "version " + std::to_string(version) + " of \"" + place.life + "\"";
  }

  Result<std::string> text_of(const catalog::CatalogPlace& place,
                              const catalog::CatalogView& view) {
    WEFT_TRY(const auto snapshot, graph::open_snapshot(place, view));
    codec::StringOutput out;
    WEFT_TRY_STATUS(graph::export_graph(*snapshot, {}, out, {}));
    return std::move(out).text();
  }

  // Lives of a branch in their order, from the refs.
  void check_lives(const std::string& branch) {
    for (uint64_t number = 1;; ++number) {
      const auto ref =
          world_.plain.get("_refs/" + branch + "/" + std::to_string(number), uint64_t{1} << 16U);
      if (!ref.ok()) {
        return;
      }
      const auto document = json::parse(as_text(ref->bytes.view()));
      if (!holds(document, "the ref of a branch")) {
        return;
      }
      catalog::CatalogPlace place = main();
      place.life = *document->find("life")->as_string();
      place.forked_at.microseconds = *document->find("created_at")->as_int64();
      for (const json::Value& point : document->find("lineage")->items()) {
        place.lineage.push_back(
            {*point.find("life")->as_string(), *point.find("version")->as_uint64()});
      }
      refs_[branch].push_back(place.life);
      const catalog::ForkPoint& from = place.lineage.front();
      const State* const state = find_state(from.life, from.version);
      if (state == nullptr) {
        world_.violate("branch " + place.life + " begins at a version that is not there: " +
                       std::to_string(from.version) + " of \"" + from.life + "\"");
        return;
      }
      check_chain(branch, std::move(place), *state);
      ++world_.counts_.branches;
    }
  }

  const State* find_state(const std::string& life, uint64_t version) const {
    const auto chain = chains_.find(life);
    if (chain == chains_.end()) {
      return nullptr;
    }
    const auto found = std::ranges::find(chain->second.states, version, &State::version);
    return found == chain->second.states.end() ? nullptr : &*found;
  }

  // Each version is what the model makes of the one before it.
  void check_chain(const std::string& branch, const catalog::CatalogPlace& place, State first) {
    const auto newest = catalog::open_latest(place);
    if (!holds(newest, "the newest version of \"" + place.life + "\"")) {
      return;
    }
    Chain& chain = chains_.emplace(place.life, Chain{branch, place, {}, false}).first->second;
    State state = std::move(first);
    if (!place.life.empty()) {
      chain.states.push_back(state);
    }
    std::vector<catalog::CommitRecord> before;
    for (uint64_t version = state.version + 1; version <= newest->version(); ++version) {
      const auto view = catalog::open_version(place, version);
      if (!holds(view, place_text(place, version))) {
        return;
      }
      state.version = version;
      check_commit(chain, view->state().head, before, state.rows);
      const auto text = text_of(place, *view);
      if (holds(text, place_text(place, version)) && *text != export_text(state.rows)) {
        world_.violate(place_text(place, version) + " (" + view->state().head.message + ") has\n" +
                       *text + "and should have\n" + export_text(state.rows));
        return;
      }
      collect_pins(*view);
      before.push_back(view->state().head);
      chain.states.push_back(state);
      ++world_.counts_.versions;
    }
  }

  void check_commit(Chain& chain, const catalog::CommitRecord& commit,
                    const std::vector<catalog::CommitRecord>& before, ModelRows& rows) {
    const std::string where = place_text(chain.place, commit.catalog_version);
    if (chain.has_ended) {
      world_.violate(where + " comes after the end of its branch");
    }
    if (!before.empty() && commit.parent != before.back().id) {
      world_.violate(where + " has another parent");
    }
    if (commit.kind == catalog::kDeleteBranchKind) {
      chain.has_ended = true;
      ends_.insert(commit.id);
      return;
    }
    if (commit.kind == txn::kRebaseKind) {
      ++world_.counts_.rebases;
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
    published_[operation->number].push_back({chain.place.life, commit});
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
      pins_[{table.path + "@" + table.pin.ref, table.pin.head_version}].insert(table.pin.head_hash);
    }
  }

  void check_operations() {
    std::map<std::pair<std::string, std::string>, std::string> keys;  // by life
    for (const Operation& operation : world_.operations) {
      world_.counts_.acknowledged += operation.receipts.empty() ? 0 : 1;
      world_.counts_.unknown += operation.unknown > 0 && operation.receipts.empty() ? 1 : 0;
      const std::vector<Publication>& published = published_[operation.number];
      std::set<std::string> lives;
      for (const Publication& publication : published) {
        if (operation.can_repeat() && !lives.insert(publication.life).second) {
          world_.violate(operation.message() + " was published more than once");
        }
        if (!operation.key.empty() &&
            !keys.try_emplace({publication.life, operation.key}, operation.message()).second) {
          world_.violate("two requests with the key " + operation.key + " were published");
        }
      }
      if (!operation.can_repeat() && published.size() > 1) {
        world_.violate(operation.message() + ", sent once, was published more than once");
      }
      if (!published.empty() && operation.receipts.empty() && operation.unknown == 0) {
        world_.violate(operation.message() + " was published, and its callers were told otherwise");
      }
      for (const catalog::CommitRecord& receipt : operation.receipts) {
        if (std::ranges::none_of(published, [&](const Publication& publication) {
              return publication.commit == receipt;
            })) {
          world_.violate(operation.message() + " was acknowledged as " + receipt.id.text() +
                         " and is not there");
        }
      }
      check_refusals(operation);
    }
  }

  // Somebody may have been told so in some state that the branch was in.
  void check_refusals(const Operation& operation) {
    const auto is_possible = [&](Effect effect) {
      for (const auto& [life, chain] : chains_) {
        for (const State& state : chain.states) {
          ModelRows rows = state.rows;
          if (chain.branch == operation.branch &&
              (!life.empty() || state.version >= operation.floor) &&
              simulation::apply(operation.request, rows) == effect) {
            return true;
          }
        }
      }
      return false;
    };
    if (operation.refused > 0 && !is_possible(Effect::kRefused)) {
      world_.violate(operation.message() + " was refused (" + operation.refusal +
                     "), and fits: " + operation.request.describe());
    }
    if (operation.matched_nothing > 0 && !is_possible(Effect::kNothing)) {
      world_.violate(operation.message() +
                     " was told that nothing matches: " + operation.request.describe());
    }
  }

  void check_branches() {
    for (const catalog::BranchLife& life : world_.created) {
      const std::vector<std::string>& lives = refs_[life.branch];
      if (life.number > lives.size() || lives[life.number - 1] != life.life) {
        world_.violate("branch " + life.life + " was acknowledged and is not there");
      }
    }
    for (const catalog::CommitRecord& last : world_.deleted) {
      if (!ends_.contains(last.id)) {
        world_.violate("the deletion " + last.id.text() + " was acknowledged and is not there");
      }
    }
    for (const auto& [branch, lives] : refs_) {
      for (size_t i = 0; i + 1 < lives.size(); ++i) {
        const auto chain = chains_.find(lives[i]);
        if (chain == chains_.end() || !chain->second.has_ended) {
          world_.violate("branch " + lives[i] + " has a successor and has not ended");
        }
      }
    }
    for (const auto& [life, chain] : chains_) {
      if (!life.empty() && chain.states.size() > 1) {
        holds(lance::find_branch(main().location(), life), "the native branch of \"" + life + "\"");
      }
    }
  }

  void check_readings() {
    world_.counts_.readings = world_.readings.size();
    for (const Reading& reading : world_.readings) {
      const State* const state = find_state(reading.life, reading.version);
      if (state == nullptr) {
        continue;  // seen, and lost in a crash before it was acknowledged
      }
      if (reading.text != export_text(state->rows)) {
        world_.violate("a reader saw version " + std::to_string(reading.version) + " of \"" +
                       reading.life + "\" as\n" + reading.text + "and it is\n" +
                       export_text(state->rows));
      }
    }
  }

  // Heads are published versions, or those of the foreigner, whose rows are still there.
  void check_heads() {
    std::set<std::string> looked;
    for (auto& [life, chain] : chains_) {
      const auto view = catalog::open_latest(chain.place);
      if (!view.ok()) {
        continue;
      }
      for (const catalog::TableEntry& table : view->state().tables) {
        const lance::TableLocation location = catalog::location_of(chain.place, table);
        if (table.pin.ref == life && looked.insert(table_name(location)).second) {
          check_heads_of(location);
        }
      }
    }
  }

  void check_heads_of(const lance::TableLocation& location) {
    const auto versions = lance::list_versions(location);
    if (!holds(versions, "the heads of " + table_name(location))) {
      return;
    }
    bool is_first = !location.branch.empty();  // a copy of the version that it comes from
    for (const lance::VersionEntry& entry : versions->versions) {
      const auto snapshot = lance::open_version(location, entry.version, entry.naming);
      if (!holds(snapshot, "a head of " + table_name(location)) || std::exchange(is_first, false)) {
        continue;
      }
      const auto transaction = snapshot->transaction();
      const bool is_foreign =
          transaction.ok() && *transaction &&
          lance::find_entry((*transaction)->properties, kForeignProperty) != nullptr;
      world_.counts_.foreign_versions += is_foreign ? 1 : 0;
      const auto pins = pins_.find({table_name(location), entry.version});
      const std::string hash = codec::to_hex(codec::blake3_16(snapshot->file().view()));
      if (!is_foreign && (pins == pins_.end() || !pins->second.contains(hash))) {
        world_.violate("head " + std::to_string(entry.version) + " of " + table_name(location) +
                       " was never published");
      }
    }
    check_foreign_rows(location);
  }

  void check_foreign_rows(const lance::TableLocation& location) {
    const auto rows = world_.foreign_rows.find(table_name(location));
    if (rows == world_.foreign_rows.end()) {
      return;
    }
    const auto head = lance::open_latest(location);
    if (!holds(head, "the newest head of " + table_name(location))) {
      return;
    }
    std::map<std::string, int64_t> found;
    const auto table = lance::TableReader::open(*head);
    if (!holds(table, "the newest head of " + table_name(location))) {
      return;
    }
    const auto scan = (*table)->scan();
    for (auto next = (*scan)->next(); holds(next, "a head") && next->has_value();
         next = (*scan)->next()) {
      const columns::Batch& batch = (*next)->batch;
      for (size_t i = 0; i < batch.row_count(); ++i) {
        found[std::string(batch.column(0)->text(i))] =
            batch.column(2)->is_null(i) ? -1 : batch.column(2)->value<int32_t>(i);
      }
    }
    for (const auto& [name, size] : rows->second) {
      if (found[name] != size) {
        world_.violate("the foreign row " + name + " of " + table_name(location) +
                       " was superseded");
      }
    }
  }

  // Nobody is stuck: the next write of a fresh process succeeds, or meets rows of the foreigner.
  void check_next_writes() {
    std::set<std::string> branches = {"main"};
    for (const auto& [branch, lives] : refs_) {
      if (!lives.empty() && chains_.contains(lives.back()) &&
          !chains_.find(lives.back())->second.has_ended) {
        branches.insert(branch);
      }
    }
    const graph::AllowEverything policy;
    for (const std::string& branch : branches) {
      for (const std::string_view lines :
           {R"({"type":"Person","data":{"name":"last","age":1}})",
            R"({"type":"City","data":{"name":"last","size":1}})",
            R"({"edge":"Knows","from":"last","to":"last","data":{"id":"last"}})"}) {
        codec::MemoryInputView input(lines);
        const auto loaded =
            graph::load(main(), {"ana", policy},
                        {.mode = graph::LoadMode::kMerge, .branch = branch}, input, {});
        const bool is_foreign = !loaded.ok() && !world_.foreign_rows.empty() &&
                                loaded.error().fact("reason") == "foreign-version" &&
                                loaded.error().fact("table") == "node:City";
        if (!is_foreign && holds(loaded, "the next write to " + branch) &&
            !loaded->receipt->has_followed) {
          world_.violate("the next write to " + branch + " could not follow");
        }
      }
    }
  }

  World& world_;
  base::InlineExecutor executor_;
  std::map<std::string, Chain> chains_;  // by life
  std::map<std::string, std::vector<std::string>> refs_;
  std::map<size_t, std::vector<Publication>> published_;
  std::set<base::Ulid> ends_;
  std::map<std::pair<std::string, uint64_t>, std::set<std::string>> pins_;
};

void World::check() {
  Checker(*this).run();
}

}  // namespace weft::simulation
