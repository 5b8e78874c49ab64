#include "weft/quads/fold_terms.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::quads {
namespace {

// Looking one base term up costs up to one dictionary chunk. After this many, and one more per so
// many nodes, all overlay terms are resolved at once, each chunk decoded once, and nothing need be
// fetched again: never more than about twice the cheaper of the two ways.
constexpr uint64_t kFetchesMin = 2'048;
constexpr uint64_t kNodesPerFetch = 512;
// Remembered answers; forgotten all at once beyond it.
constexpr size_t kRememberedMax = size_t{1} << 20U;

}  // namespace

Result<std::unique_ptr<FoldTerms>> FoldTerms::create(std::shared_ptr<rete::Segment> base) {
  std::unique_ptr<FoldTerms> terms(new FoldTerms());
  if (base != nullptr) {
    WEFT_TRY(const rete::TermCounts counts, base->term_counts());
    terms->node_count_ = counts.nodes();
    terms->predicate_count_ = counts.predicates;
    terms->base_ = std::make_unique<SegmentTerms>(std::move(base));
    const base::MutexLock lock(terms->mutex_);
    terms->predicate_terms_.assign(counts.predicates + size_t{1}, rdf::kNoTerm);
  }
  return terms;
}

ResolvedTerm FoldTerms::resolved(const rete::LocalTerm& found, Ordinal ordinal) const {
  ResolvedTerm term;
  if (found.node != 0) {
    term.id = found.node;
  } else if (found.predicate != 0) {
    term.id = node_count_ + found.predicate;
  } else {
    term.id = node_count_ + predicate_count_ + ordinal;
  }
  term.key = found.predicate != 0 ? found.predicate : kFirstForeignPredicate + term.id;
  return term;
}

rdf::TermId FoldTerms::remember(const rete::LocalTerm& found) {
  if (found.node != 0) {
    if (predicate_of_.size() >= kRememberedMax) {
      predicate_of_.clear();
    }
    predicate_of_.insert_or_assign(found.node, found.predicate);
  }
  const rdf::TermId id = found.node != 0        ? found.node
                         : found.predicate != 0 ? node_count_ + found.predicate
                                                : rdf::kNoTerm;
  if (found.predicate != 0) {
    predicate_terms_[found.predicate] = id;
  }
  return id;
}

void FoldTerms::intern(const rete::TokenTable& tokens, std::span<const uint64_t> hashes,
                       std::vector<Ordinal>& ordinals) {
  const base::MutexLock lock(mutex_);
  ordinals.resize(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    ordinals[i] = table_.intern(tokens[i], hashes[i]);
  }
  resolved_.resize(table_.size());
}

Ordinal FoldTerms::intern(std::string_view token) {
  const base::MutexLock lock(mutex_);
  const Ordinal ordinal = table_.intern(token);
  resolved_.resize(table_.size());
  return ordinal;
}

size_t FoldTerms::ordinal_count() const {
  const base::MutexLock lock(mutex_);
  return table_.size();
}

void FoldTerms::tokens_of_ordinals(std::span<const Ordinal> ordinals,
                                   rete::TokenTable& tokens) const {
  const base::MutexLock lock(mutex_);
  tokens.clear();
  for (const Ordinal ordinal : ordinals) {
    tokens.add(table_.token(ordinal));
  }
}

uint64_t FoldTerms::memory_bytes() const {
  const base::MutexLock lock(mutex_);
  return table_.memory_bytes() + sizeof(ResolvedTerm) * resolved_.capacity();
}

Status FoldTerms::learn(std::span<const Ordinal> unknown, const std::stop_token& stop) {
  rete::TokenTable copies;
  {
    const base::MutexLock lock(mutex_);
    for (const Ordinal ordinal : unknown) {
      copies.add(table_.token(ordinal));
    }
  }
  // In the order of the base's dictionary, so that each chunk is decoded once.
  std::vector<uint32_t> order(unknown.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t i) { return copies[i]; });
  std::vector<std::string_view> tokens;
  tokens.reserve(order.size());
  for (const uint32_t i : order) {
    tokens.push_back(copies[i]);
  }
  std::vector<rete::LocalTerm> found(tokens.size());
  if (base_ != nullptr) {
    WEFT_TRY_STATUS(base_->find(tokens, found, stop));
  }
  const base::MutexLock lock(mutex_);
  for (size_t k = 0; k < order.size(); ++k) {
    const Ordinal ordinal = unknown[order[k]];
    resolved_[ordinal - 1] = resolved(found[k], ordinal);
    if (const rdf::TermId id = remember(found[k]); id != rdf::kNoTerm) {
      ordinal_of_.insert_or_assign(id, ordinal);
    }
  }
  return ok_status();
}

