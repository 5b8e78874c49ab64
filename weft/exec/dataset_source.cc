#include "weft/exec/dataset_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "weft/exec/memory_charge.h"

namespace weft::exec {
namespace {

using rdf::IdBatch;
using rdf::IdPattern;
using rdf::Permutation;
using rdf::Position;
using rdf::TermId;

constexpr size_t kMergedRows = 1'024;

// One graph after the other.
class GraphsCursor final : public QuadCursor {
 public:
  GraphsCursor(QuadSource& source, const IdPattern& pattern, std::vector<TermId> graphs,
               Permutation permutation, std::stop_token stop)
      : source_(source),
        pattern_(pattern),
        graphs_(std::move(graphs)),
        permutation_(permutation),
        stop_(std::move(stop)) {
    pattern_.scope = rdf::GraphScope::kOne;
  }

  Status next(IdBatch& batch) override {
    batch.clear();
    while (at_ < graphs_.size()) {
      if (cursor_ == nullptr) {
        pattern_.graph = graphs_[at_];
        WEFT_TRY(cursor_, source_.scan(pattern_, permutation_, stop_));
      }
      WEFT_TRY_STATUS(cursor_->next(batch));
      if (batch.size() != 0) {
        batch.graph.assign(batch.size(), graphs_[at_]);
        return ok_status();
      }
      cursor_.reset();
      ++at_;
    }
    return ok_status();
  }
  Status seek(TermId /*key0*/, TermId /*key1*/) override { return ok_status(); }

 private:
  QuadSource& source_;
  IdPattern pattern_;
  std::vector<TermId> graphs_;
  Permutation permutation_;
  std::stop_token stop_;
  size_t at_ = 0;
  std::unique_ptr<QuadCursor> cursor_;
};

// The merge of several graphs, each triple once, in the order of the permutation. Rows are merged
// by the columns before the first open predicate (predicates have no order that several graphs must
// share); those equal so far are gathered, sorted and freed of duplicates.
class MergedCursor final : public QuadCursor {
 public:
  using Row = std::array<TermId, 3>;  // in the permutation's order

  MergedCursor(const IdPattern& pattern, Permutation permutation,
               std::vector<std::unique_ptr<QuadCursor>> cursors, base::MemoryBudget* budget)
      : positions_(rdf::positions(permutation)), charge_(budget) {
    for (std::unique_ptr<QuadCursor>& cursor : cursors) {
      inputs_.push_back({std::move(cursor), {}, 0});
    }
    while (merged_columns_ < 3 && (positions_[merged_columns_] != Position::kPredicate ||
                                   pattern.predicate != rdf::kNoTerm)) {
      ++merged_columns_;
    }
  }

  Status next(IdBatch& batch) override {
    batch.clear();
    if (!started_) {
      started_ = true;
      for (size_t i = 0; i < inputs_.size(); ++i) {
        WEFT_TRY_STATUS(refill(i));
      }
    }
    while (batch.size() < kMergedRows) {
      if (run_at_ >= run_.size()) {
        WEFT_TRY_STATUS(next_run());
        if (run_.empty()) {
          return ok_status();
        }
      }
      for (; run_at_ < run_.size() && batch.size() < kMergedRows; ++run_at_) {
        Row by_position{};
        for (size_t i = 0; i < 3; ++i) {
          by_position[static_cast<size_t>(positions_[i])] = run_[run_at_][i];
        }
        batch.subject.push_back(by_position[0]);
        batch.predicate.push_back(by_position[1]);
        batch.object.push_back(by_position[2]);
      }
    }
    return ok_status();
  }
  Status seek(TermId /*key0*/, TermId /*key1*/) override { return ok_status(); }

 private:
  struct Input {
    std::unique_ptr<QuadCursor> cursor;
    IdBatch batch;
    size_t at;
  };

  Row row_of(const Input& input) const {
    const Row by_position = {input.batch.subject[input.at], input.batch.predicate[input.at],
                             input.batch.object[input.at]};
    Row row{};
    for (size_t i = 0; i < 3; ++i) {
      row[i] = by_position[static_cast<size_t>(positions_[i])];
    }
    return row;
  }
  // Of the merged columns; the others count as equal.
  std::strong_ordering compare(const Row& a, const Row& b) const {
    for (size_t i = 0; i < merged_columns_; ++i) {
      if (a[i] != b[i]) {
        return a[i] <=> b[i];
      }
    }
    return std::strong_ordering::equal;
  }
  // Heap order: the smallest row on top.
  struct Later {
    const MergedCursor* self;
    bool operator()(size_t a, size_t b) const {
      return self->compare(self->row_of(self->inputs_[b]), self->row_of(self->inputs_[a])) < 0;
    }
  };

  // Puts input `index` back on the heap if it has a row.
  Status refill(size_t index) {
    Input& input = inputs_[index];
    if (input.at >= input.batch.size()) {
      WEFT_TRY_STATUS(input.cursor->next(input.batch));
      input.at = 0;
    }
    if (input.batch.size() != 0) {
      heap_.push_back(index);
      std::push_heap(heap_.begin(), heap_.end(), Later{this});
    }
    return ok_status();
  }

