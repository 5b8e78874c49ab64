// Working space for data that does not fit in memory: files without a name, gone when they are
// closed or when the process dies, however it dies. Nothing durable is ever kept here.
//
// X1  A scratch file is never visible under a name after create() returned.
// X2  What append() accepted, read() gives back, or fails.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::storage {

// Appended by one thread at a time; reads of what was appended may run beside it and each other.
class ScratchFile {
 public:
  virtual ~ScratchFile() = default;
  // Returns the offset of the first byte. Errors: kUnavailable (a full disk: fact
  // reason=no-space), nothing is then promised about what follows size() of before.
  virtual Result<uint64_t> append(ByteView bytes) = 0;
  // Fills `out`. Errors: kInternal beyond the end; kUnavailable; kCorrupt if the medium lost bytes.
  virtual Status read(uint64_t offset, std::span<std::byte> out) const = 0;
  virtual uint64_t size() const = 0;
};

// Thread-safe. Files may outlive it.
class ScratchSpace {
 public:
  virtual ~ScratchSpace() = default;
  // Errors: kNotFound or kDenied name the directory; kUnavailable.
  virtual Result<std::unique_ptr<ScratchFile>> create() = 0;
  // Where it is, for messages.
  virtual std::string location() const = 0;
};

// Unnamed files in `directory` (O_TMPFILE, or created and unlinked at once where the file system
// has no such thing). The directory must exist.
std::unique_ptr<ScratchSpace> local_scratch(std::string directory);

// In memory, at most `size_max_bytes` over all its files; beyond it append() fails as on a full
// disk.
std::unique_ptr<ScratchSpace> memory_scratch(uint64_t size_max_bytes = UINT64_MAX);

}  // namespace weft::storage
