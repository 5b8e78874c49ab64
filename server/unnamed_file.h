// A working file without a name: gone when it is closed or when the process ends, however it ends.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::server {

// Reads may run beside each other; a write runs alone.
class UnnamedFile {
 public:
  // In `folder`, which must exist. Errors: kUnavailable (a full disk has fact reason=no-space).
  static Result<std::unique_ptr<UnnamedFile>> create(const std::string& folder);
  ~UnnamedFile();
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  // At any offset. Errors: as create().
  Status write(uint64_t offset, ByteView bytes);
  // Fills `out`. Errors: kUnavailable.
  Status read(uint64_t offset, std::span<std::byte> out) const;
  uint64_t size() const { return size_; }

 private:
  UnnamedFile(int descriptor, std::string folder)
      : descriptor_(descriptor), folder_(std::move(folder)) {}

  int descriptor_;
  std::string folder_;
  uint64_t size_ = 0;
};

}  // namespace weft::server
