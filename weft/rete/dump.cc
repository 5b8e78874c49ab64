#include "weft/rete/dump.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::rete {
namespace {

// Rows that are turned into text together: the more, the less often a chunk is decoded again.
// Halved while their tokens take more than kTextBytesMax.
constexpr size_t kRowsMin = size_t{16} * 1024;
constexpr size_t kRowsMax = size_t{1024} * 1024;
constexpr size_t kTextBytesMax = size_t{64} << 20U;
constexpr size_t kQuadsPerCall = 4096;
// So many predicates are kept as text throughout.
constexpr uint32_t kPredicatesKept = 64 * 1024;

using CanonicalTokens = std::unordered_map<uint32_t, std::string>;

// Sorts keys by their upper 32 bits, three passes of eleven bits.
void sort_by_upper_half(std::vector<uint64_t>& keys) {
  constexpr unsigned kBits = 11;
  std::vector<uint64_t> other(keys.size());
  for (unsigned shift = 32; shift < 64; shift += kBits) {
    std::array<size_t, size_t{1} << kBits> places{};
    constexpr uint64_t kMask = places.size() - 1;
    for (const uint64_t key : keys) {
      ++places[key >> shift & kMask];
    }
    size_t sum = 0;
    for (size_t& place : places) {
      sum += std::exchange(place, sum);
    }
    for (const uint64_t key : keys) {
      other[places[key >> shift & kMask]++] = key;
    }
    keys.swap(other);
  }
}

// One column of rows as distinct ids, and per row which of them.
struct DistinctColumn {
  std::vector<uint32_t> ids;
  std::vector<uint32_t> index_of_row;

  // For columns in which equal ids are mostly neighbours; ids may come again.
  void take_runs(const std::vector<uint32_t>& column) {
    clear(column.size());
    for (const uint32_t id : column) {
      if (ids.empty() || ids.back() != id) {
        ids.push_back(id);
      }
      index_of_row.push_back(static_cast<uint32_t>(ids.size() - 1));
    }
  }
  // For columns in any order; ids ascend.
  void take_sorted(const std::vector<uint32_t>& column) {
    clear(column.size());
    std::vector<uint64_t> keys(column.size());
    for (size_t i = 0; i < column.size(); ++i) {
      keys[i] = uint64_t{column[i]} << 32U | i;
    }
    sort_by_upper_half(keys);
    index_of_row.resize(column.size());
    for (const uint64_t key : keys) {
      const auto id = static_cast<uint32_t>(key >> 32U);
      if (ids.empty() || ids.back() != id) {
        ids.push_back(id);
      }
      index_of_row[key & 0xFFFF'FFFFU] = static_cast<uint32_t>(ids.size() - 1);
    }
  }

 private:
  void clear(size_t rows) {
    ids.clear();
    index_of_row.clear();
    index_of_row.reserve(rows);
  }
};

class Dump {
 public:
  Dump(Segment& segment, rdf::QuadSink& sink, std::stop_token stop)
      : segment_(segment), sink_(sink), stop_(std::move(stop)) {}

  Status prepare(bool canonical) {
    WEFT_TRY(counts_, segment_.term_counts());
    if (canonical) {
      WEFT_TRY(irregular_, segment_.irregular_terms(stop_));
      for (const IrregularTerm& each : *irregular_) {
        if (each.term.node != 0) {
          canonical_nodes_.emplace(each.term.node, each.canonical);
        } else {
          canonical_predicates_.emplace(each.term.predicate, each.canonical);
        }
      }
    }
    if (counts_.predicates <= kPredicatesKept) {
      std::vector<PredicateId> all(counts_.predicates);
      for (uint32_t i = 0; i < counts_.predicates; ++i) {
        all[i] = i + 1;
      }
      WEFT_TRY_STATUS(segment_.tokens_of({}, all, predicates_, stop_));
    }
    return ok_status();
  }

  Status run(rdf::GraphScope scope) {
    LocalPattern pattern;
    pattern.scope = scope;
    WEFT_TRY(const std::unique_ptr<SegmentCursor> cursor,
             segment_.scan(pattern, rdf::Permutation::kSpo, stop_));
    LocalBatch batch;
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        return flush();
      }
      rows_.subject.insert(rows_.subject.end(), batch.subject.begin(), batch.subject.end());
      rows_.predicate.insert(rows_.predicate.end(), batch.predicate.begin(), batch.predicate.end());
      rows_.object.insert(rows_.object.end(), batch.object.begin(), batch.object.end());
      rows_.graph.insert(rows_.graph.end(), batch.graph.begin(), batch.graph.end());
      if (rows_.size() >= rows_max_) {
        WEFT_TRY_STATUS(flush());
      }
    }
  }

