#include "weft/rete/build/file_layout.h"

#include <algorithm>

namespace weft::rete::build {

void SectionSource::add(const Spool& spool, uint64_t offset, uint64_t size) {
  if (size == 0) {
    return;
  }
  if (!pieces.empty() && pieces.back().spool == &spool &&
      pieces.back().offset + pieces.back().size == offset) {
    pieces.back().size += size;
    return;
  }
  pieces.push_back({.spool = &spool, .offset = offset, .size = size, .text = {}});
}

void SectionSource::add(std::string_view text) {
  if (!text.empty()) {
    pieces.push_back({.size = text.size(), .text = text});
  }
}

uint64_t SectionSource::size() const {
  uint64_t sum = 0;
  for (const PieceView& piece : pieces) {
    sum += piece.size;
  }
  return sum;
}

void BlockDigester::update(ByteView bytes) {
  while (!bytes.empty()) {
    const auto step =
        static_cast<size_t>(std::min<uint64_t>(bytes.size(), block_bytes_ - in_block_));
    if (in_block_ == 0 && step == block_bytes_) {
      digests_.append(as_text(codec::blake3_16(bytes.first(step))));
    } else {
      block_.update(bytes.first(step));
      in_block_ += step;
      if (in_block_ == block_bytes_) {
        digests_.append(as_text(block_.digest16()));
        block_ = codec::Blake3();
        in_block_ = 0;
      }
    }
    bytes = bytes.subspan(step);
  }
}

void BlockDigester::finish(std::string& out) {
  if (in_block_ > 0) {
    digests_.append(as_text(block_.digest16()));
  }
  out += digests_;
}

Status write_sections(std::span<const SectionSource> sections, storage::ObjectWriter& out,
                      std::vector<codec::Digest16>& digests, BlockDigester* blocks) {
  for (const SectionSource& section : sections) {
    codec::Blake3 digest;
    const auto take = [&](ByteView bytes) -> Status {
      digest.update(bytes);
      if (blocks != nullptr) {
        blocks->update(bytes);
      }
      return out.append(bytes);
    };
    for (const PieceView& piece : section.pieces) {
      if (piece.spool != nullptr) {
        WEFT_TRY_STATUS(piece.spool->copy(piece.offset, piece.size, take));
      } else {
        WEFT_TRY_STATUS(take(as_bytes(piece.text)));
      }
    }
    digests.push_back(digest.digest16());
  }
  return ok_status();
}

}  // namespace weft::rete::build
