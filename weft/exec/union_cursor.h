// Merges the rows of a base, which come in its order, with rows that were gathered and sorted.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "weft/exec/memory_charge.h"
#include "weft/exec/quad_source.h"

namespace weft::exec {

// Graph (kNoTerm outside of GraphScope::kAllNamed), then the positions of the permutation.
using UnionRow = std::array<rdf::TermId, 4>;

// Appends rows that are not the base's, in no order, and repeated as they like.
using GatherRows = std::function<Status(std::vector<UnionRow>& rows, MemoryCharge& charge)>;

// Each column is a level. Graphs and open predicates are *grouped*: equal ones stand together among
// rows equal before, in whatever order the base has; gathered groups that the base lacks come last.
// All other columns ascend in both, and are merged. Not thread-safe.
class UnionCursor final : public QuadCursor {
 public:
  // `base` may be null; its ids are below `base_ids_end`. `gather` is called once, at the first
  // row.
  UnionCursor(const rdf::IdPattern& pattern, rdf::Permutation permutation,
              std::unique_ptr<QuadCursor> base, rdf::TermId base_ids_end, GatherRows gather,
              base::MemoryBudget* budget);

  Status next(rdf::IdBatch& batch) override;
  Status seek(rdf::TermId key0, rdf::TermId key1) override;

 private:
  static constexpr size_t kLevels = 4;
  using Range = std::pair<size_t, size_t>;  // of gathered rows, the end excluded
  // Gathered rows that are equal to the current base row in all columns before this one.
  struct Level {
    Range open;                // what is left of them
    std::vector<Range> taken;  // grouped: what went with a group of the base
  };

  Status start();
  Result<bool> next_base_row(UnionRow& row);
  // Queues the gathered rows before `row`.
  void advance_to(const UnionRow& row);
  // Queues what is left at `level` and below.
  void close_from(size_t level);
  void close(size_t level);
  Range equal_range(Range in, size_t level, rdf::TermId value) const;
  void queue(Range range);
  void give(rdf::IdBatch& batch, const UnionRow& row) const;

  const rdf::IdPattern pattern_;
  const std::array<rdf::Position, 3> positions_;
  std::array<bool, kLevels> grouped_ = {};
  size_t seek_level_ = kLevels;  // kLevels: seeks are ignored
  std::unique_ptr<QuadCursor> base_;
  rdf::TermId base_ids_end_;
  GatherRows gather_;
  MemoryCharge charge_;
  bool started_ = false;
  bool closed_ = false;

  std::vector<UnionRow> rows_;
  size_t rows_from_ = 0;  // seeks have left those before behind
  std::array<Level, kLevels> levels_;
  bool has_current_ = false;
  UnionRow current_ = {};

  rdf::IdBatch base_batch_;
  size_t base_at_ = 0;
  std::vector<Range> queued_;
  size_t queued_at_ = 0;
  bool base_row_waits_ = false;  // current_ comes after what is queued
};

}  // namespace weft::exec
