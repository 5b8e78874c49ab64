#include "weft/txn/group_write.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "weft/base/check.h"
#include "weft/base/planted.h"
#include "weft/catalog/branches.h"
#include "weft/catalog/known_state.h"
#include "weft/lance/table/composed.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/txn/write_steps.h"

namespace weft::txn {
namespace {

using base::Bug;
using base::planted;
using catalog::CatalogState;
using catalog::CatalogView;
using catalog::CommitRecord;
using catalog::TableEntry;

// What the group has made of one table so far.
struct GroupTable {
  catalog::TableIdentity identity;
  catalog::DetachedVersion pin_base;
  std::optional<lance::Snapshot> base;  // what the first member was staged upon; none: a new table
  std::vector<lance::StagedTransaction> staged;  // of each member, oldest first
};

// One member that has staged what it wants.
struct Staged {
  GroupMember* member = nullptr;
  CatalogState after;  // its commit is the head
};

// One attempt to publish what several want: everything stays in memory until publish().
class GroupAttempt {
 public:
  GroupAttempt(const catalog::CatalogPlace& place, const CatalogView& view, uint64_t attempt)
      : place_(place), view_(view), attempt_(attempt), state_(view.state()) {}
  GroupAttempt(const GroupAttempt&) = delete;
  GroupAttempt& operator=(const GroupAttempt&) = delete;
  ~GroupAttempt() {
    for (const std::string& name : held_) {
      place_.known->objects().release(name);
    }
  }

  // The errors of a member are its own; kStaleCapture and kToBeRebased are the attempt's.
  Status stage(GroupMember& member, base::Ulid operation, std::vector<std::string> pinned_heads);
  // The commit of a member with this operation or key, if it is in the group.
  const CommitRecord* find(base::Ulid operation, const WriteRequest& request) const;
  bool empty() const { return staged_.empty(); }

  // kLost: everything is to be done anew upon the view that is given back.
  Result<catalog::PublishResult> publish(std::function<Status()> may_publish);
  // After kPublished: the heads, if they still may be brought, and a receipt for each.
  void finish(const CatalogView& published, bool may_follow);

 private:
  Status keep(const Change& change, const Capture& capture);
  void hold(const lance::StagedObject& object);
  Result<catalog::StagedPublication> join();
  void replace_pin(const catalog::TableIdentity& identity, const catalog::TablePin& pin);
  std::vector<PublishedTable> published_tables() const;
  std::vector<CommitRecord> earlier_commits(const CatalogState& last) const;

