#include <cstddef>
#include <cstdint>

#include "fuzz/rdf_round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::fuzz::check_round_trip({reinterpret_cast<const char*>(data), size},
                               weft::rdfio::Format::kTriG);
  return 0;
}
