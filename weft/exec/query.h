// Runs a query: algebra -> plan -> batches of rows.
//
//     WEFT_TRY(sparql::Query query, sparql::parse_query(text));
//     WEFT_TRY(auto prepared, exec::prepare(std::move(query), source, options));
//     WEFT_TRY(auto solutions, prepared->select());
//     for (RowBatch batch;;) { solutions->next(batch); if (batch.empty()) break; … }
//
// Q1  Rows are ids until somebody asks for tokens: late materialisation.
// Q2  All memory that grows with the data is reserved from the budget first; what does not fit is
//     kLimit, naming the budget. Nothing is held for rows that were handed out.
// Q3  Every batch asks the stop token and the timeout: kCancelled, kLimit (timeout_ms).
// Q4  The order of triple patterns, joins and filters in the query has no influence on the plan.
// Q5  However many threads take part, the answer is that of one, and so is its order where the
// query
//     asks for one; no thread of the executor is busy with the query between two calls.
// Nothing here is thread-safe; different prepared queries over one source may run side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/exec/quad_source.h"
#include "weft/exec/row_batch.h"
#include "weft/exec/service_client.h"
#include "weft/plan/fragments.h"
#include "weft/rdf/quad.h"
#include "weft/sparql/algebra.h"

namespace weft::exec {

// How one query uses several threads (weft/plan/fragments.h says for what).
struct ParallelOptions {
  // Workers of one query at most, the calling thread included; 0: the executor's width; 1: none but
  // the calling thread. A query takes the executor's threads that are free, and goes on alone where
  // none is.
  size_t workers_max = 0;
  // Scans of fewer rows (estimated) are not shared out.
  double scan_rows_min = plan::kSharedRowsMin;
  // Rows of a piece, roughly.
  size_t piece_rows = 16'384;
};

// Everything pointed to must be given and outlive the PreparedQuery.
struct QueryOptions {
  base::MemoryBudget* budget = nullptr;
  base::Executor* executor = nullptr;
  const base::Clock* clock = nullptr;  // NOW(), the timeout
  base::Random* random = nullptr;      // RAND(), UUID(), labels of new blank nodes
  ServiceClient* services = nullptr;   // null: SERVICE is denied (SILENT: binds nothing)
  std::stop_token stop;
  uint64_t timeout_ms = 0;  // from prepare() on; 0: none
  // explain() tells after the run how long each operator took.
  bool measure_time = false;
  ParallelOptions parallel;
};

// The rows of a SELECT. Must not outlive its PreparedQuery.
class Solutions {
 public:
  virtual ~Solutions() = default;
  // Without '?', in the order of the columns.
  virtual const std::vector<std::string>& variables() const = 0;
  // Replaces `batch` with the next rows, one column per variable; kNoTerm is unbound; an empty
  // batch is the end. Errors: kLimit, kCancelled, and what the source says.
  virtual Status next(RowBatch& batch) = 0;
  // Appends the canonical tokens of ids from these rows, in the order asked; "" for kNoTerm. Ask
  // for a whole batch at once, over a network each call is a round trip.
  virtual Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) = 0;
};

class PreparedQuery {
 public:
  virtual ~PreparedQuery() = default;

  virtual sparql::QueryForm form() const = 0;
  // The plan as a readable tree: what is done in which order, over which permutation, with the rows
  // expected, and the rows that really came if it ran already, with the time of each operator if
  // that was measured.
  virtual std::string explain() const = 0;

  // SELECT. Call one of the three, and once.
  virtual Result<std::unique_ptr<Solutions>> select() = 0;
  // ASK. Stops at the first row.
  virtual Result<bool> ask() = 0;
  // CONSTRUCT and DESCRIBE: hands triples (graph empty) to `sink`, in batches. Each triple comes
  // once as long as those seen fit in a quarter of the budget; beyond that some may come again.
  virtual Status construct(rdf::QuadSink& sink) = 0;
};

// Plans. Reads statistics and looks up constants: one or two round trips over a network. Errors:
// kUnsupported for what check_supported (sparql/unsupported.h) names, kInvalid for a regular
// expression that cannot be, and what the source says.
Result<std::unique_ptr<PreparedQuery>> prepare(sparql::Query query, QuadSource& source,
                                               const QueryOptions& options);

}  // namespace weft::exec
