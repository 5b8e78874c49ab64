// Manifest files of Lance tables. What parses is written again and parses to the same; another
// version number changes nothing else; index section and row sequences never break a reader.
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/base/check.h"
#include "weft/lance/table/index_section.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/row_sequence.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace lance = weft::lance;
  constexpr uint64_t kRowsMax = 100'000;
  const weft::ByteView file(reinterpret_cast<const std::byte*>(data), size);
  const auto parsed = lance::parse_manifest_file(file);
  if (!parsed.ok()) {
    return 0;
  }
  const std::string message = lance::serialize_manifest(parsed->manifest);
  const auto again = lance::parse_manifest(weft::as_bytes(message));
  WEFT_CHECK(again.ok() && lance::serialize_manifest(*again) == message);
  const std::string written =
      lance::serialize_manifest_file(parsed->manifest, parsed->index_section, parsed->transaction);
  const auto reread = lance::parse_manifest_file(weft::as_bytes(written));
  WEFT_CHECK(reread.ok());
  const auto moved = lance::with_version(weft::as_bytes(written), UINT64_MAX - 1);
  WEFT_CHECK(moved.ok());
  const auto back = lance::with_version(weft::as_bytes(*moved), parsed->manifest.version);
  WEFT_CHECK(back.ok() && *back == written);
  if (parsed->index_section) {
    (void)lance::parse_index_section(*parsed->index_section).ok();
    (void)lance::rebase_indices(*parsed->index_section, 1).ok();
  }
  for (const lance::Fragment& fragment : parsed->manifest.fragments) {
    const auto ids = lance::expand_row_ids(fragment.row_ids.value_or(""), kRowsMax);
    WEFT_CHECK(!ids.ok() || ids->size() <= kRowsMax);
    const auto runs = lance::expand_versions(fragment.created_at_versions.value_or(""), kRowsMax);
    WEFT_CHECK(!runs.ok() || runs->size() <= kRowsMax);
  }
  return 0;
}
