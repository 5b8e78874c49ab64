#include "weft/txn/write.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/catalog/branches.h"
#include "weft/catalog/fork.h"
#include "weft/lance/rows/carry_over.h"
#include "weft/lance/table/names.h"
#include "weft/txn/head.h"

namespace weft::txn {
namespace {

using catalog::CatalogState;
using catalog::CatalogView;
using catalog::CommitRecord;
using catalog::TableEntry;

constexpr std::string_view kForeignVersion = "foreign-version";
constexpr std::string_view kStaleCapture = "stale-capture";
constexpr std::string_view kToBeRebased = "to-be-rebased";
constexpr uint64_t kHeldBytesMax = uint64_t{1} << 20U;

Error foreign_version(const TableEntry& table, const HeadReport& report) {
  Error error(ErrorKind::kConflict,
              "another program has changed rows of this table; nothing was changed. See `weft "
              "repair`");
  error = std::move(error)
              .with("table", table.key)
              .with("path", table.path)
              .with("version", report.other_version);
  if (!report.other_operation.empty()) {
    error = std::move(error).with("operation", report.other_operation);
  }
  return std::move(error).with("reason", kForeignVersion);
}

Error stale_capture() {
  return Error(ErrorKind::kConflict, "the graph has changed since this write has read it")
      .with("reason", kStaleCapture);
}

Result<std::optional<CatalogView>> open_if_any(const catalog::CatalogPlace& place) {
  Result<CatalogView> opened = catalog::open_latest(place);
  if (opened.ok()) {
    return std::optional(std::move(opened).value());
  }
  return opened.error().kind() == ErrorKind::kNotFound
             ? Result<std::optional<CatalogView>>(std::optional<CatalogView>())
             : Result<std::optional<CatalogView>>(std::move(opened).error());
}

class Writer {
 public:
  Writer(const catalog::CatalogPlace& place, const WriteRequest& request, const Prepare& prepare)
      : place_(place), request_(request), prepare_(prepare) {
    operation_ = request.operation.is_none() ? base::Ulid::make(place.clock.now(), place.random)
                                             : request.operation;
  }

  Result<Receipt> run() {
    WEFT_TRY(view_, open_if_any(place_));
    if (!request_.operation.is_none()) {
      WEFT_TRY(const std::optional<Receipt> earlier, find_earlier(0));
      if (earlier.has_value()) {
        return *earlier;
      }
    }
    for (uint64_t attempt = 1; attempt <= request_.attempts_max; ++attempt) {
      const uint64_t begun = view_ ? view_->version() : 0;
      WEFT_TRY(const std::optional<Receipt> receipt, try_once(attempt));
      if (receipt.has_value()) {
        return *receipt;
      }
      WEFT_TRY(const std::optional<Receipt> earlier, find_earlier(attempt));
      if (earlier.has_value()) {
        return *earlier;
      }
      WEFT_TRY(const bool rows_stand, has_only_rebases(begun));
      if (request_.is_strict && !rows_stand) {
        return Error(ErrorKind::kConflict, "the graph has changed since this write has read it")
            .with("reason", "read-set-changed")
            .with("head", view_->state().head.id.text());
      }
    }
    return Error(ErrorKind::kUnavailable,
                 "others were faster at every attempt; nothing was changed")
        .with("reason", "contention")
        .with("attempts", request_.attempts_max);
  }

 private:
  Result<std::optional<Receipt>> find_earlier(uint64_t attempts) const {
    if (!view_.has_value()) {
      return std::optional<Receipt>();
    }
    WEFT_TRY(const std::optional<CommitRecord> commit, view_->find_operation(operation_));
    if (!commit.has_value()) {
      return std::optional<Receipt>();
    }
    // Seen is not yet durable: whoever published it may not have come to its end.
    const lance::Snapshot& seen = view_->snapshot();
    WEFT_TRY_STATUS(place_.store.sync_existing(
        {seen.location().object(lance::manifest_name(seen.version(), seen.naming()))}));
    return std::optional(Receipt{
        .commit = *commit, .attempts = attempts, .is_repeated = true, .has_followed = false});
  }

