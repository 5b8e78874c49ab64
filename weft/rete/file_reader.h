// Reads a region of a file front to back through a window, for directories whose length is known
// only by reading them (generation 5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/result.h"
#include "weft/rete/checked_file.h"

namespace weft::rete {

// After the first failure every read gives zero or nothing and status() is the error: read a whole
// record, then ask once. Not thread-safe. The file must outlive it.
class FileReader {
 public:
  // `section` names the region in errors.
  FileReader(CheckedFile& file, storage::Range region, std::string_view section);

  // Another reader for a part of the same section.
  FileReader sub_reader(storage::Range region) const { return {file_, region, section_}; }

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  uint64_t position() const { return position_; }  // absolute
  uint64_t remaining() const { return ok() ? end_ - position_ : 0; }
  uint64_t end() const { return end_; }

  uint64_t varint();
  // A varint count of things of at least `size_min` bytes each that must fit into the region.
  uint64_t count(uint64_t size_min);
  std::string bytes(uint64_t size);
  std::string length_prefixed() { return bytes(varint()); }
  // A length-prefixed region: its place; moves behind it.
  storage::Range region();
  void skip(uint64_t size);
  // kCorrupt at this place.
  void fail(std::string_view what);

 private:
  // At least `size` bytes at the place, or what is left of the region.
  ByteView peek(uint64_t size);

  CheckedFile& file_;
  std::string section_;
  uint64_t position_;
  uint64_t end_;
  storage::Buffer window_;
  uint64_t window_offset_ = 0;
  Status status_;
};

}  // namespace weft::rete
