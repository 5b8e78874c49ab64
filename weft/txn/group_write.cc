#include "weft/txn/group_write.h"

#include <algorithm>
#include <utility>

#include "weft/base/check.h"
#include "weft/txn/group_attempt.h"
#include "weft/txn/write_steps.h"

namespace weft::txn {
namespace {

using catalog::CatalogView;
using catalog::CommitRecord;

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
