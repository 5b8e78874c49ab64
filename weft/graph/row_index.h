// Rows by the digest of an id or of a tuple of values: what a load knows of its own rows while it
// looks at those that are stored. 24 to 32 bytes a row.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/codec/blake3.h"

namespace weft::graph {

// Not thread-safe. Fill with add, then build, then find.
class RowIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Rows ascend.
  void add(const codec::Digest16& digest, uint32_t row);
  void build();
  // The row that was added first with this digest. After build.
  uint32_t find(const codec::Digest16& digest) const;
  size_t size() const { return digests_.size(); }
  bool empty() const { return digests_.empty(); }
  const std::vector<codec::Digest16>& digests() const { return digests_; }
  uint32_t row_at(size_t entry) const {
    return rows_.empty() ? static_cast<uint32_t>(entry) : rows_[entry];
  }

 private:
  size_t slot_of(const codec::Digest16& digest) const;

  std::vector<codec::Digest16> digests_;
  std::vector<uint32_t> rows_;   // empty as long as entry i is row i
  std::vector<uint32_t> slots_;  // entries + 1; 0: empty
};

}  // namespace weft::graph
