// Bytes that are written once and read again later: in memory while the budget lasts, then in a
// scratch file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/bytes.h"
#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/rete/build/pages.h"
#include "weft/storage/scratch.h"

namespace weft::rete::build {

// One appender at a time; reading may run in parallel once nothing is appended any more. `scratch`
// and `budget` must outlive it.
class Spool {
 public:
  Spool(storage::ScratchSpace& scratch, base::MemoryBudget& budget)
      : scratch_(&scratch), budget_(&budget) {}

  Status append(ByteView bytes);
  uint64_t size() const { return size_; }
  // Replaces `out` with [offset, offset + size).
  Status read(uint64_t offset, uint64_t size, std::string& out) const;
  // Hands [offset, offset + size) over in pieces of at most kPieceBytes.
  Status copy(uint64_t offset, uint64_t size, const std::function<Status(ByteView)>& take) const;
  // Empty again.
  void release();

  static constexpr size_t kPieceBytes = size_t{1} << 20U;

 private:
  Status spill();

  storage::ScratchSpace* scratch_;
  base::MemoryBudget* budget_;
  uint64_t size_ = 0;
  std::vector<base::Reservation> reserved_;
  PageArray<char> memory_;  // all, or the tail that is not in file_ yet
  std::unique_ptr<storage::ScratchFile> file_;
};

// Reads a spool front to back. Not thread-safe. The spool must outlive it.
class SpoolReader {
 public:
  explicit SpoolReader(const Spool& spool) : spool_(&spool) {}
  // Errors: kInternal at the end of the spool.
  Result<uint64_t> varint();
  // `size` bytes; the view lasts until the next call.
  Result<std::string_view> bytes(uint64_t size);
  Result<std::string_view> length_prefixed();

 private:
  // Makes `size` bytes available, or all that are left.
  Status fill(uint64_t size);
  const Spool* spool_;
  uint64_t offset_ = 0;  // behind piece_
  std::string piece_;
  size_t at_ = 0;
};

// Where a stream's pieces lie in a file that several streams share.
struct Extent {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// A scratch file that several threads append to. Created when first needed. Thread-safe.
class SharedScratchFile {
 public:
  explicit SharedScratchFile(storage::ScratchSpace& scratch) : scratch_(&scratch) {}
  Result<Extent> append(ByteView bytes);
  Status read(uint64_t offset, std::span<std::byte> out) const;

 private:
  storage::ScratchSpace* scratch_;
  mutable base::Mutex mutex_;
  std::unique_ptr<storage::ScratchFile> file_ WEFT_GUARDED_BY(mutex_);
};

// One stream in a shared file: buffered, its extents remembered. `file` must outlive it. Movable.
class ExtentWriter {
 public:
  ExtentWriter(SharedScratchFile& file, size_t buffer_bytes)
      : file_(&file), buffer_bytes_(buffer_bytes) {}
  Status append(ByteView bytes);
  // The extents of all that was appended.
  Result<std::vector<Extent>> finish();

 private:
  Status flush();
  SharedScratchFile* file_;
  size_t buffer_bytes_;
  std::string buffer_;
  std::vector<Extent> extents_;
};

// Reads such a stream front to back.
class ExtentReader {
 public:
  ExtentReader(const SharedScratchFile& file, std::vector<Extent> extents, size_t buffer_bytes)
      : file_(&file), extents_(std::move(extents)), buffer_bytes_(buffer_bytes) {}
  // At most `size` bytes, fewer only at the end. The view lasts until the next call.
  Result<ByteView> read(size_t size);

 private:
  Status fill(size_t size);
  const SharedScratchFile* file_;
  std::vector<Extent> extents_;
  size_t buffer_bytes_;
  size_t next_extent_ = 0;
  std::string buffer_;
  size_t at_ = 0;
};

}  // namespace weft::rete::build
