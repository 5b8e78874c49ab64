// Values of ids: each id's token is fetched and read once, as long as the memory lasts.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/exec/memory_charge.h"
#include "weft/exec/quad_source.h"
#include "weft/exec/row_batch.h"
#include "weft/exec/term_pool.h"
#include "weft/rdf/value.h"

namespace weft::exec {

// A term as expressions see it. `raw` is its token if the value would be written differently ("01"
// instead of "1"), else null.
struct Cell {
  const rdf::Value* value = nullptr;
  const std::string* raw = nullptr;

  // The canonical token of the very term.
  std::string token() const { return raw != nullptr ? *raw : value->to_token(); }
};

// Not thread-safe. All given must outlive it.
class ValueCache {
 public:
  // Forgets everything before a load once it holds more than this share of the budget.
  static constexpr uint64_t kShareOfBudget = 4;

  // `holders`: so many caches of workers share what one may hold.
  ValueCache(QuadSource& source, const TermPool& pool, base::MemoryBudget* budget,
             uint64_t holders = 1);

  // Makes the cells of `ids` (of several columns) available to find(), with one call to the source.
  // Cells found before are no longer valid. Errors: kLimit, and what the source says.
  Status load(std::span<const Column* const> columns);
  // The cell of a loaded id; an undefined value for kNoTerm.
  Cell find(rdf::TermId id) const;

 private:
  struct Entry {
    rdf::Value value;
    std::string raw;
  };
  size_t slot_of(rdf::TermId id) const;
  Status add(rdf::TermId id, std::string_view token);
  Status grow();
  void clear();

  QuadSource& source_;
  const TermPool& pool_;
  MemoryCharge charge_;
  uint64_t held_bytes_max_;
  // The ids stand here, so that a search touches no entry.
  struct Slot {
    rdf::TermId id = rdf::kNoTerm;
    uint32_t number = 0;  // entry index + 1, or 0
  };
  std::vector<Slot> slots_;
  std::deque<Entry> entries_;
  uint64_t text_bytes_ = 0;
  rdf::Value undefined_;
};

}  // namespace weft::exec
