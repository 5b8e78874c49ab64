// Terms that a query computes, as ids.
//
// A computed id is at or above rdf::kFirstComputedTerm. Integers of up to 60 bits in canonical form
// and booleans are their own id; other tokens are kept once, in one arena. So within the pool,
// equal tokens have equal ids. A token that the graph also holds has a stored id beside its
// computed one: where the two could meet in one column, the plan says so and the operator that
// computes resolves (docs/query-execution.md, "Computed terms").
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/exec/memory_charge.h"
#include "weft/rdf/ids.h"

namespace weft::exec {

constexpr bool is_computed(rdf::TermId id) {
  return id >= rdf::kFirstComputedTerm;
}

// Not thread-safe, but several threads may ask at once while nobody changes it. `budget` must
// outlive it.
class TermPool {
 public:
  explicit TermPool(base::MemoryBudget* budget) : TermPool(budget, nullptr, 0) {}
  // Of a worker, on top of the query's pool: it knows the terms of `below`, which must outlive it
  // and must not change while this one is asked. Terms that `below` does not have get ids that no
  // pool of another `layer` gives; `below` is layer 0.
  TermPool(base::MemoryBudget* budget, const TermPool* below, uint32_t layer);

  // The id of a canonical token. Errors: kLimit.
  Result<rdf::TermId> intern(std::string_view token);
  // It gave no id yet.
  bool empty() const { return entries_.empty(); }
  // The place of an id that this very pool gave, counted from 0; nullopt for all others, also for
  // integers and booleans, which every pool understands.
  std::optional<size_t> own_index(rdf::TermId id) const;
  // Appends the token of a computed id.
  void append_token(rdf::TermId id, std::string& out) const;
  // The value, if `id` is an integer that is its own id.
  static bool is_inline_integer(rdf::TermId id, int64_t& value);

  // What the source answered for a computed id: its stored id, or itself if the graph does not hold
  // the token; kNoTerm if it was not asked yet.
  rdf::TermId resolved(rdf::TermId id) const;
  Status set_resolved(rdf::TermId id, rdf::TermId stored);

 private:
  struct Entry {
    const char* data;
    uint32_t size;
    uint32_t hash;
  };
  struct Answer {
    rdf::TermId id;
    rdf::TermId stored;
  };
  // The id of a token with this hash, or kNoTerm; of `below` as well.
  rdf::TermId known(std::string_view token, uint32_t hash) const;
  Status grow_slots();
  Result<const char*> keep(std::string_view token);
  Status cover();

  MemoryCharge charge_;
  const TermPool* below_;
  uint32_t layer_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_used_ = 0;
  size_t block_size_ = 0;
  uint64_t block_bytes_ = 0;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // entry index + 1, or 0
  std::vector<Answer> answers_;  // open addressing by id
  size_t answer_count_ = 0;
};

}  // namespace weft::exec
