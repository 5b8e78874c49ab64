// Stores blocks as the codecs of a `.rete` file say. Thread-safe: keeps one compressor per thread
// that is inside.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/codec/compression.h"

namespace weft::rete::build {

class BlockCodec {
 public:
  BlockCodec(bool compress, int zstd_level) : compress_(compress), zstd_level_(zstd_level) {}

  bool compresses() const { return compress_; }
  // Replaces `stored` with the block as it goes into the file.
  void store(ByteView raw, std::string& stored) const;
  // The same, unless that is not shorter than `raw`: then `raw` itself, and true is returned.
  bool store_shorter(ByteView raw, std::string& stored) const;

 private:
  std::unique_ptr<codec::ZstdCompressor> take() const;
  void give_back(std::unique_ptr<codec::ZstdCompressor> compressor) const;

  bool compress_;
  int zstd_level_;
  mutable base::Mutex mutex_;
  mutable std::vector<std::unique_ptr<codec::ZstdCompressor>> idle_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::rete::build
