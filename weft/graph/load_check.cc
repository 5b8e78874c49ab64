#include "weft/graph/load_check.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "weft/graph/key_lookup.h"
#include "weft/graph/value_index.h"
#include "weft/graph/value_text.h"

namespace weft::graph {
namespace {

using codec::Digest16;
using Addresses = std::unordered_set<uint64_t>;

constexpr size_t kTakenAtOnce = 16'384;

std::string names(const std::vector<std::string>& members) {
  std::string text;
  for (const std::string& member : members) {
    text += (text.empty() ? "" : ", ") + member;
  }
  return text;
}

// ` "id"` of a row of a load, if it can be told.
std::string shown_id(const LoadedTable& loaded, uint32_t row) {
  const std::string id = loaded.has_given_ids() ? cut(loaded.id_of(row)) : "";
  return id.empty() ? "" : " \"" + id + "\"";
}

class LoadCheck {
 public:
  LoadCheck(const GraphSnapshot& graph, LoadMode mode, const LoadedTables& tables,
            const LeavingTables& leaving, const std::stop_token& stop, CheckedLoad& out)
      : graph_(graph), mode_(mode), tables_(tables), leaving_(leaving), stop_(stop), out_(out) {}

  Status run(const std::vector<ndjson::OpenEndpoint>& open) {
    // After a violation the reader keeps no rows: what is missing here says nothing then.
    const bool is_whole = out_.violations.empty();
    for (const auto& [key, loaded] : tables_) {
      const TypeTable& stored = *stored_of(*loaded);
      Addresses leaving = leaving_addresses(key);
      WEFT_TRY_STATUS(check_ids(key, *loaded, stored, leaving));
      WEFT_TRY_STATUS(check_uniques(*loaded, stored, leaving));
      if (is_whole) {
        WEFT_TRY_STATUS(check_cardinality(*loaded, stored, leaving));
      }
    }
    WEFT_TRY_STATUS(check_open_endpoints(open));
    if (is_whole && !leaving_.empty()) {
      WEFT_TRY_STATUS(check_deserted_edges());
    }
    return is_whole && mode_ == LoadMode::kOverwrite ? check_left_edges() : ok_status();
  }

 private:
  // The table of this snapshot for a type that the load has.
  const TypeTable* stored_of(const LoadedTable& loaded) const {
    const std::string& name = loaded.table().name();
    return loaded.table().is_edge() ? graph_.find_edge(name) : graph_.find_node(name);
  }
  const LoadedTable* loaded_of(std::string_view key) const {
    const auto found = tables_.find(key);
    return found == tables_.end() ? nullptr : found->second.get();
  }
  const LeavingRows* leaving_of(std::string_view key) const {
    const auto found = leaving_.find(key);
    return found == leaving_.end() ? nullptr : &found->second;
  }
  Addresses leaving_addresses(std::string_view key) const {
    const LeavingRows* const rows = leaving_of(key);
    return rows == nullptr ? Addresses()
                           : Addresses(rows->addresses.begin(), rows->addresses.end());
  }
  // A stored node that is not there any more after the load.
  bool goes(std::string_view key, const Digest16& digest) const {
    const LeavingRows* const rows = leaving_of(key);
    const LoadedTable* const loaded = loaded_of(key);
    return rows != nullptr && rows->ids.find(digest) != RowIndex::kNone &&
           (loaded == nullptr || loaded->ids().find(digest) == RowIndex::kNone);
  }
  void violate(uint64_t line, std::string_view code, std::string message) {
    out_.violations.add(line, code, std::move(message));
  }

  Status check_ids(const std::string& key, const LoadedTable& loaded, const TypeTable& stored,
                   Addresses& leaving) {
    if (mode_ == LoadMode::kOverwrite || !loaded.has_given_ids()) {
      return ok_status();
    }
    std::vector<lance::ReplacedRow> found;
    WEFT_TRY_STATUS(find_rows(
        stored, loaded.ids(),
        [&](uint32_t row, uint64_t address) { found.push_back({row, address}); }, stop_));
    std::ranges::sort(found, {}, &lance::ReplacedRow::position);
    if (mode_ == LoadMode::kMerge) {
      for (const lance::ReplacedRow& row : found) {
        leaving.insert(row.address);
      }
      out_.replaced[key] = std::move(found);
      return ok_status();
    }
    WEFT_TRY_STATUS(name_conflicts(loaded, stored, found));
    return ok_status();
  }

