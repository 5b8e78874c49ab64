// Data files of version 2.0: the same around pages of another kind.
#include "lance_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::fuzz::read_lance_file(data, size);
  return 0;
}
