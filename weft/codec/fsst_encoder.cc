#include "weft/codec/fsst_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "weft/base/check.h"
#include "weft/codec/varint.h"

namespace weft::codec {
namespace {

constexpr size_t kSampleBytes = size_t{16} * 1024;
constexpr size_t kSamplePieceBytes = 512;
constexpr size_t kSymbolsMax = 255;
constexpr uint32_t kRounds = 5;
constexpr uint32_t kEscape = 255;
constexpr size_t kWordBytes = 8;

constexpr uint32_t consumed_by(uint32_t emit) {
  return emit >> 8U & 0xffU;
}
constexpr uint32_t size_of(uint32_t emit) {
  return emit >> 16U;
}

uint64_t mask_of(uint32_t length) {
  return length >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * length)) - 1;
}

uint64_t load(const uint8_t* from, size_t available) {
  uint64_t word = 0;
  if (available >= 8) {
    std::memcpy(&word, from, 8);
  } else {
    std::memcpy(&word, from, available);
  }
  if constexpr (std::endian::native == std::endian::big) {
    word = __builtin_bswap64(word);
  }
  return word;
}

}  // namespace

FsstEncoder::FsstEncoder() : slots_(kSlots), shorts_(kPairs + 256, emit(kEscape, 1, 2)) {
  // What an empty slot is compared with belongs to another one.
  for (Slot& slot : slots_) {
    slot.bytes = &slot == slots_.data() ? 1 : 0;
  }
}

size_t FsstEncoder::slot_of(uint64_t word) {
  const uint64_t key = word & 0xffffffU;
  return static_cast<size_t>((key * 0x9E3779B97F4A7C15U) >> 52U);
}

bool FsstEncoder::add(const Symbol& symbol) {
  WEFT_CHECK(symbols_.size() < kSymbolsMax && symbol.length >= 1 && symbol.length <= 8);
  const auto code = static_cast<uint8_t>(symbols_.size());
  const Emit emitted = emit(code, symbol.length, 1);
  if (symbol.length == 1) {
    shorts_[kPairs + symbol.bytes] = emitted;
    for (size_t second = 0; second < 256; ++second) {
      Emit& pair = shorts_[symbol.bytes | second << 8U];
      if (pair == emit(kEscape, 1, 2)) {
        pair = emitted;
      }
    }
  } else if (symbol.length == 2) {
    shorts_[symbol.bytes] = emitted;
  } else {
    Slot& slot = slots_[slot_of(symbol.bytes)];
    if (slot.emit != 0) {
      return false;
    }
    slot = {.bytes = symbol.bytes, .shift = 64 - 8 * symbol.length, .emit = emitted};
  }
  symbols_.push_back(symbol);
  return true;
}

// One symbol or escape of eight bytes or more. Both ways are computed and one is taken by
// arithmetic: which one it is nobody can predict.
inline FsstEncoder::Emit FsstEncoder::next(uint64_t word) const {
  const Slot& slot = slots_[slot_of(word)];
  const Emit other = shorts_[word & 0xffffU];
  const Emit same = (word ^ slot.bytes) << slot.shift == 0 ? ~Emit{0} : 0;
  return other ^ ((other ^ slot.emit) & same);
}

// The same of the `left` bytes that `word` begins with; those behind are zero.
FsstEncoder::Emit FsstEncoder::next_of(uint64_t word, size_t left) const {
  const Slot& slot = slots_[slot_of(word)];
  if (consumed_by(slot.emit) <= left && (word ^ slot.bytes) << slot.shift == 0) {
    return slot.emit;
  }
  return shorts_[left >= 2 ? word & 0xffffU : kPairs + (word & 0xffU)];
}

size_t FsstEncoder::encode(ByteView value, uint8_t* out) const {
  const uint8_t* in = as_octets(value);
  const uint8_t* const end = in + value.size();
  uint8_t* const begin = out;
  while (in < end) {
    const auto left = static_cast<size_t>(end - in);
    const uint64_t word = load(in, left);
    const Emit emit = left >= kWordBytes ? next(word) : next_of(word, left);
    out[0] = static_cast<uint8_t>(emit);
    out[1] = static_cast<uint8_t>(word);
    out += size_of(emit);
    in += consumed_by(emit);
  }
  return static_cast<size_t>(out - begin);
}

