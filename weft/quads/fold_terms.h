// Gives every term of a fold its one id. With N nodes and P predicates in the base:
//
//     1 … N            the base's nodes, by their local id
//     N+1 … N+P        predicates of the base that are no nodes of it
//     N+P+1 …          terms of overlays that the base does not have, by ordinal
//
// An overlay's term learns whether the base has it only when a row with it is needed: the base's
// dictionary is then asked for many at once.
//
// Within a column of predicates rows are ordered by *predicate key*: the base's predicate id, which
// is the order of the base's scans, and behind all of them the terms that are no predicates there.
//
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/quads/segment_terms.h"
#include "weft/quads/term_table.h"
#include "weft/rdf/ids.h"

namespace weft::quads {

using PredicateKey = uint64_t;
inline constexpr PredicateKey kFirstForeignPredicate = PredicateKey{1} << 32U;

// An ordinal's id, and its key where it stands as predicate.
struct ResolvedTerm {
  rdf::TermId id = rdf::kNoTerm;
  PredicateKey key = 0;
};

class FoldTerms {
 public:
  // `base` may be null: there is no base.
  static Result<std::unique_ptr<FoldTerms>> create(std::shared_ptr<rete::Segment> base);

  SegmentTerms* base() const { return base_.get(); }
  uint64_t node_count() const { return node_count_; }
  uint64_t predicate_count() const { return predicate_count_; }
  bool is_node(rdf::TermId id) const { return id != rdf::kNoTerm && id <= node_count_; }
  bool is_overlay(rdf::TermId id) const { return id > node_count_ + predicate_count_; }

  // ---- overlays --------------------------------------------------------------------------------
  // Replaces `ordinals`. `hashes` are TermTable::hash_of of each.
  void intern(const rete::TokenTable& tokens, std::span<const uint64_t> hashes,
              std::vector<Ordinal>& ordinals);
  Ordinal intern(std::string_view token);
  size_t ordinal_count() const;
  // Replaces `tokens`, in the order asked.
  void tokens_of_ordinals(std::span<const Ordinal> ordinals, rete::TokenTable& tokens) const;
  uint64_t memory_bytes() const;
  // Replaces `terms` with one per ordinal. Asks the base for those that are not known yet.
  Status resolve(std::span<const Ordinal> ordinals, std::vector<ResolvedTerm>& terms,
                 const std::stop_token& stop);
  // Replaces `ordinals`: kNoOrdinal for terms that no overlay row decoded so far holds. Fetches the
  // tokens of base terms that were not asked for before.
  Status ordinals_of(std::span<const rdf::TermId> ids, std::vector<Ordinal>& ordinals,
                     const std::stop_token& stop);

  // ---- both ------------------------------------------------------------------------------------
  // Appends ids; kNoTerm for tokens that neither the base nor the table has.
  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids,
              std::stop_token stop);
  // Replaces `tokens`. Errors: kInvalid for an id that was not given.
  Status tokens_of(std::span<const rdf::TermId> ids, rete::TokenTable& tokens,
                   std::stop_token stop);

  // The key of a term as predicate. Costs a look-up in the base for a node not asked for before.
  Result<PredicateKey> predicate_key(rdf::TermId id, const std::stop_token& stop);
  // Replaces `ids`: the terms of the base's predicates.
  Status predicate_terms(std::span<const rete::PredicateId> predicates,
                         std::vector<rdf::TermId>& ids, const std::stop_token& stop);
  // Replaces keys of predicates by their terms.
  Status terms_of_keys(std::vector<uint64_t>& keys, std::stop_token stop);

 private:
  FoldTerms() = default;

  // SegmentTerms::find of the base. Queries name the same few terms again and again: what a short
  // list asked for is remembered.
  Status find_in_base(std::span<const std::string_view> tokens, std::vector<rete::LocalTerm>& found,
                      std::stop_token stop);
  ResolvedTerm resolved(const rete::LocalTerm& found, Ordinal ordinal) const;
  rdf::TermId remember(const rete::LocalTerm& found) WEFT_REQUIRES(mutex_);
  Status resolve_all(const std::stop_token& stop);
  Status learn(std::span<const Ordinal> unknown, const std::stop_token& stop);

  std::unique_ptr<SegmentTerms> base_;
  uint64_t node_count_ = 0;
  uint64_t predicate_count_ = 0;

  mutable base::Mutex mutex_;
  TermTable table_ WEFT_GUARDED_BY(mutex_);
  std::vector<ResolvedTerm> resolved_ WEFT_GUARDED_BY(mutex_);  // by ordinal - 1
  // Base terms whose ordinal was looked up: kNoOrdinal if no overlay has them.
  std::unordered_map<rdf::TermId, Ordinal> ordinal_of_ WEFT_GUARDED_BY(mutex_);
  // All ordinals up to this one are resolved, so that a base term absent from `ordinal_of_` has no
  // smaller one.
  Ordinal complete_to_ WEFT_GUARDED_BY(mutex_) = 0;
  uint64_t fetches_ WEFT_GUARDED_BY(mutex_) = 0;
  struct TokenHash {
    using is_transparent = void;
    size_t operator()(std::string_view token) const { return std::hash<std::string_view>{}(token); }
  };
  std::unordered_map<std::string, rete::LocalTerm, TokenHash, std::equal_to<>> found_
      WEFT_GUARDED_BY(mutex_);
  // Predicates of the base: 0 if not known yet.
  std::vector<rdf::TermId> predicate_terms_ WEFT_GUARDED_BY(mutex_);
  // Nodes of the base -> predicate id, 0 if it is none.
  std::unordered_map<rdf::TermId, rete::PredicateId> predicate_of_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::quads
