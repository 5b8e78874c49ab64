#include "weft/rete/build/term_reader.h"

#include <algorithm>

#include "weft/codec/varint.h"

namespace weft::rete::build {

SectionReader::SectionReader(const DictionarySection& section, uint32_t restart_interval,
                             bool is_compressed)
    : section_(&section), restart_interval_(restart_interval), is_compressed_(is_compressed) {
  uint64_t offset = 0;
  chunk_offsets_.reserve(section.chunks.size());
  for (const ChunkEntry& chunk : section.chunks) {
    chunk_offsets_.push_back(offset);
    offset += chunk.stored_bytes;
  }
}

Status SectionReader::load_chunk(size_t chunk) {
  const ChunkEntry& entry = section_->chunks[chunk];
  if (chunk != chunk_) {
    std::string stored;
    WEFT_TRY_STATUS(section_->data.read(chunk_offsets_[chunk], entry.stored_bytes, stored));
    if (is_compressed_) {
      WEFT_TRY_STATUS(codec::zstd_decompress(as_bytes(stored), entry.raw_bytes, raw_));
    } else {
      raw_ = std::move(stored);
    }
    chunk_ = chunk;
  }
  at_ = 0;
  rank_ = entry.first_run * restart_interval_;
  text_.clear();
  return ok_status();
}

Status SectionReader::step() {
  codec::ByteReaderView reader(as_bytes(std::string_view(raw_).substr(at_)));
  const uint64_t shared = reader.varint();
  const std::string_view rest = as_text(reader.length_prefixed());
  if (!reader.ok() || shared > text_.size()) {
    return Error(ErrorKind::kCorrupt, "a dictionary chunk changed while the segment was built");
  }
  text_.resize(shared);
  text_.append(rest);
  at_ += reader.position();
  ++rank_;
  return ok_status();
}

Result<std::string_view> SectionReader::at(uint64_t rank) {
  WEFT_CHECK(rank >= 1 && rank <= section_->term_count);
  const uint64_t run = (rank - 1) / restart_interval_;
  const auto after = std::upper_bound(
      section_->chunks.begin(), section_->chunks.end(), run,
      [](uint64_t value, const ChunkEntry& chunk) { return value < chunk.first_run; });
  const auto chunk = static_cast<size_t>(after - section_->chunks.begin()) - 1;
  if (chunk != chunk_ || rank < rank_) {
    WEFT_TRY_STATUS(load_chunk(chunk));
  }
  while (rank_ < rank) {
    WEFT_TRY_STATUS(step());
  }
  return std::string_view(text_);
}

}  // namespace weft::rete::build