Status FoldTerms::resolve(std::span<const Ordinal> ordinals, std::vector<ResolvedTerm>& terms,
                          const std::stop_token& stop) {
  std::vector<Ordinal> unknown;
  {
    const base::MutexLock lock(mutex_);
    for (const Ordinal ordinal : ordinals) {
      if (resolved_[ordinal - 1].id == rdf::kNoTerm) {
        unknown.push_back(ordinal);
      }
    }
  }
  if (!unknown.empty()) {
    std::ranges::sort(unknown);
    const auto repeated = std::ranges::unique(unknown);
    unknown.erase(repeated.begin(), repeated.end());
    WEFT_TRY_STATUS(learn(unknown, stop));
  }
  const base::MutexLock lock(mutex_);
  terms.resize(ordinals.size());
  for (size_t i = 0; i < ordinals.size(); ++i) {
    terms[i] = resolved_[ordinals[i] - 1];
  }
  return ok_status();
}

Status FoldTerms::resolve_all(const std::stop_token& stop) {
  std::vector<Ordinal> unknown;
  Ordinal last = 0;
  {
    const base::MutexLock lock(mutex_);
    last = static_cast<Ordinal>(table_.size());
    // Updates add terms one by one: only what came since the last time is looked at.
    for (Ordinal ordinal = complete_to_ + 1; ordinal <= last; ++ordinal) {
      const rdf::TermId id = resolved_[ordinal - 1].id;
      if (id == rdf::kNoTerm) {
        unknown.push_back(ordinal);
      } else if (!is_overlay(id)) {
        ordinal_of_.insert_or_assign(id, ordinal);  // may have been forgotten
      }
    }
  }
  WEFT_TRY_STATUS(learn(unknown, stop));
  const base::MutexLock lock(mutex_);
  complete_to_ = std::max(complete_to_, last);
  return ok_status();
}

Status FoldTerms::ordinals_of(std::span<const rdf::TermId> ids, std::vector<Ordinal>& ordinals,
                              const std::stop_token& stop) {
  ordinals.assign(ids.size(), kNoOrdinal);
  std::vector<rdf::TermId> unknown;
  bool all_at_once = false;
  {
    const base::MutexLock lock(mutex_);
    const bool complete = complete_to_ == table_.size();
    for (size_t i = 0; i < ids.size(); ++i) {
      if (is_overlay(ids[i])) {
        ordinals[i] = static_cast<Ordinal>(ids[i] - node_count_ - predicate_count_);
      } else if (const auto found = ordinal_of_.find(ids[i]); found != ordinal_of_.end()) {
        ordinals[i] = found->second;
      } else if (ids[i] != rdf::kNoTerm && !complete) {
        unknown.push_back(ids[i]);
      }
    }
    fetches_ += unknown.size();
    all_at_once = fetches_ > kFetchesMin + node_count_ / kNodesPerFetch && base_ != nullptr &&
                  !base_->segment().is_remote();
  }
  if (unknown.empty()) {
    return ok_status();
  }
  if (all_at_once) {
    WEFT_TRY_STATUS(resolve_all(stop));
    return ordinals_of(ids, ordinals, stop);
  }
  rete::TokenTable tokens;
  WEFT_TRY_STATUS(tokens_of(unknown, tokens, stop));
  const base::MutexLock lock(mutex_);
  if (ordinal_of_.size() >= kRememberedMax + table_.size()) {
    ordinal_of_.clear();
    complete_to_ = 0;
  }
  for (size_t i = 0; i < unknown.size(); ++i) {
    ordinal_of_.insert_or_assign(unknown[i], table_.find(tokens[i]));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (const auto found = ordinal_of_.find(ids[i]); found != ordinal_of_.end()) {
      ordinals[i] = found->second;
    }
  }
  return ok_status();
}

Status FoldTerms::find_in_base(std::span<const std::string_view> tokens,
                               std::vector<rete::LocalTerm>& found, std::stop_token stop) {
  constexpr size_t kShortList = 64;
  constexpr size_t kFoundMax = 4'096;
  constexpr size_t kTokenBytesMax = 256;
  found.assign(tokens.size(), {});
  if (base_ == nullptr) {
    return ok_status();
  }
  if (tokens.size() > kShortList) {
    return base_->find(tokens, found, std::move(stop));
  }
  std::vector<std::string_view> unknown;
  std::vector<size_t> places;
  {
    const base::MutexLock lock(mutex_);
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (const auto known = found_.find(tokens[i]); known != found_.end()) {
        found[i] = known->second;
      } else {
        unknown.push_back(tokens[i]);
        places.push_back(i);
      }
    }
  }
  std::vector<rete::LocalTerm> answers;
  if (unknown.empty()) {
    return ok_status();
  }
  WEFT_TRY_STATUS(base_->find(unknown, answers, std::move(stop)));
  const base::MutexLock lock(mutex_);
  if (found_.size() + unknown.size() > kFoundMax) {
    found_.clear();
  }
  for (size_t i = 0; i < unknown.size(); ++i) {
    found[places[i]] = answers[i];
    if (unknown[i].size() <= kTokenBytesMax) {
      found_.insert_or_assign(std::string(unknown[i]), answers[i]);
    }
  }
  return ok_status();
}

