// Crashes a scripted scenario everywhere: it is run once for each storage step that it takes, and
// stopped there as if the process had died, or the machine; then it is checked what is left.
//
// Of each step there are these runs:
//   * the process dies: what it wrote so far stays;
//   * the machine dies: of each name only what was synced survives (the hardest case), or some
//     state between that and what was seen last, by chance;
//   * the step fails, or is done without an answer, and the scenario goes on as it likes.
//
//     struct AddEntry final : CrashScenario { … };
//     TEST(ManifestCrash, AddIsBeforeOrAfter) {
//       crash_everywhere([] { return std::make_unique<AddEntry>(); });
//     }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/storage/object_store.h"

namespace weft::crash {

// One object per run, so what a run saw (what was acknowledged to it) can be kept in members.
class CrashScenario {
 public:
  CrashScenario() = default;
  CrashScenario(const CrashScenario&) = delete;
  CrashScenario& operator=(const CrashScenario&) = delete;
  virtual ~CrashScenario() = default;

  // What is there before; without faults.
  virtual Status prepare(storage::ObjectStore& /*store*/) { return ok_status(); }
  // What is crashed. After a stop every operation of `store` fails, so return soon.
  virtual Status run(storage::ObjectStore& store) = 0;
  // Checks (EXPECT_…) what is left, through a store without faults. Everything that was
  // acknowledged must be there; everything else may, whole, or may not.
  virtual void verify(storage::ObjectStore& store) = 0;
};

using MakeScenario = std::function<std::unique_ptr<CrashScenario>()>;

struct CrashOptions {
  // Runs by chance, for each step.
  uint64_t seeds_per_step = 3;
  // More steps than this in one scenario are a failure of the test.
  uint64_t steps_max = 10'000;
  bool with_faults = true;
};

struct CrashSummary {
  uint64_t steps = 0;
  uint64_t runs = 0;
};

// Reports failures of `verify` with the step and the way it was crashed.
CrashSummary crash_everywhere(const MakeScenario& make, const CrashOptions& options = {});

}  // namespace weft::crash
