// A property graph at one commit, for reading: its schema and the version of each type's table that
// the commit pins. Immutable; later commits change nothing of it.
//
//     WEFT_TRY(const auto graph, open_snapshot(place));               // the head of main
//     const TypeTable* people = graph->find_node("Person");
//     WEFT_TRY(lance::TableReader* const table, people->reader());
//     WEFT_TRY(const auto scan, table->scan({"id", "name"}));
//
// S1  Opening reads the catalog and the schema, whatever the number of tables, rows and commits; a
//     table's manifest is read when its reader is first asked for.
// S2  Every type of the schema has a table, whose columns are those of ndjson/table_columns.h in
//     that order: of nodes id, then the properties as declared; of edges id, src, dst, then the
//     properties. id is unique in its table; src and dst are ids of rows that the tables of the
//     edge's ends have.
// Thread-safe. The store, clock and executor of the place must outlive it. (The place's random is
// used by opening only.)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/base/ulid.h"
#include "weft/catalog/branches.h"
#include "weft/catalog/catalog.h"
#include "weft/columns/array.h"
#include "weft/lance/rows/table_reader.h"
#include "weft/schema/accepted.h"

namespace weft::graph {

using catalog::kMainBranch;
inline constexpr std::string_view kIdColumn = "id";
inline constexpr std::string_view kSourceColumn = "src";
inline constexpr std::string_view kTargetColumn = "dst";

// The table of one node or edge type.
class TypeTable {
 public:
  // `base`: a version with the rows of the pinned one, to be read in its place.
  TypeTable(const catalog::CatalogPlace& place, catalog::TableEntry entry,
            const schema::NodeType* node, const schema::EdgeType* edge,
            std::optional<lance::Snapshot> base = {});

  const std::string& name() const { return node_ != nullptr ? node_->name : edge_->name; }
  const std::string& key() const { return entry_.key; }  // "node:Person"
  bool is_edge() const { return edge_ != nullptr; }
  // Exactly one of them is not null. Owned by the snapshot's schema.
  const schema::NodeType* node() const { return node_; }
  const schema::EdgeType* edge() const { return edge_; }
  const schema::EntityType& type() const;
  const catalog::TableEntry& entry() const { return entry_; }
  storage::ObjectStore* store() const { return &place_.store; }
  uint64_t row_count() const { return entry_.pin.row_count; }
  // S2. Column i + first_property_column() is property i of type().
  const columns::SchemaPtr& columns() const { return columns_; }
  size_t first_property_column() const { return is_edge() ? 3 : 1; }

  // The rows, opened when first asked for. Owned by the table. Errors: kCorrupt names the table if
  // the version is gone or replaced, or has other columns; those of the store.
  Result<lance::TableReader*> reader() const;

  // Addresses of the rows with these ids (strings, none null), in their order:
  // TableReader::take_addresses reads them. kNoAddress where there is none.
  static constexpr uint64_t kNoAddress = UINT64_MAX;
  Result<std::vector<uint64_t>> find(const columns::ArrayPtr& ids) const;

 private:
  catalog::CatalogPlace place_;
  catalog::TableEntry entry_;
  const schema::NodeType* node_;
  const schema::EdgeType* edge_;
  std::optional<lance::Snapshot> base_;
  columns::SchemaPtr columns_;
  mutable base::Mutex mutex_;
  mutable std::unique_ptr<lance::TableReader> reader_ WEFT_GUARDED_BY(mutex_);
};

class GraphSnapshot {
 public:
  // Versions of tables that a write builds upon, by key: they have the rows of the pinned ones, but
  // maybe at other addresses (txn::Capture::table).
  using Bases = std::map<std::string, lance::Snapshot, std::less<>>;
  // Errors: kCorrupt if schema and tables do not agree.
  static Result<std::shared_ptr<const GraphSnapshot>> make(
      const catalog::CatalogPlace& place, catalog::CatalogView view,
      std::shared_ptr<const schema::AcceptedSchema> accepted, const Bases& bases = {});

  const catalog::CommitRecord& commit() const { return view_.state().head; }
  const catalog::CatalogView& view() const { return view_; }
  // Of the branch that it was opened on.
  const catalog::CatalogPlace& place() const { return place_; }
  const schema::Schema& schema() const { return accepted_->schema; }
  const schema::AcceptedSchema& accepted() const { return *accepted_; }
  const std::shared_ptr<const schema::AcceptedSchema>& shared_schema() const { return accepted_; }

  // By name. Null if the schema has no such type.
  const TypeTable* find_node(std::string_view name) const;
  const TypeTable* find_edge(std::string_view name) const;
  // Ascending by name.
  const std::vector<std::unique_ptr<TypeTable>>& nodes() const { return nodes_; }
  const std::vector<std::unique_ptr<TypeTable>>& edges() const { return edges_; }

 private:
  GraphSnapshot(catalog::CatalogPlace place, catalog::CatalogView view,
                std::shared_ptr<const schema::AcceptedSchema> accepted)
      : place_(std::move(place)), view_(std::move(view)), accepted_(std::move(accepted)) {}

  catalog::CatalogPlace place_;
  catalog::CatalogView view_;
  std::shared_ptr<const schema::AcceptedSchema> accepted_;
  std::vector<std::unique_ptr<TypeTable>> nodes_;
  std::vector<std::unique_ptr<TypeTable>> edges_;
};

// Which commit: the newest, one by its id, or the newest that is not younger than a time. An id is
// looked for on main and on all branches that go on, unless a branch is named.
struct Newest {};
struct GraphPoint {
  std::string branch = std::string(kMainBranch);
  std::variant<Newest, base::Ulid, base::WallTime> at = Newest();
};
// "" is the newest; a commit's ULID; or a date or date and time as loads read them
// (docs/formats/ndjson-load.md). Errors: kInvalid.
Result<GraphPoint> parse_point(std::string_view at, std::string_view branch = kMainBranch);

// Errors: kNotFound: no graph, no such commit or branch, or nothing that old; kUnsupported: another
// format; kCorrupt; those of the store.
Result<std::shared_ptr<const GraphSnapshot>> open_snapshot(const catalog::CatalogPlace& place,
                                                           const GraphPoint& point = {});
// The same for a version of the catalog that is open already.
Result<std::shared_ptr<const GraphSnapshot>> open_snapshot(const catalog::CatalogPlace& place,
                                                           catalog::CatalogView view);

// "node:Person", "edge:Knows": keys of the catalog.
std::string node_key(std::string_view name);
std::string edge_key(std::string_view name);

// The accepted schema that a version of the catalog pins. Errors: kCorrupt if it is gone or
// another.
Result<std::shared_ptr<const schema::AcceptedSchema>> read_schema(
    const catalog::CatalogPlace& place, const catalog::CatalogState& state);

}  // namespace weft::graph
