#include "weft/quads/segment_terms.h"

#include <algorithm>
#include <utility>

#include "weft/rdf/term.h"

namespace weft::quads {
namespace {

// Of the stored ids that mean one term: all but the representative become its aliases.
template <typename Id>
Id choose(Id stored, std::vector<Id>& others, std::unordered_map<Id, Id>& alias_of,
          std::unordered_map<Id, std::vector<Id>>& aliases_like) {
  std::ranges::sort(others);
  const Id representative = stored != 0 || others.empty() ? stored : others.front();
  for (const Id id : others) {
    if (id != representative) {
      alias_of.emplace(id, representative);
      aliases_like[representative].push_back(id);
    }
  }
  return representative;
}

template <typename Id, typename Like>
void multiply(std::vector<rete::LocalPattern>& patterns, Id rete::LocalPattern::* position,
              const Like& like) {
  const size_t count = patterns.size();
  const auto found = like.find(patterns.front().*position);
  if (found == like.end()) {
    return;
  }
  for (const Id id : found->second) {
    for (size_t i = 0; i < count; ++i) {
      rete::LocalPattern pattern = patterns[i];
      pattern.*position = id;
      patterns.push_back(pattern);
    }
  }
}

}  // namespace

std::vector<rete::LocalPattern> Aliases::expand(const rete::LocalPattern& pattern) const {
  std::vector<rete::LocalPattern> patterns = {pattern};
  if (!empty()) {
    multiply(patterns, &rete::LocalPattern::subject, nodes_like);
    multiply(patterns, &rete::LocalPattern::predicate, predicates_like);
    multiply(patterns, &rete::LocalPattern::object, nodes_like);
    multiply(patterns, &rete::LocalPattern::graph, nodes_like);
  }
  return patterns;
}

Status SegmentTerms::build(Irregular& irregular, std::stop_token stop) {
  WEFT_TRY(irregular.terms, segment_->irregular_terms(stop));
  std::vector<const rete::IrregularTerm*> order;
  order.reserve(irregular.terms->size());
  for (const rete::IrregularTerm& term : *irregular.terms) {
    order.push_back(&term);
  }
  std::ranges::sort(order, {},
                    [](const rete::IrregularTerm* t) -> std::string_view { return t->canonical; });
  std::vector<std::string_view> tokens;
  for (const rete::IrregularTerm* term : order) {
    if (tokens.empty() || tokens.back() != term->canonical) {
      tokens.emplace_back(term->canonical);
    }
  }
  std::vector<rete::LocalTerm> stored;
  WEFT_TRY_STATUS(segment_->find(tokens, rete::TermRoles::kBoth, stored, stop));
  irregular.representatives.reserve(tokens.size());
  size_t next = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::vector<rete::NodeId> nodes;
    std::vector<rete::PredicateId> predicates;
    for (; next < order.size() && order[next]->canonical == tokens[i]; ++next) {
      const rete::LocalTerm& term = order[next]->term;
      if (term.node != 0) {
        nodes.push_back(term.node);
      }
      if (term.predicate != 0) {
        predicates.push_back(term.predicate);
      }
    }
    Aliases& aliases = irregular.aliases;
    const rete::NodeId node = choose(stored[i].node, nodes, aliases.node_of, aliases.nodes_like);
    const rete::PredicateId predicate =
        choose(stored[i].predicate, predicates, aliases.predicate_of, aliases.predicates_like);
    irregular.representatives.emplace_back(tokens[i],
                                           rete::LocalTerm{.node = node, .predicate = predicate});
  }
  return ok_status();
}

Result<const SegmentTerms::Irregular*> SegmentTerms::irregular(std::stop_token stop) {
  if (segment_->facts().has_canonical_tokens) {
    return nullptr;
  }
  const base::MutexLock lock(mutex_);
  if (irregular_ == nullptr) {
    auto irregular = std::make_unique<Irregular>();
    WEFT_TRY_STATUS(build(*irregular, stop));
    irregular_ = std::move(irregular);
  }
  return irregular_->representatives.empty() ? nullptr : irregular_.get();
}

Result<const Aliases*> SegmentTerms::aliases(std::stop_token stop) {
  static const Aliases kNone;
  WEFT_TRY(const Irregular* known, irregular(stop));
  return known == nullptr ? &kNone : &known->aliases;
}

Status SegmentTerms::find(std::span<const std::string_view> tokens,
                          std::vector<rete::LocalTerm>& found, std::stop_token stop) {
  WEFT_TRY(const Irregular* known, irregular(stop));
  WEFT_TRY_STATUS(segment_->find(tokens, rete::TermRoles::kBoth, found, stop));
  if (known != nullptr) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      const auto entry =
          std::ranges::lower_bound(known->representatives, tokens[i], {},
                                   &std::pair<std::string_view, rete::LocalTerm>::first);
      if (entry != known->representatives.end() && entry->first == tokens[i]) {
        found[i] = entry->second;
      }
    }
  }
  return ok_status();
}

Status SegmentTerms::tokens_of(std::span<const rete::NodeId> nodes,
                               std::span<const rete::PredicateId> predicates,
                               rete::TokenTable& tokens, std::stop_token stop) {
  WEFT_TRY_STATUS(segment_->tokens_of(nodes, predicates, tokens, stop));
  if (segment_->facts().has_canonical_tokens) {
    return ok_status();
  }
  bool regular = true;
  for (size_t i = 0; i < tokens.size() && regular; ++i) {
    regular = rdf::is_canonical(tokens[i]);
  }
  if (regular) {
    return ok_status();
  }
  rete::TokenTable canonical;
  canonical.reserve(tokens.size(), tokens.text_bytes());
  for (size_t i = 0; i < tokens.size(); ++i) {
    // A token that is no term at all stays what it is: it has no other form.
    const Result<std::string> token = rdf::canonical_token(tokens[i]);
    canonical.add(token.ok() ? std::string_view(*token) : tokens[i]);
  }
  tokens = std::move(canonical);
  return ok_status();
}

}  // namespace weft::quads
