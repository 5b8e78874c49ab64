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

FsstEncoder::FsstEncoder() : slots_(kSlots), pairs_(65536) {}

size_t FsstEncoder::slot_of(uint64_t word) {
  const uint64_t key = word & 0xffffffU;
  return static_cast<size_t>((key * 0x9E3779B97F4A7C15U) >> 52U);
}

bool FsstEncoder::add(const Symbol& symbol) {
  WEFT_CHECK(symbols_.size() < kSymbolsMax && symbol.length >= 1 && symbol.length <= 8);
  const auto code = static_cast<uint8_t>(symbols_.size());
  if (symbol.length == 1) {
    const auto byte = static_cast<uint8_t>(symbol.bytes);
    singles_[byte] = {.code = code, .consumed = 1, .emitted = 1};
    for (size_t second = 0; second < 256; ++second) {
      Short& pair = pairs_[byte | second << 8U];
      if (pair.consumed == 1) {
        pair = singles_[byte];
      }
    }
  } else if (symbol.length == 2) {
    pairs_[symbol.bytes] = {.code = code, .consumed = 2, .emitted = 1};
  } else {
    Slot& slot = slots_[slot_of(symbol.bytes)];
    if (slot.length != 0) {
      return false;
    }
    slot = {.bytes = symbol.bytes,
            .mask = mask_of(symbol.length),
            .length = static_cast<uint16_t>(symbol.length),
            .code = code};
  }
  symbols_.push_back(symbol);
  return true;
}

size_t FsstEncoder::encode(ByteView value, uint8_t* out) const {
  const uint8_t* in = as_octets(value);
  const uint8_t* const end = in + value.size();
  uint8_t* const begin = out;
  while (end - in >= 8) {
    const uint64_t word = load(in, 8);
    const Slot& slot = slots_[slot_of(word)];
    if (slot.length != 0 && ((word ^ slot.bytes) & slot.mask) == 0) {
      *out++ = static_cast<uint8_t>(slot.code);
      in += slot.length;
    } else {
      const Short entry = pairs_[word & 0xffffU];
      out[0] = entry.code;
      out[1] = static_cast<uint8_t>(word);
      out += entry.emitted;
      in += entry.consumed;
    }
  }
  while (in < end) {
    const auto left = static_cast<size_t>(end - in);
    const uint64_t word = load(in, left);
    const Slot& slot = slots_[slot_of(word)];
    if (slot.length != 0 && slot.length <= left && ((word ^ slot.bytes) & slot.mask) == 0) {
      *out++ = static_cast<uint8_t>(slot.code);
      in += slot.length;
      continue;
    }
    const Short entry = left >= 2 ? pairs_[word & 0xffffU] : singles_[word & 0xffU];
    out[0] = entry.code;
    out[1] = static_cast<uint8_t>(word);
    out += entry.emitted;
    in += entry.consumed;
  }
  return static_cast<size_t>(out - begin);
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
