// Quads of a segment: scans, counts, graphs.
#include <algorithm>
#include <array>
#include <utility>

#include "weft/rete/damage.h"
#include "weft/rete/file_segment.h"

namespace weft::rete {
namespace {

using rdf::Cardinality;
using rdf::GraphScope;
using rdf::Permutation;
using rdf::Position;
using storage::Range;

// Tiles are looked at this far for an estimate.
constexpr size_t kTilesListedMax = 4096;
constexpr size_t kTilesDecodedMax = 2;

Permutation best_permutation(const LocalPattern& pattern) {
  const bool s = pattern.subject != 0;
  const bool p = pattern.predicate != 0;
  const bool o = pattern.object != 0;
  if (s && o && !p) {
    return Permutation::kOsp;
  }
  if (s) {
    return Permutation::kSpo;
  }
  return p ? Permutation::kPos : o ? Permutation::kOsp : Permutation::kSpo;
}

bool binds_nothing(const LocalPattern& pattern) {
  return pattern.subject == 0 && pattern.predicate == 0 && pattern.object == 0;
}

constexpr Cardinality exactly(uint64_t rows) {
  return {.rows = static_cast<double>(rows), .exact = true};
}

// The directories of graphs in containers are kept in the cache, too.
class CachedDirectories final : public CachedBlock {
 public:
  std::vector<std::shared_ptr<const TileDirectory>> directories;
  size_t memory_bytes() const override {
    size_t bytes = sizeof(*this);
    for (const auto& directory : directories) {
      bytes += sizeof(TileDirectory) + directory->tile_count * sizeof(TileEntry);
    }
    return bytes;
  }
};

}  // namespace

FileSegment::Bounds FileSegment::bounds_of(const Roots& roots, const LocalPattern& pattern,
                                           Permutation permutation) const {
  Bounds bounds;
  const auto columns = rdf::positions(permutation);
  for (size_t i = 0; i < columns.size(); ++i) {
    uint32_t local = 0;
    uint32_t stored = 0;
    switch (columns[i]) {
      case Position::kSubject:
        local = pattern.subject;
        stored = subject_id(roots.counts, local);
        break;
      case Position::kPredicate:
        local = pattern.predicate;
        stored = local <= roots.counts.predicates ? local : 0;
        break;
      case Position::kObject:
        local = pattern.object;
        stored = object_id(roots.counts, local);
        break;
    }
    bounds.possible &= (local == 0) == (stored == 0);
    bounds.filter.columns[i] = stored;
  }
  return bounds;
}

bool FileSegment::keeps(const TileDirectory& directory, const RowFilter& filter) const {
  constexpr uint64_t kTileBytes = 80 * 1024;  // decoded, roughly
  return filter.columns[0] != 0 || directory.tile_count * kTileBytes <= cache_->budget_bytes() / 2;
}

Result<std::shared_ptr<const TileDirectory>> FileSegment::container_directory(
    const Roots::Container& container, Permutation permutation) {
  const BlockRequest request{
      .source = {.type = BlockType::kContainer, .owner = 0, .section = "named-graphs"},
      .stored = {container.place.offset, std::min<uint64_t>(container.place.size, 1)}};
  const auto decode = [&](size_t, ByteView) -> Result<std::shared_ptr<const CachedBlock>> {
    WEFT_TRY(IndexContainer5 read, read_index_container5(file_, container.place, "named-graphs",
                                                         *header5_, false, roots_.tile_parameters));
    auto cached = std::make_shared<CachedDirectories>();
    for (TileDirectory& directory : read.directories) {
      directory.tile_section = "named-graphs";
      cached->directories.push_back(std::make_shared<const TileDirectory>(std::move(directory)));
    }
    return std::shared_ptr<const CachedBlock>(std::move(cached));
  };
  WEFT_TRY(const BlockLoader::Blocks blocks, loader_.load({&request, 1}, decode, true, {}));
  const auto cached = std::static_pointer_cast<const CachedDirectories>(blocks[0]);
  for (const std::shared_ptr<const TileDirectory>& directory : cached->directories) {
    if (directory->permutation == permutation) {
      return directory;
    }
  }
  return Error(ErrorKind::kInternal, "permutation is not stored").with("file", name());
}

Result<std::shared_ptr<const TileDirectory>> FileSegment::named_directory(const Roots& roots,
                                                                          NodeId graph,
                                                                          Permutation permutation) {
  if (roots.graph_index.has_value()) {
    return roots.quads[static_cast<size_t>(permutation)];
  }
  const auto at = std::partition_point(roots.containers.begin(), roots.containers.end(),
                                       [&](const auto& each) { return each.graph < graph; });
  if (at == roots.containers.end() || at->graph != graph) {
    return std::shared_ptr<const TileDirectory>();
  }
  return container_directory(*at, permutation);
}

Result<std::unique_ptr<SegmentCursor>> FileSegment::scan(const LocalPattern& pattern,
                                                         Permutation permutation,
                                                         std::stop_token stop) {
  if (!has_permutation(permutation)) {
    return Error(ErrorKind::kInvalid, "this order is not stored in the segment")
        .with("file", name())
        .with("order", rdf::permutation_name(permutation));
  }
  WEFT_TRY(const Roots* const known, roots(stop));
  ScanPlan plan;
  plan.permutation = permutation;
  plan.counts = known->counts;
  plan.fills_graph = pattern.scope == GraphScope::kAllNamed;
  Bounds bounds = bounds_of(*known, pattern, permutation);
  std::vector<ScanSource> sources;
  const bool one_container = pattern.scope == GraphScope::kOne && !known->graph_index.has_value();
  if (!bounds.possible) {
    // No row can match.
  } else if (pattern.scope == GraphScope::kDefault) {
    sources.push_back({known->index[static_cast<size_t>(permutation)], bounds.filter, 0});
  } else if (known->graph_index.has_value()) {
    bounds.filter.any_graph = plan.fills_graph;
    bounds.filter.graph = plan.fills_graph ? 0 : subject_id(known->counts, pattern.graph);
    if (plan.fills_graph || bounds.filter.graph != 0) {
      sources.push_back({known->quads[static_cast<size_t>(permutation)], bounds.filter, 0});
    }
  } else if (one_container) {
    WEFT_TRY(std::shared_ptr<const TileDirectory> directory,
             named_directory(*known, pattern.graph, permutation));
    if (directory != nullptr) {
      sources.push_back({std::move(directory), bounds.filter, pattern.graph});
    }
  } else {
    plan.keep = false;
    plan.source = [this, known, permutation,
                   filter = bounds.filter](size_t index) -> Result<std::optional<ScanSource>> {
      if (index >= known->containers.size()) {
        return std::optional<ScanSource>();
      }
      const Roots::Container& container = known->containers[index];
      WEFT_TRY(std::shared_ptr<const TileDirectory> directory,
               container_directory(container, permutation));
      return std::optional(ScanSource{std::move(directory), filter, container.graph});
    };
  }
  if (!sources.empty()) {
    plan.keep = keeps(*sources.front().directory, sources.front().filter);
  }
  if (!plan.source) {
    plan.source = [sources =
                       std::move(sources)](size_t index) -> Result<std::optional<ScanSource>> {
      return index < sources.size() ? std::optional(sources[index]) : std::nullopt;
    };
  }
  return make_scan_cursor(shared_from_this(), loader_, std::move(plan), std::move(stop));
}

Status FileSegment::prefetch(std::span<const LocalPattern> patterns, Permutation permutation,
                             std::stop_token stop) {
  if (!has_permutation(permutation)) {
    return ok_status();
  }
  WEFT_TRY(const Roots* const known, roots(stop));
  struct Wanted {
    std::shared_ptr<const TileDirectory> directory;
    RowFilter filter;
  };
  std::vector<Wanted> wanted;
  for (const LocalPattern& pattern : patterns) {
    Bounds bounds = bounds_of(*known, pattern, permutation);
    if (!bounds.possible || pattern.scope == GraphScope::kAllNamed) {
      continue;
    }
    Wanted each{known->index[static_cast<size_t>(permutation)], bounds.filter};
    if (pattern.scope == GraphScope::kOne) {
      if (known->graph_index.has_value()) {
        each.filter.graph = subject_id(known->counts, pattern.graph);
      }
      WEFT_TRY(each.directory, named_directory(*known, pattern.graph, permutation));
      if (each.directory == nullptr || (each.directory->is_quads && each.filter.graph == 0)) {
        continue;
      }
    }
    if (keeps(*each.directory, each.filter)) {
      wanted.push_back(std::move(each));
    }
  }
  // All leaves in one read; directories differ only between graphs in containers, which keep
  // theirs.
  std::vector<size_t> leaves;
  for (const Wanted& each : wanted) {
    const auto [first, last] =
        leaf_range(*each.directory, each.filter.lowest(), each.filter.highest());
    for (size_t leaf = first; leaf < last && each.directory == wanted[0].directory; ++leaf) {
      leaves.push_back(leaf);
    }
  }
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  constexpr size_t kLeavesMax = 64;
  if (leaves.empty() || leaves.size() > kLeavesMax) {
    return ok_status();
  }
  WEFT_TRY(const TileLeaves loaded, load_tile_leaves(loader_, *wanted[0].directory, leaves, stop));
  std::vector<TileRequest> requests;
  const size_t tiles_max = cache_->budget_bytes() / 4 / (80 * 1024) + 1;
  for (const Wanted& each : wanted) {
    TileWalk walk(loader_, *each.directory, each.filter);
    std::vector<TileEntry> entries;
    constexpr size_t kTilesPerPatternMax = 8;
    WEFT_TRY_STATUS(walk.next(kTilesPerPatternMax, entries, stop));
    for (const TileEntry& entry : entries) {
      requests.push_back({each.directory.get(), entry});
    }
  }
  std::sort(requests.begin(), requests.end(), [](const TileRequest& a, const TileRequest& b) {
    return a.entry.stored.offset < b.entry.stored.offset;
  });
  const auto same = [](const TileRequest& a, const TileRequest& b) {
    return a.entry.stored == b.entry.stored;
  };
  requests.erase(std::unique(requests.begin(), requests.end(), same), requests.end());
  requests.resize(std::min(requests.size(), tiles_max));
  WEFT_TRY(const Tiles tiles, load_tiles(loader_, requests, true, stop));
  static_cast<void>(tiles);
  return ok_status();
}

Result<Cardinality> FileSegment::count_in(const TileDirectory& directory, const RowFilter& filter,
                                          double rows_per_byte, const std::stop_token& stop) {
  TileWalk walk(loader_, directory, filter);
  std::vector<TileEntry> entries;
  WEFT_TRY_STATUS(walk.next(kTilesListedMax, entries, stop));
  if (entries.empty()) {
    return exactly(0);
  }
  // The first and the last tile are cut by the bounds; those between lie within the first bound.
  std::vector<TileRequest> requests = {{&directory, entries.front()}};
  if (entries.size() > 1) {
    requests.push_back({&directory, entries.back()});
  }
  WEFT_TRY(const Tiles tiles, load_tiles(loader_, requests, true, stop));
  double rows = 0;
  for (const std::shared_ptr<const Tile>& tile : tiles) {
    rows += static_cast<double>(count_rows(tile, filter));
  }
  if (entries.size() <= kTilesDecodedMax) {
    return Cardinality{.rows = rows, .exact = true};
  }
  double between = 0;
  const bool whole = filter.columns[1] == 0 && filter.columns[2] == 0 && !filter.any_graph;
  for (size_t i = 1; i + 1 < entries.size(); ++i) {
    between += static_cast<double>(entries[i].stored.size) * rows_per_byte;
  }
  if (!whole) {
    // As dense as in the tiles that were looked at.
    double looked_at = 0;
    for (const std::shared_ptr<const Tile>& tile : tiles) {
      looked_at += static_cast<double>(tile->row_count());
    }
    between *= std::max(rows, 1.0) / looked_at;
  }
  return Cardinality{.rows = rows + between, .exact = false};
}

Result<Cardinality> FileSegment::count_default(const Roots& roots, const LocalPattern& pattern,
                                               const std::stop_token& stop) {
  const uint64_t total = facts_.quad_count - roots.named_quad_count;
  if (binds_nothing(pattern)) {
    return exactly(total);
  }
  const Permutation permutation = best_permutation(pattern);
  const Bounds bounds = bounds_of(roots, pattern, permutation);
  if (!bounds.possible) {
    return exactly(0);
  }
  if (pattern.subject == 0 && pattern.object == 0 && facts_.has_schema) {
    WEFT_TRY(const std::shared_ptr<const Schema> known, schema());
    const PredicateStatistics* const statistics =
        known == nullptr ? nullptr : known->find(pattern.predicate);
    if (statistics != nullptr) {
      // Another's statistics are no proof.
      return Cardinality{.rows = static_cast<double>(statistics->triples),
                         .exact = facts_.has_block_digests};
    }
  }
  const TileDirectory& directory = *roots.index[static_cast<size_t>(permutation)];
  const double rows_per_byte =
      directory.tiles.size == 0
          ? 0.0
          : static_cast<double>(total) / static_cast<double>(directory.tiles.size);
  return count_in(directory, bounds.filter, rows_per_byte, stop);
}

Result<Cardinality> FileSegment::count_named(const Roots& roots, const LocalPattern& pattern,
                                             const std::stop_token& stop) {
  const Permutation permutation = best_permutation(pattern);
  Bounds bounds = bounds_of(roots, pattern, permutation);
  if (!bounds.possible || roots.named_quad_count == 0) {
    return exactly(0);
  }
  const bool all = pattern.scope == GraphScope::kAllNamed;
  if (binds_nothing(pattern)) {
    if (all) {
      return exactly(roots.named_quad_count);
    }
    WEFT_TRY(const uint64_t quads, quads_in_graph(pattern.graph, stop));
    return exactly(quads);
  }
  if (!roots.graph_index.has_value()) {
    // Graphs in containers: one after the other, the first few exactly.
    Cardinality sum{.rows = 0, .exact = true};
    size_t looked_at = 0;
    constexpr size_t kGraphsMax = 64;
    for (const Roots::Container& container : roots.containers) {
      if (!all && container.graph != pattern.graph) {
        continue;
      }
      if (looked_at == kGraphsMax) {
        sum.exact = false;
        sum.rows *= static_cast<double>(roots.containers.size()) / kGraphsMax;
        break;
      }
      ++looked_at;
      WEFT_TRY(const std::shared_ptr<const TileDirectory> directory,
               container_directory(container, permutation));
      const double rows_per_byte =
          static_cast<double>(container.quad_count) /
          static_cast<double>(std::max<uint64_t>(directory->tiles.size, 1));
      WEFT_TRY(const Cardinality rows, count_in(*directory, bounds.filter, rows_per_byte, stop));
      sum.rows += rows.rows;
      sum.exact &= rows.exact;
    }
    return sum;
  }
  bounds.filter.any_graph = all;
  bounds.filter.graph = all ? 0 : subject_id(roots.counts, pattern.graph);
  if (!all && bounds.filter.graph == 0) {
    return exactly(0);
  }
  const TileDirectory& directory = *roots.quads[static_cast<size_t>(permutation)];
  // Of generation 6, `tiles` are those of all orders.
  const size_t orders =
      header6_.has_value()
          ? static_cast<size_t>(std::count_if(roots.quads.begin(), roots.quads.end(),
                                              [](const auto& order) { return order != nullptr; }))
          : 1;
  const double rows_per_byte = static_cast<double>(roots.named_quad_count) *
                               static_cast<double>(orders) /
                               static_cast<double>(std::max<uint64_t>(directory.tiles.size, 1));
  return count_in(directory, bounds.filter, rows_per_byte, stop);
}

Result<Cardinality> FileSegment::count(const LocalPattern& pattern, std::stop_token stop) {
  WEFT_TRY(const Roots* const known, roots(stop));
  return pattern.scope == GraphScope::kDefault ? count_default(*known, pattern, stop)
                                               : count_named(*known, pattern, stop);
}

namespace {

Result<std::shared_ptr<const GraphBlock>> load_graph_block(BlockLoader& loader,
                                                           const GraphIndex& index, size_t block,
                                                           uint32_t graph_limit,
                                                           const std::stop_token& stop) {
  const GraphIndex::Block& place = index.blocks[block];
  const BlockRequest request{
      .source = {.type = BlockType::kGraphBlock, .owner = 0, .section = "quad-leaves"},
      .stored = place.stored};
  const auto decode = [&](size_t, ByteView stored) -> Result<std::shared_ptr<const CachedBlock>> {
    WEFT_TRY(const std::string raw,
             decompress(place.is_raw ? Codec::kNone : index.codec, stored, index.raw_bytes_max));
    WEFT_TRY(std::shared_ptr<const CachedBlock> decoded,
             GraphBlock::from_raw(raw, index, block, graph_limit));
    return decoded;
  };
  WEFT_TRY(const BlockLoader::Blocks blocks, loader.load({&request, 1}, decode, true, stop));
  return std::static_pointer_cast<const GraphBlock>(blocks[0]);
}

}  // namespace

Result<std::shared_ptr<const std::vector<GraphEntry>>> FileSegment::graphs(std::stop_token stop) {
  WEFT_TRY(const Roots* const known, roots(stop));
  const base::MutexLock lock(beside_mutex_);
  if (graphs_ != nullptr) {
    return graphs_;
  }
  std::vector<GraphEntry> entries;
  for (const Roots::Container& container : known->containers) {
    entries.push_back({container.graph, container.quad_count});
  }
  uint64_t total = 0;
  const uint32_t limit = known->counts.shared + known->counts.subjects;
  for (size_t i = 0; known->graph_index.has_value() && i < known->graph_index->blocks.size(); ++i) {
    WEFT_TRY(const std::shared_ptr<const GraphBlock> block,
             load_graph_block(loader_, *known->graph_index, i, limit, stop));
    for (const GraphBlock::Entry& entry : block->entries()) {
      entries.push_back({entry.graph, entry.quad_count});
      total += entry.quad_count;
    }
  }
  if (known->graph_index.has_value() && total != known->graph_index->quad_count) {
    return damage("quads of the graphs do not add up", name(), "quad-leaves", 0);
  }
  graphs_ = std::make_shared<const std::vector<GraphEntry>>(std::move(entries));
  return graphs_;
}

Result<uint64_t> FileSegment::quads_in_graph(NodeId graph, std::stop_token stop) {
  WEFT_TRY(const Roots* const known, roots(stop));
  if (!known->graph_index.has_value()) {
    for (const Roots::Container& container : known->containers) {
      if (container.graph == graph) {
        return container.quad_count;
      }
    }
    return uint64_t{0};
  }
  const uint32_t stored = subject_id(known->counts, graph);
  const size_t block = known->graph_index->block_of(stored);
  if (stored == 0 || block == known->graph_index->blocks.size()) {
    return uint64_t{0};
  }
  WEFT_TRY(const std::shared_ptr<const GraphBlock> entries,
           load_graph_block(loader_, *known->graph_index, block,
                            known->counts.shared + known->counts.subjects, stop));
  return entries->quads_in(stored);
}

}  // namespace weft::rete
