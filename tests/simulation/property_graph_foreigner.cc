// Somebody who works on the tables of a graph without weft, as LanceDB does.
#include <algorithm>
#include <set>
#include <utility>

#include "tests/simulation/property_graph_world.h"

#include "weft/catalog/pinned_table.h"
#include "weft/columns/builder.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/table/cleanup.h"
#include "weft/lance/table/refs.h"

namespace weft::simulation {
namespace {

constexpr uint64_t kForeignActs = 5;

columns::Batch city(const columns::SchemaPtr& schema, const std::string& name, int64_t size) {
  columns::ArrayBuilder id(schema->fields[0].type);
  columns::ArrayBuilder names(schema->fields[1].type);
  columns::ArrayBuilder sizes(schema->fields[2].type);
  id.append_text(name);
  names.append_text(name);
  sizes.append_integer(size);
  return columns::Batch::make(schema, {id.finish(), names.finish(), sizes.finish()}, 1).value();
}

class Foreigner {
 public:
  Foreigner(World& world, base::Baton& baton)
      : world_(world), process_(world.new_process(baton, {})), random_(world.random.next()) {}

  void run() {
    for (uint64_t act = 0; act < kForeignActs && !process_.is_stopped(); ++act) {
      // What fails here (a lost race, a file that another cleanup removed) is the foreigner's own.
      static_cast<void>(act_once());
    }
  }

 private:
  Status act_once() {
    const std::string branch = random_.chance(1, 4) ? "b" : "main";
    WEFT_TRY(const catalog::CatalogPlace place,
             catalog::open_branch(process_.place(random_), branch));
    WEFT_TRY(const catalog::CatalogView view, catalog::open_latest(place));
    const auto& tables = view.state().tables;
    const bool is_for_repair = world_.weather.has_repairer && random_.chance(1, 2);
    const catalog::TableEntry& table =
        is_for_repair ? *view.state().find("node:City") : tables[random_.below(tables.size())];
    WEFT_TRY(const lance::Snapshot head, lance::open_latest(catalog::location_of(place, table)));
    if (is_for_repair && random_.chance(1, 3)) {
      return change_rows(head);
    }
    switch (random_.below(world_.weather.changes_rows ? 7 : 5)) {
      case 0:
      case 1:
        return compact(head);
      case 2:
        return touch(head);
      case 3:
        return tag(head);
      case 4:
        return clean(head.location());
      default:
        return table.key == "node:City" ? change_rows(head) : compact(head);
    }
  }

  lance::RowOptions options() {
    lance::RowOptions made;
    made.stage.operation = "foreign";
    made.stage.data_ending = lance::kEngineDataEnding;
    made.stage.clock = &world_.clock;
    made.stage.random = &random_;
    made.stage.properties = {{std::string(kForeignProperty), "lancedb"}};
    made.write.executor = &executor_;
    return made;
  }
  Result<bool> commit(const lance::StagedTransaction& staged) {
    WEFT_TRY(const lance::CommitResult result, lance::commit(staged, {options().stage, 3, true}));
    return result.outcome == lance::CommitOutcome::kCommitted;
  }

  Status compact(const lance::Snapshot& head) {
    WEFT_TRY(const auto staged, lance::stage_compaction(head, {}, options()));
    if (staged) {
      WEFT_TRY_STATUS(commit(*staged));
    }
    return ok_status();
  }

  // A version without other rows: what an index makes of a table, too.
  Status touch(const lance::Snapshot& head) {
    lance::UpdateConfigOperation operation;
    operation.config = lance::MapUpdate{{{"touched", "yes"}}, false};
    WEFT_TRY(const auto staged, lance::Stage(head, options().stage).finish(std::move(operation)));
    WEFT_TRY_STATUS(commit(staged));
    return ok_status();
  }

