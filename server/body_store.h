// Keeps the body of a request until it is complete: the first bytes in memory, more in a file
// without a name, which the operating system removes whatever happens to the process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "server/unnamed_file.h"

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/codec/stream.h"

namespace weft::server {

// Bytes of one body that stay in memory; 1,000 unfinished bodies hold 64 MiB.
inline constexpr size_t kBodyMemoryBytes = size_t{64} << 10U;

// Not thread-safe.
class BodyStore {
 public:
  // `folder`: where the file goes if one is needed.
  explicit BodyStore(std::string folder) : folder_(std::move(folder)) {}

  // Errors: kUnavailable (a full disk has fact reason=no-space).
  Status append(std::string_view bytes);
  uint64_t size() const { return size_; }
  // All of the body if it is in memory, else nothing. Valid until the next change.
  std::string_view in_memory() const {
    return file_ == nullptr ? std::string_view(memory_) : std::string_view();
  }
  // Must not outlive the store; nothing may be appended afterwards.
  std::unique_ptr<codec::InputStream> reader();

 private:
  Status flush();

  std::string folder_;
  std::string memory_;  // without a file all bytes, else those not yet written
  std::shared_ptr<UnnamedFile> file_;
  uint64_t size_ = 0;
};

// All of `file`, which nobody may write to any more.
std::unique_ptr<codec::InputStream> file_input(std::shared_ptr<const UnnamedFile> file);

}  // namespace weft::server
