#include "cli/federate_apart.h"

#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "weft/engine/federation.h"
#include "weft/exec/blank_scope.h"
#include "weft/exec/memory_charge.h"
#include "weft/rdfio/write.h"

namespace weft::cli {
namespace {

// What a remembered row takes beside its text; about.
constexpr uint64_t kSeenBytes = 64;
// Between the tokens of a remembered row: no token holds it.
constexpr char kSeparator = '\0';

// Rows that were given already, within the budget of queries.
class Seen {
 public:
  explicit Seen(base::MemoryBudget& budget) : charge_(&budget) {}
  // Whether `row` is new. Errors: kLimit.
  Result<bool> add(std::string row) {
    bytes_ += row.size() + kSeenBytes;
    WEFT_TRY_STATUS(charge_.cover(bytes_));
    return rows_.insert(std::move(row)).second;
  }

 private:
  exec::MemoryCharge charge_;
  uint64_t bytes_ = 0;
  std::unordered_set<std::string> rows_;
};

// Rows of one SELECT after the other.
class RowMerger {
 public:
  RowMerger(std::unique_ptr<results::ResultWriter> writer, base::MemoryBudget& budget)
      : writer_(std::move(writer)), seen_(budget) {}

  // Returns how many rows `solutions` had.
  Result<uint64_t> take(exec::Solutions& solutions, size_t source) {
    if (!begun_) {
      begun_ = true;
      WEFT_TRY_STATUS(writer_->begin(solutions.variables()));
    }
    uint64_t count = 0;
    exec::RowBatch batch;
    while (true) {
      WEFT_TRY_STATUS(solutions.next(batch));
      if (batch.empty()) {
        return count;
      }
      count += batch.rows;
      WEFT_TRY_STATUS(write_new(solutions, batch, source));
    }
  }
  Status finish() { return writer_->end(); }
  uint64_t written() const { return written_; }

 private:
  Status write_new(exec::Solutions& solutions, const exec::RowBatch& batch, size_t source) {
    std::vector<std::vector<std::string>> columns(batch.columns.size());
    for (size_t c = 0; c < columns.size(); ++c) {
      WEFT_TRY_STATUS(solutions.tokens(batch.columns[c], columns[c]));
    }
    std::vector<std::string> fresh;
    size_t fresh_rows = 0;
    for (size_t r = 0; r < batch.rows; ++r) {
      std::string row;
      for (std::vector<std::string>& column : columns) {
        exec::append_scoped(row, column[r], source);
        row += kSeparator;
      }
      WEFT_TRY(const bool is_new, seen_.add(row));
      if (!is_new) {
        continue;
      }
      ++fresh_rows;
      for (size_t at = 0; at < row.size();) {
        const size_t end = row.find(kSeparator, at);
        fresh.push_back(row.substr(at, end - at));
        at = end + 1;
      }
    }
    written_ += fresh_rows;
    return fresh_rows == 0 ? ok_status() : writer_->rows(fresh, fresh_rows);
  }

  std::unique_ptr<results::ResultWriter> writer_;
  Seen seen_;
  bool begun_ = false;
  uint64_t written_ = 0;
};

// Triples of one CONSTRUCT after the other.
class TripleMerger final : public rdf::QuadSink {
 public:
  TripleMerger(rdf::QuadSink& out, base::MemoryBudget& budget) : out_(out), seen_(budget) {}
  void set_source(size_t source) { source_ = source; }
  uint64_t taken() const { return taken_; }
  uint64_t written() const { return written_; }

  Status accept(std::span<const rdf::QuadView> quads) override {
    taken_ += quads.size();
    for (const rdf::QuadView& quad : quads) {
      std::string subject;
      std::string object;
      exec::append_scoped(subject, quad.subject, source_);
      exec::append_scoped(object, quad.object, source_);
      std::string row = subject + kSeparator;
      row.append(quad.predicate).append(1, kSeparator).append(object);
      WEFT_TRY(const bool is_new, seen_.add(std::move(row)));
      if (is_new) {
        ++written_;
        const rdf::QuadView scoped = {subject, quad.predicate, object, {}};
        WEFT_TRY_STATUS(out_.accept({&scoped, 1}));
      }
    }
    return ok_status();
  }

