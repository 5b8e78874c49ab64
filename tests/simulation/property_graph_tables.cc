// Whether the tables of a world are as they should be: heads, rows of the foreigner, what a last
// cleanup leaves; and whether whoever comes next can go on.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tests/simulation/property_graph_history.h"

#include "weft/catalog/pinned_table.h"
#include "weft/codec/blake3.h"
#include "weft/codec/stream.h"
#include "weft/graph/cleanup.h"
#include "weft/graph/load.h"
#include "weft/graph/repair.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/storage/names.h"

namespace weft::simulation {
namespace {

class TableChecker {
 public:
  TableChecker(World& world, const History& history, base::Executor& executor)
      : world_(world), history_(history), executor_(executor) {}

  void run() {
    check_heads();
    check_discarded();
    if (world_.weather.has_cleaner) {
      check_last_cleanup();
    }
    check_next_writes();
  }

 private:
  // Heads are published versions, or those of the foreigner, whose rows are still there.
  void check_heads() {
    std::set<std::string> looked;
    for (auto& [life, chain] : history_.chains) {
      const auto view = catalog::open_latest(chain.place);
      // One that has ended a cleanup may have taken, or have begun to.
      if (!view.ok() || world_.archive.contains(life)) {
        continue;
      }
      for (const catalog::TableEntry& table : view->state().tables) {
        const lance::TableLocation location = catalog::location_of(chain.place, table);
        if (table.pin.ref == life && looked.insert(table_name(location)).second) {
          check_heads_of(location, chain);
        }
      }
    }
  }

  void check_heads_of(const lance::TableLocation& location, const Chain& chain) {
    const auto versions = lance::list_versions(location);
    if (!holds(world_, versions, "the heads of " + table_name(location))) {
      return;
    }
    bool is_first = !location.branch.empty();  // a copy of the version that it comes from
    for (const lance::VersionEntry& entry : versions->versions) {
      const auto snapshot = lance::open_version(location, entry.version, entry.naming);
      if (!holds(world_, snapshot, "a head of " + table_name(location)) ||
          std::exchange(is_first, false)) {
        continue;
      }
      const auto transaction = snapshot->transaction();
      // Of ours there are copies; the foreigner's cleanup may have taken what its own version says.
      const bool is_known = transaction.ok() && transaction->has_value();
      const bool is_foreign =
          is_known ? lance::find_entry((*transaction)->properties, kForeignProperty) != nullptr
                   : world_.weather.has_foreigner;
      world_.counts.foreign_versions += is_foreign ? 1 : 0;
      const auto pins = history_.pins.find({table_name(location), entry.version});
      const std::string hash = codec::to_hex(codec::blake3_16(snapshot->file().view()));
      if (!is_foreign && (pins == history_.pins.end() || !pins->second.contains(hash))) {
        world_.violate("head " + std::to_string(entry.version) + " of " + table_name(location) +
                       " was never published");
      }
    }
    check_foreign_rows(location, chain);
  }

  // Those that no repair has adopted or discarded.
  void check_foreign_rows(const lance::TableLocation& location, const Chain& chain) {
    const auto rows = world_.foreign_rows.find(table_name(location));
    if (rows == world_.foreign_rows.end()) {
      return;
    }
    const auto head = lance::open_latest(location);
    if (!holds(world_, head, "the newest head of " + table_name(location))) {
      return;
    }
    const auto cities = read_cities(*head);
    if (!holds(world_, cities, "the newest head of " + table_name(location))) {
      return;
    }
    for (const auto& [name, size] : rows->second) {
      const auto found = cities->find(name);
      const bool is_there = found != cities->end() && found->second == size;
      if (!is_there && !chain.settled.contains(size) && !history_.lost_sight.contains(size)) {
        world_.violate("the foreign row " + name + " of " + table_name(location) +
                       " was superseded");
      }
    }
  }

  // What a discard has kept, while no cleanup was there: one takes it, and a power failure may
  // bring back a part.
  void check_discarded() {
    if (world_.weather.has_cleaner) {
      return;
    }
    for (const lance::TableLocation& kept : world_.discarded) {
      const auto head = lance::open_latest(kept);
      if (holds(world_, head, "what was discarded: " + table_name(kept))) {
        holds(world_, read_cities(*head), "the rows that were discarded: " + table_name(kept));
      }
    }
  }

