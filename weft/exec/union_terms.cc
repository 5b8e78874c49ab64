#include "weft/exec/union_terms.h"

#include <algorithm>
#include <utility>

#include "weft/exec/blank_scope.h"

namespace weft::exec {
namespace {

using rdf::kNoTerm;
using rdf::TermId;

// What an entry of a map, or of the table of tokens beside the text, takes; about.
constexpr uint64_t kPairBytes = 48;
constexpr uint64_t kTokenBytes = 112;

}  // namespace

UnionTerms::UnionTerms(std::span<QuadSource* const> sources, size_t base,
                       base::MemoryBudget* budget, UnionTermOptions options)
    : sources_(sources.begin(), sources.end()),
      base_(base),
      options_(options),
      charge_(budget),
      to_union_(sources.size()),
      to_local_(sources.size()) {}

void UnionTerms::append_named(std::string& out, std::string_view token, size_t source) const {
  if (options_.scope_blank_nodes) {
    append_scoped(out, token, source);
  } else {
    out += token;
  }
}

bool UnionTerms::append_called(std::string& out, std::string_view token, size_t source) const {
  if (options_.scope_blank_nodes) {
    return append_unscoped(out, token, source);
  }
  out += token;
  return true;
}

Status UnionTerms::cover() {
  return charge_.cover(text_bytes_ + foreign_.size() * kTokenBytes + pair_count_ * kPairBytes);
}

Status UnionTerms::intern(std::span<const std::string> tokens, std::vector<TermId>& ids) {
  ids.clear();
  std::vector<std::string> local(tokens.size());
  std::vector<std::string_view> asked;
  std::vector<size_t> places;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (append_called(local[i], tokens[i], base_)) {
      asked.push_back(local[i]);
      places.push_back(i);
    }
  }
  std::vector<TermId> found;
  WEFT_TRY_STATUS(sources_[base_]->find(asked, found));
  ids.assign(tokens.size(), kNoTerm);
  for (size_t i = 0; i < places.size(); ++i) {
    ids[places[i]] = found[i];
  }
  const base::MutexLock lock(mutex_);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (ids[i] != kNoTerm) {
      continue;
    }
    const auto known = by_token_.find(tokens[i]);
    if (known != by_token_.end()) {
      ids[i] = known->second;
      continue;
    }
    text_bytes_ += tokens[i].size();
    WEFT_TRY_STATUS(cover());
    ids[i] = options_.first_foreign + foreign_.size();
    foreign_.push_back(tokens[i]);
    by_token_.emplace(foreign_.back(), ids[i]);
  }
  return ok_status();
}

Status UnionTerms::to_union(size_t source, std::span<TermId> ids) {
  if (source == base_) {
    return ok_status();
  }
  std::vector<TermId> missing;
  const auto translate = [&]() WEFT_REQUIRES(mutex_) {
    missing.clear();
    const IdMap& known = to_union_[source];
    for (const TermId id : ids) {
      if (id != kNoTerm && !known.contains(id)) {
        missing.push_back(id);
      }
    }
    if (!missing.empty()) {
      return;
    }
    for (TermId& id : ids) {
      if (id != kNoTerm) {
        id = known.find(id)->second;
      }
    }
  };
  {
    const base::MutexLock lock(mutex_);
    translate();
  }
  if (missing.empty()) {
    return ok_status();
  }
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  const std::vector<TermId> asked = missing;
  std::vector<std::string> tokens;
  WEFT_TRY_STATUS(sources_[source]->tokens(asked, tokens));
  for (std::string& token : tokens) {
    std::string scoped;
    append_named(scoped, token, source);
    token = std::move(scoped);
  }
  std::vector<TermId> found;
  WEFT_TRY_STATUS(intern(tokens, found));
  const base::MutexLock lock(mutex_);
  pair_count_ += 2 * asked.size();
  WEFT_TRY_STATUS(cover());
  for (size_t i = 0; i < asked.size(); ++i) {
    to_union_[source].emplace(asked[i], found[i]);
    to_local_[source].emplace(found[i], asked[i]);
  }
  translate();
  return ok_status();
}

