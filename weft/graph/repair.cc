#include "weft/graph/repair.h"

#include <algorithm>
#include <utility>

#include "weft/catalog/branches.h"
#include "weft/graph/adoption.h"

namespace weft::graph {
namespace {

constexpr std::string_view kNothingForeign = "nothing-foreign";
constexpr int kStaleCapturesMax = 100;

using Found = std::vector<std::unique_ptr<ForeignRows>>;

bool is_wanted(const std::vector<std::string>& types, const TypeTable& table) {
  return types.empty() || std::ranges::find(types, table.name()) != types.end();
}

Status check_types(const GraphSnapshot& graph, const std::vector<std::string>& types) {
  for (const std::string& name : types) {
    if (graph.find_node(name) == nullptr && graph.find_edge(name) == nullptr) {
      return Error(ErrorKind::kNotFound, "repair of a type that the graph does not have")
          .with("type", name);
    }
  }
  return ok_status();
}

Result<Found> find_foreign(txn::Capture& capture, const GraphSnapshot& graph,
                           const std::vector<std::string>& types) {
  WEFT_TRY_STATUS(check_types(graph, types));
  Found found;
  for (const auto* const tables : {&graph.nodes(), &graph.edges()}) {
    for (const auto& table : *tables) {
      if (!is_wanted(types, *table)) {
        continue;
      }
      WEFT_TRY(txn::Capture::Standing standing, capture.examine(table->key()));
      if (standing.report.state == txn::HeadState::kOtherRows) {
        WEFT_TRY(auto rows, ForeignRows::make(capture.place(), *table, std::move(standing)));
        found.push_back(std::move(rows));
      }
    }
  }
  return found;
}

class Repairer {
 public:
  Repairer(const catalog::CatalogPlace& place, const Authority& authority,
           const RepairRequest& request, const std::stop_token& stop)
      : place_(place), authority_(authority), request_(request), stop_(stop) {}

  Result<RepairResult> run() {
    const Action action = request_.remedy == Remedy::kAdopt ? Action::kAdopt : Action::kDiscard;
    txn::WriteRequest write;
    write.operation = request_.operation;
    write.kind = action_name(action);
    write.actor = authority_.actor;
    write.message = request_.message;
    auto written =
        txn::write(place_, write, [this](txn::Capture& capture) { return prepare(capture); });
    if (written.ok()) {
      result_.receipt = std::move(written).value();
    } else if (written.error().fact("reason") != kNothingForeign) {
      return std::move(written).error();
    }
    return std::move(result_);
  }

 private:
  Result<txn::Change> prepare(txn::Capture& capture) {
    result_ = {};
    if (capture.view() == nullptr) {
      return Error(ErrorKind::kNotFound, "there is no graph");
    }
    WEFT_TRY(const auto graph, open_snapshot(place_, *capture.view()));
    WEFT_TRY(const Found found, find_foreign(capture, *graph, request_.types));
    if (found.empty()) {
      return Error(ErrorKind::kNotFound, "no table has rows of other programs")
          .with("reason", kNothingForeign);
    }
    auto change = prepare_found(capture, *graph, found);
    if (!change.ok() && change.error().kind() == ErrorKind::kCorrupt) {
      WEFT_TRY_STATUS(check_newest(found));
    }
    return change;
  }

  Result<txn::Change> prepare_found(txn::Capture& capture, const GraphSnapshot& graph,
                                    const Found& found) {
    for (const auto& rows : found) {
      WEFT_TRY_STATUS(describe(*rows));
    }
    return request_.remedy == Remedy::kAdopt ? stage_adoption(capture, graph, found, stop_)
                                             : discard(capture, found);
  }

  // What another program has cleaned away after it wrote something newer is no damage.
  static Status check_newest(const Found& found) {
    for (const auto& rows : found) {
      WEFT_TRY(const lance::VersionList list, lance::list_versions(rows->newest().location()));
      if (list.versions.empty() || list.versions.back().version != rows->newest().version()) {
        return Error(ErrorKind::kConflict, "another program has written a newer version")
            .with("reason", txn::kStaleCapture);
      }
    }
    return ok_status();
  }

  // What cannot be read can be discarded all the same.
  Status describe(const ForeignRows& rows) {
    auto table = rows.describe(stop_);
    if (table.ok()) {
      result_.tables.push_back(std::move(table).value());
      return ok_status();
    }
    if (request_.remedy == Remedy::kAdopt || table.error().kind() == ErrorKind::kCancelled) {
      return std::move(table).error();
    }
    ForeignTable& unread = result_.tables.emplace_back();
    unread.type = rows.published().name();
    unread.is_edge = rows.published().is_edge();
    unread.key = rows.published().key();
    unread.path = rows.published().entry().path;
    unread.native_branch = rows.published().entry().pin.ref;
    unread.published_version = rows.published().entry().pin.head_version;
    unread.head_version = rows.newest().version();
    unread.obstacle = table.error().to_string();
    return ok_status();
  }

  Result<txn::Change> discard(txn::Capture& capture, const Found& found) {
    txn::Change change;
    for (const auto& rows : found) {
      const std::string& key = rows->published().key();
      WEFT_TRY(lance::Snapshot restored, capture.table_over(key, rows->standing()));
      const auto guard =
          capture.guard(rows->newest(), rows->standing().pinned, txn::kDiscardedPrefix);
      if (!guard.ok() && guard.error().kind() != ErrorKind::kNotFound) {
        return guard.error();
      }
      result_.kept.push_back(guard.ok() ? *guard : std::string());
      txn::TableChange& table = change.tables.emplace_back();
      table.key = key;
      table.identity = rows->published().entry().identity;
      WEFT_TRY(table.staged, lance::Stage(std::move(restored), capture.repair_options().stage)
                                 .finish(lance::UpdateOperation()));
    }
    return change;
  }

  const catalog::CatalogPlace& place_;
  const Authority& authority_;
  const RepairRequest& request_;
  const std::stop_token& stop_;
  RepairResult result_;
};

}  // namespace

Result<std::vector<ForeignTable>> plan_repair(const catalog::CatalogPlace& place,
                                              const std::string& branch,
                                              const std::vector<std::string>& types,
                                              const std::stop_token& stop) {
  WEFT_TRY(const catalog::CatalogPlace at, catalog::open_branch(place, branch));
  for (int attempt = 1;; ++attempt) {
    WEFT_TRY(const auto graph, open_snapshot(place, {.branch = branch, .at = Newest()}));
    txn::Capture capture(at, graph->view(), base::Ulid::make(place.clock.now(), place.random), 1);
    const auto found = find_foreign(capture, *graph, types);
    if (!found.ok() && found.error().fact("reason") == txn::kStaleCapture &&
        attempt < kStaleCapturesMax) {
      continue;
    }
    WEFT_TRY_STATUS(found.ok() ? ok_status() : Status(found.error()));
    std::vector<ForeignTable> tables;
    for (const auto& rows : *found) {
      WEFT_TRY(tables.emplace_back(), rows->describe(stop));
    }
    return tables;
  }
}

Result<RepairResult> repair(const catalog::CatalogPlace& place, const Authority& authority,
                            const RepairRequest& request, const std::stop_token& stop) {
  WEFT_TRY_STATUS(check_authority(
      authority, request.remedy == Remedy::kAdopt ? Action::kAdopt : Action::kDiscard,
      request.branch));
  WEFT_TRY(const catalog::CatalogPlace branch, catalog::open_branch(place, request.branch));
  return Repairer(branch, authority, request, stop).run();
}

}  // namespace weft::graph
