// Rows of ids, each kept once and numbered: the hash table under joins, DISTINCT and GROUP BY.
//
// Open addressing over one flat array, keys in columns, no memory per row but these. Hashes are
// computed for a whole batch, column by column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weft/base/result.h"
#include "weft/exec/memory_charge.h"
#include "weft/exec/row_batch.h"

namespace weft::exec {

// Not thread-safe.
class KeyTable {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  // Keys have `width` columns (0 is allowed: one key). `budget` must outlive the table.
  KeyTable(size_t width, base::MemoryBudget* budget);

  // The numbers of the keys of a batch: key i is (keys[0][i], keys[1][i], …), i < rows. New keys
  // are added, numbered in order of appearance. Errors: kLimit.
  Status insert(std::span<const Column* const> keys, size_t rows, std::vector<uint32_t>& numbers);
  // The same for keys that are there already, else kAbsent. `hashes` is room for the hashes of the
  // batch: several threads may search at once, each with its own.
  void find(std::span<const Column* const> keys, size_t rows, std::vector<uint32_t>& numbers,
            std::vector<uint64_t>& hashes) const;

  void find(std::span<const Column* const> keys, size_t rows, std::vector<uint32_t>& numbers) {
    find(keys, rows, numbers, hashes_);
  }

  size_t size() const { return size_; }
  // Column `column` of all keys, by number.
  const Column& column(size_t column) const { return keys_[column]; }
  void clear();

 private:
  static void hash(std::span<const Column* const> keys, size_t rows, std::vector<uint64_t>& hashes);
  bool equal(std::span<const Column* const> keys, size_t row, uint32_t number) const;
  Status grow(size_t keys_wanted);

  MemoryCharge charge_;
  std::vector<Column> keys_;
  std::vector<uint32_t> key_hashes_;  // by number, so that growing needs no keys
  std::vector<uint32_t> slots_;       // number + 1, or 0
  std::vector<uint64_t> hashes_;      // of the batch at hand
  size_t size_ = 0;
};

}  // namespace weft::exec
