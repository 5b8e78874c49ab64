// The file of one version: sections, the manifest, the trailer. Format: docs/formats/lance.md,
// "Manifest file".
//
// V1  What serialize_manifest_file writes has the transaction pointer in field 21 alone, and every
//     pointer points at a length word inside the file.
// V2  with_version changes the version field and the length word of the manifest, and nothing else:
//     this is how a detached version becomes a head.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/lance/table/manifest.h"

namespace weft::lance {

// Longer files are kLimit.
inline constexpr uint64_t kManifestFileBytesMax = uint64_t{512} << 20U;

struct ManifestFile {
  Manifest manifest;
  // Views into the file's bytes.
  std::optional<ByteView> index_section;
  std::optional<ByteView> transaction;  // inline, wherever the engine put it
};

// Errors: kCorrupt with reason=empty or reason=torn for what a crash leaves behind, reason=damaged
// else; those of parse_manifest. Keeps views of `file`.
Result<ManifestFile> parse_manifest_file(ByteView file);

// `manifest.index_section` and the transaction pointers are set to where the sections come to
// stand.
std::string serialize_manifest_file(Manifest manifest, std::optional<ByteView> index_section,
                                    std::optional<ByteView> transaction);

// The same file under another version number. Errors: kCorrupt if `file` is no manifest file.
Result<std::string> with_version(ByteView file, uint64_t version);

}  // namespace weft::lance
