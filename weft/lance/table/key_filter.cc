#include "weft/lance/table/key_filter.h"

#include <array>
#include <bit>

#include "weft/codec/protobuf_wire.h"

namespace weft::lance {

namespace {

// XXH64 (xxhash specification, version 0.1.1), seed 0.
constexpr uint64_t kPrime1 = 0x9e3779b185ebca87;
constexpr uint64_t kPrime2 = 0xc2b2ae3d27d4eb4f;
constexpr uint64_t kPrime3 = 0x165667b19e3779f9;
constexpr uint64_t kPrime4 = 0x85ebca77c2b2ae63;
constexpr uint64_t kPrime5 = 0x27d4eb2f165667c5;

constexpr size_t kFilterBytes = 32768;
constexpr uint64_t kFilterBits = kFilterBytes * 8;
constexpr uint64_t kFilterItems = 8192;
constexpr double kFilterProbability = 0.00057;
constexpr size_t kBlockWords = 8;
constexpr size_t kBlockBytes = kBlockWords * 4;
constexpr uint64_t kBlocks = kFilterBytes / kBlockBytes;
constexpr std::array<uint32_t, kBlockWords> kSalts = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

uint64_t load(const uint8_t* at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= static_cast<uint64_t>(at[i]) << (8 * i);
  }
  return value;
}

uint64_t round_of(uint64_t lane, uint64_t input) {
  return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

uint64_t start_hash(const uint8_t*& at, size_t& left) {
  if (left < 32) {
    return kPrime5;
  }
  std::array<uint64_t, 4> lanes = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
  for (; left >= 32; left -= 32) {
    for (uint64_t& lane : lanes) {
      lane = round_of(lane, load(at, 8));
      at += 8;
    }
  }
  uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                  std::rotl(lanes[3], 18);
  for (const uint64_t lane : lanes) {
    hash = (hash ^ round_of(0, lane)) * kPrime1 + kPrime4;
  }
  return hash;
}

// The place of the bit of word `word` for a hash: its byte in the filter, and the mask in it.
struct Bit {
  size_t byte;
  uint8_t mask;
};
Bit bit_of(uint64_t hash, size_t word) {
  const uint64_t block = ((hash >> 32U) * kBlocks) >> 32U;
  const uint32_t bit = (static_cast<uint32_t>(hash) * kSalts[word]) >> 27U;
  return {block * kBlockBytes + word * 4 + bit / 8, static_cast<uint8_t>(1U << (bit % 8))};
}

}  // namespace

uint64_t xxh64(ByteView bytes) {
  const uint8_t* at = as_octets(bytes);
  size_t left = bytes.size();
  uint64_t hash = start_hash(at, left) + bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    hash = std::rotl(hash ^ round_of(0, load(at, 8)), 27) * kPrime1 + kPrime4;
  }
  if (left >= 4) {
    hash = std::rotl(hash ^ (load(at, 4) * kPrime1), 23) * kPrime2 + kPrime3;
    left -= 4;
    at += 4;
  }
  for (; left > 0; --left, ++at) {
    hash = std::rotl(hash ^ (*at * kPrime5), 11) * kPrime1;
  }
  hash = (hash ^ (hash >> 33U)) * kPrime2;
  hash = (hash ^ (hash >> 29U)) * kPrime3;
  return hash ^ (hash >> 32U);
}

KeyFilter::KeyFilter(std::vector<int32_t> field_ids)
    : field_ids_(std::move(field_ids)), bitmap_(kFilterBytes, '\0') {}

void KeyFilter::insert(std::string_view key) {
  const uint64_t hash = xxh64(as_bytes(key));
  for (size_t word = 0; word < kBlockWords; ++word) {
    const Bit bit = bit_of(hash, word);
    bitmap_[bit.byte] = static_cast<char>(static_cast<uint8_t>(bitmap_[bit.byte]) | bit.mask);
  }
  ++inserted_;
}

bool KeyFilter::may_contain(std::string_view key) const {
  if (!comparable_) {
    return true;
  }
  const uint64_t hash = xxh64(as_bytes(key));
  for (size_t word = 0; word < kBlockWords; ++word) {
    const Bit bit = bit_of(hash, word);
    if ((static_cast<uint8_t>(bitmap_[bit.byte]) & bit.mask) == 0) {
      return false;
    }
  }
  return true;
}

bool KeyFilter::may_intersect(const KeyFilter& other) const {
  if (!comparable_ || !other.comparable_ || field_ids_ != other.field_ids_) {
    return true;
  }
  // A common key sets the same eight bits in both: a block in which some word shares none has none.
  for (size_t block = 0; block < kFilterBytes; block += kBlockBytes) {
    bool all = true;
    for (size_t word = 0; word < kBlockWords && all; ++word) {
      const auto at = [&](const KeyFilter& filter) {
        return load(as_octets(as_bytes(filter.bitmap_)) + block + word * 4, 4);
      };
      all = (at(*this) & at(other)) != 0;
    }
    if (all) {
      return true;
    }
  }
  return false;
}

Result<KeyFilter> KeyFilter::parse(ByteView message) {
  KeyFilter filter({});
  filter.comparable_ = false;
  codec::WireReaderView reader(message);
  codec::WireField field;
  while (reader.next(field)) {
    if (field.number == 1) {
      reader.expect(field.append_i32s(filter.field_ids_));
    }
    if (field.number != 3 || !reader.expect(field.type == codec::WireType::kBytes)) {
      continue;
    }
    uint64_t bits = 0;
    codec::WireReaderView parts(field.bytes);
    codec::WireField part;
    ByteView bitmap;
    while (parts.next(part)) {
      if (part.number == 1) {
        parts.expect(part.as_bytes(bitmap));
      } else if (part.number == 2) {
        parts.expect(part.as_u64(bits));
      }
    }
    reader.expect(parts.ok());
    if (bitmap.size() == kFilterBytes && bits == kFilterBits) {
      filter.comparable_ = true;
      filter.bitmap_ = to_text(bitmap);
    }
  }
  if (!reader.ok()) {
    return Error(ErrorKind::kCorrupt, "damaged key filter of a transaction");
  }
  return filter;
}

std::string KeyFilter::serialize() const {
  codec::WireWriter bloom;
  bloom.bytes(1, bitmap_);
  bloom.u64(2, kFilterBits);
  bloom.u64(3, kFilterItems);
  bloom.real_always(4, kFilterProbability);
  codec::WireWriter writer;
  writer.packed_i32(1, field_ids_);
  writer.message(3, bloom);
  return std::move(writer).take();
}

namespace {

// False: no known bytes.
bool append_value(const columns::Array& array, size_t row, std::string& out) {
  using columns::TypeId;
  if (array.is_null(row)) {
    return false;
  }
  switch (array.id()) {
    case TypeId::kString:
    case TypeId::kLargeString:
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
      out.append(array.text(row));
      return true;
    case TypeId::kInt8:
    case TypeId::kInt16:
    case TypeId::kInt32:
    case TypeId::kInt64:
    case TypeId::kUint8:
    case TypeId::kUint16:
    case TypeId::kUint32:
    case TypeId::kUint64:
      codec::append_u64(out, static_cast<uint64_t>(array.integer(row)));
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::string> key_bytes(const std::vector<columns::ArrayPtr>& key_columns,
                                     size_t row) {
  std::string key;
  for (const columns::ArrayPtr& column : key_columns) {
    if (!append_value(*column, row, key)) {
      return std::nullopt;
    }
    if (key_columns.size() > 1) {
      key.push_back('\0');
    }
  }
  return key;
}

}  // namespace weft::lance