  Status name_conflicts(const LoadedTable& loaded, const TypeTable& stored,
                        const std::vector<lance::ReplacedRow>& found) {
    std::vector<uint64_t> addresses;
    const size_t named = std::min(found.size(), ndjson::Violations::kKeptMax);
    addresses.reserve(named);
    for (size_t i = 0; i < named; ++i) {
      addresses.push_back(found[i].address);
    }
    columns::Batch ids;
    if (named > 0) {
      WEFT_TRY(lance::TableReader* const reader, stored.reader());
      WEFT_TRY(ids, reader->take_addresses({std::string(kIdColumn)}, addresses, stop_));
    }
    for (size_t i = 0; i < found.size(); ++i) {
      const std::string id = i < named ? cut(ids.column(0)->text(i)) : std::string();
      violate(loaded.line_of(static_cast<uint32_t>(found[i].position)), "key_conflict",
              stored.name() + " \"" + id + "\" is there already");
    }
    return ok_status();
  }

  Status check_uniques(const LoadedTable& loaded, const TypeTable& stored,
                       const Addresses& leaving) {
    if (mode_ == LoadMode::kOverwrite || stored.row_count() == 0) {
      return ok_status();
    }
    for (const LoadedUnique& unique : loaded.uniques()) {
      std::vector<size_t> all;
      for (size_t i = 0; i < unique.members.size(); ++i) {
        all.push_back(i);
      }
      const auto match = [&](const ValueRow& row) {
        if (!leaving.contains(row.address)) {
          violate(loaded.line_of(row.wanted), "unique",
                  "@unique(" + names(unique.members) + ") of " + stored.name() +
                      shown_id(loaded, row.wanted) + ": \"" + tuple_text(row.batch, all, row.at) +
                      "\" is there already, of \"" + cut(row.batch.columns().back()->text(row.at)) +
                      "\"");
        }
        return ok_status();
      };
      WEFT_TRY_STATUS(
          find_by_value(stored, unique.members, ValueDigest::kTuple, unique.values, match, stop_));
    }
    return ok_status();
  }

  // Edges by source as they will be, for sources that get, lose or had replaced an edge.
  Status check_cardinality(const LoadedTable& loaded, const TypeTable& stored,
                           const Addresses& leaving) {
    if (!stored.is_edge() || !is_bounded(stored.edge()->cardinality)) {
      return ok_status();
    }
    SourceCounts counts = loaded.sources();
    if (stored.row_count() > 0 && mode_ == LoadMode::kOverwrite) {
      WEFT_TRY_STATUS(note_all_losses(*stored.edge(), stored, counts));
    } else if (stored.row_count() > 0) {
      WEFT_TRY_STATUS(note_losses(stored, leaving, counts));
      WEFT_TRY_STATUS(count_stored(stored, leaving, counts));
    }
    judge(*stored.edge(), loaded, counts);
    return ok_status();
  }

  // All edges go: who had some is looked at, unless the source itself goes.
  Status note_all_losses(const schema::EdgeType& type, const TypeTable& stored,
                         SourceCounts& counts) {
    const LoadedTable* const sources = loaded_of(node_key(type.from));
    return each_source(stored, [&](const Digest16& digest, std::string_view id) {
      const bool stays = sources == nullptr || sources->ids().find(digest) != RowIndex::kNone;
      if (stays && !goes(node_key(type.from), digest)) {
        counts.try_emplace(digest, SourceCount{0, RowIndex::kNone, std::string(id)});
      }
    });
  }

  // Sources of edges that are replaced.
  Status note_losses(const TypeTable& stored, const Addresses& leaving, SourceCounts& counts) {
    std::vector<uint64_t> addresses(leaving.begin(), leaving.end());
    std::ranges::sort(addresses);
    WEFT_TRY(lance::TableReader* const reader, stored.reader());
    for (size_t from = 0; from < addresses.size(); from += kTakenAtOnce) {
      const auto some =
          std::span(addresses).subspan(from, std::min(kTakenAtOnce, addresses.size() - from));
      WEFT_TRY(const columns::Batch rows,
               reader->take_addresses({std::string(kSourceColumn)}, some, stop_));
      for (size_t i = 0; i < some.size(); ++i) {
        const std::string_view id = rows.column(0)->text(i);
        const Digest16 digest = id_digest(id);
        if (!goes(node_key(stored.edge()->from), digest)) {
          counts.try_emplace(digest, SourceCount{0, RowIndex::kNone, std::string(id)});
        }
      }
    }
    return ok_status();
  }

