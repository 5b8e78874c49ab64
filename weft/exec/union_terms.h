// Gives every term of several sources one id: the dictionary of a UnionSource.
//
// One source, the *base*, gives its own ids to all that it holds. Terms that it lacks get ids from
// UnionTermOptions::first_foreign on, when a row with them is first needed. Blank nodes of each
// source are nodes of their own (blank_scope.h).
//
// T1  Equal tokens have one id, different tokens two, whichever sources hold them.
// T2  An id never changes. Memory follows the terms of the other sources that were touched, and is
//     reserved from the budget: kLimit.
// T3  No call holds a lock while it waits for a source.
// Thread-safe.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/base/result.h"
#include "weft/exec/memory_charge.h"
#include "weft/exec/quad_source.h"
#include "weft/rdf/ids.h"

namespace weft::exec {

struct UnionTermOptions {
  // False: equal labels are one node in all sources.
  bool scope_blank_nodes = true;
  // Ids of terms that the base lacks begin here. No id of a source is as high.
  rdf::TermId first_foreign = rdf::TermId{1} << 62U;
};

class UnionTerms {
 public:
  // All must outlive this object. `base` is an index into `sources`.
  UnionTerms(std::span<QuadSource* const> sources, size_t base, base::MemoryBudget* budget,
             UnionTermOptions options = {});
  const UnionTermOptions& options() const { return options_; }

  // Replaces ids of source `source` by those of the union; kNoTerm stays.
  Status to_union(size_t source, std::span<rdf::TermId> ids);
  // Replaces `local` with what source `source` calls `ids`: kNoTerm for terms that it lacks.
  Status to_local(size_t source, std::span<const rdf::TermId> ids, std::vector<rdf::TermId>& local);
  // As of QuadSource.
  Status find(std::span<const std::string_view> tokens, std::vector<rdf::TermId>& ids);
  Status tokens(std::span<const rdf::TermId> ids, std::vector<std::string>& tokens);

 private:
  using IdMap = std::unordered_map<rdf::TermId, rdf::TermId>;

  // A token of source `source` as the union has it, and the reverse (false: the source has no such
  // term).
  void append_named(std::string& out, std::string_view token, size_t source) const;
  bool append_called(std::string& out, std::string_view token, size_t source) const;
  // The ids of tokens, in the order asked, which the base is asked for first; those that it lacks
  // are added.
  Status intern(std::span<const std::string> tokens, std::vector<rdf::TermId>& ids);
  Status ask_source(size_t source, std::span<const rdf::TermId> missing,
                    std::vector<rdf::TermId>& local);
  Status find_in_others(std::span<const std::string_view> tokens, std::span<rdf::TermId> ids);
  Status cover() WEFT_REQUIRES(mutex_);

  std::vector<QuadSource*> sources_;
  size_t base_;
  UnionTermOptions options_;
  base::Mutex mutex_;
  MemoryCharge charge_ WEFT_GUARDED_BY(mutex_);
  uint64_t text_bytes_ WEFT_GUARDED_BY(mutex_) = 0;
  uint64_t pair_count_ WEFT_GUARDED_BY(mutex_) = 0;
  std::deque<std::string> foreign_ WEFT_GUARDED_BY(mutex_);  // by id - first_foreign
  std::unordered_map<std::string_view, rdf::TermId> by_token_ WEFT_GUARDED_BY(mutex_);
  std::vector<IdMap> to_union_ WEFT_GUARDED_BY(mutex_);  // by source
  std::vector<IdMap> to_local_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::exec
