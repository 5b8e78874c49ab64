#include "weft/rete/scan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "weft/base/present.h"
#include "weft/rete/damage.h"

namespace weft::rete {
namespace {

using rdf::Position;

// The graph that all rows of a source are in, where its filter asks for one.
uint32_t graph_of(const ScanSource& source) {
  return source.directory->is_quads ? source.filter.graph : source.graph;
}

constexpr size_t kReadAheadLocalMax = 16;
constexpr size_t kReadAheadRemoteMax = 64;

class ScanCursor final : public SegmentCursor {
 public:
  ScanCursor(std::shared_ptr<void> owner, BlockLoader& loader, ScanPlan plan, std::stop_token stop)
      : owner_(std::move(owner)),
        loader_(loader),
        plan_(std::move(plan)),
        stop_(std::move(stop)),
        columns_(rdf::positions(plan_.permutation)) {}

  Status next(LocalBatch& batch) override;
  Status seek(const RowKey& key) override;
  void start_small() override { batch_rows_ = kSmallBatchRows; }
  void stop_before(const RowKey& key) override;

 private:
  struct LoadedTile {
    TileEntry entry;
    std::shared_ptr<const Tile> tile;
  };

  // The first stored row that is not before `key`.
  TileRow stored_row(const RowKey& key) const;
  void limit_walk();
  // Makes a run with rows current. False at the end.
  Result<bool> advance();
  Result<bool> next_source();
  Status load_more();
  void enter_run();
  Status check_order(uint32_t graph, const TileRow& first);
  std::array<uint32_t*, 3> room_for(LocalBatch& batch, size_t rows) const;
  void finish(LocalBatch& batch, size_t count) const;

  std::shared_ptr<void> owner_;
  BlockLoader& loader_;
  ScanPlan plan_;
  std::stop_token stop_;
  std::array<Position, 3> columns_;

