#include "weft/graph/key_run_layout.h"

#include <cstring>

#include "weft/codec/varint.h"

namespace weft::graph {

using codec::Digest16;

namespace {

// Fences and fingerprints of a block are five times a fence: a page is about as large as the root.
uint64_t page_size(uint64_t blocks) {
  constexpr uint64_t kFencesPerPageEntry =
      (kFenceBytes + kEntriesPerBlock * kFingerprintBytes) / kFenceBytes;
  uint64_t size = kBlocksPerPageMin;
  while (kFencesPerPageEntry * (2 * size) * (2 * size) <= blocks) {
    size *= 2;
  }
  return size;
}

constexpr size_t kFingerprintOffset = sizeof(Digest16) - kFingerprintBytes;

}  // namespace

RunLayout::RunLayout(uint64_t entry_count)
    : entries(entry_count),
      blocks((entry_count + kEntriesPerBlock - 1) / kEntriesPerBlock),
      blocks_per_page(page_size(blocks)),
      pages((blocks + blocks_per_page - 1) / blocks_per_page) {}

uint64_t prefix_of(const Digest16& digest) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < 8; ++i) {
    prefix = prefix << 8U | static_cast<uint8_t>(digest[i]);
  }
  return prefix;
}

uint64_t check_of(ByteView bytes) {
  return prefix_of(codec::blake3_16(bytes));
}

std::vector<Fence> parse_fences(ByteView bytes) {
  codec::ByteReaderView reader(bytes);
  std::vector<Fence> fences(bytes.size() / kFenceBytes);
  for (Fence& fence : fences) {
    fence.prefix = reader.u64();
    fence.check = reader.u64();
  }
  return fences;
}

void append_fence(std::string& out, const Digest16& first, ByteView below) {
  codec::append_u64(out, prefix_of(first));
  codec::append_u64(out, check_of(below));
}

std::pair<size_t, size_t> children_of(const std::vector<Fence>& fences, uint64_t prefix) {
  const auto [equal, past] = std::ranges::equal_range(fences, prefix, {}, &Fence::prefix);
  const auto begin = equal == fences.begin() ? equal : equal - 1;
  return {static_cast<size_t>(begin - fences.begin()), static_cast<size_t>(past - fences.begin())};
}

void append_fingerprint(std::string& out, const Digest16& digest) {
  out += as_text(std::as_bytes(std::span(digest)).subspan(kFingerprintOffset));
}

bool has_fingerprint(ByteView fingerprints, const Digest16& digest) {
  for (size_t at = 0; at < fingerprints.size(); at += kFingerprintBytes) {
    if (std::memcmp(fingerprints.data() + at, digest.data() + kFingerprintOffset,
                    kFingerprintBytes) == 0) {
      return true;
    }
  }
  return false;
}

KeyEntry entry_at(ByteView block, size_t index) {
  KeyEntry entry;
  const ByteView bytes = block.subspan(index * kKeyEntryBytes, kKeyEntryBytes);
  std::memcpy(entry.digest.data(), bytes.data(), entry.digest.size());
  codec::ByteReaderView reader(bytes.subspan(entry.digest.size()));
  entry.row_id = reader.u64();
  return entry;
}

}  // namespace weft::graph
