#include "weft/rete/lookup.h"

#include <algorithm>
#include <utility>

#include "weft/rete/damage.h"

namespace weft::rete {

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
  return ok_status();
}

// The tiles that hold nothing but the leading id ascend by their second column, too.
size_t TileLookup::first_entry(const RowFilter& filter) const {
  const std::vector<TileEntry>& all = leaf_->entries();
  const GroupKey key = filter.lowest();
  const auto at = std::partition_point(all.begin(), all.end(),
                                       [&](const TileEntry& entry) { return entry.last() < key; });
  if (at == all.end() || filter.columns[1] == 0 || filter.may_hold(at->zone)) {
    return static_cast<size_t>(at - all.begin());
  }
  const auto pure_end = std::partition_point(
      at, all.end(), [&](const TileEntry& entry) { return entry.last() == key; });
  const auto found = std::partition_point(
      std::next(at), std::max(std::next(at), pure_end), [&](const TileEntry& entry) {
        return entry.zone.has_ranges && entry.zone.b_max < filter.columns[1];
      });
  return static_cast<size_t>(found - all.begin());
}

bool TileLookup::append_tile(const RowFilter& filter, size_t rows_end, LocalBatch& rows) const {
  const std::vector<Tile::Run>& runs = tile_->runs();
  for (size_t index = 0; index < runs.size(); ++index) {
    if (runs[index].graph != filter.graph) {
      continue;
    }
    RunRows found = rows_in_prefix(tile_, index, filter);
    if (found.count == 0) {
      continue;
    }
    const size_t begin = rows.size();
    if (begin + found.count > rows_end) {
      return false;
    }
    std::array<std::vector<uint32_t>*, 3> columns{};
    std::array<uint32_t*, 3> at{};
    for (size_t i = 0; i < columns.size(); ++i) {
      columns[i] = columns_[i] == rdf::Position::kSubject     ? &rows.subject
                   : columns_[i] == rdf::Position::kPredicate ? &rows.predicate
                                                              : &rows.object;
      columns[i]->resize(begin + found.count);
      at[i] = columns[i]->data() + begin;
    }
    const size_t decoded = found.cursor.decode(found.count, at[0], at[1], at[2]);
    const size_t kept = filter.needs_look() ? keep_matching(filter.columns, decoded, at) : decoded;
    for (std::vector<uint32_t>* column : columns) {
      column->resize(begin + kept);
    }
  }
  return true;
}

Result<bool> TileLookup::append(const RowFilter& filter, size_t rows_max, LocalBatch& rows,
                                const std::stop_token& stop) {
  const size_t begin = rows.size();
  const auto [leaf_begin, leaf_end] = leaf_range(directory_, filter.lowest(), filter.highest());
  for (size_t leaf = leaf_begin; leaf < leaf_end; ++leaf) {
    WEFT_TRY_STATUS(move_to_leaf(leaf, stop));
    const std::vector<TileEntry>& all = leaf_->entries();
    for (size_t i = first_entry(filter); i < all.size(); ++i) {
      const TileEntry& entry = all[i];
      if (entry.first() > filter.highest()) {
        break;
      }
      if (!filter.may_hold(entry.zone)) {
        if (filter.columns[1] != 0 && entry.zone.has_ranges && entry.last() == filter.lowest() &&
            entry.first() == entry.last() && entry.zone.b_min > filter.columns[1]) {
          break;
        }
        continue;
      }
      WEFT_TRY_STATUS(move_to_tile(entry, stop));
      if (!append_tile(filter, begin + rows_max, rows)) {
        rows.subject.resize(begin);
        rows.predicate.resize(begin);
        rows.object.resize(begin);
        return false;
      }
    }
  }
  for (size_t i = begin; i < rows.size(); ++i) {
    rows.object[i] += rows.object[i] > counts_.shared ? counts_.subjects : 0;
  }
  return true;
}

}  // namespace weft::rete
