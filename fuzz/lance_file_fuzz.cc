// Data files of versions 2.1 and 2.2: footer, tables, metadata, pages.
#include "lance_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::fuzz::read_lance_file(data, size);
  return 0;
}
