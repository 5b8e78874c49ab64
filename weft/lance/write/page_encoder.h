// Chooses how the rows of a page are stored, and stores them. The choices and the reasons:
// docs/formats/lance-writing.md.
#pragma once

#include <vector>

#include "weft/base/result.h"
#include "weft/lance/write/encoded_page.h"
#include "weft/lance/write/leaf.h"
#include "weft/lance/write/page_rows.h"

namespace weft::lance::write {

// Values this long, or longer, are stored one by one: a chunk of them would hold too few.
inline constexpr uint64_t kLongValueBytes = 256;
// Texts this long, or longer, are worth a compressor of their own.
inline constexpr uint64_t kDocumentBytes = 32768;
// Less text than this in a page is not worth a symbol table.
inline constexpr uint64_t kSymbolTextBytes = 32768;
// Rows without any value that have this many events become a page of their own.
inline constexpr uint64_t kEmptyRunEvents = 1024;

// Mostly one page; more where long runs of empty lists are cut out. Pure; thread-safe. Errors:
// kLimit if thousands of empty lists of bits lie in one row.
Result<std::vector<EncodedPage>> encode_page(PageRows rows, const Leaf& leaf,
                                             layout::FileVersion version);

}  // namespace weft::lance::write
