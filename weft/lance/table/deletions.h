// The deleted rows of one fragment: a set of offsets, and the two forms it has in files.
// Format: docs/formats/lance.md, "Deletion files".
//
// D1  Bytes are checked before they are believed: containers in order, values ascending, counts
//     equal, offsets inside the fragment. Memory is bounded by the size of the file.
// D2  serialize_bitmap writes the form without runs, which every engine reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/lance/table/fragment.h"
#include "weft/storage/object_store.h"

struct roaring_bitmap_s;

namespace weft::lance {

// A value. Copies are deep. Reading is thread-safe.
class Deletions {
 public:
  Deletions();
  Deletions(const Deletions& other);
  Deletions& operator=(const Deletions& other);
  Deletions(Deletions&&) noexcept = default;
  Deletions& operator=(Deletions&&) noexcept = default;
  ~Deletions() = default;

  bool empty() const;
  uint64_t count() const;
  bool contains(uint32_t offset) const;
  void add(uint32_t offset);
  // Offsets [from, to).
  void add_range(uint64_t from, uint64_t to);
  void unite(const Deletions& other);
  bool intersects(const Deletions& other) const;
  uint64_t greatest() const;              // only if not empty
  std::vector<uint32_t> offsets() const;  // ascending
  // Offsets [from, to) that are not deleted, ascending.
  std::vector<uint32_t> live_offsets(uint64_t from, uint64_t to) const;
  friend bool operator==(const Deletions& left, const Deletions& right);

  // A portable Roaring bitmap, with or without runs. Errors: kCorrupt.
  static Result<Deletions> parse_bitmap(ByteView file);
  std::string serialize_bitmap() const;
  // An Arrow IPC file of one column of uint32. Errors: kCorrupt; kUnsupported names what in it is
  // not known; kLimit if it claims more than `rows_max` rows.
  static Result<Deletions> parse_arrow(ByteView file, uint64_t rows_max);

 private:
  struct Free {
    void operator()(roaring_bitmap_s* bitmap) const;
  };
  std::unique_ptr<roaring_bitmap_s, Free> bitmap_;
};

// Longer files are kLimit: a bitmap of all offsets takes half of it.
inline constexpr uint64_t kDeletionFileBytesMax = uint64_t{1} << 30U;

// Reads the deletion file `name` (Snapshot::deletion_name) of `fragment` and checks it against the
// fragment; if it is gone, the kept copy `kept_name`. Errors: kCorrupt, naming file and rule.
Result<Deletions> read_deletions(storage::ObjectStore& store, const std::string& name,
                                 const std::string& kept_name, const Fragment& fragment);

}  // namespace weft::lance
