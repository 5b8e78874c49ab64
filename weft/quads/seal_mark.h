// How far a log has taken in its journal.
//
// A seal says so twice: in the manifest, and in the build record of each segment that it writes. So
// a program that rewrites the manifest and drops members that it does not know does not bring back
// what was sealed (docs/protocols/seal.md).
#pragma once

#include <optional>
#include <string>

#include "weft/base/result.h"
#include "weft/journal/journal.h"
#include "weft/manifest/document.h"
#include "weft/quads/segments.h"

namespace weft::quads {

// What the manifest says, else the newest segment that a seal has written. Reads the build records
// of segments only if the manifest says nothing. Errors: those of reading them.
Result<std::optional<journal::JournalPosition>> sealed_position(const manifest::Manifest& manifest,
                                                                SegmentSet& segments);

// For rete::BuildOptions::record_members.
std::string seal_record_members(const journal::JournalPosition& sealed);
// From a build record; nullopt if no seal wrote it.
std::optional<journal::JournalPosition> seal_of_record(const std::string& record);

}  // namespace weft::quads
