// One page of a file of version 2.0.
#pragma once

#include <cstdint>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/lance/layout/array_encoding.h"
#include "weft/lance/read/file_content.h"

namespace weft::lance::read {

// Some rows (or items) of a page.
struct PagePart {
  FileContent& file;
  const layout::PageDescription& page;
  const layout::ArrayEncoding& encoding;
  IndexRange rows;
  ReadMemory& memory;
};

// End offsets with the mark of nulls taken off: where values begin and end, and which are null.
struct Ends {
  std::vector<uint64_t> offsets;  // one more than values
  columns::Buffer validity;
};

// A field without children, by `encoding` (of the page, or a part of it). Errors: kCorrupt;
// kUnsupported names what is not known; kLimit.
Result<columns::ArrayPtr> read_leaf_2_0(const PagePart& part, const layout::ArrayEncoding& encoding,
                                        const columns::TypePtr& type);
// The offsets of lists or text, from that before the first row on.
Result<Ends> read_ends_2_0(const PagePart& part, const layout::ArrayEncoding& offsets,
                           uint64_t null_adjustment);

}  // namespace weft::lance::read
