// What the steps of one build share.
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

#include "weft/base/budget.h"
#include "weft/base/executor.h"
#include "weft/rete/build/block_codec.h"
#include "weft/rete/build/options.h"
#include "weft/storage/scratch.h"

namespace weft::rete::build {

struct BuildSpace {
  base::Executor& executor;
  storage::ScratchSpace& scratch;
  // For what is finished and waits to be written.
  base::MemoryBudget& spools;
  // One sorter's share (row_sorter.h).
  uint64_t sort_bytes = 0;
  const BlockCodec& codec;
  std::stop_token stop;
  std::function<void(const BuildProgress&)> progress;

  void report(std::string_view phase, uint64_t done, uint64_t total) const {
    if (progress) {
      progress({phase, done, total});
    }
  }
  // Blocks that are encoded side by side before they are appended in order.
  size_t batch_blocks() const { return executor.width() * 8; }
};

}  // namespace weft::rete::build
