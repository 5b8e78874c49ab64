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

 private:
  friend class FsstTrainer;

  struct Symbol {
    uint64_t bytes = 0;  // little-endian; zero behind `length`
    uint32_t length = 0;
  };
  // A symbol of three bytes or more in a table by the hash of its first three.
  struct Slot {
    uint64_t bytes = 0;
    uint64_t mask = 0;
    uint16_t length = 0;  // 0: empty
    uint16_t code = 0;
  };
  // What is emitted for two bytes that begin no longer symbol.
  struct Short {
    uint8_t code = 255;
    uint8_t consumed = 1;
    uint8_t emitted = 2;  // 2: an escape and the byte
  };
  static constexpr size_t kSlots = 4096;

  FsstEncoder();
  // False if a symbol with the same hash is there already.
  bool add(const Symbol& symbol);
  static size_t slot_of(uint64_t word);

  std::vector<Symbol> symbols_;
  std::vector<Slot> slots_;
  std::vector<Short> pairs_;          // by two bytes
  std::array<Short, 256> singles_{};  // by the last byte of a value
  double sample_ratio_ = 1;
};

}  // namespace weft::codec
