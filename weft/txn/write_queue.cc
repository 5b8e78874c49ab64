#include "weft/txn/write_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "weft/base/check.h"
#include "weft/txn/group_write.h"
#include "weft/txn/turn.h"

namespace weft::txn {
namespace {

constexpr int64_t kSharingAgeMaxUs = int64_t{3600} * 1'000'000;

// Loads and mutations share; a repair stages upon what others have made, the end of a branch is the
// last of its commits, and work that began long ago must not hold up the others by its lifetime.
bool shares(const catalog::CatalogPlace& place, const WriteRequest& request) {
  const bool is_young =
      !request.begun_at.has_value() ||
      place.clock.now().microseconds - request.begun_at->microseconds < kSharingAgeMaxUs;
  return is_young && (request.kind == "load" || request.kind == "mutate");
}

}  // namespace

struct WriteQueue::Waiting {
  GroupMember member;
  bool is_done = false;
};

Result<Receipt> WriteQueue::write(const catalog::CatalogPlace& place, const WriteRequest& request,
                                  const Prepare& prepare) {
  if (!shares(place, request)) {
    const auto turn = take_turn(place);
    return write_alone(place, request, prepare);
  }
  Waiting own;
  own.member.request = &request;
  own.member.prepare = &prepare;
  const base::MutexLock lock(mutex_);
  Branch& branch = branches_[place.life];
  branch.waiting.push_back(&own);
  while (!own.is_done) {
    if (branch.is_led) {
      changed_.wait(mutex_);
    } else {
      lead(branch, place);
    }
  }
  return *std::move(own.member.result);
}

void WriteQueue::lead(Branch& branch, const catalog::CatalogPlace& place) {
  branch.is_led = true;
  mutex_.unlock();
  auto turn = take_turn(place);
  mutex_.lock();
  if (branch.waiting.size() < branch.last_group) {
    mutex_.unlock();
    place.clock.sleep_microseconds(kGatherUs);
    mutex_.lock();
  }
  std::vector<Waiting*> group;
  while (!branch.waiting.empty() && group.size() < kGroupMax) {
    group.push_back(branch.waiting.front());
    branch.waiting.pop_front();
  }
  branch.last_group = group.size();
  ++counts_.publications;
  counts_.writers += group.size();
  mutex_.unlock();
  if (group.size() == 1) {
    GroupMember& alone = group.front()->member;
    alone.result = write_alone(place, *alone.request, *alone.prepare);
  } else {
    std::vector<GroupMember*> members;
    members.reserve(group.size());
    for (Waiting* const waiting : group) {
      members.push_back(&waiting->member);
    }
    write_group(place, members);
  }
  turn.reset();
  mutex_.lock();
  for (Waiting* const waiting : group) {
    WEFT_CHECK(waiting->member.result.has_value());
    waiting->is_done = true;
  }
  branch.is_led = false;
  changed_.notify_all();
}

WriteQueue::Counts WriteQueue::counts() const {
  const base::MutexLock lock(mutex_);
  return counts_;
}

}  // namespace weft::txn