  Status tag(const lance::Snapshot& head) {
    return lance::create_tag(head, "tag-" + std::to_string(random_.below(1'000)), options().stage);
  }

  Status change_rows(const lance::Snapshot& head) {
    WEFT_TRY(const auto reader, lance::TableReader::open(head));
    world_.may_have_foreign_rows = true;
    const int64_t size = 1'001 + static_cast<int64_t>(world_.foreign_attempts.size());
    // A new row, or one of weft's own with another value.
    const std::string name = random_.chance(1, 2) ? "alien" + std::to_string(size)
                                                  : "c" + std::to_string(random_.below(4));
    world_.foreign_attempts[size] = {table_name(head.location()), name};
    WEFT_TRY(const auto staged, lance::stage_upsert(head, city(reader->schema(), name, size),
                                                    {.keys = {"id"}}, options()));
    WEFT_TRY(const bool is_done, commit(staged));
    if (is_done) {
      world_.foreign_rows[table_name(head.location())][name] = size;
    }
    return ok_status();
  }

  // As an engine cleans that is told to do it at once: all versions but the newest, those with tags
  // and those that branches start from; then every file that none of those left names. Engines know
  // nothing of detached versions, and spare data files of weft for their names.
  Status clean(lance::TableLocation table) {
    table.branch.clear();
    WEFT_TRY(const lance::VersionList list, lance::list_versions(table));
    WEFT_TRY(const auto tags, lance::list_tags(table));
    WEFT_TRY(const auto branches, lance::list_branches(table));
    std::set<uint64_t> kept = {list.versions.back().version};
    for (const lance::Tag& tag : tags) {
      kept.insert(tag.version);
    }
    std::set<std::string> files;
    for (const lance::Branch& branch : branches) {
      kept.insert(branch.parent_version);
      const lance::TableLocation place{table.store, table.root, branch.name};
      WEFT_TRY(const lance::VersionList versions, lance::list_versions(place));
      for (const lance::VersionEntry& entry : versions.versions) {
        WEFT_TRY_STATUS(add_files(place, entry.version, files));
      }
    }
    std::vector<std::string> removed;
    for (const lance::VersionEntry& entry : list.versions) {
      if (kept.contains(entry.version)) {
        WEFT_TRY_STATUS(add_files(table, entry.version, files));
      } else {
        removed.push_back(table.object(lance::manifest_name(entry.version, entry.naming)));
      }
    }
    WEFT_TRY_STATUS(add_unnamed(table, files, removed));
    for (const std::string& name : removed) {
      WEFT_TRY_STATUS(table.store->remove(name));
    }
    return ok_status();
  }

  static Status add_files(const lance::TableLocation& place, uint64_t version,
                          std::set<std::string>& files) {
    WEFT_TRY(const lance::Snapshot snapshot, lance::open_version(place, version));
    WEFT_TRY(std::vector<std::string> names, lance::reachable_files(snapshot));
    files.insert(names.begin(), names.end());
    return ok_status();
  }

  static Status add_unnamed(const lance::TableLocation& table, const std::set<std::string>& files,
                            std::vector<std::string>& removed) {
    for (const std::string_view folder :
         {lance::kDataFolder, lance::kDeletionsFolder, lance::kTransactionsFolder}) {
      const std::string prefix = table.object(folder);
      WEFT_TRY(const std::vector<storage::ObjectInfo> objects, table.store->list(prefix));
      for (const storage::ObjectInfo& object : objects) {
        const bool is_cleaned =
            folder != lance::kDataFolder || object.name.ends_with(lance::kEngineDataEnding);
        if (is_cleaned && !files.contains(object.name)) {
          removed.push_back(object.name);
        }
      }
    }
    return ok_status();
  }

  World& world_;
  Process& process_;
  base::Random random_;
  base::InlineExecutor executor_;
};

}  // namespace

std::string table_name(const lance::TableLocation& location) {
  return location.root + "@" + location.branch;
}

void meddle_for_a_while(World& world, base::Baton& baton) {
  Foreigner(world, baton).run();
}

}  // namespace weft::simulation
