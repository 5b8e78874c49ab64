#include "weft/quads/base_scan.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::quads {
namespace {

// More aliases than this are found by one scan over all that matches instead of one each.
constexpr size_t kAliasScansMax = 256;

bool has_alias(const rete::LocalBatch& batch, size_t row, const Aliases& aliases) {
  return aliases.node_of.contains(batch.subject[row]) ||
         aliases.node_of.contains(batch.object[row]) ||
         aliases.predicate_of.contains(batch.predicate[row]) ||
         (!batch.graph.empty() && aliases.node_of.contains(batch.graph[row]));
}

class Diverter {
 public:
  Diverter(rete::Segment& segment, const Aliases& aliases, Stamp stamp, const ScanOrder& order,
           std::vector<DeltaRow>& delta, std::stop_token stop)
      : segment_(segment),
        aliases_(aliases),
        stamp_(stamp),
        order_(order),
        delta_(delta),
        stop_(std::move(stop)) {}

  // Appends the rows that match; all of them, or those with an alias in a position that is not
  // bound.
  Status take(const rete::LocalPattern& pattern, bool all) {
    const rdf::Permutation permutation = pattern.subject != 0     ? rdf::Permutation::kSpo
                                         : pattern.predicate != 0 ? rdf::Permutation::kPos
                                         : pattern.object != 0    ? rdf::Permutation::kOsp
                                                                  : rdf::Permutation::kSpo;
    WEFT_TRY(const std::unique_ptr<rete::SegmentCursor> cursor,
             segment_.scan(pattern, permutation, stop_));
    rete::LocalBatch batch;
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        return ok_status();
      }
      for (size_t i = 0; i < batch.size(); ++i) {
        if (all || has_alias(batch, i, aliases_)) {
          const uint64_t graph = batch.graph.empty() ? 0 : aliases_.node(batch.graph[i]);
          delta_.push_back({.place = order_.place(graph, aliases_.node(batch.subject[i]),
                                                  aliases_.predicate(batch.predicate[i]),
                                                  aliases_.node(batch.object[i])),
                            .stamp = stamp_});
        }
      }
    }
  }

  // The rows of `pattern` with an alias at a position that it leaves open.
  Status take_open(const rete::LocalPattern& pattern) {
    if (aliases_.node_of.size() + aliases_.predicate_of.size() > kAliasScansMax) {
      return take(pattern, false);
    }
    std::vector<std::pair<uint32_t rete::LocalPattern::*, uint32_t>> bindings;
    for (const auto& [alias, representative] : aliases_.node_of) {
      for (const auto position : {&rete::LocalPattern::subject, &rete::LocalPattern::object}) {
        if (pattern.*position == 0) {
          bindings.emplace_back(position, alias);
        }
      }
      if (pattern.scope == rdf::GraphScope::kAllNamed) {
        bindings.emplace_back(&rete::LocalPattern::graph, alias);
      }
    }
    for (const auto& [alias, representative] : aliases_.predicate_of) {
      if (pattern.predicate == 0) {
        bindings.emplace_back(&rete::LocalPattern::predicate, alias);
      }
    }
    for (const auto& [position, alias] : bindings) {
      rete::LocalPattern bound = pattern;
      bound.*position = alias;
      if (position == &rete::LocalPattern::graph) {
        WEFT_TRY_STATUS(take_graph(bound));
      } else {
        WEFT_TRY_STATUS(take(bound, true));
      }
    }
    return ok_status();
  }

 private:
  // A scan of one graph has no graph column.
  Status take_graph(rete::LocalPattern pattern) {
    pattern.scope = rdf::GraphScope::kOne;
    const size_t before = delta_.size();
    WEFT_TRY_STATUS(take(pattern, true));
    for (size_t i = before; i < delta_.size(); ++i) {
      delta_[i].place.graph = aliases_.node(pattern.graph);
    }
    return ok_status();
  }

  rete::Segment& segment_;
  const Aliases& aliases_;
  Stamp stamp_;
  const ScanOrder& order_;
  std::vector<DeltaRow>& delta_;
  std::stop_token stop_;
};

}  // namespace

std::optional<rdf::Permutation> stored_order(const rete::Segment& segment,
                                             const rdf::IdPattern& pattern,
                                             rdf::Permutation wanted) {
  if (segment.has_permutation(wanted)) {
    return wanted;
  }
  const auto open_positions = [&](rdf::Permutation permutation) {
    std::vector<rdf::Position> open;
    for (const rdf::Position position : rdf::positions(permutation)) {
      if (pattern.at(position) == rdf::kNoTerm) {
        open.push_back(position);
      }
    }
    return open;
  };
  // How many bound positions stand in front.
  const auto prefix = [&](rdf::Permutation permutation) {
    const auto all = rdf::positions(permutation);
    return std::ranges::find_if(
               all, [&](rdf::Position position) { return pattern.at(position) == rdf::kNoTerm; }) -
           all.begin();
  };
  std::optional<rdf::Permutation> best;
  for (size_t i = 0; i < rdf::kPermutationCount; ++i) {
    const auto permutation = static_cast<rdf::Permutation>(i);
    if (segment.has_permutation(permutation) &&
        open_positions(permutation) == open_positions(wanted) &&
        (!best.has_value() || prefix(permutation) > prefix(*best))) {
      best = permutation;
    }
  }
  return best;
}