// The lanes of one call: each a run of neighbouring values, about equal in bytes, and twice their
// size of the output. No word is read beyond the text: values that end in its last bytes go through
// no lane.
class FsstEncoder::Lanes {
 public:
  Lanes(const FsstEncoder& encoder, ByteView text, std::span<const uint64_t> offsets, uint8_t* out,
        std::span<uint64_t> ends)
      : encoder_(encoder), text_(as_octets(text)), offsets_(offsets), ends_(ends) {
    const uint64_t base = offsets.front();
    const uint64_t safe = std::max(offsets.back(), base + kWordBytes) - kWordBytes;
    const auto values_end = static_cast<size_t>(
        std::upper_bound(offsets.begin(), offsets.end(), safe) - offsets.begin() - 1);
    for (size_t i = 0; i < kLanes; ++i) {
      const uint64_t share = base + (safe - base) / kLanes * (i + 1);
      const auto share_end = static_cast<size_t>(
          std::lower_bound(offsets.begin(), offsets.end(), share) - offsets.begin());
      lanes_[i] = {
          .out_begin = out + 2 * (offsets[rest_] - base),
          .out_end = nullptr,
          .value_begin = rest_,
          .value = rest_,
          .value_end = i + 1 < kLanes ? std::clamp(share_end, rest_, values_end) : values_end};
      rest_ = lanes_[i].value_end;
    }
  }

  void run() {
    std::array<Cursor, kLanes> cursors;
    bool all = true;
    for (size_t i = 0; i < kLanes; ++i) {
      const uint8_t* const in = text_ + offsets_[lanes_[i].value];
      cursors[i] = {.in = in,
                    .in_end = next_end(lanes_[i], in, lanes_[i].out_begin),
                    .out = lanes_[i].out_begin};
      all = all && cursors[i].in_end != nullptr;
    }
    while (all) {
#pragma GCC unroll 4
      for (size_t i = 0; i < kLanes; ++i) {
        all &= advance(lanes_[i], cursors[i]);
      }
    }
    for (size_t i = 0; i < kLanes; ++i) {
      while (cursors[i].in_end != nullptr) {
        advance(lanes_[i], cursors[i]);
      }
    }
  }

  // Moves what the lanes wrote together, and encodes what went through none.
  void finish(uint8_t* out) {
    uint64_t end = 0;
    for (const Lane& lane : lanes_) {
      const auto size = static_cast<size_t>(lane.out_end - lane.out_begin);
      if (out + end != lane.out_begin && size != 0) {
        std::memmove(out + end, lane.out_begin, size);
      }
      for (size_t value = lane.value_begin; value < lane.value_end; ++value) {
        ends_[value + 1] += end;
      }
      end += size;
    }
    for (size_t value = rest_; value + 1 < offsets_.size(); ++value) {
      const ByteView text(reinterpret_cast<const std::byte*>(text_) + offsets_[value],
                          offsets_[value + 1] - offsets_[value]);
      end += encoder_.encode(text, out + end);
      ends_[value + 1] = end;
    }
  }

 private:
  struct Lane {
    uint8_t* out_begin = nullptr;
    uint8_t* out_end = nullptr;
    size_t value_begin = 0;
    size_t value = 0;  // the next one
    size_t value_end = 0;
  };
  // What changes with every code, apart, so that it stays in registers.
  struct Cursor {
    const uint8_t* in = nullptr;
    const uint8_t* in_end = nullptr;  // of the value; null: the lane is done
    uint8_t* out = nullptr;
  };

  // Where the next value ends that is not empty, which begins at `in`. Null: there is none. Notes
  // that the codes of the one before end at `out`.
  [[gnu::noinline]] const uint8_t* next_end(Lane& lane, const uint8_t* in, uint8_t* out) const {
    while (true) {
      if (lane.value != lane.value_begin) {
        ends_[lane.value] = static_cast<uint64_t>(out - lane.out_begin);
      }
      if (lane.value == lane.value_end) {
        lane.out_end = out;
        return nullptr;
      }
      const uint8_t* const end = text_ + offsets_[++lane.value];
      if (end != in) {
        return end;
      }
    }
  }

  // The last bytes of a value, when a symbol would reach beyond them.
  [[gnu::noinline]] uint8_t* encode_end(const uint8_t* in, const uint8_t* in_end,
                                        uint8_t* out) const {
    while (in != in_end) {
      const auto left = static_cast<size_t>(in_end - in);
      const uint64_t word = load(in, kWordBytes) & mask_of(static_cast<uint32_t>(left));
      const Emit emit = encoder_.next_of(word, left);
      out[0] = static_cast<uint8_t>(emit);
      out[1] = static_cast<uint8_t>(word);
      out += size_of(emit);
      in += consumed_by(emit);
    }
    return out;
  }