  // Whether nothing but rebases, which change no rows, came after that version.
  Result<bool> has_only_rebases(uint64_t version) const {
    const uint64_t now = view_ ? view_->version() : 0;
    if (now == version || !view_) {
      return now == version;
    }
    WEFT_TRY(const std::vector<CommitRecord> commits, view_->commits(now - version));
    return std::ranges::all_of(
        commits, [](const CommitRecord& commit) { return commit.kind == kRebaseKind; });
  }

  // Whether the head is the expected one, or a rebase of it.
  Result<bool> is_expected() const {
    if (!view_) {
      return false;
    }
    if (view_->state().head.id == *request_.expected_head) {
      return true;
    }
    WEFT_TRY(const std::vector<CommitRecord> commits, view_->commits(kRebasesMax));
    for (const CommitRecord& commit : commits) {
      if (commit.id == *request_.expected_head) {
        return true;
      }
      if (commit.kind != kRebaseKind) {
        break;
      }
    }
    return false;
  }

  Status check_precondition() const {
    if (!request_.expected_head.has_value()) {
      return ok_status();
    }
    WEFT_TRY(const bool is_met, is_expected());
    if (is_met) {
      return ok_status();
    }
    return Error(ErrorKind::kConflict, "the head is not the expected one")
        .with("reason", "precondition")
        .with("expected", request_.expected_head->text())
        .with("head", view_ ? view_->state().head.id.text() : "none");
  }

  // Nothing: lost, and `view_` is the newest.
  Result<std::optional<Receipt>> try_once(uint64_t attempt) {
    if (view_) {
      WEFT_TRY_STATUS(catalog::check_goes_on(*view_));
    }
    WEFT_TRY_STATUS(check_precondition());
    Capture capture(place_, view_, operation_, attempt);
    Result<Change> prepared = prepare_(capture);
    if (!prepared.ok()) {
      const std::string reason(prepared.error().fact("reason"));
      if (reason == kToBeRebased) {
        WEFT_TRY_STATUS(rebase(std::string(prepared.error().fact("table"))));
      } else if (reason != kStaleCapture) {
        return std::move(prepared).error();
      }
      WEFT_TRY(view_, open_if_any(place_));
      return std::optional<Receipt>();
    }
    const Change& change = *prepared;
    WEFT_TRY(CatalogState next, next_state(change, capture));
    WEFT_TRY(catalog::StagedPublication staged,
             catalog::stage_publication(place_, capture.view(), std::move(next)));
    join_objects(change, capture, staged);
    WEFT_TRY(const catalog::PublishResult published, catalog::publish(place_, staged));
    view_ = published.view;
    if (published.outcome == catalog::PublishOutcome::kLost) {
      return std::optional<Receipt>();
    }
    Receipt receipt{.commit = view_->state().head, .attempts = attempt};
    receipt.has_followed = follow(change);
    return std::optional(std::move(receipt));
  }

  // The detached versions of all tables, what they name and the catalog's rows go under one
  // barrier.
  static void join_objects(const Change& change, const Capture& capture,
                           catalog::StagedPublication& staged) {
    std::ranges::copy(capture.objects(), std::back_inserter(staged.transaction.objects));
    for (const TableChange& table : change.tables) {
      std::vector<lance::StagedObject> objects = table.staged.objects_detached();
      std::ranges::move(objects, std::back_inserter(staged.transaction.objects));
    }
  }

  Result<CatalogState> next_state(const Change& change, const Capture& capture) {
    CatalogState next = view_ ? view_->state() : CatalogState();
    const CommitRecord before = std::exchange(next.head, CommitRecord());
    next.head.id = base::Ulid::make(place_.clock.now(), place_.random);
    next.head.operation = operation_;
    next.head.kind = request_.kind;
    next.head.actor = request_.actor;
    next.head.message = request_.message;
    next.head.created_at = place_.clock.now();
    if (view_) {
      next.head.parent = before.id;
      next.head.created_at.microseconds =
          std::max(next.head.created_at.microseconds, before.created_at.microseconds + 1);
    }
    if (change.schema.has_value()) {
      next.schema = change.schema;
    }
    for (const TableChange& table : change.tables) {
      WEFT_TRY(const catalog::TablePin pin,
               catalog::pin_of(table.staged, capture.base_of(table.key)));
      const auto known = std::ranges::find(next.tables, table.identity, &TableEntry::identity);
      if (known != next.tables.end()) {
        known->pin = pin;
      } else {
        next.tables.push_back({table.identity, table.key, table.staged.location.root, pin});
      }
    }
    return next;
  }

