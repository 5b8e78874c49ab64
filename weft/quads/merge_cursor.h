// Base rows and overlay rows as one ordered stream of visible quads.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "weft/quads/base_scan.h"
#include "weft/quads/delta.h"
#include "weft/quads/fold.h"
#include "weft/quads/memory_hold.h"

namespace weft::quads {

// The place of row `row` of a base batch.
inline RowPlace base_place(const rete::LocalBatch& batch, size_t row, const ScanOrder& order) {
  return order.place(batch.graph.empty() ? 0 : batch.graph[row], batch.subject[row],
                     batch.predicate[row], batch.object[row]);
}

// `delta` is sorted, one row per place. `permutation` is the one of `base` (stored_order).
class MergeCursor final : public FoldCursor {
 public:
  MergeCursor(FoldTerms& terms, const rdf::IdPattern& pattern, rdf::Permutation permutation,
              BaseStream base, std::vector<DeltaRow> delta, Stamp base_stamp, MemoryHold memory,
              std::stop_token stop);

  Status next(rdf::IdBatch& batch) override;
  Status seek(rdf::TermId key0, rdf::TermId key1) override;
  void start_small() override;
  Status stop_before(rdf::TermId key0, rdf::TermId key1) override;

 private:
  // nullopt: rows come graph by graph.
  Result<std::optional<RowPlace>> place_of(rdf::TermId key0, rdf::TermId key1);
  void emit_base(size_t begin, size_t end);
  void emit_delta(const DeltaRow& row);
  void merge_some();
  // Replaces predicate keys by terms.
  Status finish(rdf::IdBatch& batch);

  FoldTerms& terms_;
  rdf::IdPattern pattern_;
  ScanOrder order_;
  BaseStream base_;
  size_t base_row_ = 0;
  bool base_started_ = false;
  std::vector<DeltaRow> delta_;
  size_t delta_row_ = 0;
  Stamp base_stamp_;
  MemoryHold memory_;
  std::stop_token stop_;
  size_t batch_rows_ = rete::SegmentCursor::kBatchRows;
  // The batch that is being made; predicates as keys.
  rdf::IdBatch* out_ = nullptr;
};

}  // namespace weft::quads
