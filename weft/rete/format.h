// The bytes of a `.rete` file, as constants and plain structures: generation 6 (what weft writes)
// and generation 5. What stands here is checked for its own sake only; segment.h reads a file,
// build/ writes one. Format: docs/formats/rete.md, by whose names the fields go.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/codec/blake3.h"

namespace weft::rete {

inline constexpr std::string_view kMagic = "RETE";
inline constexpr uint8_t kGeneration5 = 5;
inline constexpr uint8_t kGeneration6 = 6;
inline constexpr size_t kHeaderBytes5 = 1024;
inline constexpr size_t kHeaderBytes6 = 128;
inline constexpr std::string_view kFooter5 = "RETE";
inline constexpr std::string_view kFooter6{"\x06\0\0\0RETE", 8};
inline constexpr uint64_t kFileBytesMin6 = 1024;

// Limits of generation 6. A section that does not record the size of its largest raw block (0) has
// blocks of at most kBlockBytesDefaultMax.
inline constexpr uint64_t kUnitRootsBytesMax = uint64_t{16} << 20U;
inline constexpr uint64_t kCardBytesMax = uint64_t{64} << 20U;
inline constexpr uint64_t kBlockBytesDefaultMax = uint64_t{4} << 20U;
inline constexpr size_t kSectionsMax6 = 255;
// Generation 5 records no bound at all; nothing beyond this is decompressed.
inline constexpr uint64_t kBlockBytesMax5 = uint64_t{1} << 30U;
inline constexpr size_t kSectionsMax5 = 40;
// Ids are u32 and 1-based; the three node sections together must fit, too (segment.h, NodeId).
inline constexpr uint64_t kTermsMax = 0xFFFF'FFFF;

enum class Codec : uint8_t { kNone = 0, kZstd = 1 };

enum class SectionKind6 : uint8_t {
  kSchema = 1,
  kDictLeaves = 2,
  kIndexLeaves = 3,
  kQuadLeaves = 4,
  kLabelLeaves = 5,
  kTextLeaves = 6,
  kBlockDigests = 9,  // weft's own; other readers pass over it
  kDict = 16,
  kIndex = 17,
  kQuad = 18,
  kLabels = 19,
  kText = 20,
  kPyramid = 21,
};
// Kinds below lie in the front region, the others in the data region.
inline constexpr uint8_t kFirstDataKind6 = 16;

enum class UnitTag6 : uint8_t { kDictionary = 1, kIndex = 2, kQuad = 3, kLabels = 4, kText = 5 };

enum class SectionKind5 : uint16_t {
  kCard = 1,
  kDictionary = 2,
  kIndex = 3,
  kPyramid = 4,
  kNamedGraphs = 5,
  kText = 6,
  kBuildRecord = 7,
  kLabels = 8,
  kSchema = 9,
  kQuadIndex = 10,
  kTextPartial = 11,
};

// Dictionary sections, by index. Generation 6 lays their chunks and leaves out in the order
// predicates, shared, subjects, objects (kDictStorageOrder6).
enum class DictSection : uint8_t { kShared = 0, kSubjects = 1, kObjects = 2, kPredicates = 3 };
inline constexpr size_t kDictSectionCount = 4;
inline constexpr std::array<DictSection, 4> kDictStorageOrder6 = {
    DictSection::kPredicates, DictSection::kShared, DictSection::kSubjects, DictSection::kObjects};

// Header flags of generation 6.
inline constexpr uint8_t kFlagNamedGraphs6 = 0x01;
inline constexpr uint8_t kFlagQuotedTriples6 = 0x02;
inline constexpr uint8_t kFlagTextCoversGraphs6 = 0x04;
inline constexpr uint8_t kFlagGraphMajor6 = 0x08;
// Presence bits of generation 6.
inline constexpr uint16_t kPresenceText = 1;
inline constexpr uint16_t kPresenceTextPartial = 2;
inline constexpr uint16_t kPresenceLabels = 4;
inline constexpr uint16_t kPresenceSchema = 8;
inline constexpr uint16_t kPresencePyramid = 16;
inline constexpr uint16_t kPresenceQuads = 32;
// Header flags of generation 5.
inline constexpr uint8_t kFlagNamedGraphs5 = 0x01;
inline constexpr uint8_t kFlagSynopsis5 = 0x02;
inline constexpr uint8_t kFlagQuotedTriples5 = 0x04;
inline constexpr uint8_t kFlagQuadIndex5 = 0x08;
inline constexpr uint8_t kFlagTextCoversGraphs5 = 0x10;

// Permutation masks: bit i is rdf::Permutation i.
inline constexpr uint8_t kPermutationsThree = 0x07;
inline constexpr uint8_t kPermutationsSix = 0x3F;

// ---- generation 6 ------------------------------------------------------------------------------

struct Header6 {
  uint8_t flags = 0;
  codec::Digest16 content_hash{};
  uint64_t file_size = 0;
  uint32_t root_size = 0;         // stored
  uint32_t card_region_size = 0;  // card, build record, slack
  uint64_t data_offset = 0;       // absolute
  uint64_t quad_count = 0;
  uint64_t term_count = 0;
  uint64_t graph_count = 0;
  uint8_t permutation_mask = kPermutationsSix;
  Codec dictionary_codec = Codec::kZstd;
  Codec block_codec = Codec::kZstd;
  Codec internal_codec = Codec::kZstd;
  uint8_t pyramid_levels = 0;
  uint8_t id_widths = 0;
  uint16_t presence = 0;
  uint32_t card_offset = 0;  // within the card region
  uint32_t card_size = 0;    // stored; 0: no card
  codec::Digest16 card_digest{};
  uint32_t record_offset = 0;
  uint32_t record_size = 0;
  codec::Digest16 root_digest{};

