// A tile: a few thousand rows of one permutation, or of one order of the named graphs. Kept as
// varints, as in the file, because that is a quarter of the memory of plain ids and still decodes
// at memory speed. What decoding relies on is checked once, when the tile is made:
//
// T1  Rows are strictly ascending by (graph, a, b, c); every id lies within the dictionary.
// T2  The bytes are exactly the structure, every varint has at most five bytes, and eight more
// bytes
//     may be read behind the end.
// T3  The ranges are exactly those the directory told.
//
// Quad tiles are rewritten to the encoding of plain tiles when they are made, one run of bytes per
// graph, so that there is one inner loop. Immutable, thread-safe.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/rete/block_cache.h"

namespace weft::rete {

// A row in the order of its permutation, as stored role ids.
struct TileRow {
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  friend auto operator<=>(const TileRow&, const TileRow&) = default;
};

// What the directory says of a tile. Graphs are 0 in the default graph.
struct TileZone {
  uint32_t first_graph = 0;
  uint32_t last_graph = 0;
  uint32_t first_a = 0;
  uint32_t last_a = 0;
  uint32_t b_min = 0;
  uint32_t b_max = 0xFFFF'FFFF;
  uint32_t c_min = 0;
  uint32_t c_max = 0xFFFF'FFFF;
  bool has_ranges = false;  // b and c are known (not so in old files of generation 5)
  friend bool operator==(const TileZone&, const TileZone&) = default;
};

// The largest id of each column.
struct IdLimits {
  uint32_t graph = 0;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
};

// Where the subject lies in a permutation: decides the encoding of quad tiles.
enum class SubjectColumn : uint8_t { kA, kB, kC };

class Tile final : public CachedBlock {
 public:
  // The rows of one graph in the tile.
  struct Run {
    uint32_t graph = 0;
    uint32_t row_count = 0;
    uint32_t a_count = 0;
    uint32_t offset = 0;  // of the first a
    uint32_t checkpoint_begin = 0;
    uint32_t checkpoint_end = 0;
  };
  // The state of decoding behind row (k + 1) * kCheckpointRows - 1 of a run, which is `row`.
  struct Checkpoint {
    TileRow row = {};
    uint32_t offset = 0;
    uint32_t a_left = 0;
    uint32_t b_left = 0;
    uint32_t c_left = 0;
  };
  static constexpr uint32_t kCheckpointRows = 16;
  // Longer raw tiles are refused: offsets are 32 bits wide.
  static constexpr uint64_t kRawBytesMax = uint64_t{1} << 30U;

  // `raw` is the decompressed tile. Errors: kCorrupt with fact "reason"; no place yet.
  static Result<std::shared_ptr<const Tile>> from_plain(std::string&& raw, const TileZone& zone,
                                                        const IdLimits& limits);
  static Result<std::shared_ptr<const Tile>> from_quads(const std::string& raw,
                                                        const TileZone& zone,
                                                        const IdLimits& limits,
                                                        SubjectColumn subject);

  size_t memory_bytes() const override;
  const TileZone& zone() const { return zone_; }
  uint64_t row_count() const { return row_count_; }
  const std::vector<Run>& runs() const { return runs_; }
  const std::vector<Checkpoint>& checkpoints() const { return checkpoints_; }
  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(bytes_.data()); }

 private:
  // Appends the rows of one graph of a quad tile.
  Status add_run(ByteView body, uint32_t graph, uint32_t first_a, const IdLimits& limits,
                 SubjectColumn subject);

  TileZone zone_;
  uint64_t row_count_ = 0;
  std::vector<Run> runs_;
  std::vector<Checkpoint> checkpoints_;
  std::string bytes_;
};

// Decodes the rows of one run of a tile, which its owner keeps alive. Not thread-safe.
class TileCursor {
 public:
  TileCursor() = default;
  TileCursor(const Tile& tile, size_t run_index);

  // Rows of the run that lie before the place of the cursor.
  uint32_t row_index() const { return state_.row_index; }
  uint32_t rows_left() const { return run_ == nullptr ? 0 : run_->row_count - state_.row_index; }

  // Moves to the first row that is not less than `target`; backwards, too.
  void seek(const TileRow& target);
  // The rows from the place of the cursor on that have the first two ids of `row`; right behind
  // seek({row.a, row.b, 0}).
  uint32_t rows_left_in_group(const TileRow& row) const {
    return state_.row.a == row.a && state_.row.b == row.b ? state_.c_left : 0;
  }
  // Decodes the next rows, at most `count_max`, into columns that have room for them; returns how
  // many.
  size_t decode(size_t count_max, uint32_t* a, uint32_t* b, uint32_t* c);

 private:
  struct State {
    const uint8_t* bytes = nullptr;
    // The last row before the place, or what is between it and the next one.
    TileRow row = {};
    uint32_t a_left = 0;
    uint32_t b_left = 0;
    uint32_t c_left = 0;
    uint32_t row_index = 0;
  };
  void seek_forward(const TileRow& target);
  // Reads the a and b of the next rows.
  static void open_group(State& state);

  const Tile* tile_ = nullptr;
  const Tile::Run* run_ = nullptr;
  State state_;
};

}  // namespace weft::rete
