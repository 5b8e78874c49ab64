#include "weft/txn/capture.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/base/planted.h"
#include "weft/catalog/fork.h"
#include "weft/lance/rows/carry_over.h"
#include "weft/lance/table/next_manifest.h"
#include "weft/txn/head.h"

namespace weft::txn {
namespace {

using base::Bug;
using base::planted;
using catalog::CatalogView;
using catalog::TableEntry;

constexpr std::string_view kForeignVersion = "foreign-version";
constexpr uint64_t kHeldBytesMax = uint64_t{1} << 20U;

Error foreign_version(const TableEntry& table, const HeadReport& report) {
  Error error(ErrorKind::kConflict,
              "another program has changed rows of this table; nothing was changed: see "
              "weft repair --plan, then --adopt or --discard");
  error = std::move(error)
              .with("table", table.key)
              .with("path", table.path)
              .with("version",
                    report.other_version != 0 ? report.other_version : report.head->version());
  if (!report.other_operation.empty()) {
    error = std::move(error).with("operation", report.other_operation);
  }
  return std::move(error).with("reason", kForeignVersion);
}

Error stale_capture() {
  return Error(ErrorKind::kConflict, "the graph has changed since this write has read it")
      .with("reason", kStaleCapture);
}

}  // namespace

Capture::Capture(const catalog::CatalogPlace& place, std::optional<CatalogView> view,
                 base::Ulid operation, uint64_t attempt)
    : place_(place), view_(std::move(view)), operation_(operation), attempt_(attempt) {}

Result<const TableEntry*> Capture::entry(std::string_view key) const {
  const TableEntry* const found = view_ ? view_->state().find(key) : nullptr;
  if (found == nullptr) {
    return Error(ErrorKind::kNotFound, "the graph has no such table").with("table", key);
  }
  return found;
}

Status Capture::check_is_newest() const {
  WEFT_TRY(const CatalogView now, catalog::open_latest_after(*view_));
  return now.version() == view_->version() ? ok_status() : Status(stale_capture());
}

Result<lance::Snapshot> Capture::table(std::string_view key) {
  WEFT_TRY(lance::Snapshot version, find_version(key));
  captured_.insert_or_assign(std::string(key), version);
  return version;
}

const lance::Snapshot* Capture::captured(std::string_view key) const {
  const auto found = captured_.find(key);
  return found == captured_.end() ? nullptr : &found->second;
}

Result<lance::Snapshot> Capture::find_version(std::string_view key) {
  if (const auto staged = staged_.find(key); staged != staged_.end()) {
    return staged->second;
  }
  WEFT_TRY(const TableEntry* const found, entry(key));
  WEFT_TRY(lance::Snapshot pinned, catalog::open_pinned(place_, *found));
  if (found->pin.ref != place_.life && !planted(Bug::kForkSkipped)) {
    return fork(key, pinned);
  }
  if (std::ranges::find(pinned_heads_, key) != pinned_heads_.end()) {
    return pinned;
  }
  WEFT_TRY(const HeadProbe probe, probe_heads(place_, {found}, nullptr));
  if (probe.is_pinned.front()) {
    return pinned;
  }
  WEFT_TRY(const HeadReport report, examine_head(place_, view_->snapshot(), *found, pinned));
  if (report.state == HeadState::kPinned) {
    return pinned;
  }
  // A head beyond the pin is another program's only if no later commit of the graph has made it.
  WEFT_TRY_STATUS(check_is_newest());
  switch (report.state) {
    case HeadState::kTaken:
      if (planted(Bug::kNoRebase)) {
        return foreign_version(*found, report);
      }
      return Error(ErrorKind::kConflict, "the number of a version was taken")
          .with("reason", kToBeRebased)
          .with("table", key);
    case HeadState::kOtherRows:
      if (!planted(Bug::kOverForeignRows)) {
        return foreign_version(*found, report);
      }
      [[fallthrough]];
    default: {
      auto onto = stand_upon(key, *report.head, pinned, kKeepPrefix);
      // Files that it names are gone: nothing can be built upon it, and a repair discards it.
      return !onto.ok() && onto.error().kind() == ErrorKind::kNotFound
                 ? Result<lance::Snapshot>(foreign_version(*found, report))
                 : std::move(onto);
    }
  }
}

Result<lance::Snapshot> Capture::fork(std::string_view key, const lance::Snapshot& pinned) {
  WEFT_TRY(catalog::Fork fork, catalog::fork_of(place_, pinned));
  std::ranges::move(fork.objects, std::back_inserter(objects_));
  WEFT_TRY_STATUS(keep_base(key, fork.snapshot));
  return std::move(fork.snapshot);
}

Status Capture::keep_base(std::string_view key, const lance::Snapshot& version) {
  WEFT_TRY(catalog::DetachedCopy copy, catalog::detached_copy(version, place_.random));
  bases_.insert_or_assign(std::string(key), std::move(copy.as));
  objects_.push_back(std::move(copy.object));
  return ok_status();
}

Result<std::string> Capture::guard(const lance::Snapshot& newest, const lance::Snapshot& pinned,
                                   std::string_view prefix) {
  auto name = guard_version(place_, newest, pinned, prefix);
  if (!name.ok() && name.error().kind() != ErrorKind::kNotFound) {
    return name;
  }
  WEFT_TRY(const lance::VersionList list, lance::list_versions(newest.location()));
  if (list.versions.empty() || list.versions.back().version != newest.version()) {
    return stale_capture();
  }
  return name;
}

Result<lance::Snapshot> Capture::stand_upon(std::string_view key, lance::Snapshot version,
                                            const lance::Snapshot& pinned,
                                            std::string_view guard_prefix) {
  if (!planted(Bug::kNoGuard)) {
    WEFT_TRY(const std::string name, guard(version, pinned, guard_prefix));
    static_cast<void>(name);
  }
  WEFT_TRY_STATUS(keep_base(key, version));
  version.set_durable();
  return version;
}

Result<Change> Capture::rebase(const std::string& key) {
  WEFT_TRY(const TableEntry* const found, entry(key));
  WEFT_TRY(const lance::Snapshot pinned, catalog::open_pinned(place_, *found));
  WEFT_TRY(HeadReport report, examine_head(place_, view_->snapshot(), *found, pinned));
  if (report.state != HeadState::kTaken) {
    return stale_capture();
  }
  // What does not descend from its base (a repair's pin), or is no small change of it, comes back
  // whole. Rows of others may have been discarded by it, and are again.
  WEFT_TRY(bool is_whole, replaces_all(pinned));
  const auto onto =
      stand_upon(key, *report.head, pinned, is_whole ? kDiscardedPrefix : kKeepPrefix);
  if (!onto.ok()) {
    return onto.error().kind() == ErrorKind::kNotFound ? foreign_version(*found, report)
                                                       : onto.error();
  }
  Change change;
  TableChange& table = change.tables.emplace_back();
  table.key = key;
  table.identity = found->identity;
  auto carried = is_whole ? Result<lance::StagedTransaction>(lance::StagedTransaction())
                          : lance::stage_carried_over(*onto, *report.base, pinned, stage_options());
  is_whole = is_whole || (!carried.ok() && carried.error().kind() == ErrorKind::kUnsupported);
  if (is_whole) {
    WEFT_TRY(lance::Snapshot restored, lance::restored_under(*onto, pinned));
    carried =
        lance::Stage(std::move(restored), repair_options().stage).finish(lance::UpdateOperation());
  }
  WEFT_TRY(table.staged, std::move(carried));
  return change;
}

Result<Capture::Standing> Capture::examine(std::string_view key) {
  WEFT_TRY(const TableEntry* const found, entry(key));
  WEFT_TRY(lance::Snapshot pinned, catalog::open_pinned(place_, *found));
  // What a branch has not written yet has no native branch, and so no rows of others.
  HeadReport report;
  if (found->pin.ref == place_.life) {
    WEFT_TRY(report, examine_head(place_, view_->snapshot(), *found, pinned, true));
  }
  if (report.state != HeadState::kPinned) {
    WEFT_TRY_STATUS(check_is_newest());
    const Status synced = sync_others(place_, *report.head, pinned);
    if (!synced.ok() && synced.error().kind() != ErrorKind::kNotFound) {
      return synced.error();
    }
    if (!synced.ok() && report.state != HeadState::kOtherRows) {
      // Nobody can build upon it, whatever rows it says that it has.
      report.state = HeadState::kOtherRows;
      report.base.reset();
      report.first_version = found->pin.head_version;
    }
  }
  return Standing{std::move(pinned), std::move(report)};
}

Result<lance::Snapshot> Capture::table_over(std::string_view key, const Standing& standing) {
  const lance::Snapshot& head = *standing.report.head;
  WEFT_TRY(lance::Snapshot restored, lance::restored_under(head, standing.pinned));
  WEFT_TRY_STATUS(keep_base(key, head));
  restored.set_durable();
  return restored;
}

lance::RowOptions Capture::repair_options() const {
  lance::RowOptions options = row_options();
  options.stage.says_overwrite = true;
  return options;
}

catalog::DetachedVersion Capture::base_of(std::string_view key) const {
  const auto adopted = bases_.find(key);
  if (adopted != bases_.end()) {
    return adopted->second;
  }
  const TableEntry* const known = view_ ? view_->state().find(key) : nullptr;
  return known == nullptr
             ? catalog::DetachedVersion()
             : catalog::DetachedVersion{known->pin.detached_version, known->pin.detached_hash};
}

lance::StageOptions Capture::stage_options() const {
  lance::StageOptions options;
  options.operation = operation_.text() + "-" + std::to_string(attempt_);
  options.clock = &place_.clock;
  options.random = &place_.random;
  options.keep_copies = true;
  return options;
}

lance::RowOptions Capture::row_options() const {
  lance::RowOptions options;
  options.stage = stage_options();
  options.write.executor = &place_.executor;
  options.write.held_bytes_max = kHeldBytesMax;
  return options;
}

}  // namespace weft::txn
