// Where tiles end: the writer's rules of the format, which make files of different writers
// comparable. (docs/formats/rete.md, "Tile boundaries")
#pragma once

#include <cstdint>
#include <vector>

#include "weft/codec/varint.h"

namespace weft::rete::build {

// The encoded size of a slice of one group: rows (b, c) under one leading value.
class SliceSize {
 public:
  void start(uint32_t leading_delta) {
    fixed_ = codec::varint_size(leading_delta);
    b_count_ = 0;
    c_count_ = 0;
  }
  // Adds a row and returns the size so far.
  uint64_t add(uint32_t b, uint32_t c) {
    if (b_count_ == 0) {
      open_b(b, b);
    } else if (b != b_) {
      fixed_ += codec::varint_size(c_count_);
      open_b(b, b - b_);
    }
    fixed_ += codec::varint_size(c - c_);
    c_ = c;
    ++c_count_;
    return fixed_ + codec::varint_size(c_count_) + codec::varint_size(b_count_);
  }

 private:
  void open_b(uint32_t b, uint32_t delta) {
    fixed_ += codec::varint_size(delta);
    b_ = b;
    c_ = 0;
    c_count_ = 0;
    ++b_count_;
  }
  uint64_t fixed_ = 0;
  uint64_t b_count_ = 0;
  uint64_t c_count_ = 0;
  uint32_t b_ = 0;
  uint32_t c_ = 0;
};

// Cuts rows (a, b, c) of a triple order. Row numbers count from the last forget().
class TripleTileCutter {
 public:
  explicit TripleTileCutter(uint64_t tile_bytes) : tile_bytes_(tile_bytes) {}

  void add(uint32_t a, uint32_t b, uint32_t c) {
    if (in_group_ && a != a_) {
      close_group();
    }
    if (!in_group_) {
      in_group_ = true;
      a_ = a;
      slice_start_ = next_;
      slice_size_ = 0;
      slice_.start(a - previous_a_);
    }
    ++next_;
    slice_size_ = slice_.add(b, c);
    if (slice_size_ > tile_bytes_) {
      cut(next_);
      previous_a_ = a;
      slice_start_ = next_;
      slice_size_ = 0;
      slice_.start(0);
    }
  }
  void finish() {
    if (in_group_) {
      close_group();
    }
    if (tile_start_ < next_) {
      cut(next_);
    }
  }

  // Ends of the tiles that are complete.
  const std::vector<size_t>& cuts() const { return cuts_; }
  // Forgets those tiles; the row numbers move down by the last cut.
  void forget() {
    const size_t gone = cuts_.empty() ? 0 : cuts_.back();
    cuts_.clear();
    next_ -= gone;
    tile_start_ -= gone;
    slice_start_ -= gone;
  }

 private:
  void cut(size_t end) {
    cuts_.push_back(end);
    tile_start_ = end;
    tile_size_ = 0;
  }
  void close_group() {
    in_group_ = false;
    if (slice_start_ == next_) {
      return;
    }
    if (slice_start_ > tile_start_ && tile_size_ + slice_size_ > tile_bytes_) {
      cut(slice_start_);
    }
    tile_size_ += slice_size_;
    previous_a_ = a_;
  }

  uint64_t tile_bytes_;
  std::vector<size_t> cuts_;
  size_t next_ = 0;
  size_t tile_start_ = 0;
  size_t slice_start_ = 0;
  uint64_t tile_size_ = 0;
  uint64_t slice_size_ = 0;
  uint32_t previous_a_ = 0;
  uint32_t a_ = 0;
  bool in_group_ = false;
  SliceSize slice_;
};

// Cuts rows (g, a, b, c) of a quad order; groups are the runs of equal (g, a).
class QuadTileCutter {
 public:
  explicit QuadTileCutter(uint64_t tile_bytes) : tile_bytes_(tile_bytes) {}

  void add(uint32_t g, uint32_t a, uint32_t b, uint32_t c) {
    if (in_group_ && (g != g_ || a != a_)) {
      close_group();
    }
    if (!in_group_) {
      in_group_ = true;
      group_start_ = next_;
      const bool same_segment = has_previous_ && previous_g_ == g && group_start_ > tile_start_;
      head_ = same_segment ? 0 : kSegmentHeadBytes;
      slice_.start(same_segment ? a - previous_a_ : 0);
      g_ = g;
      a_ = a;
    }
    ++next_;
    group_size_ = slice_.add(b, c) + head_;
    if (group_size_ > tile_bytes_) {
      cut(next_);
      in_group_ = false;
    }
  }
  void finish() {
    if (in_group_) {
      close_group();
    }
    if (tile_start_ < next_) {
      cut(next_);
    }
  }

  const std::vector<size_t>& cuts() const { return cuts_; }
  void forget() {
    const size_t gone = cuts_.empty() ? 0 : cuts_.back();
    cuts_.clear();
    next_ -= gone;
    tile_start_ -= gone;
    group_start_ -= in_group_ ? gone : 0;
  }

 private:
  static constexpr uint64_t kSegmentHeadBytes = 8;

  void cut(size_t end) {
    cuts_.push_back(end);
    tile_start_ = end;
    tile_size_ = 0;
    has_previous_ = false;
  }
  void close_group() {
    in_group_ = false;
    if (group_start_ > tile_start_ && tile_size_ + group_size_ > tile_bytes_) {
      cut(group_start_);
    }
    tile_size_ += group_size_;
    has_previous_ = true;
    previous_g_ = g_;
    previous_a_ = a_;
  }

  uint64_t tile_bytes_;
  std::vector<size_t> cuts_;
  size_t next_ = 0;
  size_t tile_start_ = 0;
  size_t group_start_ = 0;
  uint64_t tile_size_ = 0;
  uint64_t group_size_ = 0;
  uint64_t head_ = 0;
  uint32_t g_ = 0;
  uint32_t a_ = 0;
  uint32_t previous_g_ = 0;
  uint32_t previous_a_ = 0;
  bool has_previous_ = false;
  bool in_group_ = false;
  SliceSize slice_;
};

}  // namespace weft::rete::build
