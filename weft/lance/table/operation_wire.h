// The operations of a transaction as messages.
#pragma once

#include <cstdint>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/codec/protobuf_wire.h"
#include "weft/lance/table/transaction.h"

namespace weft::lance {

// Fields of a transaction in this range are operations, also those that are not known.
inline constexpr uint32_t kFirstOperation = 100;
inline constexpr uint32_t kLastOperation = 199;

// Errors: kCorrupt. A number that is not known gives UnknownOperation.
Result<Operation> parse_operation(uint32_t number, ByteView message);
// Not for CreateIndex and unknown ones, which are carried as they were read.
void write_operation(codec::WireWriter& writer, const Operation& operation);

}  // namespace weft::lance
