#include <algorithm>
#include <bit>
#include <cstring>

#include "weft/codec/varint.h"
#include "weft/rete/format.h"

namespace weft::rete {
namespace {

Error corrupt(std::string_view what, uint64_t offset) {
  return Error(ErrorKind::kCorrupt, "cannot trust .rete file: " + std::string(what))
      .with("section", "header")
      .with("offset", offset);
}

Status check_directory(const Header5& header, uint64_t file_size) {
  const uint64_t end = file_size - kFooter5.size();
  std::vector<std::pair<uint64_t, uint64_t>> places;
  for (size_t i = 0; i < header.sections.size(); ++i) {
    const SectionEntry5& entry = header.sections[i];
    const uint64_t at = kDirectoryOffset5 + i * kSectionEntryBytes5;
    if (entry.kind == 0) {
      return corrupt("section of no kind", at);
    }
    if (entry.size == 0) {
      continue;
    }
    if (entry.offset < kHeaderBytes5 || entry.offset > end || entry.size > end - entry.offset) {
      return corrupt("section " + section_name5(entry.kind) + " outside the file", at);
    }
    places.emplace_back(entry.offset, entry.offset + entry.size);
  }
  std::sort(places.begin(), places.end());
  uint64_t last = kHeaderBytes5;
  for (const auto& [begin, section_end] : places) {
    if (begin < last) {
      return corrupt("sections overlap", kDirectoryOffset5);
    }
    last = section_end;
  }
  if (last != end) {
    return corrupt("the sections do not end where the file does (cut short?)", kDirectoryOffset5);
  }
  return ok_status();
}

Status check_flags(const Header5& header) {
  const bool has_graphs = header.find(SectionKind5::kNamedGraphs) != nullptr ||
                          header.find(SectionKind5::kQuadIndex) != nullptr;
  if (((header.flags & kFlagNamedGraphs5) != 0) != has_graphs) {
    return corrupt("named-graph flag and sections disagree", 5);
  }
  const bool has_quad_index = header.find(SectionKind5::kQuadIndex) != nullptr;
  if (((header.flags & kFlagQuadIndex5) != 0) != has_quad_index) {
    return corrupt("quad-index flag and sections disagree", 5);
  }
  if (header.find(SectionKind5::kDictionary) == nullptr ||
      header.find(SectionKind5::kIndex) == nullptr) {
    return corrupt("no dictionary or no index", kDirectoryOffset5);
  }
  if (header.schema_block_size > 0) {
    const SectionEntry5* const pyramid = header.find(SectionKind5::kPyramid);
    if (pyramid == nullptr || header.schema_block_size > pyramid->size) {
      return corrupt("schema block is longer than its section", 46);
    }
  }
  return ok_status();
}

uint64_t little_endian(ByteView bytes, size_t offset, size_t width) {
  uint64_t value = 0;
  for (size_t i = width; i-- > 0;) {
    value = value << 8U | std::to_integer<uint64_t>(bytes[offset + i]);
  }
  return value;
}

}  // namespace

const SectionEntry5* Header5::find(SectionKind5 kind) const {
  for (auto entry = sections.rbegin(); entry != sections.rend(); ++entry) {
    if (entry->kind == static_cast<uint16_t>(kind)) {
      return entry->size > 0 ? &*entry : nullptr;
    }
  }
  return nullptr;
}

std::array<std::byte, kHeaderBytes5> encode_header(const Header5& header) {
  WEFT_CHECK(header.sections.size() <= kSectionsMax5);
  std::string out(kMagic);
  out.push_back(static_cast<char>(kGeneration5));
  out.push_back(static_cast<char>(header.flags));
  codec::append_u16(out, kHeaderBytes5);
  out.append(as_text(header.content_hash));
  codec::append_u64(out, header.quad_count);
  codec::append_u64(out, header.term_count);
  codec::append_u16(out, header.pyramid_levels);
  out.push_back(static_cast<char>(header.dictionary_codec));
  out.push_back(static_cast<char>(header.block_codec));
  codec::append_u16(out, static_cast<uint16_t>(header.sections.size()));
  codec::append_u32(out, header.schema_block_size);
  out.push_back(static_cast<char>(header.permutation_mask));
  out.resize(kDirectoryOffset5);
  for (const SectionEntry5& entry : header.sections) {
    codec::append_u16(out, entry.kind);
    codec::append_u16(out, entry.flags);
    codec::append_u32(out, 0);
    codec::append_u64(out, entry.offset);
    codec::append_u64(out, entry.size);
  }
  std::array<std::byte, kHeaderBytes5> bytes{};
  std::memcpy(bytes.data(), out.data(), out.size());
  return bytes;
}

Result<Header5> parse_header5(ByteView bytes, uint64_t file_size) {
  if (bytes.size() < kHeaderBytes5 || file_size < kHeaderBytes5 + kFooter5.size()) {
    return corrupt("cut short within the header", bytes.size());
  }
  Header5 header;
  header.flags = static_cast<uint8_t>(little_endian(bytes, 5, 1));
  if (little_endian(bytes, 6, 2) != kHeaderBytes5) {
    return corrupt("header length is not 1024", 6);
  }
  std::copy_n(bytes.begin() + 8, header.content_hash.size(), header.content_hash.begin());
  header.quad_count = little_endian(bytes, 24, 8);
  header.term_count = little_endian(bytes, 32, 8);
  header.pyramid_levels = static_cast<uint16_t>(little_endian(bytes, 40, 2));
  for (const size_t offset : {size_t{42}, size_t{43}}) {
    if (little_endian(bytes, offset, 1) > static_cast<uint8_t>(Codec::kZstd)) {
      return corrupt("unknown codec", offset);
    }
  }
  header.dictionary_codec = static_cast<Codec>(little_endian(bytes, 42, 1));
  header.block_codec = static_cast<Codec>(little_endian(bytes, 43, 1));
  const uint64_t count = little_endian(bytes, 44, 2);
  if (count > kSectionsMax5) {
    return corrupt("too many sections", 44);
  }
  header.schema_block_size = static_cast<uint32_t>(little_endian(bytes, 46, 4));
  header.permutation_mask = static_cast<uint8_t>(little_endian(bytes, 50, 1));
  const uint8_t mask = header.permutations();
  if ((mask & kPermutationsThree) != kPermutationsThree || mask > kPermutationsSix) {
    return corrupt("unusable permutation mask", 50);
  }
  for (uint64_t i = 0; i < count; ++i) {
    const size_t at = kDirectoryOffset5 + i * kSectionEntryBytes5;
    header.sections.push_back({.kind = static_cast<uint16_t>(little_endian(bytes, at, 2)),
                               .flags = static_cast<uint16_t>(little_endian(bytes, at + 2, 2)),
                               .offset = little_endian(bytes, at + 8, 8),
                               .size = little_endian(bytes, at + 16, 8)});
  }
  const size_t directory_end = kDirectoryOffset5 + count * kSectionEntryBytes5;
  for (size_t i = directory_end; i < kHeaderBytes5; ++i) {
    if (bytes[i] != std::byte{0}) {
      return corrupt("bytes behind the section directory", i);
    }
  }
  WEFT_TRY_STATUS(check_directory(header, file_size));
  WEFT_TRY_STATUS(check_flags(header));
  return header;
}

Result<uint8_t> generation_of(ByteView bytes, uint64_t file_size) {
  const std::string_view start = as_text(bytes.first(std::min<size_t>(bytes.size(), 4)));
  if (start.size() < kMagic.size() || bytes.size() < 5) {
    if (kMagic.starts_with(start)) {
      return corrupt("cut short within the header", bytes.size());
    }
    return Error(ErrorKind::kInvalid, "this is no .rete file");
  }
  int wrong_bits = 0;
  for (size_t i = 0; i < kMagic.size(); ++i) {
    const auto wrong = static_cast<uint8_t>(start[i] ^ kMagic[i]);
    wrong_bits += std::popcount(wrong);
  }
  // Up to two flipped bits are damage rather than another kind of file.
  constexpr int kWrongBitsMax = 2;
  if (wrong_bits > kWrongBitsMax) {
    return Error(ErrorKind::kInvalid, "this is no .rete file");
  }
  if (wrong_bits > 0) {
    return corrupt("the magic bytes are damaged", 0);
  }
  const auto generation = std::to_integer<uint8_t>(bytes[4]);
  if (generation == kGeneration5 || generation == kGeneration6) {
    return generation;
  }
  // If the rest is a sound header of a generation we know, only this byte is damaged.
  Bytes repaired(bytes.begin(), bytes.end());
  repaired[4] = std::byte{kGeneration6};
  if (parse_header6(repaired, file_size).ok()) {
    return std::move(corrupt("the generation byte is damaged", 4))
        .with("generation", uint64_t{generation});
  }
  repaired[4] = std::byte{kGeneration5};
  if (parse_header5(repaired, file_size).ok()) {
    return std::move(corrupt("the generation byte is damaged", 4))
        .with("generation", uint64_t{generation});
  }
  return Error(ErrorKind::kUnsupported,
               "cannot read .rete file: generations 5 and 6 are known, this is another")
      .with("generation", uint64_t{generation});
}

std::string section_name5(uint16_t kind) {
  switch (static_cast<SectionKind5>(kind)) {
    case SectionKind5::kCard:
      return "card";
    case SectionKind5::kDictionary:
      return "dictionary";
    case SectionKind5::kIndex:
      return "index";
    case SectionKind5::kPyramid:
      return "pyramid";
    case SectionKind5::kNamedGraphs:
      return "named-graphs";
    case SectionKind5::kText:
      return "text";
    case SectionKind5::kBuildRecord:
      return "build-record";
    case SectionKind5::kLabels:
      return "labels";
    case SectionKind5::kSchema:
      return "schema";
    case SectionKind5::kQuadIndex:
      return "quad-index";
    case SectionKind5::kTextPartial:
      return "text-partial";
  }
  return "kind " + std::to_string(kind);
}

}  // namespace weft::rete
