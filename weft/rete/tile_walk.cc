#include "weft/rete/tile_walk.h"

#include <algorithm>
#include <utility>

#include "weft/rete/damage.h"

namespace weft::rete {

bool RowFilter::may_hold(const TileZone& zone) const {
  const uint32_t a = columns[0];
  if (a != 0 && zone.first_graph == zone.last_graph && (a < zone.first_a || a > zone.last_a)) {
    return false;
  }
  if (!zone.has_ranges) {
    return true;
  }
  return (columns[1] == 0 || (columns[1] >= zone.b_min && columns[1] <= zone.b_max)) &&
         (columns[2] == 0 || (columns[2] >= zone.c_min && columns[2] <= zone.c_max));
}

bool ends_before(const TileEntry& entry, uint32_t graph, const TileRow& row) {
  const GroupKey key{graph, row.a};
  const TileZone& zone = entry.zone;
  if (entry.last() != key || entry.first() != key || !zone.has_ranges) {
    return entry.last() < key;
  }
  return zone.b_max < row.b ||
         (zone.b_min == zone.b_max && zone.b_max == row.b && zone.c_max < row.c);
}

bool begins_behind(const TileEntry& entry, uint32_t graph, const TileRow& row) {
  const GroupKey key{graph, row.a};
  const TileZone& zone = entry.zone;
  if (entry.first() != key) {
    return entry.first() > key;
  }
  const bool one_group = entry.last() == key && zone.has_ranges;
  if (!one_group) {
    return row.b == 0 && row.c == 0;
  }
  return zone.b_min > row.b ||
         (zone.b_min == row.b && (row.c == 0 || (zone.b_min == zone.b_max && zone.c_min >= row.c)));
}

namespace {

BlockRequest leaf_place(const TileDirectory& directory, const TileLeafRef& leaf) {
  return {.source = {.type = BlockType::kTileLeaf,
                     .owner = directory.owner,
                     .section = directory.leaf_section},
          .stored = leaf.stored};
}

BlockRequest tile_place(const TileDirectory& directory, const TileEntry& entry) {
  return {.source = {.type = BlockType::kTile,
                     .owner = directory.owner,
                     .section = directory.tile_section},
          .stored = entry.stored};
}

}  // namespace

Result<TileLeaves> load_tile_leaves(BlockLoader& loader, const TileDirectory& directory,
                                    std::span<const size_t> leaves, const std::stop_token& stop) {
  TileLeaves result(leaves.size());
  std::vector<BlockRequest> requests;
  std::vector<size_t> missing;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const TileLeafRef& ref = directory.leaves[leaves[i]];
    if (ref.kept != nullptr) {
      result[i] = ref.kept;
      continue;
    }
    missing.push_back(i);
    requests.push_back(leaf_place(directory, ref));
  }
  if (requests.empty()) {
    return result;
  }
  const auto decode = [&](size_t index,
                          ByteView stored) -> Result<std::shared_ptr<const CachedBlock>> {
    WEFT_TRY(const std::string raw,
             decompress(directory.leaf_codec, stored, directory.leaf_raw_bytes_max));
    WEFT_TRY(std::shared_ptr<const CachedBlock> block,
             TileLeaf::from_raw(raw, directory, leaves[missing[index]]));
    return block;
  };
  WEFT_TRY(const BlockLoader::Blocks blocks, loader.load(requests, decode, true, stop));
  for (size_t i = 0; i < missing.size(); ++i) {
    result[missing[i]] = std::static_pointer_cast<const TileLeaf>(blocks[i]);
  }
  return result;
}

Result<std::shared_ptr<const TileLeaf>> load_tile_leaf(BlockLoader& loader,
                                                       const TileDirectory& directory, size_t leaf,
                                                       const std::stop_token& stop) {
  const TileLeafRef& ref = directory.leaves[leaf];
  if (ref.kept != nullptr) {
    return ref.kept;
  }
  if (auto held = loader.find(leaf_place(directory, ref)); held != nullptr) {
    return std::static_pointer_cast<const TileLeaf>(std::move(held));
  }
  WEFT_TRY(TileLeaves leaves, load_tile_leaves(loader, directory, {&leaf, 1}, stop));
  return std::move(leaves.front());
}

