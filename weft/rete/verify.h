// Reads a whole `.rete` file and checks everything there is to check, naming the first damaged
// place. Streams: memory is bounded whatever the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

struct VerifyProgress {
  uint64_t done_bytes = 0;  // of work: each byte counts once for hashing, once for its structure
  uint64_t total_bytes = 0;
};

struct VerifyOptions {
  base::Executor* executor = nullptr;  // may be null
  std::function<void(const VerifyProgress&)> progress;
  std::stop_token stop;
};

struct VerifyReport {
  uint64_t bytes = 0;
  uint64_t terms = 0;
  uint64_t quads = 0;
  uint64_t graphs = 0;
  uint64_t blocks = 0;   // tiles, chunks and leaves decoded
  uint64_t digests = 0;  // section digests and block digests compared
};

// Recomputes the content hash and every digest over the bytes, then decodes every block of the
// dictionary, the index, the named graphs, the text and label index and the schema: order, ranges,
// counts, directories, and that all stored permutations hold the same quads. Errors: kCorrupt with
// facts file, section, offset of the first damaged place (in the order: header, root, digests by
// position, then structure); those of Segment::open.
Result<VerifyReport> verify(std::unique_ptr<storage::ObjectReader> reader,
                            const VerifyOptions& options);

}  // namespace weft::rete
