// Runs of the simulation of property graphs over a range of seeds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/simulation/property_graph_world.h"
#include <sched.h>

namespace weft::simulation {

struct RunResult {
  std::string violations;  // "": none
  World::Counts counts;
};

// Actors are threads of which one runs at a time: handing over to another processor costs more than
// all that they do.
inline void stay_on_this_processor() {
  const int processor = sched_getcpu();
  if (processor >= 0) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(processor, &only);
    static_cast<void>(sched_setaffinity(0, sizeof(only), &only));
  }
}

inline RunResult run_seed(uint64_t seed) {
  auto world = std::make_unique<World>(seed);
  const bool is_over = world->run();
  RunResult result{.violations = {}, .counts = world->counts};
  for (const std::string& violation : world->violations()) {
    result.violations += violation + "\n";
  }
  if (!result.violations.empty()) {
    for (const Operation& operation : world->operations) {
      result.violations += operation.describe() + "\n";
    }
  }
  if (!is_over) {
    static_cast<void>(world.release());  // threads that are stuck in it stay
  }
  return result;
}

}  // namespace weft::simulation
