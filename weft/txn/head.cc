#include "weft/txn/head.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/planted.h"
#include "weft/catalog/fork.h"
#include "weft/catalog/known_state.h"
#include "weft/codec/blake3.h"
#include "weft/lance/rows/same_values.h"
#include "weft/lance/table/kept_copies.h"
#include "weft/lance/table/live_rows.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/names.h"
#include "weft/lance/table/refs.h"
#include "weft/lance/table/stage.h"
#include "weft/storage/which_exist.h"
#include "weft/txn/write.h"

namespace weft::txn {
namespace {

using base::Bug;
using base::planted;
using catalog::TableEntry;

constexpr std::string_view kRefsFolder = "_refs/";
// With a writer's lifetime less than what a cleanup spares, which is two.
constexpr int64_t kGuardPeriodUs = kWriterLifetimeUs / 2;

Result<bool> exists(storage::ObjectStore& store, const std::string& name) {
  const auto opened = store.open(name);
  if (opened.ok()) {
    return true;
  }
  return opened.error().kind() == ErrorKind::kNotFound ? Result<bool>(false)
                                                       : Result<bool>(opened.error());
}

// What others have taken away, or a part of it.
bool is_gone(const Error& error) {
  return error.kind() == ErrorKind::kNotFound || error.kind() == ErrorKind::kCorrupt;
}

enum class Number : uint8_t { kPinned, kTaken, kGone };

// Who has the number of the pin, once it was followed if nothing stands there and above. A head
// that a cleanup removed together with versions above it leaves no gap to be seen from below, so
// that the newest one is looked for before.
Result<Number> follow_pin(const catalog::CatalogPlace& place,
                          const lance::Snapshot& catalog_version, const TableEntry& table) {
  const lance::TableLocation location = catalog::location_of(place, table);
  const std::string head_name = location.object(lance::manifest_name(table.pin.head_version));
  if (place.known != nullptr && place.known->was_numbered(table)) {
    WEFT_TRY(const bool is_there, exists(place.store, head_name));
    if (is_there) {
      return Number::kPinned;
    }
  }
  const auto head = place.store.get(head_name, lance::kManifestFileBytesMax);
  if (head.ok()) {
    const bool is_pin = codec::to_hex(codec::blake3_16(head->bytes.view())) == table.pin.head_hash;
    return is_pin ? Number::kPinned : Number::kTaken;
  }
  if (head.error().kind() != ErrorKind::kNotFound) {
    return head.error();
  }
  WEFT_TRY(const lance::VersionList list, lance::list_versions(location));
  if (!list.versions.empty() && list.versions.back().version > table.pin.head_version) {
    return Number::kGone;
  }
  if (!catalog_version.is_durable()) {
    // Seen is not yet durable: else the head could outlive what published it.
    WEFT_TRY_STATUS(place.store.sync_existing({catalog_version.location().object(
        lance::manifest_name(catalog_version.version(), catalog_version.naming()))}));
  }
  WEFT_TRY(const lance::FollowResult followed,
           lance::follow(location, table.pin.detached_version, table.pin.head_version));
  return followed.outcome == lance::FollowOutcome::kTaken ? Number::kTaken : Number::kPinned;
}

// Whether a version stands above the pin's. The next number tells, but where a tag or a native
// branch has kept the pin's version from a cleanup that removed the ones above it up to the newest.
// Refs that are older than the version cannot have.
Result<bool> is_beyond(const catalog::CatalogPlace& place, const lance::TableLocation& location,
                       const lance::Snapshot& pinned, bool is_thorough) {
  const uint64_t number = pinned.version();
  WEFT_TRY(const bool has_next,
           exists(place.store, location.object(lance::manifest_name(number + 1))));
  if (has_next) {
    return true;
  }
  const auto& stamp = pinned.manifest().timestamp;
  const int64_t made_us = stamp ? lance::to_wall_time(*stamp).microseconds : 0;
  if (!is_thorough && place.clock.now().microseconds - made_us < kFreshHeadUs) {
    return false;
  }
  WEFT_TRY(const std::vector<storage::ObjectInfo> refs,
           place.store.list(lance::join_name(location.root, kRefsFolder)));
  const bool may_be_kept = std::ranges::any_of(refs, [&](const storage::ObjectInfo& ref) {
    return ref.modified.microseconds >= made_us - catalog::kClockSkewMaxUs;
  });
  if (!may_be_kept) {
    return false;
  }
  WEFT_TRY(const lance::VersionList list, lance::list_versions(location));
  return !list.versions.empty() && list.versions.back().version > number;
}

bool is_harmless(const lance::Operation& operation) {
  return std::holds_alternative<lance::CreateIndexOperation>(operation) ||
         std::holds_alternative<lance::RewriteOperation>(operation) ||
         std::holds_alternative<lance::ReserveOperation>(operation) ||
         std::holds_alternative<lance::UpdateConfigOperation>(operation);
}

// What the versions of others, from `first` to `last`, say that they did.
struct Testimony {
  bool is_complete = true;  // every version says so
  uint64_t harmful_version = 0;
  std::string harmful_operation;
};

Result<Testimony> hear(const lance::TableLocation& location, uint64_t first, uint64_t last) {
  Testimony heard;
  if (last - first >= kForeignTransactionsMax) {
    heard.is_complete = false;
    first = last - kForeignTransactionsMax + 1;
  }
  for (uint64_t number = first; number <= last; ++number) {
    const auto version = lance::open_version(location, number);
    if (!version.ok()) {
      if (!is_gone(version.error())) {
        return version.error();
      }
      heard.is_complete = false;
      continue;
    }
    WEFT_TRY(const std::optional<lance::Transaction> transaction, version->transaction());
    if (!transaction) {
      heard.is_complete = false;
    } else if (!is_harmless(transaction->operation)) {
      heard.harmful_version = number;
      heard.harmful_operation = lance::operation_name(transaction->operation);
      return heard;
    }
  }
  return heard;
}

Status add_file_names(const lance::Snapshot& version, const lance::Fragment& fragment,
                      std::vector<std::string>& names) {
  for (const lance::DataFile& file : fragment.files) {
    WEFT_TRY(names.emplace_back(), version.data_file_name(file));
  }
  if (fragment.deletion_file) {
    WEFT_TRY(names.emplace_back(), version.deletion_name(fragment.id, *fragment.deletion_file));
  }
  return ok_status();
}

bool has_fragment(const lance::Snapshot& snapshot, const lance::Fragment& wanted) {
  return std::ranges::find(snapshot.manifest().fragments, wanted.files, &lance::Fragment::files) !=
         snapshot.manifest().fragments.end();
}

// Whether an operation says that it took this fragment of the version that it went on from.
bool has_taken(const lance::Operation& operation, const lance::Fragment& fragment) {
  const auto has = [&](const std::vector<uint64_t>& ids) {
    return std::ranges::find(ids, fragment.id) != ids.end();
  };
  if (const auto* removal = std::get_if<lance::DeleteOperation>(&operation)) {
    return has(removal->deleted_fragment_ids);
  }
  if (const auto* update = std::get_if<lance::UpdateOperation>(&operation)) {
    return has(update->removed_fragment_ids) ||
           std::ranges::find(update->updated_fragments, fragment.id, &lance::Fragment::id) !=
               update->updated_fragments.end();
  }
  if (const auto* rewrite = std::get_if<lance::RewriteOperation>(&operation)) {
    return std::ranges::any_of(rewrite->groups, [&](const lance::RewriteGroup& group) {
      return std::ranges::find(group.old_fragments, fragment.files, &lance::Fragment::files) !=
             group.old_fragments.end();
    });
  }
  return std::holds_alternative<lance::OverwriteOperation>(operation) ||
         std::holds_alternative<lance::MergeOperation>(operation) ||
         std::holds_alternative<lance::DataReplacementOperation>(operation);
}

// Whether the version under the next number went on from this one: it is younger, and has its
// fragments but for those that it says it took. A number alone does not tell: where a cleanup left
// a gap below versions of others, ours may have come to stand in it later.
Result<bool> is_followed_by_next(const lance::Snapshot& from) {
  const auto next = lance::open_version(from.location(), from.version() + 1, from.naming());
  if (!next.ok()) {
    return is_gone(next.error()) ? Result<bool>(false) : Result<bool>(next.error());
  }
  const auto& before = from.manifest().timestamp;
  const auto& after = next->manifest().timestamp;
  if (before && after && lance::to_wall_time(*after) < lance::to_wall_time(*before)) {
    return false;
  }
  WEFT_TRY(const std::optional<lance::Transaction> transaction, next->transaction());
  return std::ranges::all_of(from.manifest().fragments, [&](const lance::Fragment& fragment) {
    return has_fragment(*next, fragment) ||
           (transaction && has_taken(transaction->operation, fragment));
  });
}

// Whether a fragment that `version` has and `before` has not is one of `later` too.
bool has_news_of(const lance::Snapshot& version, const std::optional<lance::Snapshot>& before,
                 const lance::Snapshot& later) {
  return std::ranges::any_of(version.manifest().fragments, [&](const lance::Fragment& fragment) {
    return has_fragment(later, fragment) && !(before && has_fragment(*before, fragment));
  });
}

// What the versions of others went on from: the pin, or what it was staged upon if others have its
// number. Nothing if that cannot be told any more.
Result<std::optional<lance::Snapshot>> begun_from(const catalog::CatalogPlace& place,
                                                  const TableEntry& table,
                                                  const lance::Snapshot& pinned, Number who,
                                                  const lance::Snapshot& head) {
  WEFT_TRY(std::optional<lance::Snapshot> base, catalog::open_pin_base(place, table));
  if (who != Number::kTaken) {
    WEFT_TRY(const bool is_followed, is_followed_by_next(pinned));
    return is_followed || has_news_of(pinned, base, head) ? std::optional(pinned)
                                                          : std::optional<lance::Snapshot>();
  }
  if (base) {
    // Under its own number, not that of its detached copy.
    std::string bytes;
    WEFT_TRY(bytes, lance::with_version(base->file().view(), table.pin.head_version - 1));
    WEFT_TRY(base, lance::Snapshot::from_bytes(
                       base->location(), storage::Buffer::from(std::move(bytes)), base->naming()));
    WEFT_TRY(const bool is_followed, is_followed_by_next(*base));
    if (is_followed) {
      return base;
    }
  }
  return std::optional<lance::Snapshot>();
}

// Whether the newest version of others has the rows of the pin. Who went on from what the pin was
// staged upon, and not from the pin, may have given its row ids and its number to rows of his own.
Result<bool> has_rows_of_pin(const lance::Snapshot& head, const lance::Snapshot& pinned, Number who,
                             bool is_complete) {
  if (who == Number::kTaken) {
    return false;
  }
  bool is_followed = false;
  if (who == Number::kPinned) {
    WEFT_TRY(is_followed, is_followed_by_next(pinned));
  }
  const lance::RowTraits traits =
      is_followed && is_complete ? lance::RowTraits::kIds : lance::RowTraits::kIdsAndVersions;
  WEFT_TRY(const bool has_rows, lance::has_same_rows(head, pinned, traits));
  if (!has_rows || is_followed) {
    return has_rows;
  }
  WEFT_TRY(const bool is_all, replaces_all(pinned));
  return lance::has_same_values(
      pinned, head, is_all ? std::optional<uint64_t>() : std::optional(pinned.version()));
}

}  // namespace

Result<bool> replaces_all(const lance::Snapshot& pinned) {
  WEFT_TRY(const std::optional<lance::Transaction> transaction, pinned.transaction());
  return !transaction || std::holds_alternative<lance::OverwriteOperation>(transaction->operation);
}

Result<HeadProbe> probe_heads(const catalog::CatalogPlace& place,
                              const std::vector<const TableEntry*>& tables,
                              const catalog::CatalogView* newer) {
  HeadProbe probe;
  probe.is_pinned.resize(tables.size(), false);
  std::vector<std::string> names;
  std::vector<size_t> asked;
  for (size_t i = 0; i < tables.size(); ++i) {
    if (place.known != nullptr && place.known->was_head(*tables[i])) {
      const lance::TableLocation location = catalog::location_of(place, *tables[i]);
      const uint64_t number = tables[i]->pin.head_version;
      names.push_back(location.object(lance::manifest_name(number)));
      names.push_back(location.object(lance::manifest_name(number + 1)));
      asked.push_back(i);
    }
  }
  if (newer != nullptr) {
    names.push_back(newer->chain().object(lance::manifest_name(newer->version() + 1)));
  }
  if (names.empty()) {
    return probe;
  }
  WEFT_TRY(const std::vector<bool> there, storage::which_exist(place.store, names));
  for (size_t i = 0; i < asked.size(); ++i) {
    probe.is_pinned[asked[i]] = there[2 * i] && !there[2 * i + 1];
  }
  probe.has_newer = newer != nullptr && there.back();
  return probe;
}

Result<HeadReport> examine_head(const catalog::CatalogPlace& place,
                                const lance::Snapshot& catalog_version, const TableEntry& table,
                                const lance::Snapshot& pinned, bool is_thorough) {
  const lance::TableLocation location = catalog::location_of(place, table);
  const uint64_t number = table.pin.head_version;
  WEFT_TRY(const Number who, follow_pin(place, catalog_version, table));
  HeadReport report;
  if (who == Number::kPinned) {
    WEFT_TRY(const bool has_later, is_beyond(place, location, pinned, is_thorough));
    if (!has_later) {
      if (place.known != nullptr) {
        place.known->note_head(table);
      }
      return report;
    }
  }
  WEFT_TRY(report.head, lance::open_latest(location));
  const uint64_t first = who == Number::kPinned ? number + 1 : number;
  WEFT_TRY(Testimony heard, hear(location, first, report.head->version()));
  report.state = HeadState::kOtherRows;
  report.other_version = heard.harmful_version;
  report.other_operation = std::move(heard.harmful_operation);
  report.first_version = first;
  if (planted(Bug::kSameRowsByCount) &&
      report.head->manifest().row_count() == pinned.manifest().row_count()) {
    report.state = HeadState::kSameRows;
    return report;
  }
  if (report.other_version != 0) {
    WEFT_TRY(report.base, begun_from(place, table, pinned, who, *report.head));
    return report;
  }
  WEFT_TRY(const bool has_pinned, has_rows_of_pin(*report.head, pinned, who, heard.is_complete));
  if (has_pinned) {
    report.state = HeadState::kSameRows;
    return report;
  }
  WEFT_TRY(report.base, catalog::open_pin_base(place, table));
  if (report.base && !(planted(Bug::kTakenByNumber) && report.head->version() != number)) {
    // What the others say counts from the pin's number on.
    const lance::RowTraits traits = who == Number::kTaken && heard.is_complete
                                        ? lance::RowTraits::kIds
                                        : lance::RowTraits::kIdsAndVersions;
    const auto has_base = lance::has_same_rows(*report.head, *report.base, traits);
    if (has_base.ok()) {
      report.state = *has_base ? HeadState::kTaken : HeadState::kOtherRows;
    } else if (is_gone(has_base.error())) {
      // A cleanup of others has taken files that it needs.
      report.base.reset();
      report.other_version = report.head->version();
      return report;
    } else {
      return has_base.error();
    }
  }
  if (report.state == HeadState::kOtherRows) {
    report.other_version = report.head->version();
    WEFT_TRY(report.base, begun_from(place, table, pinned, who, *report.head));
  }
  return report;
}

Status sync_others(const catalog::CatalogPlace& place, const lance::Snapshot& version,
                   const lance::Snapshot& pinned) {
  std::vector<std::string> names = {
      version.location().object(lance::manifest_name(version.version(), version.naming()))};
  for (const lance::Fragment& fragment : version.manifest().fragments) {
    const lance::Fragment* const known = pinned.manifest().find_fragment(fragment.id);
    if (known == nullptr || !(*known == fragment)) {
      WEFT_TRY_STATUS(add_file_names(version, fragment, names));
    }
  }
  Status synced = place.store.sync_existing(names);
  if (synced.ok() || synced.error().kind() != ErrorKind::kNotFound) {
    return synced;
  }
  // An engine's cleanup knows nothing of versions that are only published, and took deletion files
  // of ours; there are copies.
  WEFT_TRY_STATUS(lance::restore_kept(version));
  return place.store.sync_existing(names);
}

Result<std::string> guard_version(const catalog::CatalogPlace& place,
                                  const lance::Snapshot& version, const lance::Snapshot& pinned,
                                  std::string_view prefix) {
  WEFT_TRY_STATUS(sync_others(place, version, pinned));
  // One name for one content and period, so that several writers, or attempts of one, leave one
  // branch, and nobody takes one for his own that is so old that a cleanup may be taking it.
  const std::string hash = codec::to_hex(codec::blake3_16(version.file().view()));
  const int64_t period = place.clock.now().microseconds / kGuardPeriodUs;
  std::string name = std::string(prefix) + std::to_string(version.version()) + "." +
                     hash.substr(0, 16) + "." + std::to_string(period);
  lance::TableLocation table = version.location();
  table.branch.clear();
  const auto there = lance::find_branch(table, name);
  if (there.ok()) {
    return name;
  }
  if (there.error().kind() != ErrorKind::kNotFound) {
    return there.error();
  }
  // The same bytes by whoever makes it, so that several may at once. Its ref comes last.
  const auto& stamp = version.manifest().timestamp;
  WEFT_TRY(
      catalog::Fork guard,
      catalog::beginning_of(version, name, stamp ? lance::to_wall_time(*stamp) : base::WallTime()));
  const lance::StagedObject ref = std::move(guard.objects.back());
  guard.objects.pop_back();
  WEFT_TRY_STATUS(lance::put_staged(place.store, guard.objects));
  WEFT_TRY_STATUS(lance::put_staged(place.store, {ref}));
  return name;
}

}  // namespace weft::txn