  Status count_stored(const TypeTable& stored, const Addresses& leaving, SourceCounts& counts) {
    RowIndex wanted;
    std::vector<SourceCount*> by_row;
    for (auto& [digest, count] : counts) {
      wanted.add(digest, static_cast<uint32_t>(by_row.size()));
      by_row.push_back(&count);
    }
    wanted.build();
    return find_by_value(
        stored, {std::string(kSourceColumn)}, ValueDigest::kId, wanted,
        [&](const ValueRow& row) {
          by_row[row.wanted]->edges += leaving.contains(row.address) ? 0 : 1;
          return ok_status();
        },
        stop_);
  }

  template <typename Use>
  Status each_source(const TypeTable& stored, const Use& use) {
    const auto each = [&](const lance::TableRows& rows) {
      for (size_t i = 0; i < rows.offsets.size(); ++i) {
        const std::string_view id = rows.batch.column(0)->text(i);
        use(id_digest(id), id);
      }
      return ok_status();
    };
    return scan_table(stored, {std::string(kSourceColumn)}, each, stop_);
  }

  void judge(const schema::EdgeType& type, const LoadedTable& loaded, const SourceCounts& counts) {
    const schema::Cardinality& bound = type.cardinality;
    std::vector<const SourceCount*> bad;
    for (const auto& [digest, count] : counts) {
      if (count.edges < bound.min || (bound.max && count.edges > *bound.max)) {
        bad.push_back(&count);
      }
    }
    std::ranges::sort(bad, [](const SourceCount* left, const SourceCount* right) {
      return std::tie(left->row, left->id) < std::tie(right->row, right->id);
    });
    for (const SourceCount* const count : bad) {
      violate(count->row == RowIndex::kNone ? 0 : loaded.line_of(count->row), "cardinality",
              "@card of " + type.name + ": " + type.from + " \"" + cut(count->id) + "\" has " +
                  std::to_string(count->edges) + " edges, not " + std::to_string(bound.min) + ".." +
                  (bound.max ? std::to_string(*bound.max) : ""));
    }
  }

  Status check_open_endpoints(const std::vector<ndjson::OpenEndpoint>& open) {
    std::map<std::string_view, RowIndex> by_type;
    for (uint32_t i = 0; i < open.size(); ++i) {
      by_type[open[i].node_type].add(id_digest(open[i].id), i);
    }
    std::vector<bool> found(open.size(), false);
    for (auto& [name, wanted] : by_type) {
      // Of a type that is overwritten only the load's own nodes stay.
      if (mode_ == LoadMode::kOverwrite && loaded_of(node_key(name)) != nullptr) {
        continue;
      }
      wanted.build();
      const Addresses leaving = leaving_addresses(node_key(name));
      const auto see = [&](uint32_t row, uint64_t address) {
        found[row] = found[row] || !leaving.contains(address);
      };
      WEFT_TRY_STATUS(find_rows(*graph_.find_node(name), wanted, see, stop_));
    }
    for (size_t i = 0; i < open.size(); ++i) {
      if (!found[i]) {
        violate(open[i].line, "dangling_endpoint",
                std::string(open[i].is_source ? "from" : "to") + " of " + open[i].edge_type +
                    ": there is no " + open[i].node_type + " \"" + cut(open[i].id) + "\"");
      }
    }
    return ok_status();
  }

