#include "weft/rete/lookup.h"

#include <algorithm>
#include <utility>

#include "weft/rete/damage.h"

namespace weft::rete {
namespace {

// Whether the tile holds nothing but rows of the leading id, so that b_min is its first second id
// and b_max its last one.
bool is_pure(const TileEntry& entry, const RowFilter& filter) {
  return filter.columns[1] != 0 && entry.zone.has_ranges && entry.first() == filter.lowest() &&
         entry.last() == filter.lowest();
}

// Whether rows before the tile are before those that are wanted, too, as far as that is known.
bool begins_before(const TileEntry& entry, const RowFilter& filter) {
  return is_pure(entry, filter) && entry.zone.b_min < filter.columns[1];
}

// The same of rows behind it.
bool ends_behind(const TileEntry& entry, const RowFilter& filter) {
  return entry.last() > filter.highest() ||
         (is_pure(entry, filter) && filter.columns[1] < entry.zone.b_max);
}

}  // namespace

Status TileLookup::move_to_leaf(size_t leaf, const std::stop_token& stop) {
  if (leaf_ != nullptr && leaf == leaf_index_) {
    return ok_status();
  }
  WEFT_TRY(leaf_, load_tile_leaf(loader_, directory_, leaf, stop));
  leaf_index_ = leaf;
  return ok_status();
}

Status TileLookup::move_to_tile(const TileEntry& entry, const std::stop_token& stop) {
  if (tile_ != nullptr && entry.stored == tile_place_) {
    return ok_status();
  }
  WEFT_TRY(tile_, load_tile(loader_, directory_, entry, stop));
  tile_place_ = entry.stored;
  run_index_ = SIZE_MAX;
  return ok_status();
}

bool TileLookup::tile_holds_all(const RowFilter& filter) const {
  if (tile_ == nullptr) {
    return false;
  }
  const TileZone& zone = tile_->zone();
  if (zone.first_graph != filter.graph || zone.last_graph != filter.graph) {
    return false;
  }
  const uint32_t a = filter.columns[0];
  if (zone.first_a < a && a < zone.last_a) {
    return true;
  }
  const uint32_t b = filter.columns[1];
  return zone.first_a == a && zone.last_a == a && zone.has_ranges && zone.b_min < b &&
         b < zone.b_max;
}

// The tiles that hold nothing but the leading id ascend by their second column, too.
size_t TileLookup::first_entry(const RowFilter& filter) const {
  const std::vector<TileEntry>& all = leaf_->entries();
  const GroupKey key = filter.lowest();
  const auto at = std::partition_point(all.begin(), all.end(),
                                       [&](const TileEntry& entry) { return entry.last() < key; });
  const auto next = at == all.end() ? at : std::next(at);
  if (next == all.end() || filter.columns[1] == 0 ||
      (filter.may_hold(at->zone) && !begins_before(*next, filter))) {
    return static_cast<size_t>(at - all.begin());
  }
  const auto pure_end = std::partition_point(
      at, all.end(), [&](const TileEntry& entry) { return entry.last() == key; });
  const auto found =
      std::partition_point(next, std::max(next, pure_end), [&](const TileEntry& entry) {
        return entry.zone.has_ranges && entry.zone.b_max < filter.columns[1];
      });
  return static_cast<size_t>(found - all.begin());
}

bool TileLookup::append_tile(const RowFilter& filter, size_t rows_end, LocalBatch& rows) {
  const std::vector<Tile::Run>& runs = tile_->runs();
  if (run_index_ >= runs.size() || runs[run_index_].graph != filter.graph) {
    const auto run = std::ranges::lower_bound(runs, filter.graph, {}, &Tile::Run::graph);
    if (run == runs.end() || run->graph != filter.graph) {
      return true;
    }
    run_index_ = static_cast<size_t>(run - runs.begin());
    cursor_ = TileCursor(*tile_, run_index_);
  }
  const uint32_t count = seek_prefix(cursor_, filter);
  const size_t begin = rows.size();
  if (count == 0 || begin + count > rows_end) {
    return count == 0;
  }
  std::array<std::vector<uint32_t>*, 3> columns{};
  std::array<uint32_t*, 3> at{};
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i] = columns_[i] == rdf::Position::kSubject     ? &rows.subject
                 : columns_[i] == rdf::Position::kPredicate ? &rows.predicate
                                                            : &rows.object;
    columns[i]->resize(begin + count);
    at[i] = columns[i]->data() + begin;
  }
  cursor_.decode(count, at[0], at[1], at[2]);
  if (filter.needs_look()) {
    const size_t kept = keep_matching(filter.columns, count, at);
    for (std::vector<uint32_t>* column : columns) {
      column->resize(begin + kept);
    }
  }
  return true;
}

Result<bool> TileLookup::append_tiles(const RowFilter& filter, size_t rows_end, LocalBatch& rows,
                                      const std::stop_token& stop) {
  const auto [leaf_begin, leaf_end] = leaf_range(directory_, filter.lowest(), filter.highest());
  for (size_t leaf = leaf_begin; leaf < leaf_end; ++leaf) {
    WEFT_TRY_STATUS(move_to_leaf(leaf, stop));
    const std::vector<TileEntry>& all = leaf_->entries();
    for (size_t i = first_entry(filter); i < all.size(); ++i) {
      const TileEntry& entry = all[i];
      if (entry.first() > filter.highest()) {
        break;
      }
      if (filter.may_hold(entry.zone)) {
        WEFT_TRY_STATUS(move_to_tile(entry, stop));
        if (!append_tile(filter, rows_end, rows)) {
          return false;
        }
      }
      if (ends_behind(entry, filter)) {
        return true;
      }
    }
  }
  return true;
}

Result<bool> TileLookup::append(const RowFilter& filter, size_t rows_max, LocalBatch& rows,
                                const std::stop_token& stop) {
  const size_t begin = rows.size();
  const size_t rows_end = begin + rows_max;
  bool fits = true;
  if (tile_holds_all(filter)) {
    fits = append_tile(filter, rows_end, rows);
  } else {
    WEFT_TRY(fits, append_tiles(filter, rows_end, rows, stop));
  }
  if (!fits) {
    rows.subject.resize(begin);
    rows.predicate.resize(begin);
    rows.object.resize(begin);
    return false;
  }
  for (size_t i = begin; i < rows.size(); ++i) {
    rows.object[i] += rows.object[i] > counts_.shared ? counts_.subjects : 0;
  }
  return true;
}

}  // namespace weft::rete
