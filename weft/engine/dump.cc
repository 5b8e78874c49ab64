#include "weft/engine/dump.h"

#include <algorithm>

namespace weft::engine {
namespace {

// Rows whose tokens are looked up together: enough that neighbours share dictionary chunks.
constexpr size_t kRowsPerLookup = size_t{1} << 17U;

// Gathers rows of ids and hands them on as tokens.
class RowsToTokens {
 public:
  RowsToTokens(exec::QuadSource& source, rdf::QuadSink& sink) : source_(source), sink_(sink) {}

  // `graph` kNoTerm is the default graph.
  Status add(const rdf::IdBatch& batch, rdf::TermId graph) {
    for (size_t row = 0; row < batch.size(); ++row) {
      rows_.push_back({batch.subject[row], batch.predicate[row], batch.object[row], graph});
    }
    return rows_.size() >= kRowsPerLookup ? flush() : ok_status();
  }

  Status flush() {
    ids_.clear();
    for (const Row& row : rows_) {
      ids_.insert(ids_.end(), row.begin(), row.end());
    }
    std::ranges::sort(ids_);
    const auto repeated = std::ranges::unique(ids_);
    ids_.erase(repeated.begin(), repeated.end());
    if (!ids_.empty() && ids_.front() == rdf::kNoTerm) {
      ids_.erase(ids_.begin());
    }
    tokens_.clear();
    WEFT_TRY_STATUS(source_.tokens(ids_, tokens_));
    quads_.clear();
    for (const Row& row : rows_) {
      quads_.push_back({token_of(row[0]), token_of(row[1]), token_of(row[2]), token_of(row[3])});
    }
    rows_.clear();
    return quads_.empty() ? ok_status() : sink_.accept(quads_);
  }

 private:
  using Row = std::array<rdf::TermId, 4>;

  std::string_view token_of(rdf::TermId id) const {
    if (id == rdf::kNoTerm) {
      return {};
    }
    const auto place = std::ranges::lower_bound(ids_, id);
    return tokens_[static_cast<size_t>(place - ids_.begin())];
  }

  exec::QuadSource& source_;
  rdf::QuadSink& sink_;
  std::vector<Row> rows_;
  std::vector<rdf::TermId> ids_;
  std::vector<std::string> tokens_;
  std::vector<rdf::QuadView> quads_;
};

Status dump_graph(exec::QuadSource& source, const rdf::IdPattern& pattern, RowsToTokens& rows,
                  const std::stop_token& stop) {
  WEFT_TRY(const auto cursor, source.scan(pattern, rdf::Permutation::kSpo, stop));
  rdf::IdBatch batch;
  while (true) {
    WEFT_TRY_STATUS(cursor->next(batch));
    if (batch.size() == 0) {
      return ok_status();
    }
    WEFT_TRY_STATUS(rows.add(batch, pattern.graph));
  }
}

}  // namespace

Status dump(Graph& graph, rdf::QuadSink& sink, std::stop_token stop) {
  exec::QuadSource& source = graph.source();
  RowsToTokens rows(source, sink);
  WEFT_TRY_STATUS(dump_graph(source, rdf::IdPattern{}, rows, stop));
  WEFT_TRY(const std::vector<rdf::TermId> graphs, source.graphs());
  for (const rdf::TermId name : graphs) {
    rdf::IdPattern pattern;
    pattern.scope = rdf::GraphScope::kOne;
    pattern.graph = name;
    WEFT_TRY_STATUS(dump_graph(source, pattern, rows, stop));
  }
  return rows.flush();
}

}  // namespace weft::engine
