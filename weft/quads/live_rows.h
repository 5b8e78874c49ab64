// Changes on top of a log, in memory: what a journal holds. One immutable state; a new one shares
// nearly everything with the one before.
//
// Changes stand in sorted runs, each at least twice as long as the next newer one, so that a
// pattern is looked up in few of them however many there are, and each change is copied a
// logarithmic number of times. Changes that only took back an earlier one disappear with it: a
// counter that is set a million times is one row.
//
// L1  Of a quad the newest mention counts.
// L2  Rows are in proportion to the quads that differ from the log, as long as all changes were
//     effective.
//
// Thread-safe, being immutable. Ordinals are those of one FoldTerms.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/result.h"
#include "weft/quads/memory_hold.h"
#include "weft/quads/overlay.h"
#include "weft/rdf/ids.h"

namespace weft::quads {

class LiveRows {
 public:
  // How changes relate to what they are applied to.
  enum class Effect : uint8_t {
    kKnown,  // each inserts a quad that was not there, or deletes one that was
    kAny,
  };

  // No changes.
  LiveRows() = default;

  // This state with `changes` on top; the stamp's last bit says whether one adds (adds()). At most
  // one change per quad. Errors: kLimit if they do not fit the budget.
  Result<std::shared_ptr<const LiveRows>> with(std::vector<OverlayRow> changes, Effect effect,
                                               base::MemoryBudget& budget) const;

  bool empty() const { return runs_.empty(); }
  size_t row_count() const;
  size_t run_count() const { return runs_.size(); }
  // How many more quads are visible than without the changes; nullopt if not all were effective.
  std::optional<int64_t> net_quads() const;

  // The subject, predicate, object and graph of a pattern as ordinals; where the pattern has a term
  // and this has kNoOrdinal, nothing matches.
  using Wanted = std::array<Ordinal, 4>;
  // Appends matching rows with stamps from `first_stamp` on, newer ones higher; a quad may come
  // from several runs.
  void collect(const rdf::IdPattern& pattern, const Wanted& wanted, Stamp first_stamp,
               std::vector<OverlayRow>& rows) const;
  // The same, unless there are more than `rows_max` rows to look at: then it appends nothing and
  // says false.
  bool look_up(const rdf::IdPattern& pattern, const Wanted& wanted, Stamp first_stamp,
               size_t rows_max, std::vector<OverlayRow>& rows) const;
  // The newest mention of this quad: whether it adds. nullopt: none.
  std::optional<bool> newest(const OverlayRow& quad) const;
  // As Overlay::count.
  Overlay::Count count(const rdf::IdPattern& pattern, const Wanted& wanted) const;
  // Appends the graphs that rows name, some often.
  void graphs(std::vector<Ordinal>& graphs) const;
  // Each quad once, with its newest mention, ordered by ordinals; effective changes that took each
  // other back are left out.
  std::vector<OverlayRow> net() const;

 private:
  struct Run {
    std::vector<OverlayRow> rows;  // by subject, predicate, object, graph
    // Indices into rows; empty for runs that are looked through.
    std::vector<uint32_t> by_predicate;  // predicate, object, subject
    std::vector<uint32_t> by_object;     // object, subject, predicate
    std::vector<uint32_t> by_graph;      // graph, subject, predicate
    bool is_effective = true;
    int64_t net_quads = 0;
    MemoryHold hold;
    explicit Run(base::MemoryBudget& budget) : hold(budget) {}
  };
  struct Found;

  static Result<std::shared_ptr<const Run>> make_run(std::vector<OverlayRow> rows,
                                                     bool is_effective, base::MemoryBudget& budget);
  // `cancels`: what only took back the older mention disappears with it.
  static std::vector<OverlayRow> merged(std::span<const OverlayRow> older,
                                        std::span<const OverlayRow> newer, bool cancels);
  static Found find(const Run& run, const rdf::IdPattern& pattern, const Wanted& wanted);

  std::vector<std::shared_ptr<const Run>> runs_;  // oldest first
};

}  // namespace weft::quads
