// Runs of the simulation of property graphs over a range of seeds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/simulation/property_graph_world.h"

namespace weft::simulation {

struct RunResult {
  std::string violations;  // "": none
  World::Counts counts;
};

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
