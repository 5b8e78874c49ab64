#include "weft/txn/write.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/base/planted.h"
#include "weft/catalog/branches.h"
#include "weft/lance/table/names.h"

namespace weft::txn {
namespace {

using base::Bug;
using base::planted;
using catalog::CatalogState;
using catalog::CatalogView;
using catalog::CommitRecord;
using catalog::TableEntry;

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
    // By the clock that nobody sets; it counts while the machine sleeps.
    began_us_ = place.clock.monotonic_microseconds();
    if (request.begun_at.has_value()) {
      began_us_ -=
          std::max<int64_t>(0, place.clock.now().microseconds - request.begun_at->microseconds);
    }
  }

  Result<Receipt> run() {
    WEFT_TRY(view_, open_if_any(place_));
    if (request_.idempotency_key.size() > kIdempotencyKeyBytesMax) {
      return Error(ErrorKind::kLimit, "an idempotency key is too long")
          .with("bytes", request_.idempotency_key.size())
          .with("limit", kIdempotencyKeyBytesMax);
    }
    if (!request_.operation.is_none() || !request_.idempotency_key.empty()) {
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
    std::optional<CommitRecord> commit;
    if (!planted(Bug::kOperationNotLookedFor)) {
      WEFT_TRY(commit, view_->find_operation(operation_));
    }
    if (!commit.has_value() && !(planted(Bug::kKeyLookedForOnce) && attempts > 0)) {
      WEFT_TRY(commit, find_key());
    }
    if (!commit.has_value()) {
      return std::optional<Receipt>();
    }
    // Seen is not yet durable: whoever published it may not have come to its end.
    const lance::Snapshot& seen = view_->snapshot();
    const Status synced =
        planted(Bug::kReceiptOfUnsynced)
            ? ok_status()
            : place_.store.sync_existing(
                  {seen.location().object(lance::manifest_name(seen.version(), seen.naming()))});
    if (!synced.ok()) {
      return Error(ErrorKind::kRecoveryRequired,
                   "whether the commit of this operation survives a crash is not known")
          .with("operation", operation_.text())
          .with("cause", synced.error().to_string());
    }
    return std::optional(Receipt{
        .commit = *commit, .attempts = attempts, .is_repeated = true, .has_followed = false});
  }

  Result<std::optional<CommitRecord>> find_key() const {
    std::optional<CommitRecord> commit;
    if (request_.idempotency_key.empty()) {
      return commit;
    }
    const base::WallTime earliest{place_.clock.now().microseconds - kIdempotencyRetentionUs};
    WEFT_TRY(commit, view_->find_idempotency_key(request_.idempotency_key, earliest));
    if (commit.has_value() && commit->request_hash != request_.request_hash &&
        !planted(Bug::kKeyOfAnyRequest)) {
      return Error(ErrorKind::kConflict, "this idempotency key was used for another request")
          .with("reason", "idempotency-key")
          .with("key", request_.idempotency_key)
          .with("commit", commit->id.text());
    }
    return commit;
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

  // Nothing: lost, and `view_` is the newest.
  Result<std::optional<Receipt>> try_once(uint64_t attempt) {
    if (view_ && !planted(Bug::kLateOnADeletedBranch)) {
      WEFT_TRY_STATUS(catalog::check_goes_on(*view_));
    }
    if (request_.expected_head.has_value() && !(planted(Bug::kExpectedHeadOnce) && attempt > 1)) {
      WEFT_TRY_STATUS(check_expected_head(view_ ? &*view_ : nullptr, *request_.expected_head));
    }
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
    WEFT_TRY_STATUS(check_lifetime());
    if (planted(Bug::kHeadFirst)) {
      WEFT_TRY_STATUS(lance::put_staged(place_.store, staged.transaction.objects));
      follow(change);
    }
    Result<catalog::PublishResult> published = catalog::publish(place_, staged);
    if (planted(Bug::kNewIdAfterTimeout) && !published.ok() &&
        published.error().kind() == ErrorKind::kRecoveryRequired) {
      operation_ = base::Ulid::make(place_.clock.now(), place_.random);
      WEFT_TRY(view_, open_if_any(place_));
      return std::optional<Receipt>();
    }
    if (!published.ok()) {
      return std::move(published).error();
    }
    view_ = published->view;
    if (published->outcome == catalog::PublishOutcome::kLost) {
      return std::optional<Receipt>();
    }
    Receipt receipt{.commit = view_->state().head, .attempts = attempt};
    receipt.has_followed = follow(change);
    return std::optional(std::move(receipt));
  }

  Status check_lifetime() const {
    const int64_t age_us = place_.clock.monotonic_microseconds() - began_us_;
    return age_us <= kWriterLifetimeUs
               ? ok_status()
               : Status(Error(ErrorKind::kUnavailable,
                              "this write began too long ago, and a cleanup may have what it has "
                              "staged; nothing was changed: begin anew")
                            .with("reason", "writer-lifetime")
                            .with("seconds", static_cast<uint64_t>(age_us / 1'000'000)));
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
    next.head.idempotency_key = request_.idempotency_key;
    next.head.request_hash = request_.request_hash;
    next.head.created_at = place_.clock.now();
    if (view_) {
      next.head.parent = before.id;
      if (!planted(Bug::kCommitTimeOfTheClock)) {
        next.head.created_at.microseconds =
            std::max(next.head.created_at.microseconds, before.created_at.microseconds + 1);
      }
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
  int64_t began_us_ = 0;
  std::optional<CatalogView> view_;
};

}  // namespace

Status check_expected_head(const CatalogView* view, base::Ulid expected) {
  if (view != nullptr && view->state().head.id == expected) {
    return ok_status();
  }
  if (view != nullptr && view->state().head.kind == kRebaseKind) {
    WEFT_TRY(const std::vector<CommitRecord> commits, view->commits(kRebasesMax));
    for (const CommitRecord& commit : commits) {
      if (commit.id == expected) {
        return ok_status();
      }
      if (commit.kind != kRebaseKind) {
        break;
      }
    }
  }
  return Error(ErrorKind::kConflict, "the head is not the expected one")
      .with("reason", "precondition")
      .with("expected", expected.text())
      .with("head", view != nullptr ? view->state().head.id.text() : "none");
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
