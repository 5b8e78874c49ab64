// The directory of one dictionary section: which chunk holds a term, by its place and by its text.
// Two levels: leaf references (in memory) and leaves (blocks, decoded on demand; in generation 5
// one leaf, kept).
//
// D1  Chunks are consecutive in the file; their first runs and routing keys ascend strictly; leaves
//     cover all chunks; each leaf begins where its reference says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rete/block_cache.h"
#include "weft/rete/chunk.h"
#include "weft/rete/format.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

class FileReader;
class DictLeaf;

struct DictLeafRef {
  uint64_t chunk_count = 0;
  storage::Range stored;      // absolute
  uint64_t first_run = 0;     // of its first chunk
  uint64_t chunk_offset = 0;  // of its first chunk, absolute
  std::string key;            // routing key of its first chunk
  std::shared_ptr<const DictLeaf> kept;
};

struct DictDirectory {
  DictSection section = DictSection::kShared;
  uint64_t term_count = 0;
  uint64_t run_terms = 0;
  uint64_t chunk_count = 0;
  storage::Range chunks = {};  // absolute
  std::vector<DictLeafRef> leaves;

  uint64_t run_count() const {
    return term_count == 0 ? 0 : (term_count + run_terms - 1) / run_terms;
  }
  // Index of the leaf that a term of this text, or the term of this index, is in. Not for an empty
  // section.
  size_t leaf_of(std::string_view token) const;
  size_t leaf_of(uint64_t term_index) const;
};

class DictLeaf final : public CachedBlock {
 public:
  struct Entry {
    uint64_t first_run = 0;
    uint64_t offset = 0;  // of the chunk, absolute
    uint64_t stored_size = 0;
    uint32_t key_offset = 0;
    uint32_t key_size = 0;
  };

  // The leaf `index` of `directory`. Errors: kCorrupt with fact "reason".
  static Result<std::shared_ptr<const DictLeaf>> from_raw(std::string_view raw,
                                                          const DictDirectory& directory,
                                                          size_t index);

  // The chunk table of a section of generation 5, at which `reader` stands: the only leaf, which
  // `directory` then keeps. Moves to the first chunk.
  static Status read_kept(FileReader& reader, DictDirectory& directory);

  size_t memory_bytes() const override;
  size_t size() const { return entries_.size(); }
  const Entry& operator[](size_t index) const { return entries_[index]; }
  std::string_view key(size_t index) const {
    return std::string_view(keys_).substr(entries_[index].key_offset, entries_[index].key_size);
  }
  // Index of the chunk that a term of this text, or in this run, is in.
  size_t chunk_of(std::string_view token) const;
  size_t chunk_of_run(uint64_t run) const;
  // What the chunk must hold. Keeps views into the leaf.
  ChunkPlace place(const DictDirectory& directory, size_t index) const;

 private:
  Status check(const DictDirectory& directory) const;

  std::vector<Entry> entries_;
  std::string keys_;
  uint64_t end_run_ = 0;  // first run behind the leaf
  std::string end_key_;   // routing key of the chunk behind the leaf
  bool is_last_ = false;
};

// The four directories in a dictionary unit root of generation 6; `leaves` and `chunks` are the two
// sections. Errors: kCorrupt with fact "reason".
Result<std::vector<DictDirectory>> parse_dict_unit6(std::string_view payload, storage::Range leaves,
                                                    storage::Range chunks);

// One section of a dictionary container of generation 5, at whose first byte `reader` stands. Moves
// behind it.
Result<DictDirectory> read_dict_directory5(FileReader& reader, DictSection section);

}  // namespace weft::rete
