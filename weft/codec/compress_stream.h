// Streaming compression of what is sent to others: gzip and zstd.
#pragma once

#include <memory>

#include "weft/codec/decompress.h"
#include "weft/codec/stream.h"

namespace weft::codec {

// Not thread-safe.
class CompressingOutput : public OutputStream {
 public:
  // Ends the compressed stream. To be called once, after the last write().
  virtual Status finish() = 0;
};

// `output` must outlive it. Fast levels, for the network. Memory is about 1 MiB. Errors:
// kUnsupported for another compression; those of `output`.
Result<std::unique_ptr<CompressingOutput>> compress(Compression compression, OutputStream& output);

}  // namespace weft::codec
