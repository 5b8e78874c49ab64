// FSST, "fast static symbol table": text is replaced by one-byte codes for up to 255 symbols of 1
// to 8 bytes; code 255 says that the next byte stands for itself. Every value is encoded alone, so
// any one can be decoded without its neighbours. After P. Boncz, T. Neumann, V. Leis, "FSST: Fast
// Random Access String Compression", VLDB 2020; the table's bytes are those of Lance files
// (docs/formats/lance.md, "FSST").
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/base/bytes.h"

namespace weft::codec {

inline constexpr size_t kFsstTableBytes = 2312;

// A symbol table that was trained on a sample, and what encodes with it. Immutable and thread-safe
// once made.
class FsstEncoder {
 public:
  // Deterministic. `offsets` (count + 1, ascending) cut `text` into values. About 16 KiB of them,
  // spread over all, are looked at five times: 1 to 2 ms whatever the size of `text`.
  static FsstEncoder train(ByteView text, std::span<const uint64_t> offsets);

  // What the sample shrank to, over its size: 1 or more means that encoding is useless.
  double sample_ratio() const { return sample_ratio_; }

  // The table as decoders read it: kFsstTableBytes bytes.
  std::string table() const;

  // Writes the code of `value` to `out`, which has room for 2 * value.size() + 1 bytes. Returns the
  // bytes of the code; the byte behind it may have been overwritten too.
  size_t encode(ByteView value, uint8_t* out) const;

  // Encodes all values of `text`, cut by `offsets` (count + 1, ascending), one after another into
  // `out`, which has room for 2 * text.size() + 1 bytes, and puts where their codes end to `ends`
  // (count + 1, the first 0). The codes are those of encode(), several times as fast: values from
  // kLanes places are encoded in turn, so that none waits for the other.
  void encode_all(ByteView text, std::span<const uint64_t> offsets, uint8_t* out,
                  std::span<uint64_t> ends) const;

 private:
  friend class FsstTrainer;

  struct Symbol {
    uint64_t bytes = 0;  // little-endian; zero behind `length`
    uint32_t length = 0;
  };
  // What is emitted, in one word: the code, how many bytes of the text it stands for, and how many
  // bytes it takes (2: an escape and the byte).
  using Emit = uint32_t;
  static constexpr Emit emit(uint32_t code, uint32_t consumed, uint32_t emitted) {
    return code | consumed << 8U | emitted << 16U;
  }
  // A symbol of three bytes or more in a table by the hash of its first three.
  struct Slot {
    uint64_t bytes = 0;  // of an empty slot: some that never come here
    uint32_t shift = 0;  // of what differs: the bytes behind the symbol fall out
    Emit emit = 0;       // 0: empty
  };
  static constexpr size_t kSlots = 4096;
  static constexpr size_t kPairs = 65536;
  static constexpr size_t kLanes = 4;
  class Lanes;

  FsstEncoder();
  // False if a symbol with the same hash is there already.
  bool add(const Symbol& symbol);
  static size_t slot_of(uint64_t word);
  Emit next(uint64_t word) const;
  Emit next_of(uint64_t word, size_t left) const;

  std::vector<Symbol> symbols_;
  std::vector<Slot> slots_;
  // For bytes that begin no longer symbol: by two bytes, then by the last one of a value.
  std::vector<Emit> shorts_;
  double sample_ratio_ = 1;
};

}  // namespace weft::codec
