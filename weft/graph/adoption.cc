#include "weft/graph/adoption.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "weft/graph/export.h"
#include "weft/graph/key_lookup.h"
#include "weft/graph/load_check.h"
#include "weft/graph/stage_load.h"
#include "weft/graph/value_text.h"
#include "weft/ndjson/load_reader.h"

namespace weft::graph {
namespace {

constexpr size_t kLinesAtOnce = 4096;

// What the rows of one table come to.
struct TableRowsOfOthers {
  const ForeignRows* rows = nullptr;
  RowIndex added;    // by line
  RowIndex removed;  // by position in `removed_ids`
  std::vector<std::string> removed_ids;
  std::set<std::string, std::less<>> ours;  // ids of rows that commits changed as well
};

class Adoption {
 public:
  Adoption(txn::Capture& capture, const GraphSnapshot& graph, const std::stop_token& stop)
      : capture_(capture),
        place_(capture.place()),
        graph_(graph),
        stop_(stop),
        reader_(graph.schema(), place_.clock.now(), place_.random) {}

  Result<txn::Change> run(const std::vector<std::unique_ptr<ForeignRows>>& tables) {
    Result<txn::Change> change = stage(tables);
    for (const auto& [key, table] : loaded_) {
      if (!change.ok()) {
        table->discard();
      }
    }
    return change;
  }

 private:
  Result<txn::Change> stage(const std::vector<std::unique_ptr<ForeignRows>>& tables) {
    for (const auto& rows : tables) {
      WEFT_TRY_STATUS(open(*rows));
    }
    WEFT_TRY(onto_, GraphSnapshot::make(place_, graph_.view(), graph_.shared_schema(), bases_));
    for (const auto& rows : tables) {
      loaded_[rows->published().key()] = std::make_unique<LoadedTable>(
          *onto_of(*rows), place_.life, capture_.repair_options(), true);
    }
    for (const auto& rows : tables) {
      WEFT_TRY_STATUS(read(*rows));
    }
    WEFT_TRY_STATUS(finish());
    WEFT_TRY_STATUS(find_leaving());
    WEFT_TRY(CheckedLoad checked, check_merge(*onto_, {loaded_, leaving_}, reader_.open_endpoints(),
                                              reader_.violations(), stop_));
    WEFT_TRY_STATUS(check_rows(checked.violations));
    if (!checked.violations.empty()) {
      return refusal(checked.violations);
    }
    return stage_load(capture_.repair_options(), LoadMode::kMerge, loaded_, bases_, checked,
                      leaving_);
  }

  // What the table is staged upon, if its rows can be adopted at all.
  Status open(const ForeignRows& rows) {
    const std::string& key = rows.published().key();
    if (!rows.obstacle().empty()) {
      return Error(ErrorKind::kConflict,
                   rows.obstacle() == kOtherColumns
                       ? "another program has changed the columns of this table, which cannot be "
                         "adopted; nothing was changed: see weft repair --discard"
                       : "from which version another program went on is not known any more, so "
                         "that its rows cannot be adopted; nothing was changed: see weft repair "
                         "--discard")
          .with("table", key)
          .with("version", rows.newest().version())
          .with("reason", rows.obstacle());
    }
    WEFT_TRY(lance::Snapshot base, capture_.table_over(key, rows.standing()));
    bases_.emplace(key, std::move(base));
    return ok_status();
  }

  const TypeTable* onto_of(const ForeignRows& rows) const {
    const std::string& name = rows.published().name();
    return rows.published().is_edge() ? onto_->find_edge(name) : onto_->find_node(name);
  }

  // Rows come as the lines that a load would have.
  Status read(const ForeignRows& rows) {
    TableRowsOfOthers& table = tables_.emplace_back();
    table.rows = &rows;
    const RowLines lines(rows.published());
    std::string line;
    const auto take = [&](const RowDifference& row) -> Status {
      if (row.kind == RowDifferenceKind::kRemoved) {
        table.removed.add(id_digest(row.id), static_cast<uint32_t>(table.removed_ids.size()));
        table.removed_ids.emplace_back(row.id);
        return ok_status();
      }
      if (lines_.size() >= RowIndex::kNone) {
        return Error(ErrorKind::kLimit, "other programs changed too many rows")
            .with("rows_max", uint64_t{RowIndex::kNone} - 1);
      }
      if (row.kind == RowDifferenceKind::kAdded) {
        table.added.add(id_digest(row.id), static_cast<uint32_t>(lines_.size()));
      }
      lines_.push_back({&rows, std::string(row.id), row.kind});
      line.clear();
      WEFT_TRY_STATUS(lines.append(line, *row.after, row.after_row));
      WEFT_TRY_STATUS(reader_.feed(line, stop_));
      return lines_.size() % kLinesAtOnce == 0 ? take_batches() : ok_status();
    };
    WEFT_TRY_STATUS(rows.each(take, stop_));
    table.added.build();
    table.removed.build();
    return rows.each_of_ours(
        [&](const RowDifference& row) {
          table.ours.emplace(row.id);
          return ok_status();
        },
        stop_);
  }