Status FoldTerms::find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids,
                       std::stop_token stop) {
  std::vector<rete::LocalTerm> found;
  WEFT_TRY_STATUS(find_in_base(tokens, found, std::move(stop)));
  const base::MutexLock lock(mutex_);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Ordinal ordinal = table_.find(tokens[i]);
    rdf::TermId id = remember(found[i]);
    if (id != rdf::kNoTerm) {
      ordinal_of_.insert_or_assign(id, ordinal);
    }
    if (ordinal != kNoOrdinal) {
      resolved_[ordinal - 1] = resolved(found[i], ordinal);
      id = resolved_[ordinal - 1].id;
    }
    ids.push_back(id);
  }
  return ok_status();
}

Status FoldTerms::tokens_of(std::span<const rdf::TermId> ids, rete::TokenTable& tokens,
                            std::stop_token stop) {
  std::vector<rete::NodeId> nodes;
  std::vector<rete::PredicateId> predicates;
  nodes.reserve(ids.size());
  for (const rdf::TermId id : ids) {
    if (is_node(id)) {
      nodes.push_back(static_cast<rete::NodeId>(id));
    } else if (!is_overlay(id) && id != rdf::kNoTerm) {
      predicates.push_back(static_cast<rete::PredicateId>(id - node_count_));
    }
  }
  if (nodes.size() == ids.size() && !nodes.empty()) {
    return base_->tokens_of(nodes, {}, tokens, std::move(stop));
  }
  rete::TokenTable of_base;
  if (!nodes.empty() || !predicates.empty()) {
    WEFT_TRY_STATUS(base_->tokens_of(nodes, predicates, of_base, stop));
  }
  tokens.clear();
  size_t next_node = 0;
  size_t next_predicate = nodes.size();
  const base::MutexLock lock(mutex_);
  for (const rdf::TermId id : ids) {
    if (is_node(id)) {
      tokens.add(of_base[next_node++]);
    } else if (id != rdf::kNoTerm && !is_overlay(id)) {
      tokens.add(of_base[next_predicate++]);
    } else {
      const uint64_t ordinal = is_overlay(id) ? id - node_count_ - predicate_count_ : 0;
      if (ordinal == 0 || ordinal > table_.size()) {
        return Error(ErrorKind::kInvalid, "no term of this graph has this id").with("id", id);
      }
      tokens.add(table_.token(static_cast<Ordinal>(ordinal)));
    }
  }
  return ok_status();
}

Result<PredicateKey> FoldTerms::predicate_key(rdf::TermId id, const std::stop_token& stop) {
  if (!is_node(id)) {
    return is_overlay(id) ? kFirstForeignPredicate + id : id - node_count_;
  }
  for (int attempt = 0;; ++attempt) {
    {
      const base::MutexLock lock(mutex_);
      if (const auto found = predicate_of_.find(id); found != predicate_of_.end()) {
        return found->second != 0 ? PredicateKey{found->second} : kFirstForeignPredicate + id;
      }
    }
    WEFT_CHECK(attempt < 3);
    rete::TokenTable token;
    WEFT_TRY_STATUS(tokens_of(std::span(&id, 1), token, stop));
    const std::string_view view = token[0];
    std::vector<rdf::TermId> same;
    WEFT_TRY_STATUS(find(std::span(&view, 1), same, stop));
  }
}

Status FoldTerms::predicate_terms(std::span<const rete::PredicateId> predicates,
                                  std::vector<rdf::TermId>& ids, const std::stop_token& stop) {
  std::vector<rete::PredicateId> unknown;
  const auto fill = [&] {
    unknown.clear();
    ids.resize(predicates.size());
    const base::MutexLock lock(mutex_);
    for (size_t i = 0; i < predicates.size(); ++i) {
      ids[i] = predicate_terms_[predicates[i]];
      if (ids[i] == rdf::kNoTerm) {
        unknown.push_back(predicates[i]);
      }
    }
  };
  fill();
  if (unknown.empty()) {
    return ok_status();
  }
  rete::TokenTable table;
  WEFT_TRY_STATUS(base_->tokens_of({}, unknown, table, stop));
  std::vector<std::string_view> tokens;
  tokens.reserve(table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    tokens.push_back(table[i]);
  }
  std::vector<rdf::TermId> found;
  WEFT_TRY_STATUS(find(tokens, found, stop));
  {
    // Aliases, too: find() remembers only representatives.
    const base::MutexLock lock(mutex_);
    for (size_t i = 0; i < unknown.size(); ++i) {
      predicate_terms_[unknown[i]] = found[i];
    }
  }
  fill();
  return ok_status();
}

Status FoldTerms::terms_of_keys(std::vector<uint64_t>& keys, std::stop_token stop) {
  std::vector<rete::PredicateId> of_base;
  for (const PredicateKey key : keys) {
    if (key < kFirstForeignPredicate) {
      of_base.push_back(static_cast<rete::PredicateId>(key));
    }
  }
  std::vector<rdf::TermId> ids;
  if (!of_base.empty()) {
    WEFT_TRY_STATUS(predicate_terms(of_base, ids, std::move(stop)));
  }
  size_t next = 0;
  for (uint64_t& key : keys) {
    key = key < kFirstForeignPredicate ? ids[next++] : key - kFirstForeignPredicate;
  }
  return ok_status();
}

}  // namespace weft::quads
