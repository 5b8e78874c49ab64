// The write protocol: capture, prepare, stage, publish, follow. A write is one commit of the graph,
// over any number of tables, and becomes visible by one creation: that of the next version of the
// catalog. Nothing reachable moves before it, so there is nothing to recover after a crash.
//
//     WEFT_TRY(const Receipt receipt, write(place, {.kind = "load", .actor = "ana"},
//         [&](Capture& capture) -> Result<Change> {
//           WEFT_TRY(const lance::Snapshot people, capture.table("node:Person"));
//           … stage upon `people` with capture.stage_options() …
//         }));
//
// T1  The change is visible as a whole or not at all, whatever stops when.
// T2  When write() returns a receipt, the commit and all that it names survive a crash.
// T3  An operation happens once: repeated with the same id, also by another process, it returns the
//     receipt of the first time.
// T4  Whoever loses the publication changes nothing. Work that may be done upon another state
// starts
//     over from the newest one; strict work is told that its reads have changed.
// T5  Heads follow: after the publication each table's version is created under its own number, by
//     whoever comes first, so that other Lance readers see published rows only, in order.
// T5b A branch moves heads of its own life only: what it inherits is forked into a native branch of
//     the table by its first write.
// T6  What another program did to a table without changing rows (compactions, indices) is built
//     upon; where it took the number of a pinned version, that version's change is done again upon
//     it, as a commit that changes no rows. A table of which it changed rows is not built upon: the
//     write is refused and names the version. Other tables are not affected.
// Protocol: docs/protocols/write.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/catalog/catalog.h"
#include "weft/catalog/pinned_table.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/table/stage.h"

namespace weft::txn {

struct TableChange {
  std::string key;
  catalog::TableIdentity identity;  // one that the catalog does not have: the table is new
  lance::StagedTransaction staged;
};
struct Change {
  std::vector<TableChange> tables;
  std::optional<catalog::SchemaPin> schema;  // nothing: as it was
};

// The state that one attempt stands on, and the names of what it stages. Not thread-safe.
class Capture {
 public:
  Capture(const catalog::CatalogPlace& place, std::optional<catalog::CatalogView> view,
          base::Ulid operation, uint64_t attempt);

  // Null while there is no graph yet.
  const catalog::CatalogView* view() const { return view_ ? &*view_ : nullptr; }
  const catalog::CatalogPlace& place() const { return place_; }

  // The version of a table that this write will build upon: the pinned one, its head brought up to
  // date first if the publication's writer did not, or a later one of another program that has the
  // same rows. Errors: kNotFound; kConflict with reason=foreign-version (T6), or one that write()
  // answers by starting over: hand it on; kCorrupt.
  Result<lance::Snapshot> table(std::string_view key);
  // For whatever is staged in this attempt: names that nothing else has, copies kept.
  lance::StageOptions stage_options() const;
  // The same with small files of rows held back, to be put with all else under one barrier.
  lance::RowOptions row_options() const;

  // For write() itself: what a table's change is staged upon, what is to be put with it, and the
  // change of a pin upon the version that took its number.
  catalog::DetachedVersion base_of(std::string_view key) const;
  const std::vector<lance::StagedObject>& objects() const { return objects_; }
  Result<Change> rebase(const std::string& key);

 private:
  Result<const catalog::TableEntry*> entry(std::string_view key) const;
  Status check_is_newest() const;
  // The pinned version, of another life, where this branch goes on with it.
  Result<lance::Snapshot> fork(std::string_view key, const lance::Snapshot& pinned);
  Status keep_base(std::string_view key, const lance::Snapshot& version);
  Result<lance::Snapshot> stand_upon(std::string_view key, lance::Snapshot version,
                                     const lance::Snapshot& pinned);

  catalog::CatalogPlace place_;
  std::optional<catalog::CatalogView> view_;
  base::Ulid operation_;
  uint64_t attempt_;
  std::map<std::string, catalog::DetachedVersion, std::less<>> bases_;
  std::vector<lance::StagedObject> objects_;
};

// The kind of a commit that changes no rows (T6). At most so many behind one another are taken for
// the head that a write expects.
inline constexpr std::string_view kRebaseKind = "rebase";
inline constexpr uint64_t kRebasesMax = 16;

struct WriteRequest {
  // None: a fresh one. To be repeated after kRecoveryRequired, whose fact operation holds it.
  base::Ulid operation = {};
  std::string kind = {};
  std::string actor = {};
  std::string message = {};
  // Another commit in between is kConflict with reason=read-set-changed, instead of a new attempt.
  bool is_strict = false;
  // Another head is kConflict with reason=precondition.
  std::optional<base::Ulid> expected_head = {};
  uint64_t attempts_max = 100;
};

struct Receipt {
  catalog::CommitRecord commit;
  uint64_t attempts = 1;
  // An earlier call with this operation did it.
  bool is_repeated = false;
  // Every head is there. If not, whoever writes the table next follows first.
  bool has_followed = false;
};

// Called once an attempt, on the thread of write().
using Prepare = std::function<Result<Change>(Capture&)>;

// Errors: those of `prepare`; kConflict; kUnavailable with reason=contention after `attempts_max`;
// kRecoveryRequired with fact operation; those of the store, and then nothing was published.
Result<Receipt> write(const catalog::CatalogPlace& place, const WriteRequest& request,
                      const Prepare& prepare);

// The last commit of a branch: its tables and versions stay until a cleanup, and nothing is written
// to it any more. Errors: those of write(); kInvalid: main; kNotFound: it was deleted already.
Result<Receipt> delete_branch(const catalog::CatalogPlace& branch, const WriteRequest& request);

}  // namespace weft::txn
