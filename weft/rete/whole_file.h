// The hash over all bytes of a file, recomputed: the verdict on files of others, and the first half
// of verify.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "weft/base/result.h"
#include "weft/codec/blake3.h"
#include "weft/rete/checked_file.h"
#include "weft/rete/format.h"

namespace weft::rete {

// Told how many more bytes were read.
using ReadProgress = std::function<void(uint64_t bytes)>;

// Every digest of a file of generation 6 below the root: sections, card, and the footer. Errors:
// kCorrupt names the section.
Status check_digests6(CheckedFile& file, const Header6& header, const Root6& root,
                      const ReadProgress& progress, const std::stop_token& stop);

struct WholeFile5 {
  // Of the quad index section, for its seal; nullopt if there is none.
  std::optional<codec::Digest16> quad_index_digest;
  // An unknown section that looks like one of ours whose number was damaged: it is what is missing
  // if a label index, a schema or a partial text index is asked for.
  bool has_suspicious_section = false;
};
// The content hash, the digests inside sections, and the footer of a file of generation 5.
Result<WholeFile5> check_hash5(CheckedFile& file, const Header5& header,
                               const ReadProgress& progress, const std::stop_token& stop);

}  // namespace weft::rete
