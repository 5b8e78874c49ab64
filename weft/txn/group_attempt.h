// One attempt of a group of writers (group_write.h) to publish together: members stage one after
// the other, each upon what the ones before it have staged, and one creation publishes it all.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/catalog/catalog.h"
#include "weft/catalog/pinned_table.h"
#include "weft/txn/group_write.h"
#include "weft/txn/write_steps.h"

namespace weft::txn {

// Everything stays in memory until publish(), readable by name for members that come later. `place`
// (which knows the graph) and `view` must outlive it. For one thread.
class GroupAttempt {
 public:
  GroupAttempt(const catalog::CatalogPlace& place, const catalog::CatalogView& view,
               uint64_t attempt)
      : place_(place), view_(view), attempt_(attempt), state_(view.state()) {}
  GroupAttempt(const GroupAttempt&) = delete;
  GroupAttempt& operator=(const GroupAttempt&) = delete;
  ~GroupAttempt();

  // The errors of a member are its own; kStaleCapture and kToBeRebased are the attempt's.
  Status stage(GroupMember& member, base::Ulid operation, std::vector<std::string> pinned_heads);
  // The commit of a member with this operation or key, if it is in the group.
  const catalog::CommitRecord* find(base::Ulid operation, const WriteRequest& request) const;
  bool empty() const { return staged_.empty(); }

  // kLost: everything is to be done anew upon the view that is given back.
  Result<catalog::PublishResult> publish(std::function<Status()> may_publish);
  // After kPublished: the heads, if they still may be brought, and a receipt for each.
  void finish(const catalog::CatalogView& published, bool may_follow);

 private:
  // What the group has made of one table so far.
  struct GroupTable {
    catalog::TableIdentity identity;
    catalog::DetachedVersion pin_base;
    std::optional<lance::Snapshot>
        base;  // what the first member was staged upon; none: a new table
    std::vector<lance::StagedTransaction> staged;  // of each member, oldest first
  };

  // One member that has staged what it wants.
  struct Staged {
    GroupMember* member = nullptr;
    catalog::CatalogState after;  // its commit is the head
  };

  Status keep(const Change& change, const Capture& capture);
  void hold(const lance::StagedObject& object);
  Result<catalog::StagedPublication> join();
  void replace_pin(const catalog::TableIdentity& identity, const catalog::TablePin& pin);
  std::vector<PublishedTable> published_tables() const;
  std::vector<catalog::CommitRecord> earlier_commits(const catalog::CatalogState& last) const;

  const catalog::CatalogPlace& place_;
  const catalog::CatalogView& view_;
  const uint64_t attempt_;
  catalog::CatalogState state_;  // after the last member
  std::map<std::string, GroupTable, std::less<>> tables_;
  std::map<std::string, lance::Snapshot, std::less<>> stood_upon_;
  std::vector<Staged> staged_;
  std::vector<lance::StagedObject> objects_;
  std::vector<std::string> held_;
  std::vector<catalog::CommitRecord> published_;  // of all members
};

}  // namespace weft::txn
