#include "weft/rete/body_walker.h"

namespace weft::rete {

const char* BodyWalker::walk_c(uint64_t c_count) {
  uint32_t c = 0;
  for (uint64_t left = c_count; left > 0; --left) {
    const uint32_t previous = c;
    if (rules_.zigzag_c && left == c_count) {
      if (!shift(first_c_, limits_.c)) {
        return "third id out of range";
      }
      c = first_c_;
    } else if (!ascend(previous, limits_.c, c)) {
      return "third ids do not ascend within the dictionary";
    }
    put(c - previous);
    if (left == c_count) {
      c_min = std::min(c_min, c);
    }
    ++row_count;
    if (row_count % Tile::kCheckpointRows == 0) {
      row_.c = c;
      checkpoints->push_back({.row = row_,
                              .offset = place(),
                              .a_left = a_left_,
                              .b_left = b_left_,
                              .c_left = static_cast<uint32_t>(left - 1)});
    }
  }
  c_max = std::max(c_max, c);
  return nullptr;
}

const char* BodyWalker::walk_b(uint64_t b_count) {
  row_.b = 0;
  for (uint64_t left = b_count; left > 0; --left) {
    const uint32_t previous = row_.b;
    if (rules_.zigzag_b && left == b_count) {
      if (!shift(first_b_, limits_.b)) {
        return "second id out of range";
      }
      row_.b = first_b_;
    } else if (!ascend(previous, limits_.b, row_.b)) {
      return "second ids do not ascend within the dictionary";
    }
    put(row_.b - previous);
    if (left == b_count) {
      b_min = std::min(b_min, row_.b);
    }
    uint64_t c_count = 0;
    if (!count(c_count)) {
      return "count of third ids is impossible";
    }
    put(c_count);
    b_left_ = static_cast<uint32_t>(left - 1);
    if (const char* const reason = walk_c(c_count); reason != nullptr) {
      return reason;
    }
  }
  b_max = std::max(b_max, row_.b);
  return nullptr;
}

const char* BodyWalker::walk() {
  uint64_t count_of_a = 0;
  if (!count(count_of_a)) {
    return "count of leading ids is impossible";
  }
  a_count = static_cast<uint32_t>(count_of_a);
  body_offset = place();
  row_.a = 0;
  for (uint64_t left = count_of_a; left > 0; --left) {
    const uint32_t previous = row_.a;
    const bool first = left == count_of_a;
    if (first && rules_.first_a_given) {
      if (first_a == 0 || first_a > limits_.a) {
        return "leading id out of range";
      }
      row_.a = first_a;
    } else if (!ascend(previous, limits_.a, row_.a)) {
      return "leading ids do not ascend within the dictionary";
    }
    put(row_.a - previous);
    if (first) {
      a_first = row_.a;
    }
    uint64_t b_count = 0;
    if (!count(b_count)) {
      return "count of second ids is impossible";
    }
    put(b_count);
    a_left_ = static_cast<uint32_t>(left - 1);
    if (const char* const reason = walk_b(b_count); reason != nullptr) {
      return reason;
    }
  }
  a_last = row_.a;
  return nullptr;
}

}  // namespace weft::rete
