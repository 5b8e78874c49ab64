// WEFT_CHECK(condition): for our own mistakes, never for input. Prints the place and stops the
// process, in release builds too: going on with a broken invariant could damage a store.
#pragma once

namespace weft::base {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace weft::base

#define WEFT_CHECK(condition)                                     \
  do {                                                            \
    if (!(condition)) [[unlikely]] {                              \
      ::weft::base::check_failed(#condition, __FILE__, __LINE__); \
    }                                                             \
  } while (false)