  Status next_run() {
    run_.clear();
    run_at_ = 0;
    while (!heap_.empty()) {
      const size_t index = heap_.front();
      const Row row = row_of(inputs_[index]);
      if (!run_.empty() && compare(run_.front(), row) != 0) {
        break;
      }
      if (run_.size() == run_.capacity()) {
        WEFT_TRY_STATUS(charge_.cover((run_.capacity() * 2 + 64) * sizeof(Row)));
        run_.reserve(run_.capacity() * 2 + 64);
      }
      run_.push_back(row);
      std::pop_heap(heap_.begin(), heap_.end(), Later{this});
      heap_.pop_back();
      ++inputs_[index].at;
      WEFT_TRY_STATUS(refill(index));
    }
    std::sort(run_.begin(), run_.end());
    run_.erase(std::unique(run_.begin(), run_.end()), run_.end());
    return ok_status();
  }

  std::array<Position, 3> positions_;
  MemoryCharge charge_;
  std::vector<Input> inputs_;
  size_t merged_columns_ = 0;
  bool started_ = false;
  std::vector<size_t> heap_;
  std::vector<Row> run_;
  size_t run_at_ = 0;
};

std::vector<TermId> sorted_graphs(std::vector<TermId> graphs) {
  std::erase(graphs, rdf::kNoTerm);
  std::sort(graphs.begin(), graphs.end());
  graphs.erase(std::unique(graphs.begin(), graphs.end()), graphs.end());
  return graphs;
}

IdPattern in_graph(IdPattern pattern, TermId graph) {
  pattern.scope = rdf::GraphScope::kOne;
  pattern.graph = graph;
  return pattern;
}

}  // namespace

DatasetSource::DatasetSource(QuadSource& source, std::vector<TermId> default_graphs,
                             std::vector<TermId> named_graphs, base::MemoryBudget* budget)
    : source_(source),
      default_graphs_(sorted_graphs(std::move(default_graphs))),
      named_graphs_(sorted_graphs(std::move(named_graphs))),
      budget_(budget) {}

std::vector<TermId> DatasetSource::graphs_of(const IdPattern& pattern) const {
  switch (pattern.scope) {
    case rdf::GraphScope::kDefault:
      return default_graphs_;
    case rdf::GraphScope::kOne:
      if (std::binary_search(named_graphs_.begin(), named_graphs_.end(), pattern.graph)) {
        return {pattern.graph};
      }
      return {};
    case rdf::GraphScope::kAllNamed:
      return named_graphs_;
  }
  return {};
}

Result<rdf::Cardinality> DatasetSource::cardinality(const IdPattern& pattern) {
  const std::vector<TermId> graphs = graphs_of(pattern);
  // Triples that several of the merged graphs hold count once.
  rdf::Cardinality sum{0, pattern.scope != rdf::GraphScope::kDefault || graphs.size() <= 1};
  for (const TermId graph : graphs) {
    WEFT_TRY(const rdf::Cardinality rows, source_.cardinality(in_graph(pattern, graph)));
    sum.rows += rows.rows;
    sum.exact = sum.exact && rows.exact;
  }
  return sum;
}

Result<double> DatasetSource::distinct(const IdPattern& pattern, Position position) {
  double most = 0;
  double sum = 0;
  for (const TermId graph : graphs_of(pattern)) {
    WEFT_TRY(const double terms, source_.distinct(in_graph(pattern, graph), position));
    most = std::max(most, terms);
    sum += terms;
  }
  return (most + sum) / 2;
}

bool DatasetSource::has_order(Permutation permutation) const {
  return source_.has_order(permutation);
}

Status DatasetSource::find(std::span<const std::string_view> tokens, std::vector<TermId>& ids) {
  return source_.find(tokens, ids);
}

Status DatasetSource::tokens(std::span<const TermId> ids, std::vector<std::string>& tokens) {
  return source_.tokens(ids, tokens);
}

Result<std::unique_ptr<QuadCursor>> DatasetSource::scan(const IdPattern& pattern,
                                                        Permutation permutation,
                                                        std::stop_token stop) {
  std::vector<TermId> graphs = graphs_of(pattern);
  if (pattern.scope != rdf::GraphScope::kAllNamed && graphs.size() == 1) {
    return source_.scan(in_graph(pattern, graphs.front()), permutation, std::move(stop));
  }
  if (pattern.scope == rdf::GraphScope::kAllNamed || graphs.empty()) {
    return std::unique_ptr<QuadCursor>(std::make_unique<GraphsCursor>(
        source_, pattern, std::move(graphs), permutation, std::move(stop)));
  }
  std::vector<std::unique_ptr<QuadCursor>> cursors;
  for (const TermId graph : graphs) {
    WEFT_TRY(std::unique_ptr<QuadCursor> cursor,
             source_.scan(in_graph(pattern, graph), permutation, stop));
    cursors.push_back(std::move(cursor));
  }
  return std::unique_ptr<QuadCursor>(
      std::make_unique<MergedCursor>(pattern, permutation, std::move(cursors), budget_));
}

Status DatasetSource::prefetch(std::span<const IdPattern> patterns, Permutation permutation,
                               std::stop_token stop) {
  std::vector<IdPattern> all;
  for (const IdPattern& pattern : patterns) {
    for (const TermId graph : graphs_of(pattern)) {
      all.push_back(in_graph(pattern, graph));
    }
  }
  return source_.prefetch(all, permutation, std::move(stop));
}

Result<std::vector<TermId>> DatasetSource::graphs() {
  WEFT_TRY(const std::vector<TermId> all, source_.graphs());
  std::vector<TermId> listed;
  std::set_intersection(all.begin(), all.end(), named_graphs_.begin(), named_graphs_.end(),
                        std::back_inserter(listed));
  return listed;
}

}  // namespace weft::exec
