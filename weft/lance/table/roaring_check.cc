#include "weft/lance/table/roaring_check.h"

#include <bit>
#include <vector>

#include "weft/codec/varint.h"

namespace weft::lance {

namespace {

constexpr uint32_t kCookieWithRuns = 12347;
constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kContainersMax = 65536;
constexpr uint32_t kArrayValuesMax = 4096;
constexpr size_t kBitsetBytes = 8192;
// With runs, offsets are written from so many containers on.
constexpr uint32_t kOffsetsFrom = 4;

Error damaged(std::string_view rule) {
  return Error(ErrorKind::kCorrupt, "damaged bitmap").with("rule", rule);
}

struct Container {
  uint32_t key = 0;
  uint32_t cardinality = 0;
  bool is_run = false;
};

Status check_array(codec::ByteReaderView& reader, uint32_t cardinality) {
  int32_t last = -1;
  for (uint32_t i = 0; i < cardinality; ++i) {
    const int32_t value = reader.u16();
    if (value <= last) {
      return damaged("values ascend");
    }
    last = value;
  }
  return {};
}

Status check_bitset(codec::ByteReaderView& reader, uint32_t cardinality) {
  uint32_t bits = 0;
  for (size_t i = 0; i < kBitsetBytes / sizeof(uint64_t); ++i) {
    bits += static_cast<uint32_t>(std::popcount(reader.u64()));
  }
  return bits == cardinality ? Status() : damaged("cardinality");
}

Status check_runs(codec::ByteReaderView& reader, uint32_t cardinality) {
  const uint32_t runs = reader.u16();
  int64_t last = -1;
  uint64_t values = 0;
  for (uint32_t i = 0; i < runs; ++i) {
    const int64_t start = reader.u16();
    const int64_t more = reader.u16();
    if (start <= last || start + more > UINT16_MAX) {
      return damaged("runs ascend");
    }
    last = start + more;
    values += static_cast<uint64_t>(more) + 1;
  }
  return values == cardinality ? Status() : damaged("cardinality");
}

Result<std::vector<Container>> read_keys(codec::ByteReaderView& reader, bool& has_runs) {
  const uint32_t cookie = reader.u32();
  has_runs = (cookie & 0xffffU) == kCookieWithRuns;
  uint32_t count = (cookie >> 16U) + 1;
  if (!has_runs) {
    if (cookie != kCookieWithoutRuns) {
      return damaged("cookie");
    }
    count = reader.u32();
  }
  if (count > kContainersMax || reader.remaining() < uint64_t{count} * 4) {
    return damaged("number of containers");
  }
  const ByteView run_bits = has_runs ? reader.bytes((count + 7) / 8) : ByteView();
  std::vector<Container> containers(count);
  for (uint32_t i = 0; i < count && reader.ok(); ++i) {
    Container& container = containers[i];
    container.key = reader.u16();
    container.cardinality = uint32_t{reader.u16()} + 1;
    container.is_run = has_runs && ((as_octets(run_bits)[i / 8] >> (i % 8)) & 1U) != 0;
    if (i > 0 && container.key <= containers[i - 1].key) {
      return damaged("keys ascend");
    }
  }
  return containers;
}

}  // namespace

Status check_portable_roaring(ByteView bytes) {
  codec::ByteReaderView reader(bytes);
  bool has_runs = false;
  WEFT_TRY(const std::vector<Container> containers, read_keys(reader, has_runs));
  std::vector<uint32_t> offsets;
  if (!has_runs || containers.size() >= kOffsetsFrom) {
    for (size_t i = 0; i < containers.size(); ++i) {
      offsets.push_back(reader.u32());
    }
  }
  for (size_t i = 0; i < containers.size() && reader.ok(); ++i) {
    const Container& container = containers[i];
    if (!offsets.empty() && offsets[i] != reader.position()) {
      return damaged("offsets");
    }
    if (container.is_run) {
      WEFT_TRY_STATUS(check_runs(reader, container.cardinality));
    } else if (container.cardinality <= kArrayValuesMax) {
      WEFT_TRY_STATUS(check_array(reader, container.cardinality));
    } else {
      WEFT_TRY_STATUS(check_bitset(reader, container.cardinality));
    }
  }
  if (!reader.ok() || reader.remaining() != 0) {
    return damaged("length");
  }
  return {};
}

}  // namespace weft::lance
