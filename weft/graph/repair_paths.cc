#include "weft/graph/repair_paths.h"

#include <utility>

#include "weft/catalog/branches.h"
#include "weft/lance/table/base_paths.h"

namespace weft::graph {
namespace {

constexpr std::string_view kNothingMoved = "nothing-moved";

std::vector<std::string> paths_of(const std::vector<lance::BasePath>& bases) {
  std::vector<std::string> paths;
  paths.reserve(bases.size());
  for (const lance::BasePath& base : bases) {
    paths.push_back(base.path);
  }
  return paths;
}

// Nothing: the table is main's or another branch's, or lies where it says.
Result<std::optional<MovedTable>> moved_table(const TypeTable& table,
                                              const lance::Snapshot& version) {
  WEFT_TRY(const std::vector<lance::BasePath> here, lance::base_paths_here(version));
  if (here == version.manifest().base_paths) {
    return std::optional<MovedTable>();
  }
  return std::optional(MovedTable{.type = table.name(),
                                  .is_edge = table.is_edge(),
                                  .path = table.entry().path,
                                  .named = paths_of(version.manifest().base_paths),
                                  .here = paths_of(here)});
}

Result<std::vector<const TypeTable*>> own_tables(const GraphSnapshot& graph,
                                                 const std::string& life,
                                                 const std::stop_token& stop) {
  std::vector<const TypeTable*> own;
  for (const auto* const tables : {&graph.nodes(), &graph.edges()}) {
    for (const auto& table : *tables) {
      if (stop.stop_requested()) {
        return Error(ErrorKind::kCancelled, "stopped on request while branches were looked at");
      }
      if (table->entry().pin.ref == life) {
        own.push_back(table.get());
      }
    }
  }
  return own;
}

class BranchRepair {
 public:
  BranchRepair(catalog::CatalogPlace branch, std::string name, const std::stop_token& stop)
      : place_(std::move(branch)), stop_(stop) {
    moved_.branch = std::move(name);
  }

  Status look(catalog::CatalogView newest) {
    WEFT_TRY(const auto graph, open_snapshot(place_, std::move(newest)));
    WEFT_TRY(const auto tables, own_tables(*graph, place_.life, stop_));
    for (const TypeTable* const table : tables) {
      WEFT_TRY(const lance::TableReader* const reader, table->reader());
      WEFT_TRY(std::optional<MovedTable> moved, moved_table(*table, reader->snapshot()));
      if (moved.has_value()) {
        moved_.tables.push_back(*std::move(moved));
      }
    }
    return ok_status();
  }

  Status write(const std::string& actor, const std::string& message) {
    txn::WriteRequest request;
    request.kind = txn::kRebaseKind;
    request.actor = actor;
    request.message = message;
    auto written =
        txn::write(place_, request, [this](txn::Capture& capture) { return prepare(capture); });
    if (written.ok()) {
      moved_.receipt = std::move(written).value();
    } else if (written.error().fact("reason") != kNothingMoved) {
      return std::move(written).error().with("branch", moved_.branch);
    }
    return ok_status();
  }

  const MovedBranch& moved() const { return moved_; }

 private:
  Result<txn::Change> prepare(txn::Capture& capture) {
    moved_.tables.clear();
    WEFT_TRY(const auto graph, open_snapshot(place_, *capture.view()));
    WEFT_TRY(const auto tables, own_tables(*graph, place_.life, stop_));
    txn::Change change;
    for (const TypeTable* const table : tables) {
      WEFT_TRY(const lance::Snapshot base, capture.table(table->key()));
      WEFT_TRY(std::optional<MovedTable> moved, moved_table(*table, base));
      if (!moved.has_value()) {
        continue;
      }
      moved_.tables.push_back(*std::move(moved));
      lance::StageOptions options = capture.stage_options();
      WEFT_TRY(options.base_paths, lance::base_paths_here(base));
      txn::TableChange& changed = change.tables.emplace_back();
      changed.key = table->key();
      changed.identity = table->entry().identity;
      WEFT_TRY(changed.staged,
               lance::Stage(base, std::move(options)).finish(lance::UpdateConfigOperation()));
    }
    if (change.tables.empty()) {
      return Error(ErrorKind::kNotFound, "the tables of this branch lie where they say")
          .with("reason", kNothingMoved);
    }
    return change;
  }

  const catalog::CatalogPlace place_;
  const std::stop_token& stop_;
  MovedBranch moved_;
};

Result<std::vector<BranchRepair>> look_at_all(const catalog::CatalogPlace& place,
                                              const std::stop_token& stop) {
  WEFT_TRY(const auto branches, catalog::list_branches(place));
  std::vector<BranchRepair> repairs;
  for (const catalog::BranchEntry& branch : branches) {
    BranchRepair repair(catalog::place_of(place, branch.life), branch.life.branch, stop);
    WEFT_TRY_STATUS(repair.look(branch.head));
    if (!repair.moved().tables.empty()) {
      repairs.push_back(std::move(repair));
    }
  }
  return repairs;
}

}  // namespace

Result<std::vector<MovedBranch>> plan_repair_paths(const catalog::CatalogPlace& place,
                                                   const std::stop_token& stop) {
  WEFT_TRY(const std::vector<BranchRepair> repairs, look_at_all(place, stop));
  std::vector<MovedBranch> moved;
  for (const BranchRepair& repair : repairs) {
    moved.push_back(repair.moved());
  }
  return moved;
}

Result<std::vector<MovedBranch>> repair_paths(const catalog::CatalogPlace& place,
                                              const Authority& authority,
                                              const std::string& message,
                                              const std::stop_token& stop) {
  WEFT_TRY_STATUS(check_authority(authority, Action::kRepairPaths, kMainBranch, message));
  WEFT_TRY(std::vector<BranchRepair> repairs, look_at_all(place, stop));
  std::vector<MovedBranch> moved;
  for (BranchRepair& repair : repairs) {
    WEFT_TRY_STATUS(repair.write(authority.actor, message));
    moved.push_back(repair.moved());
  }
  return moved;
}

}  // namespace weft::graph
