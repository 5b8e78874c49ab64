#include "weft/exec/parallel/team.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "weft/exec/operators/join_table.h"
#include "weft/exec/operators/pattern.h"
#include "weft/exec/operators/text_scan.h"

namespace weft::exec::parallel {

size_t workers_max(const QueryOptions& options) {
  const size_t width = options.executor->width();
  return options.parallel.workers_max == 0 ? width : std::min(options.parallel.workers_max, width);
}

Worker::Worker(const plan::PlanNode& top, const Execution& main, const Frame& frame,
               const JoinTables& tables, std::stop_token stop, uint32_t number, size_t workers)
    : top_(top),
      frame_(frame),
      random_(number),
      execution_(main, random_, std::move(stop), number, workers) {
  share_.scan = top.shared_scan;
  share_.tables = &tables;
  execution_.share = &share_;
}

Result<OperatorPtr> Worker::open(std::optional<ScanCut> low, std::optional<ScanCut> high) {
  share_.low = low;
  share_.high = high;
  return make_plain_operator(top_, execution_, frame_);
}

Team::Team(const plan::PlanNode& top, Execution& execution, const Frame& frame)
    : top_(top), execution_(execution), frame_(frame) {
  forward_stop_.emplace(execution.interrupt.stop(), [this] { stop_.request_stop(); });
}

Team::~Team() = default;

Result<std::unique_ptr<Team>> Team::open(const plan::PlanNode& top, Execution& execution,
                                         const Frame& frame) {
  if (execution.executor == nullptr) {
    return std::unique_ptr<Team>();
  }
  const auto& scan = std::get<plan::Scan>(top.shared_scan->operation);
  const PatternReader reader(scan, frame);
  if (!reader.is_possible()) {
    return std::unique_ptr<Team>();
  }
  if (top.shared_scan->text != nullptr) {
    WEFT_TRY(const auto narrowed,
             open_text_scan({*top.shared_scan, reader.pattern(), scan.permutation}, execution));
    if (narrowed != nullptr) {
      return std::unique_ptr<Team>();  // few rows are left
    }
  }
  const double pieces = std::max(top.shared_scan->rows, execution.parallel.scan_rows_min) /
                        static_cast<double>(std::max<size_t>(execution.parallel.piece_rows, 1));
  const auto wanted = static_cast<size_t>(std::clamp(pieces, 2.0, double{kPiecesMax}));
  std::unique_ptr<Team> team(new Team(top, execution, frame));
  WEFT_TRY(team->cuts_, execution.source.cuts(reader.pattern(), scan.permutation, wanted,
                                              execution.interrupt.stop()));
  if (team->cuts_.empty()) {
    return std::unique_ptr<Team>();
  }
  const size_t width = execution.executor->width();
  const size_t allowed =
      execution.parallel.workers_max == 0 ? width : std::min(execution.parallel.workers_max, width);
  team->workers_.resize(std::min(allowed, team->piece_count()));
  return team;
}

Status Team::build_tables(const plan::PlanNode& node) {
  if (const auto* join = std::get_if<plan::HashJoin>(&node.operation)) {
    auto table = std::make_unique<JoinTable>(node, join->loose, &execution_.budget);
    WEFT_TRY(const OperatorPtr rows, make_operator(*node.inputs[1], execution_, frame_));
    WEFT_TRY_STATUS(table->fill(*rows));
    tables_[node.number] = std::move(table);
  }
  return node.inputs.empty() ? ok_status() : build_tables(*node.inputs[0]);
}

Status Team::prepare() {
  if (!std::exchange(prepared_, true)) {
    WEFT_TRY_STATUS(build_tables(top_));
  }
  return ok_status();
}

void Team::note(const Status& status) {
  const base::MutexLock lock(mutex_);
  if (!failure_.has_value()) {
    failure_ = status.error();
  }
  stop_.request_stop();
}

Status Team::run(const std::vector<size_t>& workers, const std::function<Status(size_t)>& work,
                 const plan::PlanNode& consumer) {
  const base::Clock* const clock = execution_.stopwatch;
  const auto task = [&](size_t i) {
    const int64_t begin = clock != nullptr ? clock->monotonic_microseconds() : 0;
    const Status status = work(workers[i]);
    if (clock != nullptr) {
      busy_microseconds_ += clock->monotonic_microseconds() - begin;
    }
    if (!status.ok()) {
      note(status);
    }
    return status;
  };
  const int64_t begin = clock != nullptr ? clock->monotonic_microseconds() : 0;
  const Status status = execution_.executor->for_each(workers.size(), task);
  collect_runs(consumer, clock != nullptr ? clock->monotonic_microseconds() - begin : 0);
  const base::MutexLock lock(mutex_);
  if (failure_.has_value()) {
    return *failure_;
  }
  return status;
}

Status Team::run(const std::function<Status(size_t)>& work, const plan::PlanNode& consumer) {
  std::vector<size_t> all(workers_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return run(all, work, consumer);
}

// The consumer's time is that of all workers instead of the time it waited for them.
void Team::collect_runs(const plan::PlanNode& consumer, int64_t waited) {
  std::vector<plan::NodeRun>& runs = execution_.runs;
  const bool is_top = &consumer == &top_;  // counts what it hands on itself
  uint32_t active = 0;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker == nullptr) {
      continue;
    }
    ++active;
    for (size_t i = 0; i < runs.size(); ++i) {
      plan::NodeRun& part = worker->execution_.runs[i];
      if (!is_top || i != top_.number) {
        runs[i].rows += part.rows;
        runs[i].microseconds += part.microseconds;
      }
      part = {};
    }
  }
  plan::NodeRun& run = runs[consumer.number];
  run.microseconds += busy_microseconds_.exchange(0) - waited;
  run.workers = std::max(run.workers, active);
  run.pieces = static_cast<uint32_t>(piece_count());
}

void Team::start_over() {
  for (std::unique_ptr<Worker>& worker : workers_) {
    worker.reset();
  }
  next_piece_ = 0;
}

std::optional<size_t> Team::take_piece() {
  const size_t piece = next_piece_.fetch_add(1, std::memory_order_relaxed);
  return piece < piece_count() ? std::optional(piece) : std::nullopt;
}

Worker& Team::worker(size_t index) {
  if (workers_[index] == nullptr) {
    workers_[index] = std::make_unique<Worker>(top_, execution_, frame_, tables_, stop_.get_token(),
                                               static_cast<uint32_t>(index + 1), workers_.size());
  }
  return *workers_[index];
}

Result<OperatorPtr> Team::open_piece(size_t index, size_t piece) {
  const auto low = piece == 0 ? std::nullopt : std::optional(cuts_[piece - 1]);
  const auto high = piece == cuts_.size() ? std::nullopt : std::optional(cuts_[piece]);
  return worker(index).open(low, high);
}

Status Team::import(size_t index, Column& column) {
  Worker& from = *workers_[index];
  const TermPool& pool = from.execution_.pool;
  if (pool.empty()) {
    return ok_status();
  }
  std::string token;
  for (rdf::TermId& id : column) {
    const std::optional<size_t> own = pool.own_index(id);
    if (!own.has_value()) {
      continue;
    }
    if (*own >= from.imported_.size()) {
      from.imported_.resize(*own + 1, rdf::kNoTerm);
    }
    rdf::TermId& known = from.imported_[*own];
    if (known == rdf::kNoTerm) {
      token.clear();
      pool.append_token(id, token);
      WEFT_TRY(known, execution_.pool.intern(token));
    }
    id = known;
  }
  return ok_status();
}

}  // namespace weft::exec::parallel
