// The values of one leaf column as they are gathered from chunks and pages.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/columns/type.h"
#include "weft/lance/read/read_memory.h"

namespace weft::lance::read {

// [begin, end), of rows, items or events.
struct IndexRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

// What one value of a leaf is made of. A fixed-size list, nested or not, is one value.
struct LeafShape {
  enum class Kind : uint8_t {
    kNothing,  // null
    kBits,     // bools, one or a fixed-size list of them: bits() bits, packed without gaps
    kFixed,    // bytes()
    kText,     // offsets and bytes
  };
  Kind kind = Kind::kNothing;
  bool large_offsets = false;
  uint64_t bits = 0;  // of one value, all items together
  // Of each fixed-size list around the items, from the outermost in: items of one value there.
  std::vector<uint64_t> level_items;

  size_t bytes() const { return static_cast<size_t>(bits / 8); }

  // Dictionaries are read as their values. Errors: kUnsupported.
  static Result<LeafShape> of(const columns::Type& type);
  static LeafShape fixed(uint64_t bits);
  static LeafShape text(bool large_offsets);
};

// Values in the order in which they were appended. Not thread-safe.
class LeafValues {
 public:
  LeafValues(LeafShape shape, ReadMemory* memory);

  const LeafShape& shape() const { return shape_; }
  uint64_t count() const { return count_; }

  // Makes room for `more` values (of text: their offsets) before many calls.
  Status reserve(uint64_t more);

  // `bytes` holds whole values (kFixed).
  Status append_fixed(ByteView bytes);
  // Room for `count` values, to be filled by the caller (kFixed).
  Result<std::byte*> extend_fixed(uint64_t count);
  // Takes back the values extended last.
  void drop_fixed(uint64_t count);
  // If these are the first values, takes the buffer as it is instead of a copy (kFixed).
  Status append_or_adopt(const columns::Buffer& bytes);
  // `count` values of bits() bits each, from bit `first_bit` of `bytes` on (kBits).
  Status append_bits(ByteView bytes, uint64_t first_bit, uint64_t count);
  // `count` times true (kBits of one bit).
  Status append_set_bits(uint64_t count);
  Status append_text(ByteView bytes);
  // `count` times nothing: zeros, or empty text.
  Status append_blanks(uint64_t count);
  // kText, for decoders that write bytes themselves: bytes() grows by the decoder, then the end of
  // the value is noted. Errors: kLimit if 32-bit offsets no longer suffice.
  GrowingBytes& bytes() { return bytes_; }
  Status end_text();
  // Several values at once, of the bytes that follow those of all values so far: either `bytes`,
  // which are copied, or what a decoder has put into bytes() since. Each of `count` little-endian
  // numbers of T at `ends` less `first` is where a value ends, counted from there. The caller has
  // checked that they do not decrease and end with the bytes.
  template <typename T>
  Status append_text_run(ByteView bytes, const std::byte* ends, uint64_t count, T first);
  template <typename T>
  Status append_text_ends(uint64_t base, const std::byte* ends, uint64_t count, T first);

  // Validity of the items of fixed-size lists at `level` (0: of the outermost): a bit for each item
  // of the values `ranges` of a chunk, which are the `count` values appended last. Items appended
  // without are valid.
  Status append_item_validity_ranges(size_t level, ByteView bits,
                                     std::span<const IndexRange> ranges, uint64_t count);

  // Access to what is there (not adopted), for dictionaries.
  ByteView fixed_bytes() const { return bytes_.view(); }
  ByteView fixed_at(uint64_t index) const;
  ByteView text_at(uint64_t index) const;

  // The array; type as for the shape. `validity` may be empty. Empties this.
  Result<columns::ArrayPtr> finish(const columns::TypePtr& type, columns::Buffer validity);

 private:
  template <typename T>
  Status note_end(uint64_t end);
  Status own_bytes();
  Result<columns::ArrayPtr> finish_lists(const columns::TypePtr& type, columns::Buffer validity,
                                         columns::Buffer bytes);

  LeafShape shape_;
  uint64_t count_ = 0;
  GrowingBytes bytes_;    // kBits and kFixed: values; kText: the text
  GrowingBytes offsets_;  // kText: int32 or int64, the leading zero included
  columns::Buffer adopted_;
  struct ItemValidity {
    explicit ItemValidity(ReadMemory* memory) : bits(memory) {}
    GrowingBytes bits;
    uint64_t count = 0;
  };
  ReadMemory* memory_;
  std::vector<ItemValidity> item_validity_;  // by level; as many as there are
};

// Appends bits to `out`, which holds `out_bits` bits so far.
Status append_bit_run(GrowingBytes& out, uint64_t out_bits, ByteView bits, uint64_t first_bit,
                      uint64_t count);
Status append_ones(GrowingBytes& out, uint64_t out_bits, uint64_t count);

}  // namespace weft::lance::read
