#include "weft/rete/build/pages.h"

#include <cstring>

#include <sys/mman.h>

namespace weft::rete::build {
namespace {

constexpr size_t kPageBytes = 4096;

void* new_pages(size_t bytes) {
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void* more_pages(void* start, size_t bytes, size_t new_bytes) {
#ifdef __SANITIZE_THREAD__
  // It does not see mremap, and would blame us for who had the addresses before.
  void* const place = new_pages(new_bytes);
  if (place != MAP_FAILED) {
    std::memcpy(place, start, bytes);
    ::munmap(start, bytes);
  }
  return place;
#else
  return ::mremap(start, bytes, new_bytes, MREMAP_MAYMOVE);
#endif
}

}  // namespace

void PageBlock::grow(size_t bytes) {
  bytes = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (bytes <= bytes_) {
    return;
  }
  void* const place = start_ == nullptr ? new_pages(bytes) : more_pages(start_, bytes_, bytes);
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
