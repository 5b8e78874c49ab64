// The key index of a table: its text in the configuration, and runs. The first byte chooses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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
  const uint64_t root = weft::graph::root_offset(entries);
  weft::graph::NamedRun run{"r", {.path = "r", .entries = entries, .root_hash = {}}};
  if (root < file.size()) {
    run.run.root_hash = weft::codec::blake3_16(file.subspan(root));
  }
  weft::base::SystemClock clock;
  weft::storage::MemoryDisk disk(&clock);
  weft::storage::MemoryStore store(disk);
  WEFT_CHECK(store.put_if_absent("r", file).ok());
  const auto all = weft::graph::read_runs(store, {run});
  if (all.ok()) {
    WEFT_CHECK(all->front().size() == entries);
  }
  // A look-up reads less of it, and goes by fences and fingerprints.
  std::vector<weft::codec::Digest16> digests(2);
  if (file.size() >= weft::graph::kKeyEntryBytes) {
    std::ranges::copy(file.first(digests[1].size()), digests[1].begin());
  }
  std::ranges::sort(digests);
  const auto found = weft::graph::find_in_runs(
      store, {run}, digests, [&](size_t digest, uint64_t) { WEFT_CHECK(digest < 2); });
  WEFT_CHECK(found.ok() || !all.ok());
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
