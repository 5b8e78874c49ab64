// Deletion files of Lance tables, both kinds: the first byte chooses. What parses stays within the
// fragment's rows and is written again as the same set.
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/base/check.h"
#include "weft/lance/table/deletions.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kRowsMax = 1'000'000;
  if (size == 0) {
    return 0;
  }
  const weft::ByteView file(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const auto deletions = data[0] % 2 == 0 ? weft::lance::Deletions::parse_bitmap(file)
                                          : weft::lance::Deletions::parse_arrow(file, kRowsMax);
  if (!deletions.ok()) {
    return 0;
  }
  const std::string written = deletions->serialize_bitmap();
  const auto again = weft::lance::Deletions::parse_bitmap(weft::as_bytes(written));
  WEFT_CHECK(again.ok() && *again == *deletions && again->serialize_bitmap() == written);
  return 0;
}
