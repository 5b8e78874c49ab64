// Randomness enters only through a Random, so that a run replays from its seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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

// Five bits a character, of a-z2-7: with 26 of them a name that nothing else has.
inline constexpr size_t kUniqueNameSize = 26;
std::string random_name(Random& random, size_t size = kUniqueNameSize);

}  // namespace weft::base
