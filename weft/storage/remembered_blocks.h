// How a remembering store (object_memory.h) answers ranges of an object from blocks.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weft/storage/object_memory.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

uint64_t remembered_block_count(uint64_t size);
// The bytes of block `index` of an object of this size.
Range remembered_block(uint64_t size, uint64_t index);

// Blocks of one object, ascending by their index; not those yet that must be read.
using RememberedBlocks = std::vector<std::pair<uint64_t, Buffer>>;

// Adds the blocks in which the range lies.
void add_blocks(const Range& range, uint64_t size, RememberedBlocks& blocks);

struct MissingBlocks {
  std::vector<size_t> blocks;  // places in the RememberedBlocks
  std::vector<Range> ranges;   // in which they lie, neighbours together
  uint64_t bytes = 0;
};
// Fills in what is remembered and tells the rest.
MissingBlocks find_blocks(ObjectMemory& memory, const ObjectMemory::Known& object,
                          RememberedBlocks& blocks);
// Fills in the rest from what was read, one buffer for each range; with `remembers` it is
// remembered.
void take_blocks(ObjectMemory& memory, const ObjectMemory::Known& object,
                 const MissingBlocks& missing, std::span<const Buffer> read, bool remembers,
                 RememberedBlocks& blocks);

// The bytes of a range whose blocks are all there.
Buffer join_blocks(const Range& range, const RememberedBlocks& blocks);

}  // namespace weft::storage