  // One code. False if the lane is done.
  [[gnu::always_inline]] bool advance(Lane& lane, Cursor& cursor) const {
    const uint64_t word = load(cursor.in, kWordBytes);
    const Emit emit = encoder_.next(word);
    const uint8_t* const in = cursor.in + consumed_by(emit);
    uint8_t* out = cursor.out + size_of(emit);
    cursor.out[0] = static_cast<uint8_t>(emit);
    cursor.out[1] = static_cast<uint8_t>(word);
    if (in < cursor.in_end) [[likely]] {
      cursor.in = in;
      cursor.out = out;
      return true;
    }
    if (in > cursor.in_end) {
      out = encode_end(cursor.in, cursor.in_end, cursor.out);
    }
    cursor.in = cursor.in_end;
    cursor.out = out;
    cursor.in_end = next_end(lane, cursor.in, out);
    return cursor.in_end != nullptr;
  }

  const FsstEncoder& encoder_;
  const uint8_t* text_;
  std::span<const uint64_t> offsets_;
  std::span<uint64_t> ends_;
  std::array<Lane, kLanes> lanes_{};
  size_t rest_ = 0;
};

void FsstEncoder::encode_all(ByteView text, std::span<const uint64_t> offsets, uint8_t* out,
                             std::span<uint64_t> ends) const {
  WEFT_CHECK(!offsets.empty() && ends.size() == offsets.size());
  ends[0] = 0;
  Lanes lanes(*this, text, offsets, out, ends);
  lanes.run();
  lanes.finish(out);
}

std::string FsstEncoder::table() const {
  constexpr uint64_t kMagic = 0x46535354;
  std::string out;
  append_u64(out, kMagic << 32U | uint64_t{1} << 24U | symbols_.size());
  for (const Symbol& symbol : symbols_) {
    append_u64(out, symbol.bytes);
  }
  for (const Symbol& symbol : symbols_) {
    out.push_back(static_cast<char>(symbol.length));
  }
  out.resize(kFsstTableBytes, '\0');
  return out;
}

// Finds a table in rounds: each encodes the sample with the table of the round before, counts which
// symbols and which pairs of neighbours would have saved most, and keeps the best.
class FsstTrainer {
 public:
  FsstTrainer(ByteView text, std::span<const uint64_t> offsets) { take_sample(text, offsets); }

  FsstEncoder run() {
    FsstEncoder best;
    double best_ratio = 1;
    FsstEncoder encoder;
    for (uint32_t round = 0; round < kRounds; ++round) {
      count(encoder);
      encoder = choose(encoder, round + 1 == kRounds);
      const double ratio = measure(encoder);
      if (ratio < best_ratio) {
        best_ratio = ratio;
        best = encoder;
      }
    }
    best.sample_ratio_ = best_ratio;
    return best;
  }

 private:
  using Symbol = FsstEncoder::Symbol;

  // Codes while counting: a literal byte is itself, a symbol is 256 + its code.
  static constexpr size_t kCodes = 512;

  struct Candidate {
    Symbol symbol;
    uint64_t gain = 0;
  };

  void take_sample(ByteView text, std::span<const uint64_t> offsets) {
    const size_t values = offsets.size() - 1;
    const uint64_t total = offsets[values] - offsets[0];
    // Whole text if it is small; else pieces from values at even distances in bytes.
    const uint64_t step = total <= kSampleBytes ? 0 : total / (kSampleBytes / kSamplePieceBytes);
    uint64_t next = offsets[0];
    for (size_t i = 0; i < values; ++i) {
      if (offsets[i + 1] <= next && step != 0) {
        continue;
      }
      const uint64_t begin = step == 0 ? offsets[i] : std::max(next, offsets[i]);
      uint64_t size = offsets[i + 1] - begin;
      if (step != 0) {
        // Long values give a piece; short ones follow until the piece is full.
        size = std::min<uint64_t>(size, kSamplePieceBytes - piece_bytes_);
        piece_bytes_ += size;
        next = begin + size;
        if (piece_bytes_ >= kSamplePieceBytes) {
          piece_bytes_ = 0;
          piece_begin_ += step;
          next = std::max(next, offsets[0] + piece_begin_);
        }
      }
      if (size != 0) {
        sample_.push_back(text.subspan(begin, size));
        sample_bytes_ += size;
      }
    }
  }