Result<Tiles> load_tiles(BlockLoader& loader, std::span<const TileRequest> requests, bool keep,
                         const std::stop_token& stop) {
  std::vector<BlockRequest> places;
  places.reserve(requests.size());
  for (const TileRequest& request : requests) {
    places.push_back(tile_place(*request.directory, request.entry));
  }
  const auto decode = [&](size_t index,
                          ByteView stored) -> Result<std::shared_ptr<const CachedBlock>> {
    const TileDirectory& directory = *requests[index].directory;
    const TileEntry& entry = requests[index].entry;
    WEFT_TRY(std::string raw, decompress(entry.is_raw ? Codec::kNone : directory.tile_codec, stored,
                                         directory.tile_raw_bytes_max));
    Result<std::shared_ptr<const Tile>> tile =
        directory.is_quads ? Tile::from_quads(raw, entry.zone, directory.limits,
                                              subject_column(directory.permutation))
                           : Tile::from_plain(std::move(raw), entry.zone, directory.limits);
    if (!tile.ok()) {
      return std::move(tile).error();
    }
    return std::shared_ptr<const CachedBlock>(std::move(tile).value());
  };
  WEFT_TRY(const BlockLoader::Blocks blocks, loader.load(places, decode, keep, stop));
  Tiles tiles;
  tiles.reserve(blocks.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    tiles.push_back(std::static_pointer_cast<const Tile>(blocks[i]));
    // Two entries may name one place only if they say the same of it.
    if (tiles.back()->zone() != requests[i].entry.zone) {
      return damage("two directory entries disagree on one tile", loader.file().name(),
                    requests[i].directory->tile_section, requests[i].entry.stored.offset);
    }
  }
  return tiles;
}

Result<std::shared_ptr<const Tile>> load_tile(BlockLoader& loader, const TileDirectory& directory,
                                              const TileEntry& entry, const std::stop_token& stop) {
  if (auto held = loader.find(tile_place(directory, entry)); held != nullptr) {
    auto tile = std::static_pointer_cast<const Tile>(std::move(held));
    if (tile->zone() == entry.zone) {
      return tile;
    }
  }
  const TileRequest request{&directory, entry};
  WEFT_TRY(Tiles tiles, load_tiles(loader, {&request, 1}, true, stop));
  return std::move(tiles.front());
}

std::pair<size_t, size_t> leaf_range(const TileDirectory& directory, GroupKey low, GroupKey high) {
  const auto& leaves = directory.leaves;
  const auto first = std::partition_point(leaves.begin(), leaves.end(),
                                          [&](const TileLeafRef& leaf) { return leaf.last < low; });
  const auto last = std::partition_point(
      first, leaves.end(), [&](const TileLeafRef& leaf) { return leaf.first <= high; });
  return {static_cast<size_t>(first - leaves.begin()), static_cast<size_t>(last - leaves.begin())};
}

TileWalk::TileWalk(BlockLoader& loader, const TileDirectory& directory, const RowFilter& filter)
    : loader_(loader),
      directory_(directory),
      filter_(filter),
      low_{filter.graph, {filter.columns[0], 0, 0}} {
  const auto [first, last] = leaf_range(directory_, low_.group(), filter_.highest());
  leaf_ = first;
  leaf_end_ = last;
}

void TileWalk::skip_to(uint32_t graph, const TileRow& row) {
  if (Place{graph, row} <= low_) {
    return;
  }
  low_ = {graph, row};
  const size_t first = leaf_range(directory_, low_.group(), filter_.highest()).first;
  if (first > leaf_) {
    leaf_ = first;
    entry_ = 0;
    loaded_ = nullptr;
  }
}

Status TileWalk::next(size_t count_max, std::vector<TileEntry>& entries,
                      const std::stop_token& stop) {
  size_t count = 0;
  while (count < count_max && leaf_ < leaf_end_) {
    if (loaded_ == nullptr) {
      WEFT_TRY(TileLeaves leaves, load_tile_leaves(loader_, directory_, {&leaf_, 1}, stop));
      loaded_ = std::move(leaves.front());
      entry_ = 0;
    }
    const std::vector<TileEntry>& all = loaded_->entries();
    const auto is_passed = [&](const TileEntry& entry) {
      return ends_before(entry, low_.graph, low_.row);
    };
    if (entry_ < all.size() && is_passed(all[entry_])) {
      // What ends before is not told of every tile; a tile behind one of which it is not told may
      // be asked all the same: if that one ends before, so do those in front of it.
      const auto at =
          std::partition_point(all.begin() + static_cast<ptrdiff_t>(entry_), all.end(), is_passed);
      entry_ = static_cast<size_t>(at - all.begin());
    }
    if (entry_ == all.size()) {
      ++leaf_;
      loaded_ = nullptr;
      continue;
    }
    const TileEntry& entry = all[entry_];
    if (entry.first() > filter_.highest() ||
        (high_.has_value() && begins_behind(entry, high_->graph, high_->row))) {
      leaf_ = leaf_end_;
      break;
    }
    ++entry_;
    if (filter_.may_hold(entry.zone)) {
      entries.push_back(entry);
      ++count;
    }
  }
  return ok_status();
}

}  // namespace weft::rete
