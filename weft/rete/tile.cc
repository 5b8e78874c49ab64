#include "weft/rete/tile.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "weft/codec/varint.h"
#include "weft/rete/body_walker.h"

namespace weft::rete {
namespace {

constexpr size_t kPaddingBytes = 8;

Error bad(const char* reason) {
  return Error(ErrorKind::kCorrupt, "damaged tile").with("reason", reason);
}

// An id of a tile; T2 has been checked.
inline uint32_t next_id(const uint8_t*& cursor) {
  uint64_t word = 0;
  std::memcpy(&word, cursor, sizeof(word));
  if ((word & 0x80U) == 0) [[likely]] {
    ++cursor;
    return static_cast<uint32_t>(word & 0x7FU);
  }
  // The first byte without bit 7 ends the varint: keep what is up to it and close the gaps.
  const uint64_t stops = ~word & 0x8080'8080'8080'8080U;
  cursor += (std::countr_zero(stops) >> 3) + 1;
  word &= stops ^ (stops - 1);
  word = (word & 0x007F'007F'007F'007FU) | (word & 0x7F00'7F00'7F00'7F00U) >> 1U;
  word = (word & 0x0000'3FFF'0000'3FFFU) | (word & 0x3FFF'0000'3FFF'0000U) >> 2U;
  return static_cast<uint32_t>((word & 0x0FFF'FFFFU) | (word >> 32U) << 28U);
}

// The place behind `count` ids: each ends with a byte below 128.
inline const uint8_t* behind_varints(const uint8_t* cursor, uint32_t count) {
  constexpr size_t kWord = sizeof(uint64_t);
  while (count >= kWord) {
    uint64_t word = 0;
    std::memcpy(&word, cursor, kWord);
    count -= static_cast<uint32_t>(std::popcount(~word & 0x8080'8080'8080'8080U));
    cursor += kWord;
  }
  while (count > 0) {
    count -= (*cursor++ & 0x80U) == 0 ? 1 : 0;
  }
  return cursor;
}

}  // namespace

Result<std::shared_ptr<const Tile>> Tile::from_plain(std::string&& raw, const TileZone& zone,
                                                     const IdLimits& limits) {
  if (raw.size() > kRawBytesMax) {
    return bad("too long");
  }
  codec::ByteReaderView head(as_bytes(raw));
  std::array<uint64_t, 7> ranges{};
  for (uint64_t& value : ranges) {
    value = head.varint();
  }
  if (!head.ok()) {
    return bad("cut short");
  }
  auto tile = std::make_shared<Tile>();
  const uint8_t* const begin = reinterpret_cast<const uint8_t*>(raw.data());
  BodyWalker walker(begin + head.position(), begin + raw.size(), limits, {});
  walker.checkpoints = &tile->checkpoints_;
  const char* reason = walker.walk();
  if (reason == nullptr && walker.cursor() != begin + raw.size()) {
    reason = "bytes behind the last row";
  }
  if (reason != nullptr) {
    return bad(reason);
  }
  const std::array<uint64_t, 7> found = {walker.a_first,  walker.a_last, walker.b_min,
                                         walker.b_max,    walker.c_min,  walker.c_max,
                                         walker.row_count};
  if (found != ranges) {
    return bad("zone map differs from the rows");
  }
  if (zone.first_a != walker.a_first || zone.last_a != walker.a_last ||
      (zone.has_ranges && (zone.b_min != walker.b_min || zone.b_max != walker.b_max ||
                           zone.c_min != walker.c_min || zone.c_max != walker.c_max))) {
    return bad("zone map differs from the directory");
  }
  auto body_begin = static_cast<uint32_t>(head.position());
  if (walker.has_long_varints) {
    std::string rewritten;
    BodyWalker writer(begin + head.position(), begin + raw.size(), limits, {});
    tile->checkpoints_.clear();
    writer.checkpoints = &tile->checkpoints_;
    writer.out = &rewritten;
    WEFT_CHECK(writer.walk() == nullptr);
    raw = std::move(rewritten);
    walker.body_offset = writer.body_offset;
    body_begin = 0;
  }
  for (Checkpoint& checkpoint : tile->checkpoints_) {
    checkpoint.offset += body_begin;
  }
  tile->zone_ = zone;
  tile->row_count_ = walker.row_count;
  tile->runs_.push_back({.graph = 0,
                         .row_count = static_cast<uint32_t>(walker.row_count),
                         .a_count = walker.a_count,
                         .offset = walker.body_offset + body_begin,
                         .checkpoint_begin = 0,
                         .checkpoint_end = static_cast<uint32_t>(tile->checkpoints_.size())});
  tile->checkpoints_.shrink_to_fit();
  tile->bytes_ = std::move(raw);
  tile->bytes_.append(kPaddingBytes, '\0');
  return std::shared_ptr<const Tile>(std::move(tile));
}

Status Tile::add_run(ByteView body, uint32_t graph, uint32_t first_a, const IdLimits& limits,
                     SubjectColumn subject) {
  const uint8_t* const end = as_octets(body) + body.size();
  BodyWalker walker(as_octets(body), end, limits,
                    {.first_a_given = true,
                     .zigzag_b = subject == SubjectColumn::kB,
                     .zigzag_c = subject == SubjectColumn::kC});
  walker.first_a = first_a;
  walker.out = &bytes_;
  walker.checkpoints = &checkpoints_;
  const auto checkpoint_begin = static_cast<uint32_t>(checkpoints_.size());
  const char* reason = walker.walk();
  if (reason == nullptr && walker.cursor() != end) {
    reason = "bytes behind the last row of a graph";
  }
  if (reason != nullptr) {
    return bad(reason);
  }
  if (runs_.empty()) {
    zone_.first_graph = graph;
    zone_.first_a = walker.a_first;
    zone_.b_min = zone_.c_min = 0xFFFF'FFFF;
    zone_.b_max = zone_.c_max = 0;
  }
  zone_.last_graph = graph;
  zone_.last_a = walker.a_last;
  zone_.b_min = std::min(zone_.b_min, walker.b_min);
  zone_.b_max = std::max(zone_.b_max, walker.b_max);
  zone_.c_min = std::min(zone_.c_min, walker.c_min);
  zone_.c_max = std::max(zone_.c_max, walker.c_max);
  runs_.push_back({.graph = graph,
                   .row_count = static_cast<uint32_t>(walker.row_count),
                   .a_count = walker.a_count,
                   .offset = walker.body_offset,
                   .checkpoint_begin = checkpoint_begin,
                   .checkpoint_end = static_cast<uint32_t>(checkpoints_.size())});
  row_count_ += walker.row_count;
  return ok_status();
}

Result<std::shared_ptr<const Tile>> Tile::from_quads(const std::string& raw, const TileZone& zone,
                                                     const IdLimits& limits,
                                                     SubjectColumn subject) {
  if (raw.size() > kRawBytesMax) {
    return bad("too long");
  }
  codec::ByteReaderView reader(as_bytes(raw));
  constexpr size_t kRunBytesMin = 8;
  const uint64_t run_count = reader.count(kRunBytesMin);
  if (run_count == 0) {
    return bad("count of graphs is impossible");
  }
  auto tile = std::make_shared<Tile>();
  tile->bytes_.reserve(raw.size() + raw.size() / 8);
  uint64_t graph = zone.first_graph;
  int64_t first_a = 0;
  constexpr uint64_t kZigzagMax = uint64_t{1} << 33U;
  for (uint64_t i = 0; i < run_count; ++i) {
    const uint64_t graph_step = reader.varint();
    const uint64_t a_step = reader.varint();
    const ByteView body = reader.length_prefixed();
    if (!reader.ok() || (graph_step == 0) != (i == 0) || graph_step > limits.graph ||
        graph + graph_step > limits.graph || a_step > kZigzagMax) {
      return bad("graphs do not ascend within the dictionary");
    }
    graph += graph_step;
    first_a += codec::unzigzag(a_step);
    if (first_a < 1 || first_a > int64_t{limits.a}) {
      return bad("leading id out of range");
    }
    WEFT_TRY_STATUS(tile->add_run(body, static_cast<uint32_t>(graph),
                                  static_cast<uint32_t>(first_a), limits, subject));
  }
  if (reader.remaining() != 0) {
    return bad("bytes behind the last graph");
  }
  tile->zone_.has_ranges = zone.has_ranges;
  if (zone.first_graph == 0 || tile->zone_ != zone) {
    return bad("ranges differ from the directory");
  }
  tile->bytes_.append(kPaddingBytes, '\0');
  tile->bytes_.shrink_to_fit();
  tile->checkpoints_.shrink_to_fit();
  tile->runs_.shrink_to_fit();
  return std::shared_ptr<const Tile>(std::move(tile));
}

size_t Tile::memory_bytes() const {
  return sizeof(*this) + bytes_.capacity() + runs_.capacity() * sizeof(Run) +
         checkpoints_.capacity() * sizeof(Checkpoint);
}

TileCursor::TileCursor(const Tile& tile, size_t run_index)
    : tile_(&tile),
      run_(&tile.runs()[run_index]),
      state_{.bytes = tile_->bytes() + run_->offset, .a_left = run_->a_count} {}

inline void TileCursor::open_group(State& state) {
  if (state.b_left == 0) {
    --state.a_left;
    state.row.a += next_id(state.bytes);
    state.b_left = next_id(state.bytes);
    state.row.b = 0;
  }
  --state.b_left;
  state.row.b += next_id(state.bytes);
  state.c_left = next_id(state.bytes);
  state.row.c = 0;
}

void TileCursor::seek(const TileRow& target) {
  // The last checkpoint whose row lies before the target, or the place at hand if that is nearer.
  // At the first row, too, `row` may say a group: the one that the last seek opened.
  const auto begin = tile_->checkpoints().begin() + run_->checkpoint_begin;
  const auto end = tile_->checkpoints().begin() + run_->checkpoint_end;
  if (state_.row < target) {
    const auto next = std::min(begin + state_.row_index / Tile::kCheckpointRows, end);
    if (next == end || next->row >= target) {
      seek_forward(target);
      return;
    }
  }
  const auto behind = std::partition_point(
      begin, end, [&](const Tile::Checkpoint& each) { return each.row < target; });
  const uint32_t checkpoint_row = static_cast<uint32_t>(behind - begin) * Tile::kCheckpointRows;
  const bool is_near = state_.row_index >= checkpoint_row && state_.row < target;
  if (!is_near && behind == begin) {
    state_ = {.bytes = tile_->bytes() + run_->offset, .a_left = run_->a_count};
  } else if (!is_near) {
    const Tile::Checkpoint& checkpoint = *std::prev(behind);
    state_ = {.bytes = tile_->bytes() + checkpoint.offset,
              .row = checkpoint.row,
              .a_left = checkpoint.a_left,
              .b_left = checkpoint.b_left,
              .c_left = checkpoint.c_left,
              .row_index = checkpoint_row};
  }
  seek_forward(target);
}

// Group by group of rows with the same a and b: those before the target's are stepped over, in the
// target's own the values of c are decoded one by one.
void TileCursor::seek_forward(const TileRow& target) {
  const auto is_before = [&](const TileRow& row) {
    return row.a < target.a || (row.a == target.a && row.b < target.b);
  };
  State state = state_;
  while (state.row_index < run_->row_count) {
    if (state.c_left == 0) {
      const State closed = state;
      open_group(state);
      if (!is_before(state.row) && (state.row.a != target.a || state.row.b != target.b)) {
        state_ = closed;
        return;
      }
    }
    if (is_before(state.row)) {
      state.bytes = behind_varints(state.bytes, state.c_left);
      state.row_index += state.c_left;
      state.row.c = UINT32_MAX;  // not less than the last row passed
      state.c_left = 0;
      continue;
    }
    while (state.c_left > 0) {
      const uint8_t* bytes = state.bytes;
      const uint32_t c = state.row.c + next_id(bytes);
      if (c >= target.c) {
        state_ = state;
        return;
      }
      state.bytes = bytes;
      state.row.c = c;
      --state.c_left;
      ++state.row_index;
    }
  }
  state_ = state;
}

size_t TileCursor::decode(size_t count_max, uint32_t* a, uint32_t* b, uint32_t* c) {
  State state = state_;
  const size_t count = std::min<size_t>(count_max, rows_left());
  size_t done = 0;
  while (done < count) {
    if (state.c_left == 0) {
      open_group(state);
    }
    const size_t step = std::min<size_t>(state.c_left, count - done);
    for (size_t i = 0; i < step; ++i) {
      state.row.c += next_id(state.bytes);
      a[done + i] = state.row.a;
      b[done + i] = state.row.b;
      c[done + i] = state.row.c;
    }
    done += step;
    state.c_left -= static_cast<uint32_t>(step);
  }
  state.row_index += static_cast<uint32_t>(done);
  state_ = state;
  return done;
}

}  // namespace weft::rete