  const catalog::CatalogPlace& place_;
  const CatalogView& view_;
  const uint64_t attempt_;
  CatalogState state_;  // after the last member
  std::map<std::string, GroupTable, std::less<>> tables_;
  std::map<std::string, lance::Snapshot, std::less<>> stood_upon_;
  std::vector<Staged> staged_;
  std::vector<lance::StagedObject> objects_;
  std::vector<std::string> held_;
  std::vector<CommitRecord> published_;  // of all members
};

Status GroupAttempt::stage(GroupMember& member, base::Ulid operation,
                           std::vector<std::string> pinned_heads) {
  const CatalogView now(view_.chain(), view_.snapshot(), state_);
  WEFT_TRY_STATUS(catalog::check_goes_on(now));
  if (member.request->expected_head.has_value()) {
    WEFT_TRY_STATUS(check_expected_head(&now, *member.request->expected_head));
  }
  Capture capture(place_, now, operation, attempt_);
  capture.set_heads(std::move(pinned_heads));
  if (!planted(Bug::kGroupUponBase)) {
    capture.set_staged(stood_upon_);
  }
  WEFT_TRY(const Change change, (*member.prepare)(capture));
  CatalogState before = state_;
  Status kept = keep(change, capture);
  if (!kept.ok()) {
    state_ = std::move(before);
    return kept;
  }
  state_.head = next_commit(place_, *member.request, operation, &before.head);
  if (change.schema.has_value()) {
    state_.schema = change.schema;
  }
  staged_.push_back({&member, state_});
  return ok_status();
}

Status GroupAttempt::keep(const Change& change, const Capture& capture) {
  // First what may fail.
  std::vector<catalog::TablePin> pins;
  std::vector<lance::Snapshot> versions;
  std::vector<lance::Snapshot> stood_upon;
  for (const TableChange& table : change.tables) {
    const auto known = tables_.find(table.key);
    WEFT_TRY(pins.emplace_back(),
             catalog::pin_of(table.staged, known == tables_.end() ? capture.base_of(table.key)
                                                                  : known->second.pin_base));
    WEFT_TRY(lance::Snapshot version, table.staged.snapshot());
    version.set_durable();
    // The next member stands upon it as if it had the number of what this one stands upon.
    WEFT_TRY(std::string bytes,
             lance::with_version(as_bytes(table.staged.head), table.staged.read_version));
    WEFT_TRY(
        lance::Snapshot base,
        lance::Snapshot::from_bytes(table.staged.location, storage::Buffer::from(std::move(bytes)),
                                    table.staged.naming));
    base.set_durable();
    versions.push_back(std::move(version));
    stood_upon.push_back(std::move(base));
  }
  std::ranges::copy(capture.objects(), std::back_inserter(objects_));
  for (size_t i = 0; i < change.tables.size(); ++i) {
    const TableChange& table = change.tables[i];
    auto known = tables_.find(table.key);
    if (known == tables_.end()) {
      const lance::Snapshot* const base = capture.captured(table.key);
      known = tables_
                  .emplace(table.key,
                           GroupTable{.identity = table.identity,
                                      .pin_base = capture.base_of(table.key),
                                      .base = base != nullptr ? std::optional(*base) : std::nullopt,
                                      .staged = {}})
                  .first;
    }
    for (const lance::StagedObject& object : table.staged.objects_detached()) {
      hold(object);
    }
    known->second.staged.push_back(table.staged);
    set_pin(state_, table, pins[i]);
    stood_upon_.insert_or_assign(table.key, std::move(stood_upon[i]));
    place_.known->note_pinned(*state_.find(table.identity), versions[i]);
  }
  return ok_status();
}

void GroupAttempt::hold(const lance::StagedObject& object) {
  place_.known->objects().hold(object.first, storage::Buffer::copy_of(as_bytes(object.second)));
  held_.push_back(object.first);
}

const CommitRecord* GroupAttempt::find(base::Ulid operation, const WriteRequest& request) const {
  for (const Staged& staged : staged_) {
    const CommitRecord& commit = staged.after.head;
    if (planted(Bug::kGroupOperationTwice)) {
      continue;
    }
    if (commit.operation == operation ||
        (!request.idempotency_key.empty() && commit.idempotency_key == request.idempotency_key)) {
      return &commit;
    }
  }
  return nullptr;
}

// Each with the pins that later ones of the group have changed.
std::vector<CommitRecord> GroupAttempt::earlier_commits(const CatalogState& last) const {
  std::vector<CommitRecord> commits;
  for (size_t i = 0; i + 1 < staged_.size(); ++i) {
    CommitRecord commit = staged_[i].after.head;
    for (const TableEntry& table : last.tables) {
      const TableEntry* const then = staged_[i].after.find(table.identity);
      if (then != nullptr && then->pin != table.pin) {
        commit.earlier_pins.push_back({table.identity, then->pin});
      }
    }
    commits.push_back(std::move(commit));
  }
  return commits;
}

// The last pin of a table by that of its composed version, which has the same rows: also for
// members that came after whoever changed the table last.
void GroupAttempt::replace_pin(const catalog::TableIdentity& identity,
                               const catalog::TablePin& pin) {
  const catalog::TablePin last = state_.find(identity)->pin;
  const auto replace = [&](CatalogState& state) {
    const auto table = std::ranges::find(state.tables, identity, &TableEntry::identity);
    if (table != state.tables.end() && table->pin == last) {
      table->pin = pin;
    }
  };
  replace(state_);
  for (Staged& staged : staged_) {
    replace(staged.after);
  }
}

Result<catalog::StagedPublication> GroupAttempt::join() {
  std::vector<lance::StagedObject> objects = std::move(objects_);
  for (auto& [key, table] : tables_) {
    if (table.staged.size() == 1) {
      std::ranges::move(table.staged.front().objects_detached(), std::back_inserter(objects));
      continue;
    }
    // Members keep their detached versions but for the last, which the composed one replaces; one
    // transaction tells what all did.
    WEFT_CHECK(table.base.has_value());
    const lance::StagedTransaction& last = table.staged.back();
    const lance::TableLocation& at = last.location;
    const std::string transactions = at.object(lance::kTransactionsFolder);
    const std::string kept =
        at.object(std::string(lance::kKeptFolder) + std::string(lance::kTransactionsFolder));
    for (const lance::StagedTransaction& each : table.staged) {
      for (const lance::StagedObject& object : each.objects) {
        if (!object.first.starts_with(transactions) && !object.first.starts_with(kept)) {
          objects.push_back(object);
        }
      }
      if (&each != &last) {
        objects.emplace_back(each.detached_name, each.detached);
      }
    }
    lance::StageOptions options;
    options.operation = state_.head.operation.text() + "-" + std::to_string(attempt_);
    options.clock = &place_.clock;
    options.random = &place_.random;
    options.keep_copies = true;
    WEFT_TRY(lance::StagedTransaction composed, lance::stage_composed(*table.base, last, options));
    std::ranges::move(composed.objects_detached(), std::back_inserter(objects));
    WEFT_TRY(const catalog::TablePin pin, catalog::pin_of(composed, table.pin_base));
    replace_pin(table.identity, pin);
    table.staged.push_back(std::move(composed));
  }
  published_ = earlier_commits(state_);
  WEFT_TRY(catalog::StagedPublication staged,
           catalog::stage_publication(place_, &view_, state_, published_));
  std::ranges::move(objects, std::back_inserter(staged.transaction.objects));
  return staged;
}

Result<catalog::PublishResult> GroupAttempt::publish(std::function<Status()> may_publish) {
  WEFT_TRY(catalog::StagedPublication staged, join());
  staged.may_publish = std::move(may_publish);
  staged.heads = heads_of(published_tables());
  return publish_commits(place_, staged);
}

std::vector<PublishedTable> GroupAttempt::published_tables() const {
  std::vector<PublishedTable> tables;
  for (const auto& [key, table] : tables_) {
    tables.push_back({table.identity, &table.staged.back()});
  }
  return tables;
}

void GroupAttempt::finish(const CatalogView& published, bool may_follow) {
  const bool has_followed = may_follow && follow_published(place_, published, published_tables());
  published_.push_back(published.state().head);
  for (size_t i = 0; i < staged_.size(); ++i) {
    published_[i].catalog_version = published.version();
    staged_[i].member->result = Receipt{.commit = published_[i],
                                        .attempts = attempt_,
                                        .is_repeated = false,
                                        .has_followed = has_followed};
  }
}

class GroupWriter {
 public:
  GroupWriter(const catalog::CatalogPlace& place, const std::vector<GroupMember*>& members)
      : place_(place) {
    for (GroupMember* const member : members) {
      const base::Ulid given = member->request->operation;
      pending_.push_back(
          {member, given.is_none() ? base::Ulid::make(place.clock.now(), place.random) : given,
           began_of(place, *member->request)});
      std::ranges::copy(member->request->tables, std::back_inserter(keys_));
      if (Status status = check_key_length(*member->request); !status.ok()) {
        member->result = std::move(status).error();
      }
    }
    drop_done();
  }

