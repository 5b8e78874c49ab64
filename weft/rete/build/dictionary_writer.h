// Encodes one sorted section of the dictionary into chunks. Format: docs/formats/rete.md, chunks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/spool.h"

namespace weft::rete::build {

struct ChunkEntry {
  uint64_t first_run = 0;
  std::string key;
  uint64_t stored_bytes = 0;
  uint64_t raw_bytes = 0;
};

struct DictionarySection {
  explicit DictionarySection(const BuildSpace& space)
      : data(space.scratch, space.spools), restarts(space.scratch, space.spools) {}
  uint64_t term_count = 0;
  uint64_t literal_count = 0;  // they come first
  uint64_t run_count = 0;
  uint64_t body_bytes = 0;
  std::vector<ChunkEntry> chunks;
  Spool data;
  // Byte 5 only: the offset of every run in the body, as varints.
  Spool restarts;
};

struct ChunkShape {
  uint32_t chunk_bytes = 65536;
  uint32_t restart_interval = 16;
  bool keep_restarts = false;
};

// Not thread-safe. `section` and `space` must outlive it.
class DictionaryWriter {
 public:
  DictionaryWriter(DictionarySection& section, const ChunkShape& shape, const BuildSpace& space)
      : section_(&section), shape_(shape), space_(&space) {}

  // Terms ascending, without duplicates.
  Status add(std::string_view token);
  Status finish();

 private:
  struct Pending {
    std::string raw;
    std::string stored;
  };
  Status start_run(std::string_view token);
  Status close_chunk();
  Status flush();

  DictionarySection* section_;
  ChunkShape shape_;
  const BuildSpace* space_;
  std::string previous_;
  std::string chunk_;
  std::vector<Pending> pending_;  // the chunks at the end of section_->chunks
  uint64_t pending_bytes_ = 0;
};

}  // namespace weft::rete::build
