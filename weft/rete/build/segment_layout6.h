// Lays the parts of a segment out as a file of generation 6. Format: docs/formats/rete.md.
#pragma once

#include "weft/rete/build/options.h"
#include "weft/rete/build/segment_parts.h"
#include "weft/storage/object_store.h"

namespace weft::rete::build {

// Appends the whole file to `out`. `record` is the build record, empty for none. Sets file size and
// content hash of `report`. Decides where quad tiles lie, hence changes `parts`.
Status write_segment6(SegmentParts& parts, const BuildOptions& options, const std::string& record,
                      const BuildSpace& space, storage::ObjectWriter& out, BuildReport& report);

}  // namespace weft::rete::build
