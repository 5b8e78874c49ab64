#include "weft/txn/write.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/base/planted.h"
#include "weft/catalog/branches.h"
#include "weft/txn/group_write.h"
#include "weft/txn/turn.h"
#include "weft/txn/write_queue.h"
#include "weft/txn/write_steps.h"

namespace weft::txn {
namespace {

using base::Bug;
using base::planted;
using catalog::CatalogState;
using catalog::CatalogView;
using catalog::CommitRecord;

class Writer {
 public:
  Writer(const catalog::CatalogPlace& place, const WriteRequest& request, const Prepare& prepare)
      : place_(place), request_(request), prepare_(prepare) {
    operation_ = request.operation.is_none() ? base::Ulid::make(place.clock.now(), place.random)
                                             : request.operation;
    began_us_ = began_of(place, request);
  }

  Result<Receipt> run() {
    WEFT_TRY_STATUS(check_key_length(request_));
    WEFT_TRY(Beginning beginning, begin_write(place_, request_.tables));
    view_ = std::move(beginning.view);
    pinned_heads_ = std::move(beginning.pinned_heads);
    if (view_ && may_be_repeated(request_)) {
      WEFT_TRY(const std::optional<Receipt> earlier,
               find_earlier(place_, *view_, operation_, request_, 0));
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
      if (!view_) {
        continue;
      }
      WEFT_TRY(const std::optional<Receipt> earlier,
               find_earlier(place_, *view_, operation_, request_, attempt));
      if (earlier.has_value()) {
        return *earlier;
      }
      WEFT_TRY(const bool rows_stand, has_only_rebases(*view_, begun));
      if (request_.is_strict && !rows_stand) {
        return read_set_changed(*view_);
      }
    }
    return contention(request_.attempts_max);
  }

 private:
  // Nothing: lost, and `view_` is the newest.
  Result<std::optional<Receipt>> try_once(uint64_t attempt) {
    if (view_ && !planted(Bug::kLateOnADeletedBranch)) {
      WEFT_TRY_STATUS(catalog::check_goes_on(*view_));
    }
    if (request_.expected_head.has_value() && !(planted(Bug::kExpectedHeadOnce) && attempt > 1)) {
      WEFT_TRY_STATUS(check_expected_head(view_ ? &*view_ : nullptr, *request_.expected_head));
    }
    Capture capture(place_, view_, operation_, attempt);
    capture.set_heads(std::exchange(pinned_heads_, {}));
    Result<Change> prepared = prepare_(capture);
    if (!prepared.ok()) {
      const std::string reason(prepared.error().fact("reason"));
      if (reason == kToBeRebased) {
        WEFT_TRY_STATUS(
            rebase_table(place_, request_.actor, std::string(prepared.error().fact("table"))));
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
    staged.heads = heads_of(published_tables(change));
    WEFT_TRY_STATUS(check_lifetime(place_, began_us_));
    staged.may_publish = [this] { return check_lifetime(place_, began_us_); };
    if (view_ && planted(Bug::kHeadFirst)) {
      WEFT_TRY_STATUS(lance::put_staged(place_.store, staged.transaction.objects));
      static_cast<void>(follow_published(place_, *view_, published_tables(change)));
    }
    Result<catalog::PublishResult> published = publish_commits(place_, staged);
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
    receipt.has_followed = check_lifetime(place_, began_us_).ok() &&
                           follow_published(place_, *view_, published_tables(change));
    return std::optional(std::move(receipt));
  }

  static std::vector<PublishedTable> published_tables(const Change& change) {
    std::vector<PublishedTable> tables;
    for (const TableChange& table : change.tables) {
      tables.push_back({table.identity, &table.staged});
    }
    return tables;
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
    next.head = next_commit(place_, request_, operation_, view_ ? &view_->state().head : nullptr);
    if (change.schema.has_value()) {
      next.schema = change.schema;
    }
    for (const TableChange& table : change.tables) {
      WEFT_TRY(const catalog::TablePin pin,
               catalog::pin_of(table.staged, capture.base_of(table.key)));
      set_pin(next, table, pin);
    }
    return next;
  }

  const catalog::CatalogPlace& place_;
  const WriteRequest& request_;
  const Prepare& prepare_;
  base::Ulid operation_;
  int64_t began_us_ = 0;
  std::optional<CatalogView> view_;
  std::vector<std::string> pinned_heads_;  // of the next attempt
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
  if (place.queue != nullptr) {
    return place.queue->write(place, request, prepare);
  }
  const auto turn = take_turn(place);
  return write_alone(place, request, prepare);
}

Result<Receipt> write_alone(const catalog::CatalogPlace& place, const WriteRequest& request,
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