Result<std::optional<rete::LocalPattern>> base_pattern(FoldTerms& terms,
                                                       const rdf::IdPattern& pattern,
                                                       std::stop_token stop) {
  std::optional<rete::LocalPattern> local = base_pattern_with(terms, pattern, 0);
  if (local.has_value() && pattern.predicate != rdf::kNoTerm) {
    WEFT_TRY(const PredicateKey key, terms.predicate_key(pattern.predicate, stop));
    local = base_pattern_with(terms, pattern, key);
  }
  return local;
}

std::optional<rete::LocalPattern> base_pattern_with(const FoldTerms& terms,
                                                    const rdf::IdPattern& pattern,
                                                    PredicateKey predicate) {
  for (const rdf::TermId id : {pattern.subject, pattern.object, pattern.graph}) {
    if (id != rdf::kNoTerm && !terms.is_node(id)) {
      return std::nullopt;
    }
  }
  if (terms.base() == nullptr || predicate >= kFirstForeignPredicate ||
      (pattern.scope == rdf::GraphScope::kOne && pattern.graph == rdf::kNoTerm)) {
    return std::nullopt;
  }
  return rete::LocalPattern{.subject = static_cast<rete::NodeId>(pattern.subject),
                            .predicate = static_cast<rete::PredicateId>(predicate),
                            .object = static_cast<rete::NodeId>(pattern.object),
                            .scope = pattern.scope,
                            .graph = static_cast<rete::NodeId>(pattern.graph)};
}

Status append_diverted(FoldTerms& terms, const rete::LocalPattern& pattern, Stamp base_stamp,
                       const ScanOrder& order, std::vector<DeltaRow>& delta, std::stop_token stop) {
  WEFT_TRY(const Aliases* aliases, terms.base()->aliases(stop));
  if (aliases->empty()) {
    return ok_status();
  }
  Diverter diverter(terms.base()->segment(), *aliases, base_stamp, order, delta, stop);
  const std::vector<rete::LocalPattern> patterns = aliases->expand(pattern);
  WEFT_TRY_STATUS(diverter.take_open(patterns.front()));
  for (const rete::LocalPattern& each : std::span(patterns).subspan(1)) {
    WEFT_TRY_STATUS(diverter.take(each, true));
  }
  return ok_status();
}

Result<BaseStream> BaseStream::open(FoldTerms& terms, const rete::LocalPattern& pattern,
                                    rdf::Permutation permutation, std::stop_token stop) {
  BaseStream stream;
  WEFT_TRY(const Aliases* aliases, terms.base()->aliases(stop));
  stream.aliases_ = aliases->empty() ? nullptr : aliases;
  WEFT_TRY(stream.cursor_, terms.base()->segment().scan(pattern, permutation, stop));
  return stream;
}

Status BaseStream::next() {
  batch_.clear();
  while (cursor_ != nullptr) {
    WEFT_TRY_STATUS(cursor_->next(batch_));
    if (batch_.size() == 0) {
      cursor_.reset();
      break;
    }
    if (aliases_ == nullptr) {
      break;
    }
    size_t kept = 0;
    for (size_t i = 0; i < batch_.size(); ++i) {
      if (!has_alias(batch_, i, *aliases_)) {
        batch_.subject[kept] = batch_.subject[i];
        batch_.predicate[kept] = batch_.predicate[i];
        batch_.object[kept] = batch_.object[i];
        if (!batch_.graph.empty()) {
          batch_.graph[kept] = batch_.graph[i];
        }
        ++kept;
      }
    }
    batch_.subject.resize(kept);
    batch_.predicate.resize(kept);
    batch_.object.resize(kept);
    batch_.graph.resize(batch_.graph.empty() ? 0 : kept);
    if (kept > 0) {
      break;
    }
  }
  return ok_status();
}

Status BaseStream::seek(const rete::RowKey& key) {
  return cursor_ == nullptr ? ok_status() : cursor_->seek(key);
}

void BaseStream::stop_before(const rete::RowKey& key) {
  if (cursor_ != nullptr) {
    cursor_->stop_before(key);
  }
}

void BaseStream::start_small() {
  if (cursor_ != nullptr) {
    cursor_->start_small();
  }
}

}  // namespace weft::quads