  // Sets all results.
  void run() {
    const Status status = write_all();
    for (const Pending& pending : pending_) {
      if (!pending.member->result.has_value()) {
        WEFT_CHECK(!status.ok());
        pending.member->result = error_of(pending, status.error());
      }
    }
  }

 private:
  struct Pending {
    GroupMember* member = nullptr;
    base::Ulid operation;
    int64_t began_us = 0;
  };

  void drop_done() {
    std::erase_if(pending_,
                  [](const Pending& pending) { return pending.member->result.has_value(); });
  }

  static Error error_of(const Pending& pending, const Error& error) {
    Error own(error.kind(), error.message());
    for (const Error::Fact& fact : error.facts()) {
      if (fact.key != "operation") {
        own.add(fact.key, fact.value);
      }
    }
    own.add("operation", pending.operation.text());
    return own;
  }

  Status write_all() {
    WEFT_TRY(Beginning beginning, begin_write(place_, keys_));
    if (!beginning.view.has_value()) {
      for (const Pending& pending : pending_) {
        pending.member->result =
            write_alone(place_, *pending.member->request, *pending.member->prepare);
      }
      return ok_status();
    }
    CatalogView view = *std::move(beginning.view);
    for (uint64_t attempt = 1; !pending_.empty(); ++attempt) {
      WEFT_TRY_STATUS(answer_repeated(view, attempt));
      if (pending_.empty()) {
        break;
      }
      const uint64_t begun = view.version();
      WEFT_TRY(view, try_once(view, attempt, std::exchange(beginning.pinned_heads, {})));
      drop_done();
      WEFT_TRY_STATUS(refuse_lost(view, begun, attempt));
    }
    return ok_status();
  }

