// What goes wrong, and when: one plan decides at each numbered point of storage work. Points are
// the operations of a FaultStore and the inner steps of a MemoryStore that share the plan. The same
// plan over the same work decides the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/storage/steps.h"

namespace weft::storage {

enum class Fault : uint8_t {
  kNone,
  kFail,              // nothing is done: kUnavailable, reason=injected
  kDoneUnanswered,    // done, but the answer is kRecoveryRequired (a read: as kFail)
  kUndoneUnanswered,  // not done, and the answer is kRecoveryRequired (a read: as kFail)
  kTear,        // only a part of the bytes is put, then as kDoneUnanswered: a store that breaks S1
  kAnswerLate,  // done at once, the answer comes after a pause
  kActLate,     // done after a pause
  kFull,        // nothing is done: kUnavailable, reason=no-space
  kStop,        // the process ends here: nothing is done now or later; kUnavailable, reason=stopped
};
std::string_view fault_name(Fault fault);

// How often, out of 1000 points, by kind.
struct FaultRates {
  uint32_t fail = 0;
  uint32_t done_unanswered = 0;
  uint32_t undone_unanswered = 0;
  uint32_t answer_late = 0;
  uint32_t act_late = 0;
  uint32_t stop = 0;
};

// Thread-safe.
class FaultPlan final : public StepListener {
 public:
  FaultPlan() : random_(0) {}
  // Faults at random, from `seed`.
  FaultPlan(uint64_t seed, FaultRates rates) : random_(seed), rates_(rates) {}

  // At the point with this number, from 0.
  void at(uint64_t point, Fault fault);
  // At the first point whose action is `action` ("put-if-match", "show", …), or the one after
  // `skip` of them.
  void at_action(std::string action, Fault fault, uint64_t skip = 0);
  // The disk has room for so many more bytes.
  void space(uint64_t bytes);

  // What happens at the next point. `bytes` is what it would write.
  Fault decide(const Step& step, uint64_t bytes = 0);
  // For inner steps: kFail, kFull and kStop as errors; the other faults do nothing there.
  Status before(const Step& step) override;

  bool is_stopped() const;
  // How many points were passed.
  uint64_t point_count() const;
  // "action name" of each point, with the fault if there was one. At most 100,000.
  std::vector<std::string> log() const;

 private:
  struct ActionFault {
    std::string action;
    Fault fault;
    uint64_t skip;
  };
  Fault choose(const Step& step, uint64_t bytes) WEFT_REQUIRES(mutex_);
  Fault by_chance() WEFT_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  base::Random random_ WEFT_GUARDED_BY(mutex_);
  const FaultRates rates_;
  std::map<uint64_t, Fault> by_point_ WEFT_GUARDED_BY(mutex_);
  std::vector<ActionFault> by_action_ WEFT_GUARDED_BY(mutex_);
  uint64_t space_bytes_ WEFT_GUARDED_BY(mutex_) = UINT64_MAX;
  uint64_t points_ WEFT_GUARDED_BY(mutex_) = 0;
  bool stopped_ WEFT_GUARDED_BY(mutex_) = false;
  std::vector<std::string> log_ WEFT_GUARDED_BY(mutex_);
};

// The error of a fault that is one. `asked` goes into the message.
Error fault_error(Fault fault, std::string_view asked, std::string_view name);

}  // namespace weft::storage
