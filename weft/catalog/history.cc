// The commits of a version of the catalog, and those that its head comes from.
#include <algorithm>
#include <utility>

#include "weft/catalog/catalog.h"
#include "weft/catalog/fragments.h"

namespace weft::catalog {
namespace {

// The commits that the head comes from, newest first and itself first, until `take` says false.
// Others in the fragments shared a version with one of them and came after it.
template <typename Take>
Status walk_back(const CatalogView& view, Take take) {
  WEFT_TRY(const Fragments fragments, sort_fragments(view.snapshot()));
  std::optional<base::Ulid> next = view.state().head.id;
  for (auto fragment = fragments.commits.rbegin(); fragment != fragments.commits.rend();
       ++fragment) {
    WEFT_TRY(const auto batches, read_fragments(view.snapshot(), {*fragment}));
    for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
      WEFT_TRY(std::vector<CommitRecord> found, parse_commits(*batch));
      for (auto commit = found.rbegin(); commit != found.rend(); ++commit) {
        if (commit->id != next) {
          continue;
        }
        next = commit->parent;
        if (!take(std::move(*commit)) || !next.has_value()) {
          return ok_status();
        }
      }
    }
  }
  return ok_status();
}

}  // namespace

Result<std::vector<CommitRecord>> CatalogView::commits(uint64_t limit) const {
  std::vector<CommitRecord> commits;
  if (limit > 0) {
    WEFT_TRY_STATUS(walk_back(*this, [&](CommitRecord&& commit) {
      commits.push_back(std::move(commit));
      return commits.size() < limit;
    }));
  }
  return commits;
}

Result<std::vector<CommitRecord>> CatalogView::commits_since(uint64_t version) const {
  WEFT_TRY(Fragments fragments, sort_fragments(snapshot_));
  std::vector<CommitRecord> commits;
  bool is_older = false;
  for (auto fragment = fragments.commits.rbegin();
       fragment != fragments.commits.rend() && !is_older; ++fragment) {
    WEFT_TRY(const auto batches, read_fragments(snapshot_, {*fragment}));
    for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
      WEFT_TRY(std::vector<CommitRecord> found, parse_commits(*batch));
      for (auto commit = found.rbegin(); commit != found.rend(); ++commit) {
        is_older = is_older || commit->catalog_version <= version;
        if (!is_older) {
          commits.push_back(std::move(*commit));
        }
      }
    }
  }
  return commits;
}

namespace {

// The newest commit that is the wanted one, of those since `earliest` and the head.
template <typename IsWanted>
Result<std::optional<CommitRecord>> find_commit(const CatalogView& view, int64_t earliest,
                                                IsWanted is_wanted) {
  const CommitRecord& head = view.state().head;
  if (is_wanted(head)) {
    return std::optional(head);
  }
  std::optional<CommitRecord> found;
  if (head.created_at.microseconds < earliest) {
    return found;
  }
  WEFT_TRY_STATUS(walk_back(view, [&](CommitRecord&& commit) {
    const bool is_late_enough = commit.created_at.microseconds >= earliest;
    if (is_late_enough && is_wanted(commit)) {
      found = std::move(commit);
    }
    return is_late_enough && !found.has_value();
  }));
  return found;
}

}  // namespace

Result<std::optional<CommitRecord>> CatalogView::find_operation(base::Ulid operation) const {
  return find_commit(*this, operation.time().microseconds - kClockSkewMaxUs,
                     [&](const CommitRecord& commit) { return commit.operation == operation; });
}

Result<std::optional<CommitRecord>> CatalogView::find_idempotency_key(
    std::string_view key, base::WallTime earliest) const {
  return find_commit(*this, earliest.microseconds, [&](const CommitRecord& commit) {
    return commit.idempotency_key == key && commit.created_at >= earliest;
  });
}

}  // namespace weft::catalog
