// The ends of a plan: rows become columns of the answer, in order, at most so many.
#pragma once

#include <memory>
#include <vector>

#include "weft/columns/batch.h"
#include "weft/gqexec/rows.h"

namespace weft::gqexec {

// Takes the answer, a batch after the other.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual Status accept(const columns::Batch& rows) = 0;
};

// Columns of the answer.
columns::SchemaPtr answer_schema(const Plan& plan);

// A term for rows, as an array of `type`.
Result<columns::ArrayPtr> project_term(RunState& state, const Term& term,
                                       const columns::TypePtr& type, const RowBatch& batch);

// Rows as they come, until the limit.
std::unique_ptr<RowSink> make_stream_output(RunState& state, AnswerSink& answer);
// Rows in the plan's order. Keeps the numbers of rows, of a limit only the first ones.
std::unique_ptr<RowSink> make_sorted_output(RunState& state, AnswerSink& answer);
// Groups and their aggregates, in the plan's order or that of the group keys.
std::unique_ptr<RowSink> make_grouped_output(RunState& state, AnswerSink& answer);

// Keys of an order, for a number of rows.
struct SortKey {
  Operand operand;
  bool descending = false;
};
// Whether row a stands before row b: by the keys, null first (descending: last).
int compare_rows(const std::vector<SortKey>& keys, size_t a, size_t b);

}  // namespace weft::gqexec
