// The index section of a manifest file: carried as bytes; only whole entries are ever left out.
// Format: docs/formats/lance.md, "Indices".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::lance {

struct IndexEntry {
  std::string uuid;  // as its folder in _indices/ is called
  std::string name;
  std::vector<int32_t> fields;
  std::optional<uint32_t> base_id;
  ByteView raw;  // the entry in the section, a view
};
// Errors: kCorrupt.
Result<std::vector<IndexEntry>> parse_index_section(ByteView section);

// Without the entries of any of these fields. Nothing if no entry is left.
Result<std::optional<std::string>> drop_indices(std::string_view section,
                                                const std::vector<int32_t>& fields);
// The bytes of a branch's section: entries without a base get `base_id`.
Result<std::string> rebase_indices(ByteView section, uint32_t base_id);

}  // namespace weft::lance
