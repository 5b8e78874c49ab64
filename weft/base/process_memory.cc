#include "weft/base/process_memory.h"

#include <malloc.h>

namespace weft::base {

void keep_freed_memory() {
#ifdef __GLIBC__
  // The greatest threshold that glibc takes: half an arena's heap.
  constexpr int kMmapThreshold = 32 << 20;
  constexpr int kTrimThreshold = 64 << 20;
  // NOLINTBEGIN(concurrency-mt-unsafe): called before threads start, as the header demands
  mallopt(M_MMAP_THRESHOLD, kMmapThreshold);
  mallopt(M_TRIM_THRESHOLD, kTrimThreshold);
  // NOLINTEND(concurrency-mt-unsafe)
#endif
}

}  // namespace weft::base
