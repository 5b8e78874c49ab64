#include "weft/rete/build/pages.h"

#include <sys/mman.h>

namespace weft::rete::build {
namespace {

constexpr size_t kPageBytes = 4096;

}  // namespace

void PageBlock::grow(size_t bytes) {
  bytes = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (bytes <= bytes_) {
    return;
  }
  void* place = start_ == nullptr ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                  : ::mremap(start_, bytes_, bytes, MREMAP_MAYMOVE);
  WEFT_CHECK(place != MAP_FAILED);
  start_ = place;
  bytes_ = bytes;
}

void PageBlock::release() {
  if (start_ != nullptr) {
    ::munmap(start_, bytes_);
    start_ = nullptr;
    bytes_ = 0;
  }
}

}  // namespace weft::rete::build
