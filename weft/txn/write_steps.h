// Steps that a write takes, alone (write.cc) or with others (group_write.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/catalog/catalog.h"
#include "weft/txn/write.h"

namespace weft::txn {

// The newest version; nothing: there is no graph. Where the place knows one it is asked in one call
// whether that still is the newest and which of the tables `keys` still have their pins at the head
// (`pinned_heads`).
struct Beginning {
  std::optional<catalog::CatalogView> view;
  std::vector<std::string> pinned_heads;
};
Result<Beginning> begin_write(const catalog::CatalogPlace& place,
                              const std::vector<std::string>& keys);
Result<std::optional<catalog::CatalogView>> open_if_any(const catalog::CatalogPlace& place);

// Whether somebody may have done this before the first attempt: by an operation that was given, or
// under a key.
bool may_be_repeated(const WriteRequest& request);
// The receipt of this operation, or of this request's key, if its commit is there (T3).
Result<std::optional<Receipt>> find_earlier(const catalog::CatalogPlace& place,
                                            const catalog::CatalogView& view, base::Ulid operation,
                                            const WriteRequest& request, uint64_t attempts);
Status check_key_length(const WriteRequest& request);
// Errors: kConflict, reason=idempotency-key: the same key with another request.
Status check_same_request(const catalog::CommitRecord& commit, const WriteRequest& request);

// Whether nothing but rebases, which change no rows, came after that version.
Result<bool> has_only_rebases(const catalog::CatalogView& view, uint64_t version);
Error read_set_changed(const catalog::CatalogView& view);
Error contention(uint64_t attempts);

// When a write began, by the clock that nobody sets; it counts while the machine sleeps.
int64_t began_of(const catalog::CatalogPlace& place, const WriteRequest& request);
// Errors: kUnavailable, reason=writer-lifetime.
Status check_lifetime(const catalog::CatalogPlace& place, int64_t began_us);

// The commit of a request, behind `before` (null: the first).
catalog::CommitRecord next_commit(const catalog::CatalogPlace& place, const WriteRequest& request,
                                  base::Ulid operation, const catalog::CommitRecord* before);
// Puts a table's new pin where it belongs.
void set_pin(catalog::CatalogState& state, const TableChange& change, const catalog::TablePin& pin);

// A commit of its own: a pin's change upon the version that has its number, or a later one.
Status rebase_table(const catalog::CatalogPlace& place, const std::string& actor,
                    const std::string& key);

// The one place from which commits are published: of one writer or of several.
Result<catalog::PublishResult> publish_commits(const catalog::CatalogPlace& place,
                                               const catalog::StagedPublication& staged);

// Brings the heads of what was published to their numbers, and remembers them. False: not all.
// What fails here is done by whoever writes the table next: the commit stands. Not for a write that
// is older than its lifetime: its branch may have ended and been taken since.
struct PublishedTable {
  catalog::TableIdentity identity;
  const lance::StagedTransaction* staged = nullptr;
};
lance::NextObjects heads_of(const std::vector<PublishedTable>& tables);
bool follow_published(const catalog::CatalogPlace& place, const catalog::CatalogView& view,
                      const std::vector<PublishedTable>& tables);

}  // namespace weft::txn
