// The build record of a segment weft builds. It says nothing that differs between two builds of the
// same quads with the same options: no clock, no host, no path, no input file.
#pragma once

#include <string>

#include "weft/rete/build/options.h"
#include "weft/rete/build/segment_parts.h"

namespace weft::rete::build {

// Compact JSON. Keys: docs/formats/rete.md, "Build record".
std::string build_record(const BuildOptions& options, const SegmentParts& parts);

}  // namespace weft::rete::build