  // Whose commit is there already.
  Status answer_repeated(const CatalogView& view, uint64_t attempt) {
    for (const Pending& pending : pending_) {
      const WriteRequest& request = *pending.member->request;
      if (attempt == 1 && !may_be_repeated(request)) {
        continue;
      }
      auto earlier = find_earlier(place_, view, pending.operation, request, attempt - 1);
      if (!earlier.ok()) {
        pending.member->result = std::move(earlier).error();
      } else if (earlier->has_value()) {
        pending.member->result = **std::move(earlier);
      }
    }
    drop_done();
    return ok_status();
  }

  // The view to go on from. Who fails upon what members before it have staged is told so only once
  // that is published: else it would be told of a state that perhaps never was.
  Result<CatalogView> try_once(const CatalogView& view, uint64_t attempt,
                               const std::vector<std::string>& pinned_heads) {
    GroupAttempt group(place_, view, attempt);
    std::vector<std::pair<GroupMember*, Error>> failed;
    for (const Pending& pending : pending_) {
      GroupMember& member = *pending.member;
      if (const CommitRecord* const same = group.find(pending.operation, *member.request);
          same != nullptr) {
        // With another request it is refused, else answered from the next version.
        if (Status status = check_same_request(*same, *member.request); !status.ok()) {
          failed.emplace_back(&member, std::move(status).error());
        }
        continue;
      }
      Status staged = group.stage(member, pending.operation, pinned_heads);
      if (staged.ok()) {
        continue;
      }
      const std::string reason(staged.error().fact("reason"));
      if (reason == kToBeRebased || reason == kStaleCapture) {
        if (reason == kToBeRebased) {
          WEFT_TRY_STATUS(rebase_table(place_, member.request->actor,
                                       std::string(staged.error().fact("table"))));
        }
        return newest();
      }
      if (group.empty()) {
        member.result = std::move(staged).error();
      } else {
        failed.emplace_back(&member, std::move(staged).error());
      }
    }
    if (group.empty()) {
      return view;
    }
    const auto may_publish = [this] {
      const auto oldest = std::ranges::min_element(pending_, {}, &Pending::began_us);
      return check_lifetime(place_, oldest->began_us);
    };
    WEFT_TRY_STATUS(may_publish());
    WEFT_TRY(catalog::PublishResult published, group.publish(may_publish));
    if (published.outcome == catalog::PublishOutcome::kPublished) {
      group.finish(*published.view, may_publish().ok());
      for (auto& [member, error] : failed) {
        member->result = std::move(error);
      }
    }
    return *std::move(published.view);
  }

  Result<CatalogView> newest() const {
    WEFT_TRY(std::optional<CatalogView> view, open_if_any(place_));
    if (!view.has_value()) {
      return Error(ErrorKind::kNotFound, "the graph is no longer there");
    }
    return *std::move(view);
  }

  // Who does not stand that others were faster, or was told so too often.
  Status refuse_lost(const CatalogView& view, uint64_t begun, uint64_t attempt) {
    if (pending_.empty()) {
      return ok_status();
    }
    WEFT_TRY(const bool rows_stand, has_only_rebases(view, begun));
    for (const Pending& pending : pending_) {
      const WriteRequest& request = *pending.member->request;
      auto earlier = find_earlier(place_, view, pending.operation, request, attempt);
      if (earlier.ok() && earlier->has_value()) {
        pending.member->result = **std::move(earlier);
      } else if (request.is_strict && !rows_stand) {
        pending.member->result = read_set_changed(view);
      } else if (attempt >= request.attempts_max) {
        pending.member->result = contention(request.attempts_max);
      }
    }
    drop_done();
    return ok_status();
  }

  const catalog::CatalogPlace& place_;
  std::vector<Pending> pending_;
  std::vector<std::string> keys_;
};

}  // namespace

void write_group(const catalog::CatalogPlace& place, const std::vector<GroupMember*>& members) {
  WEFT_CHECK(place.known != nullptr);
  GroupWriter(place, members).run();
}

}  // namespace weft::txn