  static uint32_t length_of(const FsstEncoder& encoder, size_t code) {
    return code < 256 ? 1 : encoder.symbols_[code - 256].length;
  }
  static Symbol symbol_of(const FsstEncoder& encoder, size_t code) {
    return code < 256 ? Symbol{.bytes = code, .length = 1} : encoder.symbols_[code - 256];
  }

  void count(const FsstEncoder& encoder) {
    ones_.assign(kCodes, 0);
    twos_.assign(kCodes * kCodes, 0);
    std::vector<uint8_t> codes;
    for (const ByteView piece : sample_) {
      codes.resize(2 * piece.size() + 1);
      const size_t size = encoder.encode(piece, codes.data());
      size_t before = kCodes;
      for (size_t i = 0; i < size; ++i) {
        const size_t code = codes[i] == 255 ? codes[++i] : size_t{256} + codes[i];
        ++ones_[code];
        const size_t first = symbol_of(encoder, code).bytes & 0xffU;
        // The first byte alone is counted too, so that a symbol may grow by a part of its follower.
        if (code >= 256 && length_of(encoder, code) > 1) {
          ++ones_[first];
        }
        if (before != kCodes) {
          ++twos_[before * kCodes + code];
          if (code >= 256 && length_of(encoder, code) > 1) {
            ++twos_[before * kCodes + first];
          }
        }
        before = code;
      }
    }
  }

  void propose(const Symbol& symbol, uint64_t count) {
    constexpr uint64_t kCountMin = 3;
    if (count < kCountMin) {
      return;
    }
    // A lone byte as a symbol saves its escape.
    const uint64_t gain = count * (symbol.length == 1 ? 8 : symbol.length);
    const uint64_t key = symbol.bytes ^ (uint64_t{symbol.length} * 0x9E3779B97F4A7C15U);
    const auto [place, is_new] = index_.try_emplace(key, candidates_.size());
    if (is_new) {
      candidates_.push_back({symbol, gain});
    } else if (candidates_[place->second].symbol.bytes == symbol.bytes) {
      candidates_[place->second].gain += gain;
    }
  }

  FsstEncoder choose(const FsstEncoder& encoder, bool last) {
    candidates_.clear();
    index_.clear();
    const size_t codes = 256 + encoder.symbols_.size();
    for (size_t one = 0; one < codes; ++one) {
      if (ones_[one] == 0) {
        continue;
      }
      const Symbol symbol = symbol_of(encoder, one);
      propose(symbol, ones_[one]);
      if (last || symbol.length >= 8) {
        continue;
      }
      for (size_t two = 0; two < codes; ++two) {
        if (twos_[one * kCodes + two] != 0) {
          const Symbol next = symbol_of(encoder, two);
          const uint32_t length = std::min<uint32_t>(8, symbol.length + next.length);
          propose({.bytes = (symbol.bytes | next.bytes << (8 * symbol.length)) & mask_of(length),
                   .length = length},
                  twos_[one * kCodes + two]);
        }
      }
    }
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
      return a.gain != b.gain                     ? a.gain > b.gain
             : a.symbol.length != b.symbol.length ? a.symbol.length > b.symbol.length
                                                  : a.symbol.bytes < b.symbol.bytes;
    });
    FsstEncoder next;
    for (const Candidate& candidate : candidates_) {
      if (next.symbols_.size() == kSymbolsMax) {
        break;
      }
      next.add(candidate.symbol);
    }
    return next;
  }

  double measure(const FsstEncoder& encoder) const {
    if (sample_bytes_ == 0) {
      return 1;
    }
    std::vector<uint8_t> codes;
    uint64_t size = 0;
    for (const ByteView piece : sample_) {
      codes.resize(2 * piece.size() + 1);
      size += encoder.encode(piece, codes.data());
    }
    return static_cast<double>(size) / static_cast<double>(sample_bytes_);
  }

  std::vector<ByteView> sample_;
  uint64_t sample_bytes_ = 0;
  uint64_t piece_bytes_ = 0;
  uint64_t piece_begin_ = 0;
  std::vector<uint32_t> ones_;
  std::vector<uint32_t> twos_;
  std::vector<Candidate> candidates_;
  std::unordered_map<uint64_t, size_t> index_;
};

FsstEncoder FsstEncoder::train(ByteView text, std::span<const uint64_t> offsets) {
  WEFT_CHECK(!offsets.empty());
  return FsstTrainer(text, offsets).run();
}

}  // namespace weft::codec