  size_t source_index_ = 0;
  std::optional<ScanSource> source_;
  std::optional<TileWalk> walk_;
  std::deque<LoadedTile> tiles_;
  size_t read_ahead_ = 1;
  size_t batch_rows_ = kBatchRows;
  size_t run_index_ = 0;
  TileCursor run_;  // over the first of tiles_
  uint32_t run_left_ = 0;
  bool in_run_ = false;
  // Rows before it are not wanted.
  GroupKey low_group_;
  TileRow low_row_;
  // Rows from it on are not wanted, where all are of one graph.
  std::optional<TileRow> high_row_;
  // The last row that was decoded, of the current source.
  GroupKey last_group_;
  TileRow last_row_;
};

Result<bool> ScanCursor::next_source() {
  WEFT_TRY(source_, plan_.source(source_index_));
  if (!source_.has_value()) {
    return false;
  }
  ++source_index_;
  walk_.emplace(loader_, *source_->directory, source_->filter);
  if (source_->directory->is_quads) {
    walk_->skip_to(low_group_.graph, low_row_);
  } else if (source_->graph == low_group_.graph) {
    walk_->skip_to(0, low_row_);
  }
  limit_walk();
  tiles_.clear();
  in_run_ = false;
  last_group_ = {};
  last_row_ = {};
  return true;
}

Status ScanCursor::load_more() {
  std::vector<TileEntry> entries;
  WEFT_TRY_STATUS(base::present(walk_).next(read_ahead_, entries, stop_));
  if (entries.empty()) {
    return ok_status();
  }
  std::vector<TileRequest> requests;
  requests.reserve(entries.size());
  const ScanSource& source = base::present(source_);
  for (const TileEntry& entry : entries) {
    requests.push_back({source.directory.get(), entry});
  }
  WEFT_TRY(const Tiles tiles, load_tiles(loader_, requests, plan_.keep, stop_));
  for (size_t i = 0; i < tiles.size(); ++i) {
    tiles_.push_back({entries[i], tiles[i]});
  }
  run_index_ = 0;
  const size_t local_max = std::min(kReadAheadLocalMax, 2 * loader_.executor().width());
  const size_t most = loader_.file().is_remote() ? kReadAheadRemoteMax : local_max;
  read_ahead_ = std::min(most, read_ahead_ * 2);
  return ok_status();
}

// The run `run_index_` of the first tile, from low_row_ on.
void ScanCursor::enter_run() {
  const ScanSource& source = base::present(source_);
  const Tile& tile = *tiles_.front().tile;
  const Tile::Run& run = tile.runs()[run_index_];
  run_ = TileCursor(tile, run_index_);
  run_left_ = seek_prefix(run_, source.filter);
  const uint32_t graph = source.directory->is_quads ? run.graph : source.graph;
  if (graph == low_group_.graph && low_row_ > TileRow{} && run_left_ > 0) {
    TileCursor at_low(tile, run_index_);
    at_low.seek(low_row_);
    if (at_low.row_index() > run_.row_index()) {
      const uint32_t skipped = at_low.row_index() - run_.row_index();
      run_left_ = skipped < run_left_ ? run_left_ - skipped : 0;
      run_ = at_low;
    }
  }
  in_run_ = run_left_ > 0;
}

Result<bool> ScanCursor::advance() {
  while (!in_run_) {
    if (!source_.has_value()) {
      WEFT_TRY(const bool more, next_source());
      if (!more) {
        return false;
      }
    }
    const ScanSource& source = base::present(source_);
    if (!source.directory->is_quads && source.graph < low_group_.graph) {
      source_.reset();
      continue;
    }
    if (tiles_.empty()) {
      WEFT_TRY_STATUS(load_more());
      if (tiles_.empty()) {
        source_.reset();
        continue;
      }
    }
    const std::vector<Tile::Run>& runs = tiles_.front().tile->runs();
    if (run_index_ == runs.size()) {
      tiles_.pop_front();
      run_index_ = 0;
      continue;
    }
    const uint32_t graph = runs[run_index_].graph;
    const bool graph_ok =
        !source.directory->is_quads ||
        ((source.filter.any_graph || graph == source.filter.graph) && graph >= low_group_.graph);
    if (graph_ok) {
      enter_run();
    }
    ++run_index_;
  }
  return true;
}

Status ScanCursor::check_order(uint32_t graph, const TileRow& first) {
  const bool ascends = graph != last_group_.graph ? graph > last_group_.graph : first > last_row_;
  if (ascends) {
    return ok_status();
  }
  return damage("rows do not ascend from tile to tile", loader_.file().name(),
                base::present(source_).directory->tile_section, tiles_.front().entry.stored.offset);
}

void ScanCursor::finish(LocalBatch& batch, size_t count) const {
  batch.subject.resize(count);
  batch.predicate.resize(count);
  batch.object.resize(count);
  batch.graph.resize(plan_.fills_graph ? count : 0);
  const uint32_t shared = plan_.counts.shared;
  const uint32_t shift = plan_.counts.subjects;
  for (uint32_t& object : batch.object) {
    object += object > shared ? shift : 0;
  }
}

// Columns grow with the rows and are not shrunk in between: a batch that is used again is not
// filled with zeros again.
std::array<uint32_t*, 3> ScanCursor::room_for(LocalBatch& batch, size_t rows) const {
  for (std::vector<uint32_t>* column : {&batch.subject, &batch.predicate, &batch.object}) {
    column->resize(std::max(column->size(), rows));
  }
  if (plan_.fills_graph) {
    batch.graph.resize(std::max(batch.graph.size(), rows));
  }
  const auto column = [&](Position position) {
    return position == Position::kSubject     ? batch.subject.data()
           : position == Position::kPredicate ? batch.predicate.data()
                                              : batch.object.data();
  };
  return {column(columns_[0]), column(columns_[1]), column(columns_[2])};
}

Status ScanCursor::next(LocalBatch& batch) {
  size_t count = 0;
  while (count < batch_rows_) {
    if (stop_.stop_requested()) {
      return Error(ErrorKind::kCancelled, "scan was cancelled");
    }
    // What is there goes out before more is read.
    if (!in_run_ && count > 0 && tiles_.empty()) {
      break;
    }
    WEFT_TRY(const bool more, advance());
    if (!more) {
      break;
    }
    const size_t wanted = std::min<size_t>(batch_rows_ - count, run_left_);
    std::array<uint32_t*, 3> at = room_for(batch, count + wanted);
    for (uint32_t*& column : at) {
      column += count;
    }
    const uint32_t run_graph = tiles_.front().tile->runs()[run_index_ - 1].graph;
    const size_t decoded = run_.decode(wanted, at[0], at[1], at[2]);
    run_left_ -= static_cast<uint32_t>(decoded);
    in_run_ = run_left_ > 0;
    WEFT_TRY_STATUS(check_order(run_graph, {at[0][0], at[1][0], at[2][0]}));
    last_group_.graph = run_graph;
    last_row_ = {at[0][decoded - 1], at[1][decoded - 1], at[2][decoded - 1]};
    const ScanSource& source = base::present(source_);
    const size_t kept =
        source.filter.needs_look() ? keep_matching(source.filter.columns, decoded, at) : decoded;
    if (plan_.fills_graph) {
      std::fill_n(batch.graph.begin() + static_cast<ptrdiff_t>(count), kept,
                  source.directory->is_quads ? run_graph : source.graph);
    }
    count += kept;
  }
  finish(batch, count);
  batch_rows_ = std::min(kBatchRows, batch_rows_ * kBatchGrowth);
  return ok_status();
}

TileRow ScanCursor::stored_row(const RowKey& key) const {
  const ColumnBound a = column_bound(plan_.counts, columns_[0], key.a);
  const ColumnBound b = column_bound(plan_.counts, columns_[1], key.b);
  const ColumnBound c = column_bound(plan_.counts, columns_[2], key.c);
  return {a.id, a.exact ? b.id : 0, a.exact && b.exact ? c.id : 0};
}

void ScanCursor::limit_walk() {
  if (high_row_.has_value() && source_.has_value()) {
    base::present(walk_).stop_before(source_->directory->is_quads ? source_->filter.graph : 0,
                                     *high_row_);
  }
}

void ScanCursor::stop_before(const RowKey& key) {
  if (!plan_.fills_graph) {
    high_row_ = stored_row(key);
    limit_walk();
  }
}

Status ScanCursor::seek(const RowKey& key) {
  const TileRow row = stored_row(key);
  // In one named graph the caller has no graph in the key.
  const bool one_graph = source_.has_value() && !plan_.fills_graph;
  uint32_t graph = key.graph;
  if (!plan_.fills_graph) {
    graph = one_graph ? graph_of(base::present(source_)) : 0;
  }
  if (!plan_.fills_graph && !one_graph) {
    WEFT_TRY(const bool more, next_source());
    if (!more) {
      return ok_status();
    }
    graph = graph_of(base::present(source_));
  }
  const GroupKey group{graph, 0};
  if (group < GroupKey{low_group_.graph, 0} || (graph == low_group_.graph && row <= low_row_)) {
    return ok_status();
  }
  low_group_ = group;
  low_row_ = row;
  if (!source_.has_value()) {
    return ok_status();
  }
  const bool is_quads = source_->directory->is_quads;
  if (!is_quads && source_->graph != graph) {
    return ok_status();  // advance() passes over the sources before
  }
  const uint32_t tile_graph = is_quads ? graph : 0;
  base::present(walk_).skip_to(tile_graph, row);
  while (!tiles_.empty() && ends_before(tiles_.front().entry, tile_graph, row)) {
    tiles_.pop_front();
    run_index_ = 0;
    in_run_ = false;
  }
  if (in_run_) {
    // Enter the current run again, from the new place on.
    const uint32_t before = run_.row_index();
    --run_index_;
    const uint32_t run_graph = tiles_.front().tile->runs()[run_index_].graph;
    if (is_quads && run_graph < graph) {
      in_run_ = false;
    } else {
      const TileCursor kept = run_;
      const uint32_t left = run_left_;
      enter_run();
      if (in_run_ && run_.row_index() < before) {
        run_ = kept;
        run_left_ = left;
      }
    }
    ++run_index_;
  }
  return ok_status();
}

}  // namespace

size_t keep_matching(const std::array<uint32_t, 3>& wanted, size_t count,
                     const std::array<uint32_t*, 3>& columns) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool match = (wanted[0] == 0 || columns[0][i] == wanted[0]) &&
                       (wanted[1] == 0 || columns[1][i] == wanted[1]) &&
                       (wanted[2] == 0 || columns[2][i] == wanted[2]);
    columns[0][kept] = columns[0][i];
    columns[1][kept] = columns[1][i];
    columns[2][kept] = columns[2][i];
    kept += match ? 1 : 0;
  }
  return kept;
}