 private:
  rdf::QuadSink& out_;
  Seen seen_;
  size_t source_ = 0;
  uint64_t taken_ = 0;
  uint64_t written_ = 0;
};

// Calls `ask` with the plan of each source in turn, until it says that the rest is not needed.
class Rounds {
 public:
  Rounds(const QueryArguments& arguments, const std::vector<std::string>& targets,
         engine::Environment& environment, Session& session)
      : arguments_(arguments),
        targets_(targets),
        environment_(environment),
        session_(session),
        frame_(arguments, environment, session) {}

  Status run(const sparql::QueryForm form) {
    switch (form) {
      case sparql::QueryForm::kSelect:
        return select();
      case sparql::QueryForm::kAsk:
        return ask();
      case sparql::QueryForm::kConstruct:
      case sparql::QueryForm::kDescribe:
        return construct();
    }
    std::unreachable();
  }

 private:
  using Take = std::function<Result<bool>(exec::PreparedQuery& query, size_t source)>;

  Status each(const Take& take) {
    for (size_t i = 0; i < targets_.size(); ++i) {
      WEFT_TRY(sparql::Query query, read_query(arguments_));
      WEFT_TRY(const auto graph, engine::FederatedGraph::open(environment_, targets_[i]));
      WEFT_TRY(const auto prepared, EntailedQuery::prepare(arguments_, std::move(query),
                                                           graph->source(), frame_.options()));
      if (arguments_.explain || arguments_.analyze) {
        session_.print(targets_[i] + ":\n");
        WEFT_TRY([[maybe_unused]] const bool printed,
                 print_plan(arguments_, prepared->query(), session_));
        continue;
      }
      WEFT_TRY(const bool goes_on, take(prepared->query(), i));
      if (!goes_on) {
        break;
      }
    }
    return ok_status();
  }
  void note_rows(size_t source, uint64_t rows) {
    session_.note(fmt::format("weft: {}: {} results", targets_[source], rows));
  }
  void note_sum(uint64_t rows) {
    session_.note(fmt::format("weft: {} sources, {} merged results", targets_.size(), rows));
  }
  bool plans_only() const { return arguments_.explain || arguments_.analyze; }

  Status select() {
    WEFT_TRY(const auto format, solution_format(arguments_, session_));
    RowMerger merger(results::make_result_writer(format, output_), environment_.query_budget());
    WEFT_TRY_STATUS(each([&](exec::PreparedQuery& query, size_t source) -> Result<bool> {
      WEFT_TRY(const auto solutions, query.select());
      WEFT_TRY(const uint64_t rows, merger.take(*solutions, source));
      note_rows(source, rows);
      return true;
    }));
    if (plans_only()) {
      return ok_status();
    }
    WEFT_TRY_STATUS(merger.finish());
    note_sum(merger.written());
    return ok_status();
  }

  Status ask() {
    WEFT_TRY(const auto format, solution_format(arguments_, session_));
    bool answer = false;
    WEFT_TRY_STATUS(each([&](exec::PreparedQuery& query, size_t /*source*/) -> Result<bool> {
      WEFT_TRY(answer, query.ask());
      return !answer;
    }));
    return plans_only() ? ok_status()
                        : results::make_result_writer(format, output_)->boolean(answer);
  }

  Status construct() {
    WEFT_TRY(const rdfio::Format format, graph_format(arguments_));
    const auto writer = rdfio::make_quad_writer(format, output_);
    TripleMerger merger(*writer, environment_.query_budget());
    WEFT_TRY_STATUS(each([&](exec::PreparedQuery& query, size_t source) -> Result<bool> {
      const uint64_t before = merger.taken();
      merger.set_source(source);
      WEFT_TRY_STATUS(query.construct(merger));
      note_rows(source, merger.taken() - before);
      return true;
    }));
    if (plans_only()) {
      return ok_status();
    }
    note_sum(merger.written());
    return writer->finish();
  }

  const QueryArguments& arguments_;
  const std::vector<std::string>& targets_;
  engine::Environment& environment_;
  Session& session_;
  QueryFrame frame_;
  rdfio::DescriptorOutput output_{STDOUT_FILENO};
};

}  // namespace

Status federate_apart(const QueryArguments& arguments, const std::vector<std::string>& targets,
                      engine::Environment& environment, Session& session) {
  WEFT_TRY(const sparql::Query query, read_query(arguments));
  return Rounds(arguments, targets, environment, session).run(query.form);
}

}  // namespace weft::cli
