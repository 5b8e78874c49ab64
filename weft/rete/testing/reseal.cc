#include "weft/rete/testing/reseal.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "weft/codec/blake3.h"
#include "weft/rete/format.h"

namespace weft::rete {
namespace {

uint64_t number_at(const std::string& file, size_t offset, size_t width) {
  uint64_t value = 0;
  for (size_t i = width; i-- > 0;) {
    value = value << 8U | static_cast<uint8_t>(file[offset + i]);
  }
  return value;
}

void put_digest(std::string& file, size_t offset, std::string_view covered) {
  const codec::Digest16 digest = codec::blake3_16(as_bytes(covered));
  std::memcpy(file.data() + offset, digest.data(), digest.size());
}

// What lies in the file of [offset, offset + size), or nothing if it leaves it.
std::string_view part(const std::string& file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) {
    return {};
  }
  return std::string_view(file).substr(offset, size);
}

void put_block_digests(std::string& file, uint64_t offset, uint64_t size, uint64_t front_base,
                       uint64_t data_offset) {
  size_t at = offset + kBlockDigestsHeadBytes;
  const size_t end = offset + size;
  const auto cover = [&](uint64_t begin, uint64_t region_end) {
    for (uint64_t block = begin; block < region_end; block += kDigestBlockBytes) {
      const std::string_view covered =
          part(file, block, std::min(kDigestBlockBytes, region_end - block));
      if (covered.empty() || at + sizeof(codec::Digest16) > end) {
        return;
      }
      put_digest(file, at, covered);
      at += sizeof(codec::Digest16);
    }
  };
  cover(front_base, offset);
  cover(data_offset, file.size() - std::min<size_t>(file.size(), kFooter6.size()));
}

}  // namespace

void reseal6(std::string& file) {
  if (file.size() < kFileBytesMin6 || !file.starts_with("RETE\x06")) {
    return;
  }
  const uint64_t size = file.size();
  std::memcpy(file.data() + 24, &size, sizeof(size));
  const uint64_t root_size = number_at(file, 32, 4);
  const uint64_t front_base = kHeaderBytes6 + root_size + number_at(file, 36, 4);
  const uint64_t data_offset = number_at(file, 40, 8);
  if (root_size < 2 || part(file, kHeaderBytes6, root_size).empty() || front_base > size ||
      data_offset > size) {
    return;
  }
  const size_t sections = static_cast<uint8_t>(file[kHeaderBytes6 + 1]);
  if (2 + sections * kSectionEntryBytes6 > root_size) {
    return;
  }
  // Block digests first: their section has a digest, too.
  for (const bool blocks : {true, false}) {
    for (size_t i = 0; i < sections; ++i) {
      const size_t entry = kHeaderBytes6 + 2 + i * kSectionEntryBytes6;
      const auto kind = static_cast<uint8_t>(file[entry]);
      const uint64_t offset =
          (kind < kFirstDataKind6 ? front_base : data_offset) + number_at(file, entry + 6, 8);
      const uint64_t length = number_at(file, entry + 14, 8);
      const std::string_view covered = part(file, offset, length);
      if (blocks && kind == static_cast<uint8_t>(SectionKind6::kBlockDigests) &&
          covered.size() >= kBlockDigestsHeadBytes) {
        put_block_digests(file, offset, length, front_base, data_offset);
      } else if (!blocks) {
        put_digest(file, entry + 22, covered);
      }
    }
  }
  if (const uint64_t card_size = number_at(file, 84, 4); card_size > 0) {
    put_digest(file, 88, part(file, kHeaderBytes6 + root_size + number_at(file, 80, 4), card_size));
  }
  put_digest(file, 112, part(file, kHeaderBytes6, root_size));
  std::string hashed = "rete/0x06";
  for (const auto& [offset, length] : std::vector<std::pair<size_t, size_t>>{
           {4, 4}, {48, 32}, {84, 4}, {88, 16}, {32, 4}, {112, 16}}) {
    hashed.append(file, offset, length);
  }
  put_digest(file, 8, hashed);
}

void reseal5(std::string& file) {
  if (file.size() < kHeaderBytes5 || !file.starts_with("RETE\x05")) {
    return;
  }
  const size_t count = std::min<size_t>(number_at(file, 44, 2), kSectionsMax5);
  const auto place_of = [&](SectionKind5 kind) {
    std::pair<uint64_t, uint64_t> place{0, 0};
    for (size_t i = 0; i < count; ++i) {
      const size_t entry = kDirectoryOffset5 + i * kSectionEntryBytes5;
      if (number_at(file, entry, 2) == static_cast<uint16_t>(kind)) {
        place = {number_at(file, entry + 8, 8), number_at(file, entry + 16, 8)};
      }
    }
    return place;
  };
  for (const SectionKind5 kind :
       {SectionKind5::kLabels, SectionKind5::kSchema, SectionKind5::kTextPartial}) {
    const auto [offset, size] = place_of(kind);
    const std::string_view covered = part(file, offset, size);
    if (covered.size() > sizeof(codec::Digest16)) {
      put_digest(file, offset, covered.substr(sizeof(codec::Digest16)));
    }
  }
  if (const auto [offset, size] = place_of(SectionKind5::kQuadIndex); size > 0) {
    // The seal is the end of the index container.
    const auto [index, index_size] = place_of(SectionKind5::kIndex);
    const std::string_view quads = part(file, offset, size);
    if (!part(file, index, index_size).empty() && index_size > kSealBytes5 && !quads.empty()) {
      put_digest(file, index + index_size - sizeof(codec::Digest16), quads);
    }
  }
  std::string hashed;
  for (const SectionKind5 kind :
       {SectionKind5::kCard, SectionKind5::kDictionary, SectionKind5::kIndex,
        SectionKind5::kPyramid, SectionKind5::kText, SectionKind5::kNamedGraphs}) {
    const auto [offset, size] = place_of(kind);
    hashed.append(part(file, offset, size));
  }
  put_digest(file, 8, hashed);
}

}  // namespace weft::rete
