// Loads of a property graph. The same lines cut in two give the same rows and violations; every row
// that was counted is in a batch.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/check.h"
#include "weft/ndjson/load_reader.h"

namespace {

const weft::schema::Schema& schema() {
  static const weft::schema::Schema parsed = *weft::schema::compile(
      "node P { k: String @key i: I32? l: I64? u: U32? w: U64? f: F32? d: F64? b: Bool? day: "
      "Date?\n"
      "  at: DateTime? li: [I32]? v: Vector(2)? e: enum(a, b)? x: Blob? @range(i, -5..5)\n"
      "  @check(k, \"^\\\\w*$\") @unique(i, d) }\n"
      "node Q { f: F64 day: Date @key(f, day) }\n"
      "node N { t: String? }\n"
      "edge E: P -> P { n: I32? @unique(src, n) }");
  return parsed;
}

std::string load(std::string_view text, size_t cut) {
  weft::base::Random random(1);
  weft::ndjson::LoadReader reader(schema(), {}, random, {.batch_rows_max = 3});
  WEFT_CHECK(reader.feed(text.substr(0, cut), {}).ok());
  WEFT_CHECK(reader.feed(text.substr(cut), {}).ok());
  const weft::Status status = reader.finish({});
  WEFT_CHECK(status.ok() == reader.violations().empty());
  std::string shown;
  for (const auto& violation : reader.violations().first()) {
    shown += to_string(violation) + "\n";
  }
  uint64_t rows = 0;
  for (const auto& batch : reader.take_batches()) {
    WEFT_CHECK(batch.rows.row_count() <= 3 && batch.rows.row_count() == batch.lines.size());
    rows += batch.rows.row_count();
  }
  for (const auto& counts : {reader.node_counts(), reader.edge_counts()}) {
    for (const auto& [type, count] : counts) {
      shown += type + std::to_string(count) + "\n";
      rows -= status.ok() ? count : 0;
    }
  }
  WEFT_CHECK(rows == 0);
  return shown + std::to_string(reader.open_endpoints().size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = load(text, 0);
  WEFT_CHECK(load(text, size / 2) == whole);
  WEFT_CHECK(load(text, std::min<size_t>(size, 7)) == whole);
  return 0;
}
