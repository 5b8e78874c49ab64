#include "weft/exec/query.h"

#include <unordered_map>
#include <utility>

#include "weft/exec/dataset_source.h"
#include "weft/exec/evaluator.h"
#include "weft/exec/execution.h"
#include "weft/exec/graph_result.h"
#include "weft/exec/operators/operator.h"
#include "weft/exec/parallel/team.h"
#include "weft/exec/token_reader.h"
#include "weft/plan/fragments.h"
#include "weft/plan/planner.h"
#include "weft/sparql/traversal.h"
#include "weft/sparql/unsupported.h"

namespace weft::exec {
namespace {

class RunningSolutions final : public Solutions {
 public:
  RunningSolutions(const sparql::Query& query, OperatorPtr root, Execution& execution)
      : root_(std::move(root)), execution_(execution) {
    for (const sparql::VariableIndex variable : query.projection) {
      variables_.push_back(query.variables[variable].name);
      columns_.push_back(column_of(root_->node().columns, variable));
    }
  }

  const std::vector<std::string>& variables() const override { return variables_; }

  Status next(RowBatch& batch) override {
    WEFT_TRY_STATUS(root_->next(rows_));
    batch.reset(columns_.size());
    batch.rows = rows_.rows;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == kNoColumn) {
        batch.columns[i].assign(rows_.rows, rdf::kNoTerm);
      } else {
        batch.columns[i] = rows_.columns[columns_[i]];
      }
    }
    return ok_status();
  }

  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) override {
    return read_tokens(execution_.source, execution_.pool, ids, tokens);
  }

 private:
  OperatorPtr root_;
  Execution& execution_;
  std::vector<std::string> variables_;
  std::vector<size_t> columns_;
  RowBatch rows_;
};

class PlannedQuery final : public PreparedQuery {
 public:
  PlannedQuery(sparql::Query query, QuadSource& source, const QueryOptions& options)
      : query_(std::move(query)), source_(source), options_(options) {}

  Status prepare() {
    WEFT_TRY_STATUS(sparql::check_supported(query_));
    WEFT_TRY_STATUS(find_constants());
    execution_ = std::make_unique<Execution>(dataset_ != nullptr ? *dataset_ : source_, options_);
    execution_->base_iri = query_.base_iri;
    WEFT_TRY_STATUS(check_expressions(*query_.pattern));
    plan::Environment environment;
    environment.statistics = &execution_->source;
    environment.executor = options_.executor;
    environment.constants = &constants_;
    environment.intern = [this](std::string_view token) { return execution_->pool.intern(token); };
    if (plan::ranges_over_graphs(query_)) {
      WEFT_TRY(const std::vector<rdf::TermId> graphs, execution_->source.graphs());
      environment.graph_count = static_cast<double>(graphs.size());
    }
    WEFT_TRY(plan_, plan::make_plan(query_, environment));
    plan::mark_early_stops(*plan_.root, query_.form == sparql::QueryForm::kAsk);
    if (parallel::workers_max(options_) > 1) {
      plan::mark_fragments(plan_, options_.parallel.scan_rows_min);
    }
    execution_->runs.assign(plan_.node_count, {});
    execution_->plan = &plan_;
    return ok_status();
  }

  sparql::QueryForm form() const override { return query_.form; }

  std::string explain() const override {
    return plan::explain(plan_, query_.variables,
                         ran_ ? execution_->runs : std::vector<plan::NodeRun>());
  }

  Result<std::unique_ptr<Solutions>> select() override {
    WEFT_TRY(OperatorPtr root, begin(query_.form == sparql::QueryForm::kSelect));
    return std::unique_ptr<Solutions>(
        std::make_unique<RunningSolutions>(query_, std::move(root), *execution_));
  }

  Result<bool> ask() override {
    WEFT_TRY(const OperatorPtr root, begin(query_.form == sparql::QueryForm::kAsk));
    RowBatch batch;
    WEFT_TRY_STATUS(root->next(batch));
    return !batch.empty();
  }

  Status construct(rdf::QuadSink& sink) override {
    const bool describes = query_.form == sparql::QueryForm::kDescribe;
    WEFT_TRY(const OperatorPtr root,
             begin(describes || query_.form == sparql::QueryForm::kConstruct));
    return describes ? exec::describe(query_, *root, *execution_, sink)
                     : exec::construct(query_, *root, *execution_, sink);
  }

 private:
  Result<OperatorPtr> begin(bool right_form) {
    if (!right_form || ran_) {
      return Error(ErrorKind::kInternal, "query is run twice, or as another form than it has");
    }
    ran_ = true;
    return make_operator(*plan_.root, *execution_, Frame());
  }

  // One call for all constants, the graphs of the dataset included.
  Status find_constants() {
    if (query_.default_graphs.size() > kDatasetGraphsMax ||
        query_.named_graphs.size() > kDatasetGraphsMax) {
      return Error(ErrorKind::kLimit, "too many graphs in FROM or FROM NAMED")
          .with("dataset_graphs_max", kDatasetGraphsMax);
    }
    std::vector<std::string> tokens = plan::constants_of(query_);
    const size_t pattern_count = tokens.size();
    tokens.insert(tokens.end(), query_.default_graphs.begin(), query_.default_graphs.end());
    tokens.insert(tokens.end(), query_.named_graphs.begin(), query_.named_graphs.end());
    if (tokens.empty()) {
      return ok_status();
    }
    const std::vector<std::string_view> views(tokens.begin(), tokens.end());
    std::vector<rdf::TermId> ids;
    WEFT_TRY_STATUS(source_.find(views, ids));
    for (size_t i = 0; i < pattern_count; ++i) {
      constants_[tokens[i]] = ids[i];
    }
    if (tokens.size() != pattern_count) {
      const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(pattern_count);
      const auto middle = begin + static_cast<std::ptrdiff_t>(query_.default_graphs.size());
      dataset_ = std::make_unique<DatasetSource>(source_, std::vector<rdf::TermId>(begin, middle),
                                                 std::vector<rdf::TermId>(middle, ids.end()),
                                                 options_.budget);
    }
    return ok_status();
  }

  // Faults of expressions (a malformed constant regular expression) are told before a row is read.
  Status check_expressions(const sparql::Node& node) const {
    Status status = ok_status();
    sparql::for_each_part(
        node,
        [&](const sparql::Node& child) {
          if (status.ok()) {
            status = check_expressions(child);
          }
        },
        [&](const sparql::Expression& expression) {
          const sparql::Expression* pointer = &expression;
          const auto made = Evaluator::make({&pointer, 1}, {}, *execution_);
          if (status.ok() && !made.ok()) {
            status = made.error();
          }
        });
    return status;
  }

  sparql::Query query_;
  QuadSource& source_;
  QueryOptions options_;
  std::unordered_map<std::string, rdf::TermId> constants_;
  std::unique_ptr<DatasetSource> dataset_;
  std::unique_ptr<Execution> execution_;
  plan::Plan plan_;
  bool ran_ = false;
};

}  // namespace

Result<std::unique_ptr<PreparedQuery>> prepare(sparql::Query query, QuadSource& source,
                                               const QueryOptions& options) {
  auto prepared = std::make_unique<PlannedQuery>(std::move(query), source, options);
  WEFT_TRY_STATUS(prepared->prepare());
  return std::unique_ptr<PreparedQuery>(std::move(prepared));
}

}  // namespace weft::exec
