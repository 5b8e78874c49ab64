#include <algorithm>
#include <cstring>

#include "weft/codec/compression.h"
#include "weft/codec/varint.h"
#include "weft/rete/format.h"

namespace weft::rete {
namespace {

Error corrupt(std::string_view what, uint64_t offset) {
  return Error(ErrorKind::kCorrupt, "cannot trust .rete file: " + std::string(what))
      .with("section", "header")
      .with("offset", offset);
}

Error corrupt_root(std::string_view what) {
  return Error(ErrorKind::kCorrupt, "cannot trust .rete file: " + std::string(what))
      .with("section", "root")
      .with("offset", kHeaderBytes6);
}

void append_digest(std::string& out, const codec::Digest16& digest) {
  out.append(as_text(digest));
}

codec::Digest16 digest_of(codec::ByteReaderView& reader) {
  codec::Digest16 digest{};
  const ByteView bytes = reader.bytes(digest.size());
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

// "Header" of docs/formats/rete.md, "Content hash", over the 128 bytes as they stand.
codec::Digest16 hash_of_header_bytes(ByteView bytes) {
  codec::Blake3 hash;
  hash.update(as_bytes("rete/0x06"));
  hash.update(bytes.subspan(4, 4));
  hash.update(bytes.subspan(48, 32));
  hash.update(bytes.subspan(84, 4));
  hash.update(bytes.subspan(88, 16));
  hash.update(bytes.subspan(32, 4));
  hash.update(bytes.subspan(112, 16));
  return hash.digest16();
}

Status check_codecs(ByteView bytes) {
  for (size_t offset = 73; offset < 76; ++offset) {
    if (std::to_integer<uint8_t>(bytes[offset]) > static_cast<uint8_t>(Codec::kZstd)) {
      return Error(ErrorKind::kUnsupported, "cannot read .rete file: unknown codec")
          .with("codec", std::to_integer<uint64_t>(bytes[offset]))
          .with("offset", offset);
    }
  }
  const auto widths = std::to_integer<uint8_t>(bytes[77]);
  if (widths != 0) {
    return Error(ErrorKind::kUnsupported, "cannot read .rete file: term ids are wider than 32 bits")
        .with("widths", uint64_t{widths});
  }
  return ok_status();
}

Status check_places(const Header6& header, uint64_t file_size) {
  if (header.file_size != file_size) {
    return Error(ErrorKind::kCorrupt,
                 "cannot trust .rete file: its length differs from its header (cut short?)")
        .with("section", "header")
        .with("expected_bytes", header.file_size)
        .with("actual_bytes", file_size);
  }
  if ((header.permutation_mask & kPermutationsThree) != kPermutationsThree ||
      header.permutation_mask > kPermutationsSix) {
    return corrupt("unusable permutation mask", 72);
  }
  if (file_size < kHeaderBytes6 + kFooter6.size() || header.front_base() > header.data_offset ||
      header.data_offset > file_size - kFooter6.size()) {
    return corrupt("front overruns the data region", 40);
  }
  const uint64_t region = header.card_region_size;
  if (uint64_t{header.card_offset} + header.card_size > region ||
      uint64_t{header.record_offset} + header.record_size > region) {
    return corrupt("card or build record outside its region", 80);
  }
  return ok_status();
}

}  // namespace

std::array<std::byte, kHeaderBytes6> encode_header(const Header6& header) {
  std::string out(kMagic);
  out.push_back(static_cast<char>(kGeneration6));
  out.push_back(static_cast<char>(header.flags));
  codec::append_u16(out, kHeaderBytes6);
  append_digest(out, header.content_hash);
  codec::append_u64(out, header.file_size);
  codec::append_u32(out, header.root_size);
  codec::append_u32(out, header.card_region_size);
  codec::append_u64(out, header.data_offset);
  codec::append_u64(out, header.quad_count);
  codec::append_u64(out, header.term_count);
  codec::append_u64(out, header.graph_count);
  out.push_back(static_cast<char>(header.permutation_mask));
  out.push_back(static_cast<char>(header.dictionary_codec));
  out.push_back(static_cast<char>(header.block_codec));
  out.push_back(static_cast<char>(header.internal_codec));
  out.push_back(static_cast<char>(header.pyramid_levels));
  out.push_back(static_cast<char>(header.id_widths));
  codec::append_u16(out, header.presence);
  codec::append_u32(out, header.card_offset);
  codec::append_u32(out, header.card_size);
  append_digest(out, header.card_digest);
  codec::append_u32(out, header.record_offset);
  codec::append_u32(out, header.record_size);
  append_digest(out, header.root_digest);
  WEFT_CHECK(out.size() == kHeaderBytes6);
  std::array<std::byte, kHeaderBytes6> bytes{};
  std::memcpy(bytes.data(), out.data(), bytes.size());
  return bytes;
}

codec::Digest16 content_hash(const Header6& header) {
  return hash_of_header_bytes(encode_header(header));
}

Result<Header6> parse_header6(ByteView bytes, uint64_t file_size) {
  if (bytes.size() < kHeaderBytes6) {
    return corrupt("cut short within the header", bytes.size());
  }
  codec::ByteReaderView reader(bytes.first(kHeaderBytes6));
  Header6 header;
  reader.bytes(5);
  header.flags = reader.u8();
  const uint16_t header_size = reader.u16();
  header.content_hash = digest_of(reader);
  if (hash_of_header_bytes(bytes) != header.content_hash) {
    return corrupt("content hash of the header differs", 8);
  }
  if (header_size != kHeaderBytes6) {
    return corrupt("header length is not 128", 6);
  }
  WEFT_TRY_STATUS(check_codecs(bytes));
  header.file_size = reader.u64();
  header.root_size = reader.u32();
  header.card_region_size = reader.u32();
  header.data_offset = reader.u64();
  header.quad_count = reader.u64();
  header.term_count = reader.u64();
  header.graph_count = reader.u64();
  header.permutation_mask = reader.u8();
  header.dictionary_codec = static_cast<Codec>(reader.u8());
  header.block_codec = static_cast<Codec>(reader.u8());
  header.internal_codec = static_cast<Codec>(reader.u8());
  header.pyramid_levels = reader.u8();
  header.id_widths = reader.u8();
  header.presence = reader.u16();
  header.card_offset = reader.u32();
  header.card_size = reader.u32();
  header.card_digest = digest_of(reader);
  header.record_offset = reader.u32();
  header.record_size = reader.u32();
  header.root_digest = digest_of(reader);
  WEFT_TRY_STATUS(check_places(header, file_size));
  return header;
}

void append_section_entry(std::string& out, const SectionEntry6& entry) {
  out.push_back(static_cast<char>(entry.kind));
  out.push_back(0);
  codec::append_u32(out, entry.block_size_max);
  codec::append_u64(out, entry.offset);
  codec::append_u64(out, entry.size);
  append_digest(out, entry.digest);
}

const SectionEntry6* Root6::find(SectionKind6 kind) const {
  for (const SectionEntry6& entry : sections) {
    if (entry.kind == static_cast<uint8_t>(kind)) {
      return &entry;
    }
  }
  return nullptr;
}

const std::string* Root6::unit(UnitTag6 tag) const {
  for (const Unit6& unit : units) {
    if (unit.tag == static_cast<uint8_t>(tag)) {
      return &unit.payload;
    }
  }
  return nullptr;
}

uint64_t section_offset(const Header6& header, const SectionEntry6& entry) {
  return (entry.kind < kFirstDataKind6 ? header.front_base() : header.data_offset) + entry.offset;
}

namespace {

// Every section inside its region, no kind twice, no two sharing a byte.
Status check_sections(const Header6& header, const std::vector<SectionEntry6>& sections) {
  std::vector<std::pair<uint64_t, uint64_t>> places;
  std::array<bool, 256> seen{};
  for (const SectionEntry6& entry : sections) {
    const bool front = entry.kind < kFirstDataKind6;
    const uint64_t base = front ? header.front_base() : header.data_offset;
    const uint64_t end = front ? header.data_offset : header.file_size - kFooter6.size();
    if (entry.offset > end - base || entry.size > end - base - entry.offset) {
      return corrupt_root("section " + section_name6(entry.kind) + " is out of its region");
    }
    if (seen[entry.kind]) {
      return corrupt_root("section " + section_name6(entry.kind) + " is listed twice");
    }
    seen[entry.kind] = true;
    if (entry.size > 0) {
      places.emplace_back(base + entry.offset, base + entry.offset + entry.size);
    }
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i].first < places[i - 1].second) {
      return corrupt_root("sections overlap");
    }
  }
  return ok_status();
}

Result<std::vector<Unit6>> parse_units(Codec codec, ByteView stored) {
  std::string raw;
  if (codec == Codec::kZstd) {
    if (!codec::zstd_decompress(stored, kUnitRootsBytesMax, raw).ok()) {
      return corrupt_root("unit roots do not decompress");
    }
  } else {
    if (stored.size() > kUnitRootsBytesMax) {
      return corrupt_root("unit roots are too long");
    }
    raw = to_text(stored);
  }
  codec::ByteReaderView reader(as_bytes(raw));
  std::vector<Unit6> units;
  std::array<bool, 256> seen{};
  while (reader.remaining() > 0) {
    Unit6 unit;
    unit.tag = reader.u8();
    unit.payload = to_text(reader.length_prefixed());
    if (!reader.ok() || seen[unit.tag]) {
      return corrupt_root("unit roots are malformed");
    }
    seen[unit.tag] = true;
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace

Result<Root6> parse_root6(const Header6& header, ByteView root) {
  if (root.size() != header.root_size || codec::blake3_16(root) != header.root_digest) {
    return corrupt_root("digest of the root block differs");
  }
  codec::ByteReaderView reader(root);
  const uint8_t version = reader.u8();
  if (version != kRootVersion) {
    return Error(ErrorKind::kUnsupported, "cannot read .rete file: unknown root block version")
        .with("version", uint64_t{version});
  }
  Root6 result;
  const uint8_t count = reader.u8();
  for (uint8_t i = 0; i < count && reader.ok(); ++i) {
    SectionEntry6 entry;
    entry.kind = reader.u8();
    reader.u8();
    entry.block_size_max = reader.u32();
    entry.offset = reader.u64();
    entry.size = reader.u64();
    entry.digest = digest_of(reader);
    result.sections.push_back(entry);
  }
  const uint32_t units_size = reader.u32();
  const ByteView units = reader.bytes(units_size);
  if (!reader.ok()) {
    return corrupt_root("root block is cut short");
  }
  WEFT_TRY_STATUS(check_sections(header, result.sections));
  WEFT_TRY(result.units, parse_units(header.internal_codec, units));
  return result;
}

std::string section_name6(uint8_t kind) {
  switch (static_cast<SectionKind6>(kind)) {
    case SectionKind6::kSchema:
      return "schema";
    case SectionKind6::kDictLeaves:
      return "dict-leaves";
    case SectionKind6::kIndexLeaves:
      return "index-leaves";
    case SectionKind6::kQuadLeaves:
      return "quad-leaves";
    case SectionKind6::kLabelLeaves:
      return "label-leaves";
    case SectionKind6::kTextLeaves:
      return "text-leaves";
    case SectionKind6::kBlockDigests:
      return "block-digests";
    case SectionKind6::kDict:
      return "dict";
    case SectionKind6::kIndex:
      return "index";
    case SectionKind6::kQuad:
      return "quad";
    case SectionKind6::kLabels:
      return "labels";
    case SectionKind6::kText:
      return "text";
    case SectionKind6::kPyramid:
      return "pyramid";
  }
  return "kind " + std::to_string(kind);
}

}  // namespace weft::rete
