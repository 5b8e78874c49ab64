#include "weft/base/random.h"

#include <array>
#include <bit>
#include <random>

#include <unistd.h>

#include "weft/base/check.h"

namespace weft::base {

Random::Random(uint64_t seed) : state_{} {
  for (uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15U;
    uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    word = mixed ^ (mixed >> 31U);
  }
}

Random Random::from_system() {
  // All of the state: names that are drawn from it must not meet those of another process.
  std::array<uint64_t, 5> words{};
  if (::getentropy(words.data(), sizeof(words)) != 0) {
    std::random_device device;
    for (uint64_t& word : words) {
      word = (uint64_t{device()} << 32U) | device();
    }
  }
  Random random(words[4]);
  size_t next = 0;
  for (uint64_t& part : random.state_) {
    part ^= words.at(next++);
  }
  return random;
}

uint64_t Random::next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

uint64_t Random::below(uint64_t bound) {
  WEFT_CHECK(bound > 0);
  // Rejects the uneven rest of the range, so that every value is equally likely.
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t value = next();
  while (value >= limit) {
    value = next();
  }
  return value % bound;
}

std::string random_name(Random& random, size_t size) {
  constexpr char kDigits[] = "abcdefghijklmnopqrstuvwxyz234567";
  std::string name;
  name.reserve(size);
  while (name.size() < size) {
    name += kDigits[random.below(sizeof(kDigits) - 1)];
  }
  return name;
}

}  // namespace weft::base
