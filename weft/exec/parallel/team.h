// The workers of one fragment (plan/fragments.h): who takes which piece, and with which operators.
//
// The scan below a fragment is cut into pieces at places that its source names, the same every time
// and for every number of workers. A worker takes the next piece that nobody took, makes its own
// copy of the fragment's operators over it, and runs them to their end; the executor's free threads
// are the workers, the calling thread is one of them. What they share is read only: the source, the
// plan, the built sides of hash joins (made before the first piece is taken), the terms that the
// query computed so far. What they write is each worker's own: computed terms, cached values,
// expressions (RE2 and ICU objects included), counters of rows, random numbers (which no fragment
// uses).
//
// W1  Workers run only inside run(): between two calls no thread knows of the query.
// W2  The first error of a worker stops the others at their next batch, and is what run() returns;
//     so does a stop of the query, or its timeout.
// W3  The memory of all workers is reserved from the query's one budget.
// W4  Ids of terms that a worker computed mean nothing outside of it until import() replaced them.
//     (test: ParallelThreads.ComputedTermsOfWorkersMeet)
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/exec/execution.h"
#include "weft/exec/operators/operator.h"
#include "weft/exec/parallel/share.h"

namespace weft::exec::parallel {

// Pieces of one scan at most: enough that no worker waits long for the last one.
inline constexpr size_t kPiecesMax = 64;

// Workers that a query with these options may have.
size_t workers_max(const QueryOptions& options);

// Of one thread at a time.
class Worker {
 public:
  Worker(const plan::PlanNode& top, const Execution& main, const Frame& frame,
         const JoinTables& tables, std::stop_token stop, uint32_t number, size_t workers);

  Execution& execution() { return execution_; }
  // The fragment's operators over the rows between two cuts; those of the piece before are gone.
  Result<OperatorPtr> open(std::optional<ScanCut> low, std::optional<ScanCut> high);

 private:
  friend class Team;
  const plan::PlanNode& top_;
  Frame frame_;
  base::Random random_;
  Execution execution_;
  Share share_;
  std::vector<rdf::TermId> imported_;  // by own_index of its pool; kNoTerm: not yet
};

// For the calling thread, except where it says so. What is given must outlive it.
class Team {
 public:
  // Null if there is nothing to share out: one worker only, or no two pieces.
  static Result<std::unique_ptr<Team>> open(const plan::PlanNode& top, Execution& execution,
                                            const Frame& frame);
  ~Team();

  size_t worker_count() const { return workers_.size(); }
  size_t piece_count() const { return cuts_.size() + 1; }
  // Makes what all workers share. Before the first run().
  Status prepare();

  // Calls work(i) for the workers of this list, side by side. `consumer`: the node that gets their
  // rows, for explain.
  Status run(const std::vector<size_t>& workers, const std::function<Status(size_t)>& work,
             const plan::PlanNode& consumer);
  // The same for all workers.
  Status run(const std::function<Status(size_t)>& work, const plan::PlanNode& consumer);
  // Forgets which pieces were taken, and all workers.
  void start_over();

  // Within run(), from the threads of workers:
  // The next piece that nobody took; nullopt: there is none.
  std::optional<size_t> take_piece();
  Worker& worker(size_t index);
  Result<OperatorPtr> open_piece(size_t index, size_t piece);

  // Replaces what worker `index` computed by ids of the query. Outside of run().
  Status import(size_t index, Column& column);

 private:
  Team(const plan::PlanNode& top, Execution& execution, const Frame& frame);
  Status build_tables(const plan::PlanNode& node);
  void note(const Status& status);
  void collect_runs(const plan::PlanNode& consumer, int64_t waited);

  const plan::PlanNode& top_;
  Execution& execution_;
  Frame frame_;
  std::vector<ScanCut> cuts_;
  JoinTables tables_;
  bool prepared_ = false;
  std::stop_source stop_;
  std::optional<std::stop_callback<std::function<void()>>> forward_stop_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<size_t> next_piece_ = 0;
  std::atomic<int64_t> busy_microseconds_ = 0;
  base::Mutex mutex_;
  std::optional<Error> failure_ WEFT_GUARDED_BY(mutex_);
};

// Operators whose work is shared out; null where nothing is gained (Team::open): then the ordinary
// ones are made.
// The rows of a fragment, piece by piece in the order of the scan.
Result<OperatorPtr> make_gather(const plan::PlanNode& top, Execution& execution,
                                const Frame& frame);
// Over a fragment: `node` is a DistinctRows, GroupRows, SortRows.
Result<OperatorPtr> make_distinct(const plan::PlanNode& node, Execution& execution,
                                  const Frame& frame);
Result<OperatorPtr> make_group(const plan::PlanNode& node, Execution& execution,
                               const Frame& frame);
Result<OperatorPtr> make_sort(const plan::PlanNode& node, Execution& execution, const Frame& frame);

// A gather over a team that is there already.
OperatorPtr make_gather_of(const plan::PlanNode& top, Execution& execution,
                           std::unique_ptr<Team> team);

}  // namespace weft::exec::parallel
