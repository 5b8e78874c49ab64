// The terms of one segment under canonical identity: segments of other writers may store tokens
// that are not canonical, even several that mean one term.
//
// Of the stored tokens that mean one term, one is its *representative*: the canonical one if it is
// stored, else the first. The others are *aliases*; they are rare, and most segments have none.
//
// Thread-safe.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/rete/segment.h"

namespace weft::quads {

struct Aliases {
  // Alias -> representative.
  std::unordered_map<rete::NodeId, rete::NodeId> node_of;
  std::unordered_map<rete::PredicateId, rete::PredicateId> predicate_of;
  // Representative -> its aliases.
  std::unordered_map<rete::NodeId, std::vector<rete::NodeId>> nodes_like;
  std::unordered_map<rete::PredicateId, std::vector<rete::PredicateId>> predicates_like;

  bool empty() const { return node_of.empty() && predicate_of.empty(); }
  rete::NodeId node(rete::NodeId stored) const {
    const auto found = node_of.find(stored);
    return found == node_of.end() ? stored : found->second;
  }
  rete::PredicateId predicate(rete::PredicateId stored) const {
    const auto found = predicate_of.find(stored);
    return found == predicate_of.end() ? stored : found->second;
  }
  // `pattern`, which holds representatives, and behind it all patterns with aliases in their place.
  std::vector<rete::LocalPattern> expand(const rete::LocalPattern& pattern) const;
};

class SegmentTerms {
 public:
  explicit SegmentTerms(std::shared_ptr<rete::Segment> segment) : segment_(std::move(segment)) {}

  rete::Segment& segment() const { return *segment_; }

  // Replaces `found` with the representatives of canonical tokens, zeros where there is none.
  Status find(std::span<const std::string_view> tokens, std::vector<rete::LocalTerm>& found,
              std::stop_token stop);
  // Replaces `tokens` with the canonical tokens of `nodes`, then of `predicates`.
  Status tokens_of(std::span<const rete::NodeId> nodes,
                   std::span<const rete::PredicateId> predicates, rete::TokenTable& tokens,
                   std::stop_token stop);
  // Lives as long as this object.
  Result<const Aliases*> aliases(std::stop_token stop);

 private:
  struct Irregular {
    std::shared_ptr<const std::vector<rete::IrregularTerm>> terms;  // owns the texts
    // Canonical token -> representative, ascending by token.
    std::vector<std::pair<std::string_view, rete::LocalTerm>> representatives;
    Aliases aliases;
  };

  // nullptr if all tokens are canonical as stored.
  Result<const Irregular*> irregular(std::stop_token stop);
  Status build(Irregular& irregular, std::stop_token stop);

  std::shared_ptr<rete::Segment> segment_;
  base::Mutex mutex_;
  std::unique_ptr<Irregular> irregular_ WEFT_GUARDED_BY(mutex_);  // set once
};

}  // namespace weft::quads
