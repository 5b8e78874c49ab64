// The key filter of an upsert: which keys its transaction inserted, so that of two concurrent
// upserts of one new key the later one notices. Format: docs/formats/lance.md, "Key filter".
//
// K1  Our filters have the engines' parameters (32 KiB split-block Bloom filter over XXH64): only
//     filters of equal parameters can be compared.
// K2  may_intersect never says no for filters that share a key, or that cannot be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/columns/array.h"

namespace weft::lance {

uint64_t xxh64(ByteView bytes);

class KeyFilter {
 public:
  // `field_ids` of the key columns, in key order.
  explicit KeyFilter(std::vector<int32_t> field_ids);

  // A key's bytes (key_bytes).
  void insert(std::string_view key);
  uint64_t inserted_count() const { return inserted_; }
  const std::vector<int32_t>& field_ids() const { return field_ids_; }
  bool may_contain(std::string_view key) const;
  bool may_intersect(const KeyFilter& other) const;

  // Errors: kCorrupt. A filter in another form parses and intersects with everything.
  static Result<KeyFilter> parse(ByteView message);
  std::string serialize() const;

 private:
  bool comparable_ = true;
  uint64_t inserted_ = 0;
  std::vector<int32_t> field_ids_;
  std::string bitmap_;
};

// The bytes of a key: of one column its value's, of several each value's with a zero byte behind.
// Text is its UTF-8, binary itself, integers are widened to 64 bits. Nothing if a column is null or
// has a type whose key bytes are not known (then the upsert carries no filter).
std::optional<std::string> key_bytes(const std::vector<columns::ArrayPtr>& key_columns, size_t row);

}  // namespace weft::lance