  Status take_batches() {
    for (const ndjson::TypedBatch& batch : reader_.take_batches()) {
      const std::string key = batch.is_edge ? edge_key(batch.type) : node_key(batch.type);
      WEFT_TRY_STATUS(loaded_[key]->add(batch));
    }
    return ok_status();
  }

  Status finish() {
    Status finished = reader_.finish(stop_);
    if (!finished.ok() && reader_.violations().empty()) {
      return finished;
    }
    WEFT_TRY_STATUS(take_batches());
    for (const auto& [key, table] : loaded_) {
      WEFT_TRY_STATUS(table->finish());
    }
    return ok_status();
  }

  Status find_leaving() {
    for (const TableRowsOfOthers& table : tables_) {
      if (table.removed.empty()) {
        continue;
      }
      LeavingRows& leaving = leaving_[table.rows->published().key()];
      leaving.ids = table.removed;
      WEFT_TRY_STATUS(find_rows(
          *onto_of(*table.rows), table.removed,
          [&](uint32_t, uint64_t address) { leaving.addresses.push_back(address); }, stop_));
      std::ranges::sort(leaving.addresses);
    }
    return ok_status();
  }

  // Against the published rows: what was added is not there, what was changed or removed is what
  // the others saw.
  Status check_rows(ndjson::Violations& violations) {
    for (uint32_t i = 0; i < lines_.size(); ++i) {
      const TableRowsOfOthers& table = table_of(*lines_[i].rows);
      if (lines_[i].kind == RowDifferenceKind::kChanged && table.ours.contains(lines_[i].id)) {
        violations.add(uint64_t{i} + 1, "conflict", "a commit changed this row as well");
      }
    }
    for (const TableRowsOfOthers& table : tables_) {
      const TypeTable& onto = *onto_of(*table.rows);
      const auto see = [&](uint32_t row, uint64_t) {
        violations.add(uint64_t{row} + 1, "key_conflict",
                       onto.name() + " \"" + cut(lines_[row].id) + "\" is there already");
      };
      WEFT_TRY_STATUS(find_rows(onto, table.added, see, stop_));
      for (const std::string& id : table.removed_ids) {
        if (table.ours.contains(id)) {
          violations.add(0, "conflict",
                         onto.name() + " \"" + cut(id) + "\" is removed, and a commit changed it");
        }
      }
    }
    return ok_status();
  }

  const TableRowsOfOthers& table_of(const ForeignRows& rows) const {
    return *std::ranges::find(tables_, &rows, &TableRowsOfOthers::rows);
  }

  Error refusal(const ndjson::Violations& violations) const {
    const uint64_t count = violations.count();
    Error error(violations.to_error().kind(),
                "rows of other programs have " + std::to_string(count) +
                    (count == 1 ? " violation" : " violations") + "; nothing was changed");
    for (const ndjson::Violation& violation : violations.first()) {
      std::string text;
      if (violation.line > 0 && violation.line <= lines_.size()) {
        const Line& line = lines_[violation.line - 1];
        text = line.rows->published().name() + " \"" + cut(line.id) + "\": ";
      }
      error.add("violation", text + violation.code + ": " + violation.message);
    }
    return error;
  }

  struct Line {
    const ForeignRows* rows = nullptr;
    std::string id;
    RowDifferenceKind kind = RowDifferenceKind::kAdded;
  };

  txn::Capture& capture_;
  const catalog::CatalogPlace& place_;
  const GraphSnapshot& graph_;
  const std::stop_token& stop_;
  ndjson::LoadReader reader_;
  std::vector<Line> lines_;
  std::vector<TableRowsOfOthers> tables_;
  // The published rows of the tables, above the versions of the others.
  GraphSnapshot::Bases bases_;
  std::shared_ptr<const GraphSnapshot> onto_;
  LoadedTables loaded_;
  LeavingTables leaving_;
};

}  // namespace

Result<txn::Change> stage_adoption(txn::Capture& capture, const GraphSnapshot& graph,
                                   const std::vector<std::unique_ptr<ForeignRows>>& tables,
                                   const std::stop_token& stop) {
  return Adoption(capture, graph, stop).run(tables);
}

}  // namespace weft::graph