 private:
  // The text of row `i`.
  static std::string_view text_of(const DistinctColumn& column, const TokenTable& tokens, size_t i,
                                  const CanonicalTokens& canonical) {
    const uint32_t index = column.index_of_row[i];
    if (!canonical.empty()) {
      if (const auto at = canonical.find(column.ids[index]); at != canonical.end()) {
        return at->second;
      }
    }
    return tokens[index];
  }

  std::string_view predicate_text(size_t i) const {
    if (predicates_.size() == 0) {
      return text_of(predicate_column_, predicate_tokens_, i, canonical_predicates_);
    }
    const PredicateId id = rows_.predicate[i];
    if (!canonical_predicates_.empty()) {
      if (const auto at = canonical_predicates_.find(id); at != canonical_predicates_.end()) {
        return at->second;
      }
    }
    return predicates_[id - 1];
  }

  Status flush() {
    const size_t count = rows_.size();
    if (count == 0) {
      return ok_status();
    }
    subjects_.take_runs(rows_.subject);
    graphs_.take_runs(rows_.graph);
    objects_.take_sorted(rows_.object);
    WEFT_TRY_STATUS(segment_.tokens_of(subjects_.ids, {}, subject_tokens_, stop_));
    WEFT_TRY_STATUS(segment_.tokens_of(graphs_.ids, {}, graph_tokens_, stop_));
    WEFT_TRY_STATUS(segment_.tokens_of(objects_.ids, {}, object_tokens_, stop_));
    if (predicates_.size() == 0) {
      predicate_column_.take_sorted(rows_.predicate);
      WEFT_TRY_STATUS(segment_.tokens_of({}, predicate_column_.ids, predicate_tokens_, stop_));
    }
    std::vector<rdf::QuadView> quads;
    quads.reserve(kQuadsPerCall);
    for (size_t i = 0; i < count; ++i) {
      rdf::QuadView quad;
      quad.subject = text_of(subjects_, subject_tokens_, i, canonical_nodes_);
      quad.predicate = predicate_text(i);
      quad.object = text_of(objects_, object_tokens_, i, canonical_nodes_);
      if (!rows_.graph.empty()) {
        quad.graph = text_of(graphs_, graph_tokens_, i, canonical_nodes_);
      }
      quads.push_back(quad);
      if (quads.size() == kQuadsPerCall || i + 1 == count) {
        WEFT_TRY_STATUS(sink_.accept(quads));
        quads.clear();
      }
    }
    const size_t text_bytes = subject_tokens_.text_bytes() + object_tokens_.text_bytes();
    if (text_bytes > kTextBytesMax) {
      rows_max_ = std::max(kRowsMin, rows_max_ / 2);
    } else if (text_bytes < kTextBytesMax / 4) {
      rows_max_ = std::min(kRowsMax, rows_max_ * 4);
    }
    rows_.clear();
    return ok_status();
  }

  Segment& segment_;
  rdf::QuadSink& sink_;
  std::stop_token stop_;
  TermCounts counts_;
  std::shared_ptr<const std::vector<IrregularTerm>> irregular_;
  CanonicalTokens canonical_nodes_;
  CanonicalTokens canonical_predicates_;
  TokenTable predicates_;  // all of them, or empty if they are too many
  LocalBatch rows_;
  DistinctColumn subjects_;
  DistinctColumn objects_;
  DistinctColumn graphs_;
  DistinctColumn predicate_column_;
  TokenTable subject_tokens_;
  TokenTable object_tokens_;
  TokenTable graph_tokens_;
  TokenTable predicate_tokens_;
  size_t rows_max_ = kRowsMin;
};

}  // namespace

Status dump(Segment& segment, rdf::QuadSink& sink, const DumpOptions& options,
            std::stop_token stop) {
  Dump work(segment, sink, std::move(stop));
  WEFT_TRY_STATUS(work.prepare(options.canonical));
  if (options.default_graph) {
    WEFT_TRY_STATUS(work.run(rdf::GraphScope::kDefault));
  }
  if (options.named_graphs && segment.facts().has_named_graphs) {
    WEFT_TRY_STATUS(work.run(rdf::GraphScope::kAllNamed));
  }
  return ok_status();
}

}  // namespace weft::rete
