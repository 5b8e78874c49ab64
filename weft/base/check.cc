#include "weft/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace weft::base {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "weft: internal error: %s (%s:%d); please report this\n", condition, file,
               line);
  std::abort();
}

}  // namespace weft::base
