// The directory of the tiles of one permutation: of the default graph, of all named graphs together
// (an order of the quad index), or of one named graph (old files of generation 5). Two levels, as
// dict_directory.h.
//
// D2  Tiles ascend by their first and last (graph, a), which may repeat where a group is split; the
//     tiles of the default graph are consecutive in the file; leaves cover all tiles; each leaf
//     begins and ends where its reference says.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdf/ids.h"
#include "weft/rete/block_cache.h"
#include "weft/rete/format.h"
#include "weft/rete/graph_index.h"
#include "weft/rete/tile.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

class FileReader;
class TileLeaf;

// The columns by which tiles are found.
struct GroupKey {
  uint32_t graph = 0;
  uint32_t a = 0;
  friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

struct TileEntry {
  TileZone zone;
  storage::Range stored;  // absolute
  bool is_raw = false;    // not compressed, whatever the codec

  GroupKey first() const { return {zone.first_graph, zone.first_a}; }
  GroupKey last() const { return {zone.last_graph, zone.last_a}; }
};

struct TileLeafRef {
  uint64_t tile_count = 0;
  storage::Range stored;  // absolute
  GroupKey first;
  GroupKey last;
  uint64_t tile_offset = 0;  // of its first tile, absolute
  std::shared_ptr<const TileLeaf> kept;
};

struct TileDirectory {
  rdf::Permutation permutation = rdf::Permutation::kSpo;
  bool is_quads = false;
  uint8_t owner = 0;  // BlockSource::owner
  IdLimits limits;
  uint64_t tile_count = 0;
  storage::Range tiles;  // absolute; of all orders together if is_quads
  std::vector<TileLeafRef> leaves;
  // How tiles and leaves are stored.
  Codec tile_codec = Codec::kNone;
  Codec leaf_codec = Codec::kNone;
  uint64_t tile_raw_bytes_max = 0;
  uint64_t leaf_raw_bytes_max = 0;
  std::string_view tile_section;
  std::string_view leaf_section;

  // Sum of stored tile bytes where it is known without reading (not is_quads).
  uint64_t stored_bytes() const { return tiles.size; }
};

class TileLeaf final : public CachedBlock {
 public:
  // The leaf `index` of `directory`. Errors: kCorrupt with fact "reason".
  static Result<std::shared_ptr<const TileLeaf>> from_raw(std::string_view raw,
                                                          const TileDirectory& directory,
                                                          size_t index);
  // Takes `entries` of generation 5 as the only leaf of `directory`, which must have all other
  // fields, and checks them.
  static Status keep(TileDirectory& directory, std::vector<TileEntry>&& entries);

  size_t memory_bytes() const override {
    return sizeof(*this) + entries_.capacity() * sizeof(TileEntry);
  }
  const std::vector<TileEntry>& entries() const { return entries_; }

 private:
  Status check(const TileDirectory& directory) const;

  std::vector<TileEntry> entries_;
};

// What all directories of one file share.
struct TileDirectoryParameters {
  IdLimits terms;  // a: subjects, b: predicates, c: objects, graph: graph names
  Codec tile_codec = Codec::kNone;
  Codec leaf_codec = Codec::kNone;
  uint64_t tile_raw_bytes_max = 0;
  uint64_t leaf_raw_bytes_max = 0;
};

TileDirectory make_tile_directory(rdf::Permutation permutation, bool is_quads,
                                  const TileDirectoryParameters& parameters);

// The columns' limits in the order of a permutation; `terms` as in TileDirectoryParameters.
IdLimits permuted_limits(rdf::Permutation permutation, const IdLimits& terms);
SubjectColumn subject_column(rdf::Permutation permutation);

// The rows of one order of a quad index of generation 5, as the only leaf of `directory`, whose
// `tiles` are those of this order.
Status keep_quad_rows5(std::string_view raw, TileDirectory& directory);

// The directories in an index unit root of generation 6, ascending by permutation. Errors: kCorrupt
// with fact "reason".
Result<std::vector<TileDirectory>> parse_index_unit6(std::string_view payload,
                                                     uint8_t permutation_mask,
                                                     storage::Range leaves, storage::Range tiles,
                                                     const TileDirectoryParameters& parameters);

struct QuadIndex {
  GraphIndex graphs;
  std::vector<TileDirectory> orders;  // ascending by permutation
};

// The quad unit root of generation 6. `leaves` is section 4, `tiles` section 18.
Result<QuadIndex> parse_quad_unit6(std::string_view payload, uint8_t permutation_mask,
                                   storage::Range leaves, storage::Range tiles,
                                   const TileDirectoryParameters& parameters);

}  // namespace weft::rete
