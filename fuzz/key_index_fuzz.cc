// The key index of a table: its text in the configuration, and runs. The first byte chooses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/base/check.h"
#include "weft/graph/key_index.h"
#include "weft/storage/memory_store.h"

namespace {

void fuzz_text(std::string_view text) {
  const auto index = weft::graph::parse_key_index(text);
  if (index.ok()) {
    const std::string written = weft::graph::serialize_key_index(*index);
    const auto again = weft::graph::parse_key_index(written);
    WEFT_CHECK(again.ok() && *again == *index);
  }
}

// A run of as many entries as the file can have, whose root is right.
void fuzz_run(weft::ByteView file, size_t entries) {
  constexpr size_t kFenceBytes = 16;
  const size_t blocks =
      (entries + weft::graph::kEntriesPerBlock - 1) / weft::graph::kEntriesPerBlock;
  const size_t root = entries * weft::graph::kKeyEntryBytes + blocks * kFenceBytes;
  weft::graph::KeyRun run{.path = "r", .entries = entries, .root_hash = {}};
  if (root < file.size()) {
    run.root_hash = weft::codec::blake3_16(file.subspan(root));
  }
  weft::base::SystemClock clock;
  weft::storage::MemoryDisk disk(&clock);
  weft::storage::MemoryStore store(disk);
  WEFT_CHECK(store.put_if_absent("r", file).ok());
  const auto all = weft::graph::read_run(store, "r", run);
  if (all.ok()) {
    WEFT_CHECK(all->size() == entries);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const weft::ByteView rest(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  if (data[0] == 't') {
    fuzz_text(weft::as_text(rest));
  } else {
    fuzz_run(rest, data[0]);
  }
  return 0;
}
