#include "weft/graph/snapshot.h"

#include <algorithm>
#include <utility>

#include "weft/catalog/branches.h"
#include "weft/catalog/known_state.h"
#include "weft/catalog/pinned_table.h"
#include "weft/codec/blake3.h"
#include "weft/graph/key_lookup.h"
#include "weft/graph/value_text.h"
#include "weft/ndjson/table_columns.h"
#include "weft/schema/moment.h"

namespace weft::graph {
namespace {

const TypeTable* find_in(const std::vector<std::unique_ptr<TypeTable>>& tables,
                         std::string_view name) {
  const auto found = std::ranges::lower_bound(
      tables, name, {}, [](const auto& table) -> std::string_view { return table->name(); });
  return found == tables.end() || (*found)->name() != name ? nullptr : found->get();
}

// A type of the schema; one of the two is not null.
struct Declared {
  const schema::NodeType* node = nullptr;
  const schema::EdgeType* edge = nullptr;
};

Result<std::unique_ptr<TypeTable>> make_table(const catalog::CatalogPlace& place,
                                              const catalog::CatalogState& state,
                                              const schema::AcceptedSchema& accepted,
                                              const Declared& type,
                                              const GraphSnapshot::Bases& bases) {
  const bool is_node = type.node != nullptr;
  const std::string& name = is_node ? type.node->name : type.edge->name;
  const std::string key = is_node ? node_key(name) : edge_key(name);
  const schema::IdsByName& ids = is_node ? accepted.nodes : accepted.edges;
  const auto declared = ids.find(name);
  const catalog::TableEntry* const entry = state.find(key);
  if (declared == ids.end() || entry == nullptr ||
      entry->identity !=
          catalog::TableIdentity{declared->second.id, declared->second.incarnation}) {
    return Error(ErrorKind::kCorrupt, "the graph's schema and its tables do not agree")
        .with("table", key)
        .with("commit", state.head.id.text());
  }
  const auto base = bases.find(key);
  return std::make_unique<TypeTable>(
      place, *entry, type.node, type.edge,
      base == bases.end() ? std::nullopt : std::optional<lance::Snapshot>(base->second));
}

// The newest commit for which `wanted` holds.
template <typename Wanted>
Result<catalog::CatalogView> find_commit(const catalog::CatalogPlace& place,
                                         const catalog::CatalogView& newest, const Wanted& wanted,
                                         std::string_view named) {
  if (wanted(newest.state().head)) {
    return newest;
  }
  WEFT_TRY(const std::vector<catalog::CommitRecord> commits, newest.commits(UINT64_MAX));
  const auto found = std::ranges::find_if(commits, wanted);
  if (found == commits.end()) {
    return Error(ErrorKind::kNotFound, "the graph has no such commit").with("at", named);
  }
  auto view = catalog::open_commit(place, *found);
  if (!view.ok() && view.error().kind() == ErrorKind::kNotFound) {
    return Error(ErrorKind::kCorrupt, "a published version of the graph is gone")
        .with("commit", found->id.text())
        .with("version", found->catalog_version)
        .with("table", view.error().fact("table"));
  }
  return view;
}

Result<catalog::CatalogView> find_by_id(const catalog::CatalogPlace& place,
                                        const catalog::CatalogView& newest, base::Ulid id) {
  const auto is_it = [&](const catalog::CommitRecord& commit) { return commit.id == id; };
  return find_commit(place, newest, is_it, id.text());
}

Result<std::shared_ptr<const GraphSnapshot>> open_on_any_branch(const catalog::CatalogPlace& graph,
                                                                base::Ulid id) {
  WEFT_TRY(const auto branches, catalog::list_branches(graph));
  for (const catalog::BranchEntry& branch : branches) {
    const catalog::CatalogPlace place = catalog::place_of(graph, branch.life);
    auto found = find_by_id(place, branch.head, id);
    if (found.ok()) {
      return open_snapshot(place, std::move(found).value());
    }
    if (found.error().kind() != ErrorKind::kNotFound) {
      return std::move(found).error();
    }
  }
  return Error(ErrorKind::kNotFound, "the graph has no such commit").with("at", id.text());
}

}  // namespace

std::string node_key(std::string_view name) {
  return "node:" + std::string(name);
}

std::string edge_key(std::string_view name) {
  return "edge:" + std::string(name);
}

TypeTable::TypeTable(const catalog::CatalogPlace& place, catalog::TableEntry entry,
                     const schema::NodeType* node, const schema::EdgeType* edge,
                     std::optional<lance::Snapshot> base)
    : place_(place),
      entry_(std::move(entry)),
      node_(node),
      edge_(edge),
      base_(std::move(base)),
      columns_(node != nullptr ? ndjson::node_columns(*node) : ndjson::edge_columns(*edge)) {}

const schema::EntityType& TypeTable::type() const {
  if (node_ != nullptr) {
    return *node_;
  }
  return *edge_;
}

Result<lance::TableReader*> TypeTable::reader() const {
  const base::MutexLock lock(mutex_);
  if (reader_ == nullptr) {
    std::optional<lance::Snapshot> snapshot = base_;
    if (!snapshot.has_value()) {
      WEFT_TRY(snapshot, catalog::open_pinned(place_, entry_));
    }
    WEFT_TRY(reader_,
             lance::TableReader::open(*std::move(snapshot), {.executor = &place_.executor}));
    if (!(*reader_->schema() == *columns_)) {
      Error error = Error(ErrorKind::kCorrupt, "a table has other columns than its type")
                        .with("table", entry_.key)
                        .with("columns", reader_->schema()->to_string())
                        .with("expected", columns_->to_string());
      reader_ = nullptr;
      return error;
    }
  }
  return reader_.get();
}

Result<std::vector<uint64_t>> TypeTable::find(const columns::ArrayPtr& ids) const {
  if (ids->length() >= RowIndex::kNone) {
    return Error(ErrorKind::kLimit, "too many ids at once").with("ids", ids->length());
  }
  RowIndex wanted;
  for (uint32_t row = 0; row < ids->length(); ++row) {
    wanted.add(id_digest(ids->text(row)), row);
  }
  wanted.build();
  std::vector<uint64_t> addresses(ids->length(), kNoAddress);
  WEFT_TRY_STATUS(find_rows(*this, wanted,
                            [&](uint32_t row, uint64_t address) { addresses[row] = address; }, {}));
  return addresses;
}

Result<std::shared_ptr<const GraphSnapshot>> GraphSnapshot::make(
    const catalog::CatalogPlace& place, catalog::CatalogView view,
    std::shared_ptr<const schema::AcceptedSchema> accepted, const Bases& bases) {
  std::shared_ptr<GraphSnapshot> made(
      new GraphSnapshot(place, std::move(view), std::move(accepted)));
  const catalog::CatalogState& state = made->view_.state();
  for (const schema::NodeType& type : made->schema().nodes()) {
    WEFT_TRY(auto table, make_table(place, state, made->accepted(), {.node = &type}, bases));
    made->nodes_.push_back(std::move(table));
  }
  for (const schema::EdgeType& type : made->schema().edges()) {
    WEFT_TRY(auto table, make_table(place, state, made->accepted(), {.edge = &type}, bases));
    made->edges_.push_back(std::move(table));
  }
  return std::shared_ptr<const GraphSnapshot>(std::move(made));
}

const TypeTable* GraphSnapshot::find_node(std::string_view name) const {
  return find_in(nodes_, name);
}

const TypeTable* GraphSnapshot::find_edge(std::string_view name) const {
  return find_in(edges_, name);
}

Result<GraphPoint> parse_point(std::string_view at, std::string_view branch) {
  GraphPoint point{.branch = std::string(branch), .at = Newest()};
  if (at.empty()) {
    return point;
  }
  if (auto commit = base::Ulid::parse(at); commit.ok()) {
    point.at = *commit;
    return point;
  }
  const std::optional<int64_t> milliseconds = schema::parse_date_time(at);
  if (!milliseconds.has_value()) {
    return Error(ErrorKind::kInvalid, "neither the id of a commit nor a time").with("at", at);
  }
  // To the end of the millisecond that it names.
  point.at = base::WallTime{*milliseconds * 1000 + 999};
  return point;
}

Result<std::shared_ptr<const schema::AcceptedSchema>> read_schema(
    const catalog::CatalogPlace& place, const catalog::CatalogState& state) {
  if (!state.schema.has_value()) {
    return Error(ErrorKind::kCorrupt, "the graph has no schema");
  }
  const auto corrupt = [&](std::string_view reason) {
    return Error(ErrorKind::kCorrupt, "the graph's schema is not what was accepted")
        .with("object", state.schema->path)
        .with("reason", reason);
  };
  // The path names the content.
  if (place.known != nullptr) {
    if (const auto known = place.known->parsed(state.schema->path); known != nullptr) {
      return std::static_pointer_cast<const schema::AcceptedSchema>(known);
    }
  }
  const auto read = place.store.get(state.schema->path, schema::kAcceptedBytesMax);
  if (!read.ok()) {
    return read.error().kind() == ErrorKind::kNotFound ? corrupt("gone") : read.error();
  }
  const ByteView bytes = read->bytes.view();
  if (bytes.size() != state.schema->size_bytes ||
      codec::to_hex(codec::blake3_16(bytes)) != state.schema->hash) {
    return corrupt("another content");
  }
  WEFT_TRY(schema::AcceptedSchema accepted, schema::AcceptedSchema::parse(as_text(bytes)));
  auto shared = std::make_shared<const schema::AcceptedSchema>(std::move(accepted));
  if (place.known != nullptr) {
    place.known->note_parsed(state.schema->path, shared);
  }
  return shared;
}

Result<std::shared_ptr<const GraphSnapshot>> open_snapshot(const catalog::CatalogPlace& place,
                                                           catalog::CatalogView view) {
  WEFT_TRY(auto accepted, read_schema(place, view.state()));
  return GraphSnapshot::make(place, std::move(view), std::move(accepted));
}

Result<std::shared_ptr<const GraphSnapshot>> open_snapshot(const catalog::CatalogPlace& place,
                                                           const GraphPoint& point) {
  WEFT_TRY(const catalog::CatalogPlace at, catalog::open_branch(place, point.branch));
  WEFT_TRY(catalog::CatalogView view, catalog::open_latest(at));
  WEFT_TRY_STATUS(catalog::check_goes_on(view));
  if (const auto* const id = std::get_if<base::Ulid>(&point.at)) {
    auto found = find_by_id(at, view, *id);
    if (!found.ok() && found.error().kind() == ErrorKind::kNotFound &&
        point.branch == kMainBranch) {
      return open_on_any_branch(place, *id);
    }
    WEFT_TRY(view, std::move(found));
  } else if (const auto* const time = std::get_if<base::WallTime>(&point.at)) {
    const auto is_old = [&](const catalog::CommitRecord& commit) {
      return commit.created_at <= *time;
    };
    WEFT_TRY(view,
             find_commit(at, view, is_old, schema::date_time_text(time->microseconds / 1000)));
  }
  return open_snapshot(at, std::move(view));
}

}  // namespace weft::graph
