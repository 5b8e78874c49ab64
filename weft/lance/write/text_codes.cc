#include "weft/lance/write/text_codes.h"

#include <algorithm>
#include <string>

#include "weft/codec/compression.h"
#include "weft/codec/fsst_encoder.h"
#include "weft/codec/varint.h"
#include "weft/lance/write/page_encoder.h"

namespace weft::lance::write {

using layout::Encoding;

namespace {

// A table is not worth its 2312 bytes, and readers' time, for less.
constexpr double kUsefulRatio = 0.95;
constexpr int kZstdLevel = 3;
// How much of the longest texts is looked at before all are compressed.
constexpr uint64_t kTrialBytes = 65536;

// Codes must be at hand whole before chunks are cut, since what fits depends on their sizes.
void encode_symbols(const PageRows& rows, const codec::FsstEncoder& encoder, TextCodes& out) {
  out.codes = std::make_unique_for_overwrite<uint8_t[]>(2 * rows.values.size() + 1);
  out.code_ends.resize(rows.offsets.size());
  encoder.encode_all(std::as_bytes(std::span(rows.values)), rows.offsets, out.codes.get(),
                     out.code_ends);
}

bool compresses(const PageRows& rows, codec::ZstdCompressor& compressor, uint64_t longest) {
  for (uint64_t slot = 0; slot < rows.slot_count; ++slot) {
    const std::span<const uint8_t> text = rows.text(slot);
    if (text.size() == longest) {
      const auto part = text.first(std::min<uint64_t>(text.size(), kTrialBytes));
      std::string frame;
      compressor.append_frame(frame, std::as_bytes(part));
      return static_cast<double>(frame.size()) < kUsefulRatio * static_cast<double>(part.size());
    }
  }
  return false;
}

// u64 size and a frame for each.
void compress_texts(const PageRows& rows, codec::ZstdCompressor& compressor, TextCodes& out) {
  std::string frames;
  out.code_ends.reserve(rows.offsets.size());
  out.code_ends.push_back(0);
  for (uint64_t slot = 0; slot < rows.slot_count; ++slot) {
    const std::span<const uint8_t> text = rows.text(slot);
    if (!text.empty()) {
      codec::append_u64(frames, text.size());
      compressor.append_frame(frames, std::as_bytes(text));
    }
    out.code_ends.push_back(frames.size());
  }
  out.codes = std::make_unique_for_overwrite<uint8_t[]>(frames.size() + 1);
  std::copy(frames.begin(), frames.end(), reinterpret_cast<char*>(out.codes.get()));
}

}  // namespace

TextCodes encode_texts(const PageRows& rows, bool large, uint64_t longest) {
  TextCodes out;
  out.encoding = Encoding::variable(large ? 64 : 32);
  if (longest >= kDocumentBytes) {
    codec::ZstdCompressor compressor(kZstdLevel);
    if (compresses(rows, compressor, longest)) {
      compress_texts(rows, compressor, out);
      out.encoding = Encoding::general(layout::Scheme::kZstd, std::move(out.encoding));
    }
    return out;
  }
  if (rows.values.size() >= kSymbolTextBytes) {
    const codec::FsstEncoder encoder =
        codec::FsstEncoder::train(std::as_bytes(std::span(rows.values)), rows.offsets);
    if (encoder.sample_ratio() < kUsefulRatio) {
      encode_symbols(rows, encoder, out);
      out.encoding = Encoding::fsst(encoder.table(), std::move(out.encoding));
    }
  }
  return out;
}

}  // namespace weft::lance::write
