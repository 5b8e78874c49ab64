#include "weft/rete/build/block_codec.h"

#include <utility>

namespace weft::rete::build {

std::unique_ptr<codec::ZstdCompressor> BlockCodec::take() const {
  {
    const base::MutexLock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<codec::ZstdCompressor> compressor = std::move(idle_.back());
      idle_.pop_back();
      return compressor;
    }
  }
  return std::make_unique<codec::ZstdCompressor>(zstd_level_);
}

void BlockCodec::give_back(std::unique_ptr<codec::ZstdCompressor> compressor) const {
  const base::MutexLock lock(mutex_);
  idle_.push_back(std::move(compressor));
}

void BlockCodec::store(ByteView raw, std::string& stored) const {
  stored.clear();
  if (!compress_) {
    stored.append(as_text(raw));
    return;
  }
  std::unique_ptr<codec::ZstdCompressor> compressor = take();
  compressor->append_frame(stored, raw);
  give_back(std::move(compressor));
}

bool BlockCodec::store_shorter(ByteView raw, std::string& stored) const {
  store(raw, stored);
  if (compress_ && stored.size() < raw.size()) {
    return false;
  }
  stored.assign(as_text(raw));
  return true;
}

}  // namespace weft::rete::build