  uint64_t card_region_offset() const { return kHeaderBytes6 + root_size; }
  uint64_t front_base() const { return card_region_offset() + card_region_size; }
};

// The 128 bytes, content hash included as it stands in `header`.
std::array<std::byte, kHeaderBytes6> encode_header(const Header6& header);
// The hash over counts, codecs, card digest and root digest, which cover every other checked byte.
codec::Digest16 content_hash(const Header6& header);

// Parses and checks what the header can tell by itself and against the file's real size. The
// content hash is recomputed first, so that damage is kCorrupt and only an intact header can be
// kUnsupported (codec, id width). Errors: kInvalid if this is no `.rete` file at all, kUnsupported
// names the generation, kCorrupt names the field.
Result<Header6> parse_header6(ByteView bytes, uint64_t file_size);

struct SectionEntry6 {
  uint8_t kind = 0;
  uint32_t block_size_max = 0;  // of the largest raw block; 0: not recorded
  uint64_t offset = 0;          // from front_base (kind < 16) or data_offset
  uint64_t size = 0;
  codec::Digest16 digest{};
};
inline constexpr size_t kSectionEntryBytes6 = 38;
inline constexpr uint8_t kRootVersion = 1;
void append_section_entry(std::string& out, const SectionEntry6& entry);

struct Unit6 {
  uint8_t tag = 0;
  std::string payload;
};

struct Root6 {
  std::vector<SectionEntry6> sections;
  std::vector<Unit6> units;
  // nullptr if there is none.
  const SectionEntry6* find(SectionKind6 kind) const;
  const std::string* unit(UnitTag6 tag) const;
};

// `root` is the stored root block whose digest the header has; checked here, as are all section
// ranges. Errors: kCorrupt, kUnsupported (root version).
Result<Root6> parse_root6(const Header6& header, ByteView root);

// Absolute file offset of a section.
uint64_t section_offset(const Header6& header, const SectionEntry6& entry);

// ---- block digests (section kind 9 of weft's files) ---------------------------------------------

// Payload: u8 version, u8 log2 of the block size, u16 flags, then a 16-byte digest of each block of
// the front region [front_base, start of this section), then of each block of the data region
// [data_offset, file size - 8). The last block of a region may be short. The section is the last of
// the front sections and ends at data_offset.
inline constexpr uint8_t kBlockDigestsVersion = 1;
inline constexpr uint8_t kDigestBlockLog2 = 16;
inline constexpr uint64_t kDigestBlockBytes = uint64_t{1} << kDigestBlockLog2;
inline constexpr size_t kBlockDigestsHeadBytes = 4;
// Every token in the dictionary is canonical (weft/rdf/term.h).
inline constexpr uint16_t kBlockDigestsFlagCanonical = 1;

constexpr uint64_t digest_block_count(uint64_t region_size) {
  return (region_size + kDigestBlockBytes - 1) / kDigestBlockBytes;
}

// ---- generation 5 ------------------------------------------------------------------------------

struct SectionEntry5 {
  uint16_t kind = 0;
  uint16_t flags = 0;
  uint64_t offset = 0;  // absolute
  uint64_t size = 0;
};
inline constexpr size_t kSectionEntryBytes5 = 24;
inline constexpr size_t kDirectoryOffset5 = 64;

struct Header5 {
  uint8_t flags = kFlagSynopsis5;
  codec::Digest16 content_hash{};
  uint64_t quad_count = 0;
  uint64_t term_count = 0;
  uint16_t pyramid_levels = 0;
  Codec dictionary_codec = Codec::kZstd;
  Codec block_codec = Codec::kZstd;
  uint32_t schema_block_size = 0;  // at the end of the pyramid section
  uint8_t permutation_mask = 0;    // as stored: 0 means all six
  std::vector<SectionEntry5> sections;

  // Never 0.
  uint8_t permutations() const {
    return permutation_mask == 0 ? kPermutationsSix : permutation_mask;
  }
  // The last entry of that kind with bytes; nullptr if there is none.
  const SectionEntry5* find(SectionKind5 kind) const;
};

std::array<std::byte, kHeaderBytes5> encode_header(const Header5& header);
// Nothing protects this header, so everything is checked against everything: the directory against
// the file's size, flags against sections, the bytes behind the directory against zero. Errors as
// parse_header6.
Result<Header5> parse_header5(ByteView bytes, uint64_t file_size);

// kind 10 begins with it, and so does the seal that stands for it in the index container.
inline constexpr std::string_view kQuadIndexMagic5{"RQIX\x01", 5};
inline constexpr size_t kSealBytes5 = 21;

// ---- both --------------------------------------------------------------------------------------

// 5 or 6. `bytes` is the beginning of the file, up to 1024 bytes of it. Errors: kInvalid if it is
// no `.rete` file, kUnsupported if it is of another generation, kCorrupt if the two magic bytes
// that tell look damaged.
Result<uint8_t> generation_of(ByteView bytes, uint64_t file_size);

// "dictionary", "index-leaves", …, or "kind 30".
std::string section_name6(uint8_t kind);
std::string section_name5(uint16_t kind);

}  // namespace weft::rete
