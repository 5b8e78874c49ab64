#include "weft/txn/write.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/codec/blake3.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/names.h"

namespace weft::txn {
namespace {

using catalog::CatalogState;
using catalog::CatalogView;
using catalog::CommitRecord;
using catalog::TableEntry;

constexpr std::string_view kForeignVersion = "foreign-version";
constexpr std::string_view kStaleCapture = "stale-capture";
constexpr uint64_t kHeldBytesMax = uint64_t{1} << 20U;

Error foreign_version(const TableEntry& table, uint64_t version) {
  return Error(ErrorKind::kConflict,
               "another program has written this table; nothing was changed. See `weft repair`")
      .with("table", table.key)
      .with("path", table.path)
      .with("version", version)
      .with("reason", kForeignVersion);
}

Result<bool> exists(storage::ObjectStore& store, const std::string& name) {
  const auto opened = store.open(name);
  if (opened.ok()) {
    return true;
  }
  return opened.error().kind() == ErrorKind::kNotFound ? Result<bool>(false)
                                                       : Result<bool>(opened.error());
}

// Brings the head to the pin. Errors: kConflict if somebody else's version is at its number or
// behind it.
Status bring_head(const catalog::CatalogPlace& place, const TableEntry& table) {
  const lance::TableLocation location = catalog::location_of(place, table);
  const auto head = place.store.get(location.object(lance::manifest_name(table.pin.head_version)),
                                    lance::kManifestFileBytesMax);
  if (!head.ok()) {
    if (head.error().kind() != ErrorKind::kNotFound) {
      return head.error();
    }
    WEFT_TRY(const lance::FollowResult followed,
             lance::follow(location, table.pin.detached_version, table.pin.head_version));
    if (followed.outcome == lance::FollowOutcome::kTaken) {
      return foreign_version(table, table.pin.head_version);
    }
  } else if (codec::to_hex(codec::blake3_16(head->bytes.view())) != table.pin.head_hash) {
    return foreign_version(table, table.pin.head_version);
  }
  WEFT_TRY(const bool is_beyond,
           exists(place.store, location.object(lance::manifest_name(table.pin.head_version + 1))));
  return is_beyond ? Status(foreign_version(table, table.pin.head_version + 1)) : ok_status();
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
      WEFT_TRY(const std::optional<Receipt> receipt, try_once(attempt));
      if (receipt.has_value()) {
        return *receipt;
      }
      WEFT_TRY(const std::optional<Receipt> earlier, find_earlier(attempt));
      if (earlier.has_value()) {
        return *earlier;
      }
      if (request_.is_strict) {
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

  Status check_precondition() const {
    const bool is_there = view_.has_value();
    if (!request_.expected_head.has_value() ||
        (is_there && view_->state().head.id == *request_.expected_head)) {
      return ok_status();
    }
    return Error(ErrorKind::kConflict, "the head is not the expected one")
        .with("reason", "precondition")
        .with("expected", request_.expected_head->text())
        .with("head", is_there ? view_->state().head.id.text() : "none");
  }

  // Nothing: lost, and `view_` is the newest.
  Result<std::optional<Receipt>> try_once(uint64_t attempt) {
    WEFT_TRY_STATUS(check_precondition());
    Capture capture(place_, view_, operation_, attempt);
    Result<Change> prepared = prepare_(capture);
    if (!prepared.ok()) {
      if (prepared.error().fact("reason") != kStaleCapture) {
        return std::move(prepared).error();
      }
      WEFT_TRY(view_, open_if_any(place_));
      return std::optional<Receipt>();
    }
    const Change& change = *prepared;
    WEFT_TRY(CatalogState next, next_state(change));
    WEFT_TRY(catalog::StagedPublication staged,
             catalog::stage_publication(place_, capture.view(), std::move(next)));
    join_objects(change, staged);
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
  static void join_objects(const Change& change, catalog::StagedPublication& staged) {
    for (const TableChange& table : change.tables) {
      std::vector<lance::StagedObject> objects = table.staged.objects_detached();
      std::ranges::move(objects, std::back_inserter(staged.transaction.objects));
    }
  }

  Result<CatalogState> next_state(const Change& change) {
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
      WEFT_TRY(const catalog::TablePin pin, catalog::pin_of(table.staged));
      const auto known = std::ranges::find(next.tables, table.identity, &TableEntry::identity);
      if (known != next.tables.end()) {
        known->pin = pin;
      } else {
        next.tables.push_back({table.identity, table.key, table.staged.location.root, pin});
      }
    }
    return next;
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

Result<lance::Snapshot> Capture::table(std::string_view key) {
  const TableEntry* const found = view_ ? view_->state().find(key) : nullptr;
  if (found == nullptr) {
    return Error(ErrorKind::kNotFound, "the graph has no such table").with("table", key);
  }
  Status brought = bring_head(place_, *found);
  if (!brought.ok() && brought.error().fact("reason") == kForeignVersion) {
    // A head beyond the pin is another's only if no later commit of the graph has made it.
    WEFT_TRY(const CatalogView now, catalog::open_latest_after(*view_));
    if (now.version() != view_->version()) {
      return Error(ErrorKind::kConflict, "the graph has changed since this write has read it")
          .with("reason", kStaleCapture);
    }
  }
  WEFT_TRY_STATUS(std::move(brought));
  return catalog::open_pinned(place_, *found);
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

}  // namespace weft::txn
