#include "weft/lance/table/transaction.h"

#include <array>

#include "weft/codec/protobuf_wire.h"
#include "weft/lance/table/operation_wire.h"
#include "weft/lance/table/wire_map.h"

namespace weft::lance {

using codec::WireField;
using codec::WireReaderView;
using codec::WireWriter;

std::string_view operation_name(const Operation& operation) {
  static constexpr std::array<std::string_view, std::variant_size_v<Operation>> kNames = {
      "Append",  "Delete",           "Overwrite", "CreateIndex", "Rewrite",      "Merge",
      "Restore", "ReserveFragments", "Update",    "Project",     "UpdateConfig", "DataReplacement",
      "Clone",   "UpdateBases",      "unknown"};
  return kNames[operation.index()];
}

Result<Transaction> parse_transaction(ByteView message) {
  Transaction transaction;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    switch (field.number) {
      case 1:
        reader.expect(field.as_u64(transaction.read_version));
        break;
      case 2:
        reader.expect(field.as_text(transaction.uuid));
        break;
      case 3:
        reader.expect(field.as_text(transaction.tag));
        break;
      case 4:
        reader.expect(take_entry(field, transaction.properties));
        break;
      default:
        if (field.number < kFirstOperation || field.number > kLastOperation) {
          transaction.unknown.append(as_text(field.raw));
          break;
        }
        // Of several the last counts, as in every oneof.
        transaction.raw_operation = to_text(field.raw);
        if (reader.expect(field.type == codec::WireType::kBytes)) {
          WEFT_TRY(transaction.operation, parse_operation(field.number, field.bytes));
        }
    }
  }
  if (!reader.ok()) {
    return Error(ErrorKind::kCorrupt, "damaged transaction");
  }
  return transaction;
}

std::string serialize_transaction(const Transaction& transaction) {
  WireWriter writer;
  writer.u64(1, transaction.read_version);
  writer.bytes(2, transaction.uuid);
  writer.bytes(3, transaction.tag);
  write_map(writer, 4, transaction.properties);
  if (std::holds_alternative<CreateIndexOperation>(transaction.operation) ||
      std::holds_alternative<UnknownOperation>(transaction.operation)) {
    writer.raw(transaction.raw_operation);
  } else {
    write_operation(writer, transaction.operation);
  }
  writer.raw(transaction.unknown);
  return std::move(writer).take();
}

}  // namespace weft::lance
