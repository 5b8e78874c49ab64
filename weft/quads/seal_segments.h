// The changes on top of a log as segments: what a seal writes.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/journal/journal.h"
#include "weft/manifest/document.h"
#include "weft/quads/fold.h"
#include "weft/quads/graph_log.h"

namespace weft::quads {

struct SealedSegments {
  // nullopt: the changes come to nothing.
  std::optional<manifest::LogEntry> entry;
  uint64_t added_quads = 0;
  uint64_t deleted_quads = 0;
  std::vector<std::string> files;
};

// Builds the segments of `state`'s changes, complete and durable, under names that no manifest has.
// `sealed` goes into their build records. With `dry_run` only says what they would be. `folder`, if
// given, is where they go, seen from the working folder.
Result<SealedSegments> make_sealed_segments(const GraphPlace& place, const GraphTools& tools,
                                            Fold& state, const manifest::Manifest& current,
                                            const journal::JournalPosition& sealed, bool dry_run,
                                            const std::optional<std::string>& folder,
                                            std::stop_token stop);

// All of `state` as one segment; nullopt if it is empty. As above, else.
Result<std::optional<manifest::SegmentPin>> make_whole_segment(
    const GraphPlace& place, const GraphTools& tools, Fold& state,
    const manifest::Manifest& current, const journal::JournalPosition& sealed,
    std::stop_token stop);

}  // namespace weft::quads