  // Nobody writes any more: all goes that nobody needs, and nothing else.
  void check_last_cleanup() {
    const graph::AllowEverything policy;
    const graph::CleanupRequest request{.keep_us = 0, .grace_us = 0};
    const auto cleaned =
        graph::clean_graph(plain_place(world_, executor_), {"ana", policy}, request, {});
    if (!holds(world_, cleaned, "the last cleanup")) {
      return;
    }
    world_.counts.removed = world_.removed + cleaned->removed.size();
    for (const auto& [life, chain] : history_.chains) {
      if (!chain.has_ended) {
        check_after_cleanup(chain);
      }
    }
    const auto again =
        graph::clean_graph(plain_place(world_, executor_), {"ana", policy}, request, {});
    if (holds(world_, again, "a cleanup after the last one") && !again->removed.empty()) {
      world_.violate("a cleanup has left " + again->removed.front());
    }
    check_leaks();
  }

  void check_after_cleanup(const Chain& chain) {
    const uint64_t inherited = chain.place.life.empty() ? 0 : chain.states.front().version;
    const auto read = read_chain(chain.place, inherited);
    if (!holds(world_, read, "after the last cleanup \"" + chain.place.life + "\"")) {
      return;
    }
    auto state = chain.states.begin() + (chain.place.life.empty() ? 0 : 1);
    for (const ReadVersion& version : *read) {
      for (const ReadCommit& commit : version.commits) {
        if (state == chain.states.end() || commit.text != export_text((state++)->rows)) {
          world_.violate("a cleanup has changed " +
                         version_text(chain.place, version.view.version()));
          return;
        }
      }
    }
    if (state != chain.states.end()) {
      world_.violate("a cleanup has taken versions of \"" + chain.place.life + "\"");
    }
  }

  // What is staged has the id of its operation in its name: of those that were not published there
  // is nothing left. (Names of the foreigner have no such ids.)
  void check_leaks() {
    std::set<std::string> known;
    for (const auto& [life, chain] : history_.chains) {
      known.insert(chain.operations.begin(), chain.operations.end());
    }
    const auto objects = world_.plain.list("", true);
    if (!holds(world_, objects, "a listing")) {
      return;
    }
    for (const storage::ObjectInfo& object : *objects) {
      const std::string_view file =
          std::string_view(object.name).substr(object.name.rfind('/') + 1);
      const std::string operation = operation_in(file);
      if ((!operation.empty() && !known.contains(operation)) ||
          file.starts_with(storage::kTemporaryPrefix) || object.name.starts_with("_probe/")) {
        world_.violate("a cleanup has left " + object.name);
      }
    }
  }

  // "01ARZ3NDEKTSV4RRFFQ69G5FAV" of "commits-01ARZ3NDEKTSV4RRFFQ69G5FAV-1-…".
  static std::string operation_in(std::string_view file) {
    constexpr size_t kUlidText = 26;
    for (size_t at = 0; at + kUlidText <= file.size(); ++at) {
      const bool begins = at == 0 || file[at - 1] == '-';
      const bool ends = at + kUlidText == file.size() || file[at + kUlidText] == '-';
      if (begins && ends && base::Ulid::parse(file.substr(at, kUlidText)).ok()) {
        return std::string(file.substr(at, kUlidText));
      }
    }
    return {};
  }

  // Nobody is stuck: the next write of a fresh process succeeds, or meets rows of the foreigner.
  void check_next_writes() {
    std::set<std::string> branches = {"main"};
    for (const auto& [branch, lives] : history_.refs) {
      if (!lives.empty() && history_.chains.contains(lives.back()) &&
          !history_.chains.find(lives.back())->second.has_ended) {
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
            graph::load(plain_place(world_, executor_), {"ana", policy},
                        {.mode = graph::LoadMode::kMerge, .branch = branch}, input, {});
        const bool is_foreign = !loaded.ok() && world_.may_have_foreign_rows &&
                                loaded.error().fact("reason") == "foreign-version" &&
                                loaded.error().fact("table") == "node:City";
        if (is_foreign) {
          check_discard(branch, lines);
        } else if (holds(world_, loaded, "the next write to " + branch) &&
                   !loaded->receipt->has_followed) {
          world_.violate("the next write to " + branch + " could not follow");
        }
      }
    }
  }

  // What the foreigner has left can be discarded, and then the write goes on.
  void check_discard(const std::string& branch, std::string_view lines) {
    const graph::AllowEverything policy;
    const auto repaired = graph::repair(plain_place(world_, executor_), {"ana", policy},
                                        {.remedy = graph::Remedy::kDiscard, .branch = branch}, {});
    if (!holds(world_, repaired, "the last repair of " + branch)) {
      return;
    }
    codec::MemoryInputView input(lines);
    holds(world_,
          graph::load(plain_place(world_, executor_), {"ana", policy},
                      {.mode = graph::LoadMode::kMerge, .branch = branch}, input, {}),
          "the next write to " + branch + " after a repair");
  }

  World& world_;
  const History& history_;
  base::Executor& executor_;
};

}  // namespace

void check_tables(World& world, const History& history, base::Executor& executor) {
  TableChecker(world, history, executor).run();
}

}  // namespace weft::simulation
