// Hands a fold to query execution: the same operations under exec's interface.

#include "weft/engine/graph.h"

namespace weft::engine {
namespace {

class CursorOfFold final : public exec::QuadCursor {
 public:
  explicit CursorOfFold(std::unique_ptr<quads::FoldCursor> cursor) : cursor_(std::move(cursor)) {}
  Status next(rdf::IdBatch& batch) override { return cursor_->next(batch); }
  Status seek(rdf::TermId key0, rdf::TermId key1) override { return cursor_->seek(key0, key1); }
  void start_small() override { cursor_->start_small(); }
  Status stop_before(rdf::TermId key0, rdf::TermId key1) override {
    return cursor_->stop_before(key0, key1);
  }

 private:
  std::unique_ptr<quads::FoldCursor> cursor_;
};

class LookupOfFold final : public exec::QuadLookup {
 public:
  explicit LookupOfFold(quads::Fold& fold) : lookup_(fold.lookup()) {}
  Result<size_t> look_up(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                         size_t rows_max, rdf::IdBatch& rows, std::vector<uint32_t>& ends,
                         const std::stop_token& stop) override {
    return lookup_->look_up(patterns, permutation, rows_max, rows, ends, stop);
  }

 private:
  std::unique_ptr<quads::FoldLookup> lookup_;
};

class SourceOfFold final : public exec::QuadSource {
 public:
  explicit SourceOfFold(quads::Fold& fold) : fold_(fold) {}

  Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) override {
    return fold_.cardinality(pattern);
  }
  Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) override {
    return fold_.distinct(pattern, position);
  }
  bool has_order(rdf::Permutation permutation) const override {
    return fold_.has_order(permutation);
  }
  bool is_remote() const override { return fold_.segments().has_remote(); }
  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids) override {
    return fold_.find(tokens, ids, {});
  }
  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens) override {
    return fold_.tokens(ids, tokens, {});
  }
  Status visit_tokens(std::span<const rdf::TermId> ids, const TakeToken& take) override {
    constexpr size_t kBytesPerToken = 32;
    rete::TokenTable table;
    table.reserve(ids.size(), ids.size() * kBytesPerToken);
    WEFT_TRY_STATUS(fold_.token_table(ids, table, {}));
    for (size_t i = 0; i < table.size(); ++i) {
      take(i, table[i]);
    }
    return ok_status();
  }
  Result<std::unique_ptr<exec::QuadCursor>> scan(const rdf::IdPattern& pattern,
                                                 rdf::Permutation permutation,
                                                 std::stop_token stop) override {
    WEFT_TRY(auto cursor, fold_.scan(pattern, permutation, std::move(stop)));
    return std::unique_ptr<exec::QuadCursor>(std::make_unique<CursorOfFold>(std::move(cursor)));
  }
  Result<std::vector<exec::ScanCut>> cuts(const rdf::IdPattern& pattern,
                                          rdf::Permutation permutation, size_t pieces,
                                          std::stop_token stop) override {
    WEFT_TRY(const std::vector<quads::Fold::Cut> found,
             fold_.cuts(pattern, permutation, pieces, std::move(stop)));
    std::vector<exec::ScanCut> cuts;
    cuts.reserve(found.size());
    for (const auto& [key0, key1] : found) {
      cuts.push_back({key0, key1});
    }
    return cuts;
  }
  Status prefetch(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                  std::stop_token stop) override {
    return fold_.prefetch(patterns, permutation, std::move(stop));
  }
  std::unique_ptr<exec::QuadLookup> lookup() override {
    return std::make_unique<LookupOfFold>(fold_);
  }
  bool has_text_index() const override { return fold_.has_text_index(); }
  Result<std::optional<std::vector<rdf::TermId>>> subjects_with_text(
      const rdf::IdPattern& pattern, const rdf::TextDemand& demand, size_t subjects_max,
      std::stop_token stop) override {
    return fold_.subjects_with_text(pattern, demand, subjects_max, std::move(stop));
  }
  Result<std::vector<rdf::TermId>> graphs() override { return fold_.graphs({}); }

 private:
  quads::Fold& fold_;
};

}  // namespace

std::unique_ptr<exec::QuadSource> source_of_fold(quads::Fold& fold) {
  return std::make_unique<SourceOfFold>(fold);
}

}  // namespace weft::engine
