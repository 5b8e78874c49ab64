#include "weft/base/process_memory.h"

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

namespace weft::base {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Blocks as a scan has them: four of 1 MiB at a time, written to, freed.
[[maybe_unused]] long faults_of_rounds(int rounds) {
  const long before = page_faults();
  for (int round = 0; round < rounds; ++round) {
    void* blocks[4];
    for (void*& block : blocks) {
      block = std::malloc(size_t{1} << 20U);  // NOLINT(cppcoreguidelines-no-malloc)
      std::memset(block, round, size_t{1} << 20U);
    }
    for (void* const block : blocks) {
      std::free(block);  // NOLINT(cppcoreguidelines-no-malloc)
    }
  }
  return page_faults() - before;
}

TEST(ProcessMemory, FreedBlocksAreUsedAgain) {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "another allocator: nothing is promised";
#else
  keep_freed_memory();
  faults_of_rounds(2);
  // Four MiB are 1024 pages; without it every round touches all of them anew.
  EXPECT_LT(faults_of_rounds(20), 1024);
#endif
}

}  // namespace
}  // namespace weft::base
