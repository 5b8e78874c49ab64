#include "weft/codec/fsst_decoder.h"

#include <cstring>

namespace weft::codec {
namespace {

constexpr uint64_t kMagic = 0x46535354;
constexpr size_t kHeaderBytes = 8;
constexpr size_t kSymbolBytes = 8;
constexpr uint8_t kEscape = 255;

Error damaged(std::string_view reason) {
  return Error(ErrorKind::kCorrupt, "an FSST symbol table is damaged").with("reason", reason);
}

}  // namespace

Result<FsstDecoder> FsstDecoder::parse(ByteView table) {
  if (table.size() < kHeaderBytes) {
    return damaged("too short");
  }
  uint64_t header = 0;
  std::memcpy(&header, table.data(), sizeof(header));
  if (header >> 32U != kMagic) {
    return damaged("no magic number");
  }
  FsstDecoder out;
  out.is_on_ = (header >> 24U & 1U) != 0;
  const size_t count = header & 0xffU;
  if (table.size() < kHeaderBytes + count * (kSymbolBytes + 1)) {
    return damaged("too short for its symbols");
  }
  const uint8_t* const symbols = as_octets(table) + kHeaderBytes;
  const uint8_t* const lengths = symbols + count * kSymbolBytes;
  for (size_t i = 0; i < count; ++i) {
    if (lengths[i] < 1 || lengths[i] > kSymbolBytes) {
      return damaged("a symbol has an impossible length");
    }
    std::memcpy(&out.symbols_[i], symbols + i * kSymbolBytes, kSymbolBytes);
    out.lengths_[i] = lengths[i];
  }
  return out;
}

uint8_t* FsstDecoder::decode(ByteView value, uint8_t* out) const {
  const uint8_t* from = as_octets(value);
  const uint8_t* const end = from + value.size();
  if (!is_on_) {
    if (!value.empty()) {
      std::memcpy(out, from, value.size());
    }
    return out + value.size();
  }
  while (true) {
    // Four codes at a time while none of them is an escape; a code without a symbol moves nothing,
    // and is found by the product of the lengths being zero.
    while (end - from >= 4) {
      uint32_t codes = 0;
      std::memcpy(&codes, from, sizeof(codes));
      const uint32_t inverse = ~codes;  // has a zero byte where there is an escape
      if (((inverse - 0x0101'0101U) & ~inverse & 0x8080'8080U) != 0) {
        break;
      }
      uint32_t product = 1;
      for (int i = 0; i < 4; ++i) {
        const uint8_t code = from[i];
        std::memcpy(out, &symbols_[code], kSymbolBytes);
        out += lengths_[code];
        product *= lengths_[code];
      }
      if (product == 0) [[unlikely]] {
        return nullptr;
      }
      from += 4;
    }
    if (from == end) {
      return out;
    }
    const uint8_t code = *from++;
    if (code != kEscape) {
      if (lengths_[code] == 0) {
        return nullptr;
      }
      std::memcpy(out, &symbols_[code], kSymbolBytes);
      out += lengths_[code];
    } else if (from == end) {
      return nullptr;
    } else {
      *out++ = *from++;
    }
  }
}

}  // namespace weft::codec