  // A commit of its own: the pin's change upon the version that has its number, or a later one.
  Status rebase(const std::string& key) {
    const WriteRequest request{.kind = std::string(kRebaseKind), .actor = request_.actor};
    const auto receipt =
        write(place_, request, [&](Capture& capture) { return capture.rebase(key); });
    // Somebody else did it.
    return receipt.ok() || receipt.error().fact("reason") == kStaleCapture ? ok_status()
                                                                           : receipt.error();
  }

  // What fails here is done by whoever writes the table next: the commit stands.
  bool follow(const Change& change) {
    bool all = true;
    for (const TableChange& table : change.tables) {
      const auto followed =
          lance::follow(table.staged.location, table.staged.detached_version, table.staged.version);
      all = all && followed.ok() && followed->outcome != lance::FollowOutcome::kTaken;
    }
    return all;
  }

  const catalog::CatalogPlace& place_;
  const WriteRequest& request_;
  const Prepare& prepare_;
  base::Ulid operation_;
  std::optional<CatalogView> view_;
};

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
  WEFT_TRY(const TableEntry* const found, entry(key));
  WEFT_TRY(lance::Snapshot pinned, catalog::open_pinned(place_, *found));
  if (found->pin.ref != place_.life) {
    return fork(key, pinned);
  }
  WEFT_TRY(const HeadReport report, examine_head(place_, *found, pinned));
  if (report.state == HeadState::kPinned) {
    return pinned;
  }
  // A head beyond the pin is another program's only if no later commit of the graph has made it.
  WEFT_TRY_STATUS(check_is_newest());
  switch (report.state) {
    case HeadState::kTaken:
      return Error(ErrorKind::kConflict, "the number of a version was taken")
          .with("reason", kToBeRebased)
          .with("table", key);
    case HeadState::kOtherRows:
      return foreign_version(*found, report);
    default:
      return stand_upon(key, *report.head, pinned);
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

Result<lance::Snapshot> Capture::stand_upon(std::string_view key, lance::Snapshot version,
                                            const lance::Snapshot& pinned) {
  WEFT_TRY_STATUS(guard_version(place_, version, pinned, stage_options()));
  WEFT_TRY_STATUS(keep_base(key, version));
  version.set_durable();
  return version;
}

Result<Change> Capture::rebase(const std::string& key) {
  WEFT_TRY(const TableEntry* const found, entry(key));
  WEFT_TRY(const lance::Snapshot pinned, catalog::open_pinned(place_, *found));
  WEFT_TRY(HeadReport report, examine_head(place_, *found, pinned));
  if (report.state != HeadState::kTaken) {
    return stale_capture();
  }
  WEFT_TRY(const lance::Snapshot onto, stand_upon(key, *report.head, pinned));
  Change change;
  TableChange& table = change.tables.emplace_back();
  table.key = key;
  table.identity = found->identity;
  WEFT_TRY(table.staged, lance::stage_carried_over(onto, *report.base, pinned, stage_options()));
  return change;
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

Result<Receipt> write(const catalog::CatalogPlace& place, const WriteRequest& request,
                      const Prepare& prepare) {
  return Writer(place, request, prepare).run();
}

Result<Receipt> delete_branch(const catalog::CatalogPlace& branch, const WriteRequest& request) {
  if (branch.life.empty()) {
    return Error(ErrorKind::kInvalid, "main cannot be deleted");
  }
  WriteRequest last = request;
  last.kind = catalog::kDeleteBranchKind;
  return write(branch, last, [](Capture& /*capture*/) { return Result<Change>(Change()); });
}

}  // namespace weft::txn
