#include "weft/rete/dump.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::rete {
namespace {

// Rows that are turned into text together: the more, the less often a chunk is decoded again.
// Halved while their tokens take more than kTextBytesMax.
constexpr size_t kRowsMin = SegmentCursor::kBatchRows;
constexpr size_t kRowsMax = 256 * 1024;
constexpr size_t kTextBytesMax = size_t{64} << 20U;
// So many predicates are kept as text throughout.
constexpr uint32_t kPredicatesKept = 64 * 1024;

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
  static void sort_unique(std::vector<uint32_t>& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }

  // Text of an id that is in `ids`; `tokens` from `offset` on are theirs.
  static std::string_view text_of(uint32_t id, const std::vector<uint32_t>& ids,
                                  const TokenTable& tokens, size_t offset,
                                  const std::unordered_map<uint32_t, std::string>& canonical) {
    if (!canonical.empty()) {
      if (const auto at = canonical.find(id); at != canonical.end()) {
        return at->second;
      }
    }
    const auto at = std::lower_bound(ids.begin(), ids.end(), id);
    return tokens[offset + static_cast<size_t>(at - ids.begin())];
  }

  std::string_view predicate_text(PredicateId id, const std::vector<uint32_t>& ids,
                                  const TokenTable& tokens, size_t offset) const {
    if (!canonical_predicates_.empty() || predicates_.size() == 0) {
      if (const auto at = canonical_predicates_.find(id); at != canonical_predicates_.end()) {
        return at->second;
      }
    }
    return predicates_.size() > 0 ? predicates_[id - 1]
                                  : text_of(id, ids, tokens, offset, canonical_predicates_);
  }

  Status flush() {
    const size_t count = rows_.size();
    if (count == 0) {
      return ok_status();
    }
    std::vector<uint32_t> nodes = rows_.subject;
    nodes.insert(nodes.end(), rows_.object.begin(), rows_.object.end());
    nodes.insert(nodes.end(), rows_.graph.begin(), rows_.graph.end());
    sort_unique(nodes);
    std::vector<uint32_t> predicates;
    if (predicates_.size() == 0) {
      predicates = rows_.predicate;
      sort_unique(predicates);
    }
    TokenTable tokens;
    WEFT_TRY_STATUS(segment_.tokens_of(nodes, predicates, tokens, stop_));
    std::vector<rdf::QuadView> quads;
    quads.reserve(kRowsMin);
    uint32_t last_subject = 0;
    std::string_view subject;
    for (size_t i = 0; i < count; ++i) {
      if (rows_.subject[i] != last_subject) {
        last_subject = rows_.subject[i];
        subject = text_of(last_subject, nodes, tokens, 0, canonical_nodes_);
      }
      rdf::QuadView quad;
      quad.subject = subject;
      quad.predicate = predicate_text(rows_.predicate[i], predicates, tokens, nodes.size());
      quad.object = text_of(rows_.object[i], nodes, tokens, 0, canonical_nodes_);
      if (!rows_.graph.empty()) {
        quad.graph = text_of(rows_.graph[i], nodes, tokens, 0, canonical_nodes_);
      }
      quads.push_back(quad);
      if (quads.size() == kRowsMin || i + 1 == count) {
        WEFT_TRY_STATUS(sink_.accept(quads));
        quads.clear();
      }
    }
    if (tokens.text_bytes() > kTextBytesMax) {
      rows_max_ = std::max(kRowsMin, rows_max_ / 2);
    } else if (tokens.text_bytes() < kTextBytesMax / 4) {
      rows_max_ = std::min(kRowsMax, rows_max_ * 2);
    }
    rows_.clear();
    return ok_status();
  }

  Segment& segment_;
  rdf::QuadSink& sink_;
  std::stop_token stop_;
  TermCounts counts_;
  std::shared_ptr<const std::vector<IrregularTerm>> irregular_;
  std::unordered_map<uint32_t, std::string> canonical_nodes_;
  std::unordered_map<uint32_t, std::string> canonical_predicates_;
  TokenTable predicates_;
  LocalBatch rows_;
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
