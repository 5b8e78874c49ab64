#include "weft/lance/read/block_decoder.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "weft/codec/compression.h"
#include "weft/codec/lz4.h"
#include "weft/lance/read/bit_unpacking.h"

namespace weft::lance::read {
namespace {

using layout::Encoding;
using layout::EncodingKind;

constexpr uint64_t kLevelBits = 16;

template <typename T>
T load(ByteView bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// A zstd frame whose content size is not stated behind a size of its own: the older form.
bool is_bare_frame(ByteView packed) {
  constexpr uint32_t kMagic = 0xfd2fb528;
  return packed.size() < 8 ||
         (load<uint32_t>(packed, 0) == kMagic && (static_cast<unsigned>(packed[4]) & 0x10U) == 0);
}

Status decompress_zstd(ByteView packed, GrowingBytes& out) {
  ByteView frame = packed;
  uint64_t size = 0;
  if (is_bare_frame(packed)) {
    WEFT_TRY(const std::optional<uint64_t> stated, codec::zstd_content_size(frame));
    if (!stated) {
      return page_damaged("a zstd frame states the size of its content");
    }
    size = *stated;
  } else {
    size = load<uint64_t>(packed, 0);
    frame = packed.subspan(8);
  }
  if (size > std::numeric_limits<uint64_t>::max() / 4) {
    return page_damaged("a decompressed size is possible");
  }
  WEFT_TRY(std::byte* const at, out.extend(size));
  return codec::zstd_decompress_into(frame, std::span<std::byte>(at, size));
}

// Values and lengths of the block form of run lengths.
struct Runs {
  ByteView values;
  ByteView lengths;
};
Result<Runs> split_runs(const Encoding& encoding, ByteView bytes, uint64_t value_bits) {
  const Encoding& values = encoding.children[0];
  const Encoding& lengths = encoding.children[1];
  if (values.kind != EncodingKind::kFlat || values.number != value_bits) {
    return encoding_refused(values, "values of runs");
  }
  if (lengths.kind != EncodingKind::kFlat || lengths.number != 8) {
    return encoding_refused(lengths, "lengths of runs");
  }
  if (bytes.size() < 8 || load<uint64_t>(bytes, 0) > bytes.size() - 8) {
    return page_damaged("runs have their values");
  }
  const uint64_t size = load<uint64_t>(bytes, 0);
  const Runs runs{bytes.subspan(8, size), bytes.subspan(8 + size)};
  if (runs.values.size() / (value_bits / 8) < runs.lengths.size()) {
    return page_damaged("every run has a value");
  }
  return runs;
}

Status level_runs(const Encoding& encoding, ByteView bytes, uint64_t count, Levels& out) {
  WEFT_TRY(const Runs runs, split_runs(encoding, bytes, kLevelBits));
  uint64_t left = count;
  for (size_t i = 0; i < runs.lengths.size() && left != 0; ++i) {
    const uint64_t length = std::min<uint64_t>(static_cast<uint8_t>(runs.lengths[i]), left);
    out.insert(out.end(), length, load<uint16_t>(runs.values, i * 2));
    left -= length;
  }
  return left == 0 ? ok_status() : Status(page_damaged("runs cover all levels"));
}

// A buffer of offsets and the bytes they cut, with a head that says how.
Status text_block(ByteView bytes, uint64_t count, LeafValues& out) {
  if (bytes.size() < 8) {
    return page_damaged("a block of text has its head");
  }
  const uint64_t bits = load<uint32_t>(bytes, 0);
  if ((bits != 32 && bits != 64) || (bits == 64 && bytes.size() < 16)) {
    return page_damaged("a block of text has offsets of 32 or 64 bits");
  }
  const size_t head = bits == 64 ? 16 : 8;
  const uint64_t start = bits == 64 ? load<uint64_t>(bytes, 8) : load<uint32_t>(bytes, 4);
  const size_t width = bits / 8;
  if (start > bytes.size() || start < head || (start - head) / width <= count) {
    return page_damaged("a block of text has an offset for every item");
  }
  const ByteView text = bytes.subspan(start);
  const auto offset = [&](uint64_t i) {
    return bits == 64 ? load<uint64_t>(bytes, head + i * 8) : load<uint32_t>(bytes, head + i * 4);
  };
  uint64_t before = offset(0);
  for (uint64_t i = 1; i <= count; ++i) {
    const uint64_t end = offset(i);
    if (end < before || end > text.size()) {
      return page_damaged("the offsets of a block of text ascend inside it");
    }
    WEFT_TRY_STATUS(out.append_text(text.subspan(before, end - before)));
    before = end;
  }
  return ok_status();
}

Status packed_items(const Encoding& encoding, ByteView bytes, uint64_t count, LeafValues& out) {
  const bool is_inline = encoding.kind == EncodingKind::kInlineBitpacking;
  if (encoding.number != out.shape().bits ||
      (is_inline ? count > codec::kPackedBlockValues
                 : encoding.children[0].kind != EncodingKind::kFlat)) {
    return page_damaged("a packed dictionary has the column's width");
  }
  return with_word(out.shape().bits, [&](auto word) -> Status {
    using T = decltype(word);
    const auto take = [&](std::span<const T> values) {
      return out.append_fixed(std::as_bytes(values));
    };
    if (!is_inline) {
      return unpack_out_of_line<T>(bytes, encoding.children[0].number, count, take);
    }
    alignas(64) T block[codec::kPackedBlockValues];
    WEFT_TRY_STATUS(unpack_inline<T>(bytes, std::span<T, codec::kPackedBlockValues>(block)));
    return take(std::span<const T>(block).first(count));
  });
}

Status run_items(const Encoding& encoding, ByteView bytes, uint64_t count, LeafValues& out) {
  WEFT_TRY(const Runs runs, split_runs(encoding, bytes, out.shape().bits));
  const size_t width = out.shape().bytes();
  uint64_t left = count;
  for (size_t i = 0; i < runs.lengths.size(); ++i) {
    for (uint64_t k = static_cast<uint8_t>(runs.lengths[i]); k != 0 && left != 0; --k, --left) {
      WEFT_TRY_STATUS(out.append_fixed(runs.values.subspan(i * width, width)));
    }
  }
  return left == 0 ? ok_status() : Status(page_damaged("runs cover all items"));
}

Status fixed_block(const Encoding& encoding, ByteView bytes, uint64_t count, LeafValues& out) {
  if (out.shape().kind != LeafShape::Kind::kFixed) {
    return encoding_refused(encoding, "dictionary of this type");
  }
  switch (encoding.kind) {
    case EncodingKind::kFlat:
      if (encoding.number != out.shape().bits) {
        return page_damaged("a dictionary has values of the column's width");
      }
      if (bytes.size() / out.shape().bytes() < count) {
        return page_damaged("a dictionary has all its items");
      }
      return out.append_fixed(bytes.first(count * out.shape().bytes()));
    case EncodingKind::kInlineBitpacking:
    case EncodingKind::kOutOfLineBitpacking:
      return packed_items(encoding, bytes, count, out);
    case EncodingKind::kRunLength:
      return run_items(encoding, bytes, count, out);
    default:
      return encoding_refused(encoding, "dictionary");
  }
}

Status dictionary_at(const Encoding& encoding, ByteView bytes, uint64_t count, ReadMemory& memory,
                     LeafValues& out) {
  if (encoding.kind == EncodingKind::kGeneral) {
    GrowingBytes plain(&memory);
    WEFT_TRY_STATUS(decompress(encoding.scheme, bytes, plain));
    return dictionary_at(encoding.children[0], plain.view(), count, memory, out);
  }
  const bool is_text = out.shape().kind == LeafShape::Kind::kText;
  if (is_text != (encoding.kind == EncodingKind::kVariable)) {
    return encoding_refused(encoding, "dictionary of this type");
  }
  return is_text ? text_block(bytes, count, out) : fixed_block(encoding, bytes, count, out);
}

}  // namespace

Error page_damaged(std::string_view rule) {
  return Error(ErrorKind::kCorrupt, "a page of a data file is damaged").with("rule", rule);
}

Error encoding_refused(const Encoding& encoding, std::string_view where) {
  return Error(ErrorKind::kUnsupported, "an encoding is not supported here")
      .with("encoding", layout::encoding_kind_name(encoding.kind))
      .with("bits_or_items", encoding.number)
      .with("where", where);
}

Status decompress(layout::Scheme scheme, ByteView packed, GrowingBytes& out) {
  if (packed.empty()) {
    return ok_status();
  }
  if (scheme == layout::Scheme::kZstd) {
    return decompress_zstd(packed, out);
  }
  if (packed.size() < 4) {
    return page_damaged("an LZ4 block has its size");
  }
  const uint64_t size = load<uint32_t>(packed, 0);
  // A block of LZ4 shrinks by at most this factor.
  constexpr uint64_t kShrinkMax = 256;
  if (size / kShrinkMax > packed.size()) {
    return page_damaged("a decompressed size is possible");
  }
  WEFT_TRY(std::byte* const at, out.extend(size));
  return codec::lz4_decompress_block(packed.subspan(4), std::span<std::byte>(at, size));
}

Status decode_levels(const Encoding& encoding, ByteView bytes, uint64_t count, ReadMemory& memory,
                     Levels& out) {
  switch (encoding.kind) {
    case EncodingKind::kFlat: {
      if (encoding.number != kLevelBits) {
        return encoding_refused(encoding, "levels");
      }
      if (bytes.size() / sizeof(uint16_t) < count) {
        return page_damaged("there are as many levels as stated");
      }
      const size_t before = out.size();
      out.resize(before + count);
      if (count != 0) {
        std::memcpy(out.data() + before, bytes.data(), count * sizeof(uint16_t));
      }
      return ok_status();
    }
    case EncodingKind::kInlineBitpacking: {
      if (encoding.number != kLevelBits) {
        return encoding_refused(encoding, "levels");
      }
      if (count > codec::kPackedBlockValues) {
        return page_damaged("levels packed inline fit one block");
      }
      alignas(64) uint16_t block[codec::kPackedBlockValues];
      WEFT_TRY_STATUS(
          unpack_inline<uint16_t>(bytes, std::span<uint16_t, codec::kPackedBlockValues>(block)));
      out.insert(out.end(), block, block + count);
      return ok_status();
    }
    case EncodingKind::kOutOfLineBitpacking:
      if (encoding.number != kLevelBits || encoding.children[0].kind != EncodingKind::kFlat) {
        return encoding_refused(encoding, "levels");
      }
      return unpack_out_of_line<uint16_t>(bytes, encoding.children[0].number, count,
                                          [&](std::span<const uint16_t> values) {
                                            out.insert(out.end(), values.begin(), values.end());
                                            return ok_status();
                                          });
    case EncodingKind::kRunLength:
      return level_runs(encoding, bytes, count, out);
    case EncodingKind::kGeneral: {
      GrowingBytes plain(&memory);
      WEFT_TRY_STATUS(decompress(encoding.scheme, bytes, plain));
      return decode_levels(encoding.children[0], plain.view(), count, memory, out);
    }
    default:
      return encoding_refused(encoding, "levels");
  }
}

Status decode_dictionary(const Encoding& encoding, ByteView bytes, uint64_t count,
                         ReadMemory& memory, LeafValues& out) {
  return dictionary_at(encoding, bytes, count, memory, out);
}

}  // namespace weft::lance::read
