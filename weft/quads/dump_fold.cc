#include "weft/quads/dump_fold.h"

#include <algorithm>

namespace weft::quads {
namespace {

// Many rows at once: their terms are looked up in the order of the dictionary, each chunk once.
constexpr size_t kRowsAtOnce = size_t{1} << 17U;

}  // namespace

Result<std::span<const rdf::QuadView>> TokenRows::name(std::span<const Row> rows,
                                                       std::stop_token stop) {
  ids_.clear();
  for (const Row& row : rows) {
    ids_.insert(ids_.end(), {row.subject, row.predicate, row.object});
    if (row.graph != rdf::kNoTerm) {
      ids_.push_back(row.graph);
    }
  }
  std::ranges::sort(ids_);
  const auto repeated = std::ranges::unique(ids_);
  ids_.erase(repeated.begin(), repeated.end());
  WEFT_TRY_STATUS(fold_.token_table(ids_, tokens_, stop));
  const auto token = [this](rdf::TermId id) {
    const auto at = std::ranges::lower_bound(ids_, id);
    return tokens_[static_cast<size_t>(at - ids_.begin())];
  };
  quads_.clear();
  for (const Row& row : rows) {
    quads_.push_back({.subject = token(row.subject),
                      .predicate = token(row.predicate),
                      .object = token(row.object),
                      .graph = row.graph == rdf::kNoTerm ? std::string_view() : token(row.graph)});
  }
  return std::span<const rdf::QuadView>(quads_);
}

Status dump_fold(Fold& fold, rdf::QuadSink& sink, const DumpFoldOptions& options,
                 std::stop_token stop) {
  TokenRows names(fold);
  std::vector<TokenRows::Row> rows;
  const auto flush = [&]() -> Status {
    WEFT_TRY(const std::span<const rdf::QuadView> quads, names.name(rows, stop));
    rows.clear();
    return sink.accept(quads);
  };
  for (const rdf::GraphScope scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
    if (!(scope == rdf::GraphScope::kDefault ? options.default_graph : options.named_graphs)) {
      continue;
    }
    WEFT_TRY(const std::unique_ptr<FoldCursor> cursor,
             fold.scan({.scope = scope}, rdf::Permutation::kSpo, stop));
    rdf::IdBatch batch;
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        break;
      }
      for (size_t i = 0; i < batch.size(); ++i) {
        rows.push_back({.subject = batch.subject[i],
                        .predicate = batch.predicate[i],
                        .object = batch.object[i],
                        .graph = batch.graph.empty() ? rdf::kNoTerm : batch.graph[i]});
      }
      WEFT_TRY_STATUS(rows.size() >= kRowsAtOnce ? flush() : ok_status());
    }
  }
  return rows.empty() ? ok_status() : flush();
}

}  // namespace weft::quads