ColumnBound column_bound(const TermCounts& counts, Position position, uint32_t local_id) {
  const uint32_t subjects_end = counts.shared + counts.subjects;
  switch (position) {
    case Position::kPredicate:
      return {local_id, true};
    case Position::kSubject:
      return local_id <= subjects_end ? ColumnBound{local_id, true}
                                      : ColumnBound{subjects_end + 1, false};
    case Position::kObject:
      if (local_id <= counts.shared) {
        return {local_id, true};
      }
      if (local_id <= subjects_end) {
        return {counts.shared + 1, false};
      }
      return local_id <= subjects_end + counts.objects
                 ? ColumnBound{local_id - counts.subjects, true}
                 : ColumnBound{counts.shared + counts.objects + 1, false};
  }
  return {};
}

std::unique_ptr<SegmentCursor> make_scan_cursor(std::shared_ptr<void> owner, BlockLoader& loader,
                                                ScanPlan plan, std::stop_token stop) {
  return std::make_unique<ScanCursor>(std::move(owner), loader, std::move(plan), std::move(stop));
}

uint32_t seek_prefix(TileCursor& cursor, const RowFilter& filter) {
  const size_t prefix = filter.prefix();
  const auto& wanted = filter.columns;
  const TileRow low{wanted[0], prefix > 1 ? wanted[1] : 0, prefix > 2 ? wanted[2] : 0};
  cursor.seek(low);
  if (prefix == 0) {
    return cursor.rows_left();
  }
  if (prefix == 2) {
    return cursor.rows_left_in_group(low);
  }
  // The first row behind the prefix: its last bound column one up. Ids stay below 2^32 - 1.
  TileRow high = low;
  (prefix == 1 ? high.a : high.c) += 1;
  TileCursor last = cursor;
  last.seek(high);
  return last.row_index() - cursor.row_index();
}

uint64_t count_rows(const Tile& tile, const RowFilter& filter) {
  constexpr size_t kStep = 1024;
  std::array<uint32_t, kStep> a{};
  std::array<uint32_t, kStep> b{};
  std::array<uint32_t, kStep> c{};
  uint64_t total = 0;
  for (size_t run = 0; run < tile.runs().size(); ++run) {
    const uint32_t graph = tile.runs()[run].graph;
    if (!filter.any_graph && graph != filter.graph) {
      continue;
    }
    TileCursor cursor(tile, run);
    uint32_t left = seek_prefix(cursor, filter);
    if (!filter.needs_look()) {
      total += left;
      continue;
    }
    while (left > 0) {
      const size_t step =
          cursor.decode(std::min<size_t>(kStep, left), a.data(), b.data(), c.data());
      total += keep_matching(filter.columns, step, {a.data(), b.data(), c.data()});
      left -= static_cast<uint32_t>(step);
    }
  }
  return total;
}

}  // namespace weft::rete
