#include "weft/rete/whole_file.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "weft/rete/damage.h"
#include "weft/rete/file_reader.h"

namespace weft::rete {
namespace {

using storage::Range;

constexpr uint64_t kStepBytesLocal = uint64_t{1} << 20U;
constexpr uint64_t kStepBytesRemote = uint64_t{8} << 20U;

using Visit = std::function<void(ByteView)>;

Status read_all(CheckedFile& file, Range range, const Visit& visit, const ReadProgress& progress,
                const std::stop_token& stop) {
  const uint64_t step = file.is_remote() ? kStepBytesRemote : kStepBytesLocal;
  for (uint64_t done = 0; done < range.size;) {
    if (stop.stop_requested()) {
      return Error(ErrorKind::kCancelled, "reading the file was cancelled");
    }
    const Range part{range.offset + done, std::min(step, range.size - done)};
    WEFT_TRY(const std::vector<storage::Buffer> bytes, file.read_raw({&part, 1}, stop));
    visit(bytes[0].view());
    done += part.size;
    if (progress) {
      progress(part.size);
    }
  }
  return ok_status();
}

Status check_bytes(CheckedFile& file, uint64_t offset, std::string_view expected,
                   std::string_view what) {
  const Range range{offset, expected.size()};
  WEFT_TRY(const std::vector<storage::Buffer> bytes, file.read_raw({&range, 1}, {}));
  return as_text(bytes[0].view()) == expected ? ok_status()
                                              : Status(damage(what, file.name(), "footer", offset));
}

Status check_digest(CheckedFile& file, Range range, const codec::Digest16& expected,
                    std::string_view section, const ReadProgress& progress,
                    const std::stop_token& stop) {
  codec::Blake3 hash;
  WEFT_TRY_STATUS(
      read_all(file, range, [&](ByteView bytes) { hash.update(bytes); }, progress, stop));
  return hash.digest16() == expected
             ? ok_status()
             : Status(damage("digest of the section differs", file.name(), section, range.offset));
}

}  // namespace

Status check_digests6(CheckedFile& file, const Header6& header, const Root6& root,
                      const ReadProgress& progress, const std::stop_token& stop) {
  if (header.card_size > 0) {
    WEFT_TRY_STATUS(
        check_digest(file, {header.card_region_offset() + header.card_offset, header.card_size},
                     header.card_digest, "card", progress, stop));
  }
  std::vector<SectionEntry6> sections = root.sections;
  std::sort(sections.begin(), sections.end(), [&](const auto& a, const auto& b) {
    return section_offset(header, a) < section_offset(header, b);
  });
  for (const SectionEntry6& entry : sections) {
    WEFT_TRY_STATUS(check_digest(file, {section_offset(header, entry), entry.size}, entry.digest,
                                 section_name6(entry.kind), progress, stop));
  }
  return check_bytes(file, header.file_size - kFooter6.size(), kFooter6, "footer is damaged");
}

namespace {

// Kinds 8, 9 and 11 begin with the digest of what follows.
Result<bool> carries_own_digest(CheckedFile& file, const SectionEntry5& entry,
                                const ReadProgress& progress, const std::stop_token& stop) {
  codec::Digest16 expected{};
  if (entry.size < expected.size()) {
    return false;
  }
  const Range head{entry.offset, expected.size()};
  WEFT_TRY(const std::vector<storage::Buffer> bytes, file.read_raw({&head, 1}, stop));
  std::copy_n(bytes[0].view().begin(), expected.size(), expected.begin());
  codec::Blake3 hash;
  WEFT_TRY_STATUS(read_all(
      file, {entry.offset + expected.size(), entry.size - expected.size()},
      [&](ByteView part) { hash.update(part); }, progress, stop));
  return hash.digest16() == expected;
}

bool is_one_bit_from_self_digesting(uint16_t kind) {
  return std::ranges::any_of(
      std::initializer_list<SectionKind5>{SectionKind5::kLabels, SectionKind5::kSchema,
                                          SectionKind5::kTextPartial},
      [&](SectionKind5 known) {
        return std::popcount(static_cast<unsigned>(kind ^ static_cast<unsigned>(known))) == 1;
      });
}

// The schema block has no length of its own: the header's number must be what is left behind the
// blocks that have one.
Status check_schema_block_size(CheckedFile& file, const Header5& header) {
  const SectionEntry5* const pyramid = header.find(SectionKind5::kPyramid);
  if (pyramid == nullptr) {
    return ok_status();
  }
  FileReader reader(file, {pyramid->offset, pyramid->size}, "pyramid");
  reader.varint();
  constexpr uint64_t kEdgeBytesMin = 4;
  const uint64_t edges = reader.count(kEdgeBytesMin);
  for (uint64_t i = 0; i < edges * 4 && reader.ok(); ++i) {
    reader.varint();
  }
  constexpr uint64_t kTileBytesMin = 2;
  const uint64_t tiles = reader.count(kTileBytesMin);
  for (uint64_t i = 0; i < tiles && reader.ok(); ++i) {
    reader.varint();
    reader.region();
  }
  uint64_t schema_size = 0;
  constexpr uint64_t kSchemaTag = 2;
  while (reader.ok() && reader.remaining() > 0) {
    schema_size = reader.remaining();
    if (reader.bytes(1) == std::string(1, char{kSchemaTag})) {
      break;
    }
    schema_size = 0;
    reader.region();
  }
  // A layout we do not know is none of our business: the bytes are under the content hash.
  if (reader.ok() && schema_size != header.schema_block_size) {
    reader.fail("length of the schema block differs from the header");
    return reader.status();
  }
  return ok_status();
}

}  // namespace

Result<WholeFile5> check_hash5(CheckedFile& file, const Header5& header,
                               const ReadProgress& progress, const std::stop_token& stop) {
  codec::Blake3 hash;
  WholeFile5 result;
  for (const SectionKind5 kind :
       {SectionKind5::kCard, SectionKind5::kDictionary, SectionKind5::kIndex,
        SectionKind5::kPyramid, SectionKind5::kText, SectionKind5::kNamedGraphs}) {
    if (const SectionEntry5* const entry = header.find(kind); entry != nullptr) {
      WEFT_TRY_STATUS(read_all(
          file, {entry->offset, entry->size}, [&](ByteView part) { hash.update(part); }, progress,
          stop));
    }
  }
  if (hash.digest16() != header.content_hash) {
    return damage("content hash differs", file.name(), "file", 0);
  }
  for (const SectionEntry5& entry : header.sections) {
    const bool known = entry.kind >= static_cast<uint16_t>(SectionKind5::kCard) &&
                       entry.kind <= static_cast<uint16_t>(SectionKind5::kTextPartial);
    const bool self_digesting = entry.kind == static_cast<uint16_t>(SectionKind5::kLabels) ||
                                entry.kind == static_cast<uint16_t>(SectionKind5::kSchema) ||
                                entry.kind == static_cast<uint16_t>(SectionKind5::kTextPartial);
    if (entry.size == 0 || (known && !self_digesting)) {
      continue;
    }
    WEFT_TRY(const bool intact, carries_own_digest(file, entry, progress, stop));
    if (self_digesting && !intact) {
      return damage("digest of the section differs", file.name(), section_name5(entry.kind),
                    entry.offset);
    }
    result.has_suspicious_section |= !known && intact && is_one_bit_from_self_digesting(entry.kind);
  }
  if (const SectionEntry5* const entry = header.find(SectionKind5::kQuadIndex); entry != nullptr) {
    codec::Blake3 quads;
    WEFT_TRY_STATUS(read_all(
        file, {entry->offset, entry->size}, [&](ByteView part) { quads.update(part); }, progress,
        stop));
    result.quad_index_digest = quads.digest16();
  }
  WEFT_TRY_STATUS(check_schema_block_size(file, header));
  WEFT_TRY_STATUS(check_bytes(file, file.size() - kFooter5.size(), kFooter5, "footer is damaged"));
  return result;
}

}  // namespace weft::rete
