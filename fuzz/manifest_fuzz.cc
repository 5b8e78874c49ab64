// Manifest documents. What parses is written and read again as the same manifest, survives changes,
// and its generations can be asked for; JSON that parses survives a rewrite.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "weft/base/check.h"
#include "weft/manifest/address.h"
#include "weft/manifest/document.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using weft::manifest::Manifest;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto value = weft::json::parse(text); value.ok()) {
    for (const uint32_t indent : {0U, 2U}) {
      const auto again = weft::json::parse(weft::json::write(*value, {.indent = indent}));
      WEFT_CHECK(again.ok() && *again == *value);
    }
  }
  auto manifest = Manifest::parse(text);
  if (!manifest.ok()) {
    return 0;
  }
  const std::string written = manifest->text();
  const auto again = Manifest::parse(written);
  WEFT_CHECK(again.ok() && again->text() == written && again->log() == manifest->log());
  const uint64_t now = manifest->generation();
  for (uint64_t back = 0; back < 4 && back <= now; ++back) {
    const auto log = manifest->log_at(now - back);
    WEFT_CHECK(log.ok() || back > 0);
    static_cast<void>(manifest->history(now - back, now).ok());
  }
  for (const auto& entry : manifest->log()) {
    if (entry.adds.has_value()) {
      static_cast<void>(weft::manifest::resolve("http://h/d/m.json", entry.adds->url));
      static_cast<void>(weft::manifest::resolve("d/m.json", entry.adds->url));
    }
  }
  const auto name =
      weft::manifest::segment_name(manifest->name(), now, {}, weft::manifest::Role::kAdds);
  WEFT_CHECK(!name.ok() || name->find('/') == std::string::npos);
  if (manifest
          ->append({.adds = weft::manifest::SegmentPin{.url = "a", .size_bytes = 1, .hash = {}},
                    .dels = {}})
          .ok()) {
    WEFT_CHECK(manifest->generation() == now + 1);
    WEFT_CHECK(Manifest::parse(manifest->text()).ok());
    const size_t entries = manifest->log().size() / 2;
    if (manifest->compact(entries, {}).ok()) {
      const auto compacted = Manifest::parse(manifest->text());
      WEFT_CHECK(compacted.ok() && compacted->log() == manifest->log());
      WEFT_CHECK(compacted->log_at(now + 2).ok());
    }
  }
  return 0;
}