Status UnionTerms::ask_source(size_t source, std::span<const TermId> missing,
                              std::vector<TermId>& local) {
  std::vector<std::string> named;
  WEFT_TRY_STATUS(tokens(missing, named));
  std::vector<std::string> called(named.size());
  std::vector<std::string_view> asked;
  std::vector<size_t> places;
  for (size_t i = 0; i < named.size(); ++i) {
    if (append_called(called[i], named[i], source)) {
      asked.push_back(called[i]);
      places.push_back(i);
    }
  }
  std::vector<TermId> found;
  WEFT_TRY_STATUS(sources_[source]->find(asked, found));
  local.assign(missing.size(), kNoTerm);
  for (size_t i = 0; i < places.size(); ++i) {
    local[places[i]] = found[i];
  }
  return ok_status();
}

Status UnionTerms::to_local(size_t source, std::span<const TermId> ids,
                            std::vector<TermId>& local) {
  local.assign(ids.begin(), ids.end());
  if (source == base_) {
    for (TermId& id : local) {
      id = id >= options_.first_foreign ? kNoTerm : id;
    }
    return ok_status();
  }
  std::vector<TermId> missing;
  {
    const base::MutexLock lock(mutex_);
    for (TermId& id : local) {
      if (id == kNoTerm) {
        continue;
      }
      const auto known = to_local_[source].find(id);
      if (known == to_local_[source].end()) {
        missing.push_back(id);
      } else {
        id = known->second;
      }
    }
  }
  if (missing.empty()) {
    return ok_status();
  }
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  std::vector<TermId> found;
  WEFT_TRY_STATUS(ask_source(source, missing, found));
  const base::MutexLock lock(mutex_);
  pair_count_ += missing.size();
  WEFT_TRY_STATUS(cover());
  for (size_t i = 0; i < missing.size(); ++i) {
    to_local_[source].emplace(missing[i], found[i]);
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    local[i] = ids[i] == kNoTerm ? kNoTerm : to_local_[source].find(ids[i])->second;
  }
  return ok_status();
}

// For tokens whose id is still kNoTerm.
Status UnionTerms::find_in_others(std::span<const std::string_view> tokens, std::span<TermId> ids) {
  for (size_t source = 0; source < sources_.size(); ++source) {
    if (source == base_) {
      continue;
    }
    std::vector<std::string> called(tokens.size());
    std::vector<std::string_view> asked;
    std::vector<size_t> places;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (ids[i] == kNoTerm && append_called(called[i], tokens[i], source)) {
        asked.push_back(called[i]);
        places.push_back(i);
      }
    }
    std::vector<TermId> found;
    WEFT_TRY_STATUS(sources_[source]->find(asked, found));
    WEFT_TRY_STATUS(to_union(source, found));
    for (size_t i = 0; i < places.size(); ++i) {
      ids[places[i]] = found[i];
    }
  }
  return ok_status();
}

Status UnionTerms::find(std::span<const std::string_view> tokens, std::vector<TermId>& ids) {
  std::vector<std::string> called(tokens.size());
  std::vector<std::string_view> asked;
  std::vector<size_t> places;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (append_called(called[i], tokens[i], base_)) {
      asked.push_back(called[i]);
      places.push_back(i);
    }
  }
  std::vector<TermId> in_base;
  WEFT_TRY_STATUS(sources_[base_]->find(asked, in_base));
  std::vector<TermId> found(tokens.size(), kNoTerm);
  for (size_t i = 0; i < places.size(); ++i) {
    found[places[i]] = in_base[i];
  }
  WEFT_TRY_STATUS(find_in_others(tokens, found));
  ids.insert(ids.end(), found.begin(), found.end());
  return ok_status();
}

Status UnionTerms::tokens(std::span<const TermId> ids, std::vector<std::string>& tokens) {
  std::vector<TermId> of_base;
  for (const TermId id : ids) {
    if (id < options_.first_foreign) {
      of_base.push_back(id);
    }
  }
  std::vector<std::string> base_tokens;
  WEFT_TRY_STATUS(sources_[base_]->tokens(of_base, base_tokens));
  size_t next = 0;
  const base::MutexLock lock(mutex_);
  for (const TermId id : ids) {
    if (id < options_.first_foreign) {
      append_named(tokens.emplace_back(), base_tokens[next++], base_);
      continue;
    }
    if (id - options_.first_foreign >= foreign_.size()) {
      return Error(ErrorKind::kInvalid, "an id that was not given").with("id", std::to_string(id));
    }
    tokens.push_back(foreign_[id - options_.first_foreign]);
  }
  return ok_status();
}

}  // namespace weft::exec
