// The message of one encoding, for the layouts that hold it (encoding.h).
#pragma once

#include "weft/codec/protobuf_wire.h"
#include "weft/lance/layout/encoding.h"

namespace weft::lance::layout {

// Errors: kCorrupt; kUnsupported names an encoding that is not known; kLimit.
Result<Encoding> parse_encoding_tree(ByteView message);
codec::WireWriter write_encoding_tree(const Encoding& encoding);

}  // namespace weft::lance::layout
