// Rows on their way through the steps of a plan, in batches: for each slot the numbers of rows of
// its type's table.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/result.h"
#include "weft/gqexec/operand.h"
#include "weft/gqexec/plan.h"

namespace weft::gqexec {

// Steps hand on about so many rows at a time.
inline constexpr size_t kBatchRows = 4'096;

struct RowBatch {
  size_t row_count = 0;
  // By slot. Those of slots that are not live are empty.
  std::vector<std::vector<RowNumber>> slots;
  // How often each row stands here; empty: once each.
  std::vector<uint64_t> weights;

  uint64_t weight(size_t row) const { return weights.empty() ? 1 : weights[row]; }
};

// What all steps of one run share. Not thread-safe.
struct RunState {
  GraphData& graph;
  const Plan& plan;
  base::MemoryBudget& budget;
  std::stop_token stop;
  const base::Clock* clock = nullptr;  // null: no deadline
  int64_t deadline_microseconds = 0;   // of the monotonic clock
  bool done = false;                   // nobody wants more rows
  // Rows that each step gave, for --explain: by the address of the step.
  std::vector<std::pair<const Step*, uint64_t>> rows_given;

  // Errors: kCancelled.
  Status check() const;
};

// Takes rows. Batches belong to the caller, who may change them afterwards.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual Status accept(const RowBatch& batch) = 0;
  // After the last batch.
  virtual Status finish() = 0;
};

// The values of a term for the rows of a batch, with what they point into.
struct TermValues {
  std::shared_ptr<const Column> column;
  Operand operand;
};
Result<TermValues> read_term(RunState& state, const Term& term, const RowBatch& batch);

// The rows of a batch that meet a condition.
Status select_rows(RunState& state, const Condition& condition, const RowBatch& batch,
                   std::vector<uint32_t>& selected);

// Copies of `rows` of `batch`, with the slots `live`.
void gather_rows(const RowBatch& batch, std::span<const uint32_t> rows,
                 std::span<const size_t> live, RowBatch& out);

// The steps as sinks, one behind the other, the last in front of `last`; returns the first. `state`
// and `last` must outlive them.
class Pipeline {
 public:
  // `steps` must outlive the pipeline.
  Pipeline(RunState& state, const std::vector<Step>& steps, RowSink& last);
  RowSink& first() { return *first_; }

 private:
  std::vector<std::unique_ptr<RowSink>> sinks_;
  RowSink* first_;
};

// Each kind of step as a sink in front of `next`.
std::unique_ptr<RowSink> make_scan(RunState& state, const Step& step, const ScanStep& scan,
                                   RowSink& next);
std::unique_ptr<RowSink> make_expand(RunState& state, const Step& step, const ExpandStep& expand,
                                     RowSink& next);
std::unique_ptr<RowSink> make_negation(RunState& state, const Step& step,
                                       const NegationStep& negation, RowSink& next);

}  // namespace weft::gqexec
