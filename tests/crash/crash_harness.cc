#include "tests/crash/crash_harness.h"

#include <optional>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "weft/base/random.h"
#include "weft/storage/fault_plan.h"
#include "weft/storage/fault_store.h"
#include "weft/storage/memory_store.h"

namespace weft::crash {
namespace {

using storage::Fault;
using storage::FaultPlan;
using storage::MemoryDisk;
using storage::MemoryStore;

// Late answers cost no time here.
class StandingClock final : public base::Clock {
 public:
  base::WallTime now() const override { return {1'767'225'600'000'000}; }
  int64_t monotonic_microseconds() const override { return 0; }
  void sleep_microseconds(int64_t /*duration*/) const override {}
};

struct Way {
  Fault fault = Fault::kStop;
  bool machine_dies = false;
  std::optional<uint64_t> seed;

  std::string name() const {
    std::string text(storage::fault_name(fault));
    if (machine_dies) {
      text += seed ? ", the machine dies, seed " + std::to_string(*seed)
                   : std::string(", the machine dies and all unsynced is lost");
    }
    return text;
  }
};

// Whether this way differs from the ones before it at a step ("get name"): of an operation that
// reads, and of an inner step, fewer answers can be lost.
bool differs(const Way& way, std::string_view step) {
  const std::string_view action = step.substr(0, step.find(' '));
  if (way.fault == Fault::kStop || way.fault == Fault::kFail) {
    return true;
  }
  const bool reads = action == "get" || action == "open" || action == "read" || action == "list";
  return !reads && (action != "show" || way.fault == Fault::kFull);
}

// Returns whether the run got as far as `step`.
bool run_once(const MakeScenario& make, uint64_t step, const Way& way, std::string& at) {
  StandingClock clock;
  MemoryDisk disk(&clock);
  MemoryStore plain(disk);
  const std::unique_ptr<CrashScenario> scenario = make();
  {
    const Status prepared = scenario->prepare(plain);
    EXPECT_TRUE(prepared.ok()) << prepared.error().to_string();
  }
  FaultPlan plan;
  plan.at(step, way.fault);
  MemoryStore inner(disk, &plan);
  const auto store = storage::fault_store(inner, plan, clock);
  const Status status = scenario->run(*store);
  const bool reached = plan.point_count() > step;
  EXPECT_TRUE(reached || status.ok()) << "without a fault: " << status.error().to_string();
  const std::vector<std::string> log = plan.log();
  at = reached && step < log.size() ? log[step] : std::string();
  if (way.machine_dies) {
    if (way.seed) {
      base::Random random(*way.seed);
      disk.crash(random);
    } else {
      disk.lose_unsynced();
    }
  }
  const testing::ScopedTrace trace(__FILE__, __LINE__,
                                   "step " + std::to_string(step) + " (" + at + "): " + way.name());
  scenario->verify(plain);
  return reached;
}

}  // namespace

CrashSummary crash_everywhere(const MakeScenario& make, const CrashOptions& options) {
  std::vector<Way> ways = {{Fault::kStop, false, {}}, {Fault::kStop, true, {}}};
  for (uint64_t seed = 0; seed < options.seeds_per_step; ++seed) {
    ways.push_back({Fault::kStop, true, seed});
  }
  if (options.with_faults) {
    for (const Fault fault : {Fault::kFail, Fault::kFull, Fault::kDoneUnanswered,
                              Fault::kUndoneUnanswered, Fault::kAnswerLate}) {
      ways.push_back({fault, false, {}});
      ways.push_back({fault, true, {}});
    }
  }
  CrashSummary summary;
  bool reached = true;
  while (reached && !testing::Test::HasFailure()) {
    if (summary.steps > options.steps_max) {
      ADD_FAILURE() << "a scenario takes more than " << options.steps_max << " steps";
      break;
    }
    reached = false;
    std::string at;
    for (Way way : ways) {
      if (!differs(way, at)) {
        continue;
      }
      if (way.seed) {
        way.seed = *way.seed + summary.steps * options.seeds_per_step;
      }
      reached = run_once(make, summary.steps, way, at) || reached;
      ++summary.runs;
    }
    summary.steps += reached ? 1 : 0;
  }
  return summary;
}

}  // namespace weft::crash
