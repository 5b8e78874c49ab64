// Quads of a segment: scans and graphs.
#include <algorithm>
#include <array>
#include <utility>

#include "weft/base/present.h"
#include "weft/rete/damage.h"
#include "weft/rete/file_segment.h"

namespace weft::rete {
namespace {

using rdf::GraphScope;
using rdf::Permutation;
using rdf::Position;
using storage::Range;

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
  constexpr uint64_t kTileBytes = uint64_t{80} * 1024;  // decoded, roughly
  return filter.columns[0] != 0 || directory.tile_count * kTileBytes <= cache_->budget_bytes() / 2;
}

Result<std::shared_ptr<const TileDirectory>> FileSegment::container_directory(
    const Roots::Container& container, Permutation permutation) {
  const BlockRequest request{
      .source = {.type = BlockType::kContainer, .owner = 0, .section = "named-graphs"},
      .stored = {container.place.offset, std::min<uint64_t>(container.place.size, 1)}};
  const auto decode = [&](size_t, ByteView) -> Result<std::shared_ptr<const CachedBlock>> {
    WEFT_TRY(IndexContainer5 read,
             read_index_container5(file_, container.place, "named-graphs", base::present(header5_),
                                   false, roots_.tile_parameters));
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
  const size_t tiles_max = cache_->budget_bytes() / 4 / (size_t{80} * 1024) + 1;
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
  entries.reserve(known->containers.size());
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
