// Which seeds a simulation test runs: WEFT_SEED the first one (default 1), WEFT_SEEDS how many.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace weft::simulation {

struct Seeds {
  uint64_t first = 1;
  uint64_t count = 0;
};

inline uint64_t number_from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

inline Seeds seeds(uint64_t count) {
  return {number_from_environment("WEFT_SEED", 1), number_from_environment("WEFT_SEEDS", count)};
}

}  // namespace weft::simulation
