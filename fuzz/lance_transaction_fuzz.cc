// Transactions of Lance tables. What parses is written again and parses to the same; two of them
// are judged without harm, and one that is not known is never harmless.
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/base/check.h"
#include "weft/lance/table/conflict.h"
#include "weft/lance/table/transaction.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace lance = weft::lance;
  const weft::ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto parsed = lance::parse_transaction(bytes);
  if (!parsed.ok()) {
    return 0;
  }
  const std::string written = lance::serialize_transaction(*parsed);
  const auto again = lance::parse_transaction(weft::as_bytes(written));
  WEFT_CHECK(again.ok());
  WEFT_CHECK(lance::serialize_transaction(*again) == written);
  const auto verdict = lance::judge(parsed->operation, again->operation).verdict;
  if (std::holds_alternative<lance::UnknownOperation>(parsed->operation)) {
    WEFT_CHECK(verdict == lance::Verdict::kFail);
  }
  return 0;
}
