// What one attempt of a write stands on, and what it stages. See write.h.
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
#include "weft/txn/head.h"

namespace weft::txn {

// Reasons of errors that write() answers by starting over.
inline constexpr std::string_view kStaleCapture = "stale-capture";
inline constexpr std::string_view kToBeRebased = "to-be-rebased";

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
  // For repairs: what stands at the head of a table, whatever it is. Nothing is built upon it.
  // Errors: kNotFound; stale captures, as table(); kCorrupt.
  struct Standing {
    lance::Snapshot pinned;
    HeadReport report;
  };
  Result<Standing> examine(std::string_view key);
  // The published rows as if they stood under the number of others' newest version: what is staged
  // upon that with repair_options() becomes the version above it, and its pin takes that version
  // for its base.
  Result<lance::Snapshot> table_over(std::string_view key, const Standing& standing);
  lance::RowOptions repair_options() const;

  // Keeps the newest version of others from an engine's cleanup (guard_version). One that listed
  // the table's versions before the guard was there has spared the newest: so the guard holds if
  // that was still the newest afterwards; else the capture is stale. kNotFound: some of it is gone
  // already.
  Result<std::string> guard(const lance::Snapshot& newest, const lance::Snapshot& pinned,
                            std::string_view prefix);

  // For whatever is staged in this attempt: names that nothing else has, copies kept.
  lance::StageOptions stage_options() const;
  // The same with small files of rows held back, to be put with all else under one barrier.
  lance::RowOptions row_options() const;

  // For write() itself. Heads of these tables need no look: they were seen at their pins just now.
  void set_heads(std::vector<std::string> pinned) { pinned_heads_ = std::move(pinned); }
  // What members of a group before this one have staged, as versions that have the numbers of those
  // that they stand upon (write_queue.h).
  void set_staged(std::map<std::string, lance::Snapshot, std::less<>> staged) {
    staged_ = std::move(staged);
  }
  // What a table's change is staged upon, what is to be put with it, and the
  // change of a pin upon the version that took its number.
  catalog::DetachedVersion base_of(std::string_view key) const;
  const std::vector<lance::StagedObject>& objects() const { return objects_; }
  // What table() gave for a key; null if it was not asked for.
  const lance::Snapshot* captured(std::string_view key) const;
  Result<Change> rebase(const std::string& key);

 private:
  Result<const catalog::TableEntry*> entry(std::string_view key) const;
  Result<lance::Snapshot> find_version(std::string_view key);
  Status check_is_newest() const;
  // The pinned version, of another life, where this branch goes on with it.
  Result<lance::Snapshot> fork(std::string_view key, const lance::Snapshot& pinned);
  Status keep_base(std::string_view key, const lance::Snapshot& version);
  Result<lance::Snapshot> stand_upon(std::string_view key, lance::Snapshot version,
                                     const lance::Snapshot& pinned, std::string_view guard_prefix);

  catalog::CatalogPlace place_;
  std::optional<catalog::CatalogView> view_;
  base::Ulid operation_;
  uint64_t attempt_;
  std::map<std::string, catalog::DetachedVersion, std::less<>> bases_;
  std::vector<lance::StagedObject> objects_;
  std::vector<std::string> pinned_heads_;
  std::map<std::string, lance::Snapshot, std::less<>> staged_;
  std::map<std::string, lance::Snapshot, std::less<>> captured_;
};

}  // namespace weft::txn
