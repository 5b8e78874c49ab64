// Randomness enters only through a Random, so that a run replays from its seed.
#pragma once

#include <cstdint>

namespace weft::base {

// xoshiro256** seeded by splitmix64 (Blackman, Vigna, "Scrambled linear pseudorandom number
// generators", 2018). Not thread-safe, not for secrets.
class Random {
 public:
  explicit Random(uint64_t seed);
  // Seeded by the operating system.
  static Random from_system();

  uint64_t next();
  // Uniform in [0, bound), bound > 0.
  uint64_t below(uint64_t bound);
  // True with probability numerator / denominator.
  bool chance(uint64_t numerator, uint64_t denominator) { return below(denominator) < numerator; }

 private:
  uint64_t state_[4];
};

}  // namespace weft::base
