// Pages of the full-zip kind: finding rows, decoding, assembling.
#include "lance_page.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::fuzz::fuzz_page(data, size, 1);
  return 0;
}
