#include "weft/gqexec/graph_data.h"

#include <algorithm>
#include <utility>

namespace weft::gqexec {
namespace {

// Values are read for single rows until a query asked for 1 in so many of the table; then the whole
// column is read.
constexpr uint64_t kTakenShare = 8;
// Columns of small tables are read as a whole at once.
constexpr uint64_t kSmallTableRows = 4'096;
// Scans of a column until it is kept.
constexpr uint64_t kScansBeforeColumn = 2;
// Scans for one id until the index of all ids is worth its making.
constexpr uint64_t kLookupsBeforeIndex = 3;
constexpr uint64_t kBytesPerKey = 16;
constexpr uint64_t kBytesPerEdge = 32;  // both ways, and what building takes
constexpr uint64_t kBytesPerNode = 8;

}  // namespace

std::shared_ptr<const Column> TypeData::loaded_column(std::string_view name) const {
  const base::MutexLock lock(mutex_);
  const auto found = columns_.find(name);
  return found == columns_.end() ? nullptr : found->second.column;
}

Result<TypeData::Kept> TypeData::load(const std::string& name, const std::stop_token& stop) {
  WEFT_TRY(const auto scan, table_.scan({name}));
  std::vector<columns::ArrayPtr> pieces;
  columns::TypePtr type;
  while (true) {
    WEFT_TRY(const std::optional<columns::Batch> batch, scan->next(stop));
    if (!batch.has_value()) {
      break;
    }
    type = batch->column(0)->type();
    pieces.push_back(batch->column(0));
  }
  if (type == nullptr) {  // no rows: the type is of no matter
    type = columns::simple_type(columns::TypeId::kNull);
  }
  const Column parts(type, pieces);
  WEFT_TRY(base::Reservation memory, budget_.reserve(parts.memory_bytes()));
  WEFT_TRY(Column joined, Column::join(std::move(type), std::move(pieces)));
  return Kept{std::make_shared<const Column>(std::move(joined)), std::move(memory)};
}

Result<std::shared_ptr<const Column>> TypeData::column(const std::string& name,
                                                       const std::stop_token& stop) {
  if (auto known = loaded_column(name); known != nullptr) {
    return known;
  }
  const base::MutexLock loading(loading_);
  if (auto known = loaded_column(name); known != nullptr) {
    return known;
  }
  WEFT_TRY(Kept kept, load(name, stop));
  const base::MutexLock lock(mutex_);
  return columns_.insert_or_assign(name, std::move(kept)).first->second.column;
}

Result<std::shared_ptr<const Column>> TypeData::column_for_scan(const std::string& name,
                                                                const std::stop_token& stop) {
  if (auto known = loaded_column(name); known != nullptr) {
    return known;
  }
  {
    const base::MutexLock lock(mutex_);
    if (++scans_[name] < kScansBeforeColumn) {
      return std::shared_ptr<const Column>();
    }
  }
  Result<std::shared_ptr<const Column>> whole = column(name, stop);
  if (!whole.ok() && whole.error().kind() == ErrorKind::kLimit) {
    return std::shared_ptr<const Column>();
  }
  return whole;
}

Result<RowValues> TypeData::take(const std::string& name, std::span<const RowNumber> rows,
                                 const std::stop_token& stop) {
  const std::vector<uint64_t> numbers(rows.begin(), rows.end());
  WEFT_TRY(const columns::Batch batch, table_.take({name}, numbers, stop));
  return RowValues{
      std::make_shared<const Column>(batch.column(0)->type(), std::vector{batch.column(0)}), true};
}

Result<RowValues> TypeData::values(const std::string& name, std::span<const RowNumber> rows,
                                   const std::stop_token& stop) {
  if (rows.empty()) {
    return RowValues{std::make_shared<const Column>(columns::simple_type(columns::TypeId::kNull),
                                                    std::vector<columns::ArrayPtr>()),
                     true};
  }
  if (auto known = loaded_column(name); known != nullptr) {
    return RowValues{std::move(known), false};
  }
  if (rows.size() <= kTakeRowsMax && row_count() > kSmallTableRows) {
    uint64_t taken = 0;
    {
      const base::MutexLock lock(mutex_);
      taken = rows_taken_[name] += rows.size();
    }
    if (taken < row_count() / kTakenShare) {
      return take(name, rows, stop);
    }
  }
  Result<std::shared_ptr<const Column>> whole = column(name, stop);
  if (whole.ok()) {
    return RowValues{*std::move(whole), false};
  }
  if (whole.error().kind() == ErrorKind::kLimit && rows.size() <= kTakeRowsMax) {
    return take(name, rows, stop);
  }
  return std::move(whole).error();
}

std::shared_ptr<const KeyIndex> TypeData::built_key_index() const {
  const base::MutexLock lock(mutex_);
  return keys_;
}

Result<std::shared_ptr<const KeyIndex>> TypeData::key_index(const std::stop_token& stop) {
  WEFT_TRY(std::shared_ptr<const Column> ids, column("id", stop));
  const base::MutexLock loading(loading_);
  if (auto known = built_key_index(); known != nullptr) {
    return known;
  }
  WEFT_TRY(base::Reservation memory, budget_.reserve(kBytesPerKey * row_count()));
  WEFT_TRY(KeyIndex index, KeyIndex::build(std::move(ids), stop));
  const base::MutexLock lock(mutex_);
  keys_ = std::make_shared<const KeyIndex>(std::move(index));
  keys_memory_ = std::move(memory);
  return keys_;
}

Result<std::shared_ptr<const KeyIndex>> TypeData::key_index_for_lookup(
    const std::stop_token& stop) {
  if (auto known = built_key_index(); known != nullptr) {
    return known;
  }
  {
    const base::MutexLock lock(mutex_);
    if (++key_lookups_ < kLookupsBeforeIndex) {
      return std::shared_ptr<const KeyIndex>();
    }
  }
  Result<std::shared_ptr<const KeyIndex>> index = key_index(stop);
  if (!index.ok() && index.error().kind() == ErrorKind::kLimit) {
    return std::shared_ptr<const KeyIndex>();
  }
  return index;
}

Result<TypeData*> GraphData::find(std::string_view type, bool is_edge) {
  const base::MutexLock lock(mutex_);
  Types& types = is_edge ? edges_ : nodes_;
  if (const auto found = types.find(type); found != types.end()) {
    return found->second.get();
  }
  WEFT_TRY(TypeTable* const table, is_edge ? tables_.edge_table(type) : tables_.node_table(type));
  if (table->row_count() >= kRowsMax) {
    return Error(ErrorKind::kLimit, "a type has more rows than a query can number")
        .with("type", type)
        .with("rows_max", kRowsMax);
  }
  auto data = std::make_unique<TypeData>(*table, budget_);
  return types.emplace(std::string(type), std::move(data)).first->second.get();
}

Result<GraphData::Built> GraphData::build(std::string_view edge_type, const std::stop_token& stop) {
  const schema::EdgeType* const type = schema().find_edge(edge_type);
  if (type == nullptr) {
    return Error(ErrorKind::kNotFound, "there is no such edge type").with("type", edge_type);
  }
  WEFT_TRY(TypeData* const edges, edge(edge_type));
  WEFT_TRY(TypeData* const from, node(type->from));
  WEFT_TRY(TypeData* const to, node(type->to));
  WEFT_TRY(base::Reservation memory,
           budget_.reserve(kBytesPerEdge * edges->row_count() +
                           kBytesPerNode * (from->row_count() + to->row_count())));
  WEFT_TRY(const auto from_keys, from->key_index(stop));
  WEFT_TRY(const auto to_keys, to->key_index(stop));
  WEFT_TRY(const auto scan, edges->table().scan({"src", "dst"}));
  std::vector<RowNumber> sources;
  std::vector<RowNumber> targets;
  while (true) {
    WEFT_TRY(const std::optional<columns::Batch> batch, scan->next(stop));
    if (!batch.has_value()) {
      break;
    }
    from_keys->find_all(*batch->column(0), sources);
    to_keys->find_all(*batch->column(1), targets);
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == kNoRow || targets[i] == kNoRow) {
      return Error(ErrorKind::kCorrupt, "an edge ends at a node that is not there")
          .with("edge_type", edge_type)
          .with("row", uint64_t{i});
    }
  }
  WEFT_TRY(Adjacency lists,
           Adjacency::build(sources, from->row_count(), targets, to->row_count(), stop));
  return Built{std::make_shared<const Adjacency>(std::move(lists)), std::move(memory)};
}

Result<std::shared_ptr<const Adjacency>> GraphData::adjacency(std::string_view edge_type,
                                                              const std::stop_token& stop) {
  const auto known = [this, edge_type]() -> std::shared_ptr<const Adjacency> {
    const base::MutexLock lock(mutex_);
    const auto found = adjacencies_.find(edge_type);
    return found == adjacencies_.end() ? nullptr : found->second.lists;
  };
  if (auto lists = known(); lists != nullptr) {
    return lists;
  }
  const base::MutexLock building(building_);
  if (auto lists = known(); lists != nullptr) {
    return lists;
  }
  WEFT_TRY(Built built, build(edge_type, stop));
  const base::MutexLock lock(mutex_);
  return adjacencies_.emplace(std::string(edge_type), std::move(built)).first->second.lists;
}

}  // namespace weft::gqexec
