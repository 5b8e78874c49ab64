// Sections of a file under construction: where their bytes come from, and writing them out with all
// digests.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/codec/blake3.h"
#include "weft/rete/build/spool.h"
#include "weft/storage/object_store.h"

namespace weft::rete::build {

// A run of bytes: of a spool, or of memory that its owner keeps alive.
struct PieceView {
  const Spool* spool = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;
  std::string_view text;
};

struct SectionSource {
  SectionSource() = default;
  explicit SectionSource(uint8_t section_kind, uint64_t largest_block = 0)
      : kind(section_kind), block_max(largest_block) {}

  uint8_t kind = 0;
  uint64_t block_max = 0;
  std::vector<PieceView> pieces;

  void add(const Spool& spool, uint64_t offset, uint64_t size);
  void add(const Spool& spool) { add(spool, 0, spool.size()); }
  void add(std::string_view text);
  uint64_t size() const;
};

// The 16-byte digests of the blocks of a region that comes in pieces.
class BlockDigester {
 public:
  explicit BlockDigester(uint64_t block_bytes) : block_bytes_(block_bytes) {}
  void update(ByteView bytes);
  // Appends the digests of all blocks, the last one perhaps short.
  void finish(std::string& out);

 private:
  uint64_t block_bytes_;
  uint64_t in_block_ = 0;
  codec::Blake3 block_;
  std::string digests_;
};

// Appends all sections to `out`; `digests` gets the digest of each, `blocks` (if any) sees all
// bytes.
Status write_sections(std::span<const SectionSource> sections, storage::ObjectWriter& out,
                      std::vector<codec::Digest16>& digests, BlockDigester* blocks);

}  // namespace weft::rete::build
