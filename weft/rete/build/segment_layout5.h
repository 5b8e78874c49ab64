// Lays the parts of a segment out as a file of generation 5, which rete-graph 0.3.6 reads:
// one-level directories beside their payload, every named graph with an index of its own. Format:
// docs/formats/rete.md, "Generation 5".
#pragma once

#include "weft/rete/build/options.h"
#include "weft/rete/build/segment_parts.h"
#include "weft/storage/object_store.h"

namespace weft::rete::build {

// As write_segment6. `parts` holds graph tiles that stand alone.
Status write_segment5(const SegmentParts& parts, const BuildOptions& options,
                      const std::string& record, const BuildSpace& space,
                      storage::ObjectWriter& out, BuildReport& report);

}  // namespace weft::rete::build
