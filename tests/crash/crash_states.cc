#include "tests/crash/crash_states.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "weft/storage/local_store.h"

namespace weft::crash {
namespace {

constexpr uint64_t kObjectSizeMaxBytes = uint64_t{1} << 24U;

}  // namespace

void leave_state(storage::ObjectStore& store, std::string_view expected, uint64_t every) {
  const char* const folder = std::getenv("WEFT_CRASH_STATES");  // NOLINT(concurrency-mt-unsafe)
  static uint64_t seen = 0;
  if (folder == nullptr || seen++ % every != 0) {
    return;
  }
  const std::string state = std::string(folder) + "/state" + std::to_string(seen);
  const auto copy = storage::open_local_store(state, {.create_folder = true});
  ASSERT_TRUE(copy.ok()) << copy.error().to_string();
  const auto listed = store.list("", false);
  ASSERT_TRUE(listed.ok()) << listed.error().to_string();
  for (const storage::ObjectInfo& object : *listed) {
    const auto bytes = store.get(object.name, kObjectSizeMaxBytes);
    ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
    const auto put = (*copy)->put_if_absent(object.name, bytes->bytes.view());
    ASSERT_TRUE(put.ok()) << put.error().to_string();
  }
  std::ofstream(state + "/expected") << expected << "\n";
}

}  // namespace weft::crash
