// Portable Roaring bitmaps of others are walked through before the library gets them.
#pragma once

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::lance {

// Containers in order of their keys and inside the bytes, values of arrays and runs ascending,
// cardinalities as stated, nothing behind the end. Source: RoaringFormatSpec, "Standard 32-bit
// Roaring Bitmap". Errors: kCorrupt, naming the rule.
Status check_portable_roaring(ByteView bytes);

}  // namespace weft::lance
