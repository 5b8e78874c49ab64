#include "weft/txn/group_attempt.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/base/check.h"
#include "weft/base/planted.h"
#include "weft/catalog/branches.h"
#include "weft/catalog/known_state.h"
#include "weft/lance/table/composed.h"
#include "weft/lance/table/manifest_file.h"

namespace weft::txn {

using base::Bug;
using base::planted;
using catalog::CatalogState;
using catalog::CatalogView;
using catalog::CommitRecord;
using catalog::TableEntry;

GroupAttempt::~GroupAttempt() {
  for (const std::string& name : held_) {
    place_.known->objects().release(name);
  }
}

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

}  // namespace weft::txn
