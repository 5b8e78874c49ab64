#include "weft/txn/write_steps.h"

#include <algorithm>
#include <utility>

#include "weft/base/planted.h"
#include "weft/catalog/branches.h"
#include "weft/catalog/known_state.h"
#include "weft/lance/table/follow_all.h"
#include "weft/lance/table/names.h"
#include "weft/txn/group_write.h"
#include "weft/txn/head.h"

namespace weft::txn {

using base::Bug;
using base::planted;
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

Result<Beginning> begin_write(const catalog::CatalogPlace& place,
                              const std::vector<std::string>& keys) {
  Beginning beginning;
  const std::optional<CatalogView> known =
      place.known != nullptr ? place.known->newest(place.life) : std::nullopt;
  if (!known.has_value()) {
    WEFT_TRY(beginning.view, open_if_any(place));
    return beginning;
  }
  std::vector<const TableEntry*> tables;
  for (const std::string& key : keys) {
    const TableEntry* const table = known->state().find(key);
    if (table != nullptr && table->pin.ref == place.life &&
        std::ranges::find(tables, table) == tables.end()) {
      tables.push_back(table);
    }
  }
  WEFT_TRY(const HeadProbe probe, probe_heads(place, tables, &*known));
  if (probe.has_newer) {
    WEFT_TRY(beginning.view, open_if_any(place));
    return beginning;
  }
  place.known->note_newest(place.life, *known);
  beginning.view = known;
  for (size_t i = 0; i < tables.size(); ++i) {
    if (probe.is_pinned[i]) {
      beginning.pinned_heads.push_back(tables[i]->key);
    }
  }
  return beginning;
}

namespace {

Result<std::optional<CommitRecord>> find_key(const catalog::CatalogPlace& place,
                                             const CatalogView& view, const WriteRequest& request) {
  std::optional<CommitRecord> commit;
  if (request.idempotency_key.empty()) {
    return commit;
  }
  const base::WallTime earliest{place.clock.now().microseconds - kIdempotencyRetentionUs};
  WEFT_TRY(commit, view.find_idempotency_key(request.idempotency_key, earliest));
  if (commit.has_value()) {
    WEFT_TRY_STATUS(check_same_request(*commit, request));
  }
  return commit;
}

}  // namespace

namespace {

bool has_given_operation(const WriteRequest& request) {
  return !request.operation.is_none() && !request.is_new_operation;
}

}  // namespace

bool may_be_repeated(const WriteRequest& request) {
  return has_given_operation(request) || !request.idempotency_key.empty();
}

Status check_key_length(const WriteRequest& request) {
  if (request.idempotency_key.size() > kIdempotencyKeyBytesMax) {
    return Error(ErrorKind::kLimit, "an idempotency key is too long")
        .with("bytes", request.idempotency_key.size())
        .with("limit", kIdempotencyKeyBytesMax);
  }
  return ok_status();
}

Status check_same_request(const CommitRecord& commit, const WriteRequest& request) {
  if (commit.request_hash == request.request_hash || planted(Bug::kKeyOfAnyRequest)) {
    return ok_status();
  }
  return Error(ErrorKind::kConflict, "this idempotency key was used for another request")
      .with("reason", "idempotency-key")
      .with("key", request.idempotency_key)
      .with("commit", commit.id.text());
}

Result<std::optional<Receipt>> find_earlier(const catalog::CatalogPlace& place,
                                            const CatalogView& view, base::Ulid operation,
                                            const WriteRequest& request, uint64_t attempts) {
  std::optional<CommitRecord> commit;
  const bool may_be_there = attempts > 0 || has_given_operation(request);
  if (may_be_there && !planted(Bug::kOperationNotLookedFor)) {
    WEFT_TRY(commit, view.find_operation(operation));
  }
  if (!commit.has_value() && !(planted(Bug::kKeyLookedForOnce) && attempts > 0)) {
    WEFT_TRY(commit, find_key(place, view, request));
  }
  if (!commit.has_value()) {
    return std::optional<Receipt>();
  }
  // Seen is not yet durable: whoever published it may not have come to its end.
  const lance::Snapshot& seen = view.snapshot();
  const Status synced =
      planted(Bug::kReceiptOfUnsynced)
          ? ok_status()
          : place.store.sync_existing(
                {seen.location().object(lance::manifest_name(seen.version(), seen.naming()))});
  if (!synced.ok()) {
    return Error(ErrorKind::kRecoveryRequired,
                 "whether the commit of this operation survives a crash is not known")
        .with("operation", operation.text())
        .with("cause", synced.error().to_string());
  }
  return std::optional(
      Receipt{.commit = *commit, .attempts = attempts, .is_repeated = true, .has_followed = false});
}

Result<bool> has_only_rebases(const CatalogView& view, uint64_t version) {
  if (view.version() == version) {
    return true;
  }
  WEFT_TRY(const std::vector<CommitRecord> commits, view.commits_since(version));
  return std::ranges::all_of(commits,
                             [](const CommitRecord& commit) { return commit.kind == kRebaseKind; });
}

Error read_set_changed(const CatalogView& view) {
  return Error(ErrorKind::kConflict, "the graph has changed since this write has read it")
      .with("reason", "read-set-changed")
      .with("head", view.state().head.id.text());
}

Error contention(uint64_t attempts) {
  return Error(ErrorKind::kUnavailable, "others were faster at every attempt; nothing was changed")
      .with("reason", "contention")
      .with("attempts", attempts);
}

int64_t began_of(const catalog::CatalogPlace& place, const WriteRequest& request) {
  int64_t began_us = place.clock.monotonic_microseconds();
  if (request.begun_at.has_value()) {
    began_us -=
        std::max<int64_t>(0, place.clock.now().microseconds - request.begun_at->microseconds);
  }
  return began_us;
}

Status check_lifetime(const catalog::CatalogPlace& place, int64_t began_us) {
  const int64_t age_us = place.clock.monotonic_microseconds() - began_us;
  return age_us <= kWriterLifetimeUs || planted(Bug::kLifetimeForgotten)
             ? ok_status()
             : Status(Error(ErrorKind::kUnavailable,
                            "this write began too long ago, and a cleanup may have what it has "
                            "staged; nothing was changed: begin anew")
                          .with("reason", "writer-lifetime")
                          .with("seconds", static_cast<uint64_t>(age_us / 1'000'000)));
}

CommitRecord next_commit(const catalog::CatalogPlace& place, const WriteRequest& request,
                         base::Ulid operation, const CommitRecord* before) {
  CommitRecord commit;
  commit.id = base::Ulid::make(place.clock.now(), place.random);
  commit.operation = operation;
  commit.kind = request.kind;
  commit.actor = request.actor;
  commit.message = request.message;
  commit.idempotency_key = request.idempotency_key;
  commit.request_hash = request.request_hash;
  commit.created_at = place.clock.now();
  if (before != nullptr) {
    commit.parent = before->id;
    if (!planted(Bug::kCommitTimeOfTheClock)) {
      commit.created_at.microseconds =
          std::max(commit.created_at.microseconds, before->created_at.microseconds + 1);
    }
  }
  return commit;
}

void set_pin(catalog::CatalogState& state, const TableChange& change,
             const catalog::TablePin& pin) {
  const auto known = std::ranges::find(state.tables, change.identity, &TableEntry::identity);
  if (known != state.tables.end()) {
    known->pin = pin;
    return;
  }
  const auto at = std::ranges::lower_bound(state.tables, change.key, {}, &TableEntry::key);
  state.tables.insert(at, {change.identity, change.key, change.staged.location.root, pin});
}

Status rebase_table(const catalog::CatalogPlace& place, const std::string& actor,
                    const std::string& key) {
  const WriteRequest request{.kind = std::string(kRebaseKind), .actor = actor};
  const auto receipt =
      write_alone(place, request, [&](Capture& capture) { return capture.rebase(key); });
  // Somebody else did it.
  return receipt.ok() || receipt.error().fact("reason") == kStaleCapture ? ok_status()
                                                                         : receipt.error();
}

Result<catalog::PublishResult> publish_commits(const catalog::CatalogPlace& place,
                                               const catalog::StagedPublication& staged) {
  return catalog::publish(place, staged);
}

lance::NextObjects heads_of(const std::vector<PublishedTable>& tables) {
  lance::NextObjects heads;
  for (const PublishedTable& table : tables) {
    heads.emplace_back(table.staged->head_name, as_bytes(table.staged->head));
  }
  return heads;
}

bool follow_published(const catalog::CatalogPlace& place, const CatalogView& view,
                      const std::vector<PublishedTable>& tables) {
  std::vector<const lance::StagedTransaction*> staged;
  staged.reserve(tables.size());
  for (const PublishedTable& table : tables) {
    staged.push_back(table.staged);
  }
  const auto followed = lance::follow_all(staged);
  if (!followed.ok()) {
    return false;
  }
  bool all = true;
  for (size_t i = 0; i < tables.size(); ++i) {
    if ((*followed)[i] == lance::FollowOutcome::kTaken) {
      all = false;
      continue;
    }
    const TableEntry* const table = view.state().find(tables[i].identity);
    Result<lance::Snapshot> version = staged[i]->snapshot();
    if (place.known != nullptr && table != nullptr && version.ok()) {
      version->set_durable();
      place.known->note_pinned(*table, *version);
      place.known->note_head(*table);
    }
  }
  return all;
}

}  // namespace weft::txn