  // Edges that stay must not end at nodes that leave.
  Status check_deserted_edges() {
    for (const auto& edges : graph_.edges()) {
      const std::string from = node_key(edges->edge()->from);
      const std::string to = node_key(edges->edge()->to);
      if (edges->row_count() == 0 || (leaving_of(from) == nullptr && leaving_of(to) == nullptr)) {
        continue;
      }
      Addresses leaving = leaving_addresses(edges->key());
      for (const lance::ReplacedRow& row : out_.replaced[edges->key()]) {
        leaving.insert(row.address);
      }
      const auto each = [&](const lance::TableRows& rows) {
        for (size_t i = 0; i < rows.offsets.size(); ++i) {
          if (!leaving.contains(lance::row_address(rows.fragment_id, rows.offsets[i]))) {
            check_deserted(*edges, from, rows.batch, i, true);
            check_deserted(*edges, to, rows.batch, i, false);
          }
        }
        return ok_status();
      };
      WEFT_TRY_STATUS(scan_table(
          *edges, {std::string(kIdColumn), std::string(kSourceColumn), std::string(kTargetColumn)},
          each, stop_));
    }
    return ok_status();
  }

  // `rows`: id, source, target.
  void check_deserted(const TypeTable& edges, const std::string& nodes, const columns::Batch& rows,
                      size_t row, bool is_source) {
    const std::string_view end = rows.column(is_source ? 1 : 2)->text(row);
    if (goes(nodes, id_digest(end))) {
      violate(0, "dangling_endpoint",
              std::string(is_source ? "from" : "to") + " of " + edges.name() + " \"" +
                  cut(rows.column(0)->text(row)) +
                  "\", which stays: " + (is_source ? edges.edge()->from : edges.edge()->to) +
                  " \"" + cut(end) + "\" is removed");
    }
  }

  // Edges of types that the load does not have must not end at nodes that go.
  Status check_left_edges() {
    for (const auto& edges : graph_.edges()) {
      const LoadedTable* const from = loaded_of(node_key(edges->edge()->from));
      const LoadedTable* const to = loaded_of(node_key(edges->edge()->to));
      if (edges->row_count() == 0 || loaded_of(edges->key()) != nullptr ||
          (from == nullptr && to == nullptr)) {
        continue;
      }
      const auto each = [&](const lance::TableRows& rows) {
        for (size_t i = 0; i < rows.offsets.size(); ++i) {
          check_left_end(*edges, from, rows.batch.column(1)->text(i), rows.batch.column(0)->text(i),
                         true);
          check_left_end(*edges, to, rows.batch.column(2)->text(i), rows.batch.column(0)->text(i),
                         false);
        }
        return ok_status();
      };
      WEFT_TRY_STATUS(scan_table(
          *edges, {std::string(kIdColumn), std::string(kSourceColumn), std::string(kTargetColumn)},
          each, stop_));
    }
    return ok_status();
  }

  void check_left_end(const TypeTable& edges, const LoadedTable* nodes, std::string_view end,
                      std::string_view edge, bool is_source) {
    if (nodes != nullptr && nodes->ids().find(id_digest(end)) == RowIndex::kNone) {
      violate(0, "dangling_endpoint",
              std::string(is_source ? "from" : "to") + " of " + edges.name() + " \"" + cut(edge) +
                  "\", which stays: " + nodes->table().name() + " \"" + cut(end) +
                  "\" is not in the load that overwrites");
    }
  }

  const GraphSnapshot& graph_;
  const LoadMode mode_;
  const LoadedTables& tables_;
  const LeavingTables& leaving_;
  const std::stop_token& stop_;
  CheckedLoad& out_;
};

}  // namespace

Result<CheckedLoad> check_load(const GraphSnapshot& graph, LoadMode mode,
                               const LoadedTables& tables,
                               const std::vector<ndjson::OpenEndpoint>& open_endpoints,
                               ndjson::Violations violations, const std::stop_token& stop) {
  const LeavingTables none;
  CheckedLoad out;
  out.violations = std::move(violations);
  WEFT_TRY_STATUS(LoadCheck(graph, mode, tables, none, stop, out).run(open_endpoints));
  return out;
}

Result<CheckedLoad> check_merge(const GraphSnapshot& graph, const MergedRows& rows,
                                const std::vector<ndjson::OpenEndpoint>& open_endpoints,
                                ndjson::Violations violations, const std::stop_token& stop) {
  CheckedLoad out;
  out.violations = std::move(violations);
  WEFT_TRY_STATUS(
      LoadCheck(graph, LoadMode::kMerge, rows.tables, rows.leaving, stop, out).run(open_endpoints));
  return out;
}

}  // namespace weft::graph
