#include "weft/lance/read/value_decoder.h"

#include <algorithm>
#include <cstring>

#include "weft/lance/read/bit_unpacking.h"

namespace weft::lance::read {
namespace {

using layout::Encoding;
using layout::EncodingKind;

// How many buffers a chunk has for an encoding.
size_t buffer_count(const Encoding& encoding) {
  switch (encoding.kind) {
    case EncodingKind::kRunLength:
      return 2;
    case EncodingKind::kFixedSizeList:
      return (encoding.has_validity ? 1 : 0) + buffer_count(encoding.children[0]);
    case EncodingKind::kGeneral:
    case EncodingKind::kFsst:
      return buffer_count(encoding.children[0]);
    default:
      return 1;
  }
}

const Encoding* find_fsst(const Encoding& encoding) {
  const Encoding* at = &encoding;
  while (at->kind == EncodingKind::kGeneral) {
    at = &at->children[0];
  }
  return at->kind == EncodingKind::kFsst ? at : nullptr;
}

// The values of an unaligned array of T.
template <typename T>
T load_at(ByteView bytes, uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

// Offsets [begin, end] of a chunk: ascending, the last inside `bytes`.
template <typename T>
bool offsets_ascend(ByteView bytes, IndexRange range) {
  T before = load_at<T>(bytes, range.begin);
  bool ok = true;
  for (uint64_t i = range.begin + 1; i <= range.end; ++i) {
    const T next = load_at<T>(bytes, i);
    ok = ok & (next >= before);
    before = next;
  }
  return ok && before <= bytes.size();
}

template <typename T>
Status take_text(ByteView bytes, std::span<const IndexRange> ranges, LeafValues& out) {
  for (const IndexRange range : ranges) {
    if (!offsets_ascend<T>(bytes, range)) {
      return page_damaged("the offsets of a chunk ascend inside it");
    }
    const T first = load_at<T>(bytes, range.begin);
    const T last = load_at<T>(bytes, range.end);
    WEFT_TRY_STATUS(out.append_text_run<T>(bytes.subspan(first, last - first),
                                           bytes.data() + (range.begin + 1) * sizeof(T),
                                           range.size(), first));
  }
  return ok_status();
}

template <typename T>
Status take_fsst(const codec::FsstDecoder& decoder, ByteView bytes,
                 std::span<const IndexRange> ranges, LeafValues& out) {
  std::vector<uint64_t> ends;
  for (const IndexRange range : ranges) {
    if (!offsets_ascend<T>(bytes, range)) {
      return page_damaged("the offsets of a chunk ascend inside it");
    }
    const uint64_t first = load_at<T>(bytes, range.begin);
    const uint64_t last = load_at<T>(bytes, range.end);
    GrowingBytes& text = out.bytes();
    WEFT_TRY_STATUS(text.reserve_more(codec::FsstDecoder::decoded_size_max(last - first) +
                                      codec::FsstDecoder::kSlackBytes));
    const uint64_t base = text.size();
    auto* const begin = reinterpret_cast<uint8_t*>(text.data()) + base;
    uint8_t* at = begin;
    ends.resize(range.size());
    uint64_t from = first;
    for (uint64_t i = 0; i < range.size(); ++i) {
      const uint64_t to = load_at<T>(bytes, range.begin + 1 + i);
      at = decoder.decode(bytes.subspan(from, to - from), at);
      if (at == nullptr) {
        return page_damaged("every FSST code has a symbol");
      }
      ends[i] = static_cast<uint64_t>(at - begin);
      from = to;
    }
    text.set_size(base + static_cast<uint64_t>(at - begin));
    WEFT_TRY_STATUS(out.append_text_ends<uint64_t>(
        base, reinterpret_cast<const std::byte*>(ends.data()), range.size(), 0));
  }
  return ok_status();
}

void fill(std::byte* out, const std::byte* value, size_t width, uint64_t count) {
  const auto fill_as = [&](auto word) {
    std::memcpy(&word, value, sizeof(word));
    for (uint64_t i = 0; i < count; ++i) {
      std::memcpy(out + i * sizeof(word), &word, sizeof(word));
    }
  };
  switch (width) {
    case 1:
      std::memset(out, static_cast<int>(*value), count);
      break;
    case 2:
      fill_as(uint16_t{});
      break;
    case 4:
      fill_as(uint32_t{});
      break;
    case 8:
      fill_as(uint64_t{});
      break;
    default:
      for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(out + i * width, value, width);
      }
  }
}

// So many values of a block are sooner taken out one by one than by unpacking all of it.
constexpr uint64_t kFewOfABlock = 64;

template <typename T>
Status few_packed(ByteView bytes, std::span<const IndexRange> ranges, LeafValues& out) {
  WEFT_TRY(const InlineBlock block, inline_block<T>(bytes));
  for (const IndexRange range : ranges) {
    WEFT_TRY(std::byte * at, out.extend_fixed(range.size()));
    for (uint64_t i = range.begin; i < range.end; ++i, at += sizeof(T)) {
      const T value = codec::unpack_value<T>(block.words, block.width, i);
      std::memcpy(at, &value, sizeof(T));
    }
  }
  return ok_status();
}

bool is_whole(std::span<const IndexRange> ranges, uint64_t item_count) {
  return ranges.size() == 1 && ranges[0].begin == 0 && ranges[0].end == item_count;
}

}  // namespace

bool has_list_levels(const Encoding& encoding, const LeafShape& shape) {
  const Encoding* inner = &encoding;
  uint64_t items = 1;
  for (const uint64_t wanted : shape.level_items) {
    if (inner->kind != EncodingKind::kFixedSizeList || inner->number == 0 ||
        inner->number > shape.bits / items || inner->number * items != wanted) {
      return false;
    }
    items *= inner->number;
    inner = &inner->children[0];
  }
  return inner->kind == EncodingKind::kFlat && inner->number <= shape.bits &&
         inner->number * items == shape.bits;
}

Result<ValueDecoder> ValueDecoder::make(const Encoding& encoding, const LeafShape& shape) {
  ValueDecoder out;
  out.encoding_ = encoding;
  out.shape_ = shape;
  if (const Encoding* fsst = find_fsst(encoding); fsst != nullptr) {
    WEFT_TRY(out.fsst_, codec::FsstDecoder::parse(as_bytes(fsst->bytes)));
  }
  return out;
}

Status ValueDecoder::decode(std::span<const ByteView> buffers, uint64_t item_count,
                            std::span<const IndexRange> ranges, ReadMemory& memory,
                            LeafValues& out) const {
  if (buffers.size() != buffer_count(encoding_)) {
    return page_damaged("a chunk has as many buffers as its encoding");
  }
  return decode_as(encoding_, Chunk{buffers, item_count, ranges, memory}, out);
}

Status ValueDecoder::decode_as(const Encoding& encoding, const Chunk& chunk,
                               LeafValues& out) const {
  const bool is_text = shape_.kind == LeafShape::Kind::kText;
  const bool encodes_text =
      encoding.kind == EncodingKind::kVariable || encoding.kind == EncodingKind::kFsst;
  if (encoding.kind != EncodingKind::kGeneral && is_text != encodes_text) {
    return encoding_refused(encoding, "values of this type");
  }
  switch (encoding.kind) {
    case EncodingKind::kFlat:
      return flat(encoding, chunk, out);
    case EncodingKind::kFixedSizeList:
      return fixed_list(encoding, chunk, out);
    case EncodingKind::kInlineBitpacking:
      return packed(encoding, chunk, out);
    case EncodingKind::kVariable:
      return variable(encoding, chunk, out);
    case EncodingKind::kFsst:
      return fsst(encoding, chunk, out);
    case EncodingKind::kRunLength:
      return runs(encoding, chunk, out);
    case EncodingKind::kByteStreamSplit:
      return split_bytes(encoding, chunk, out);
    case EncodingKind::kGeneral: {
      GrowingBytes plain(&chunk.memory);
      WEFT_TRY_STATUS(decompress(encoding.scheme, chunk.buffers[0], plain));
      std::vector<ByteView> buffers(chunk.buffers.begin(), chunk.buffers.end());
      buffers[0] = plain.view();
      return decode_as(encoding.children[0],
                       Chunk{buffers, chunk.item_count, chunk.ranges, chunk.memory}, out);
    }
    default:
      return encoding_refused(encoding, "values of a chunk");
  }
}

Status ValueDecoder::flat(const Encoding& encoding, const Chunk& chunk, LeafValues& out) const {
  if (encoding.number != shape_.bits) {
    return encoding_refused(encoding, "values of this width");
  }
  const ByteView bytes = chunk.buffers.back();
  if (bytes.size() < (chunk.item_count * shape_.bits + 7) / 8) {
    return page_damaged("a chunk has all its values");
  }
  for (const IndexRange range : chunk.ranges) {
    if (shape_.kind == LeafShape::Kind::kBits) {
      WEFT_TRY_STATUS(out.append_bits(bytes, range.begin * shape_.bits, range.size()));
    } else {
      WEFT_TRY_STATUS(out.append_fixed(
          bytes.subspan(range.begin * shape_.bytes(), range.size() * shape_.bytes())));
    }
  }
  return ok_status();
}

Status ValueDecoder::fixed_list(const Encoding& encoding, const Chunk& chunk,
                                LeafValues& out) const {
  if (!has_list_levels(encoding, shape_)) {
    return encoding_refused(encoding, "fixed-size list of this type");
  }
  WEFT_TRY_STATUS(flat(Encoding::flat(shape_.bits), chunk, out));
  uint64_t appended = 0;
  for (const IndexRange range : chunk.ranges) {
    appended += range.size();
  }
  // Buffers from the outermost list in; the values are the last one.
  size_t buffer = 0;
  const Encoding* list = &encoding;
  for (size_t level = 0; level < shape_.level_items.size(); ++level) {
    if (list->has_validity) {
      const ByteView validity = chunk.buffers[buffer++];
      if (validity.size() < (chunk.item_count * shape_.level_items[level] + 7) / 8) {
        return page_damaged("a chunk has the validity of all its items");
      }
      WEFT_TRY_STATUS(out.append_item_validity_ranges(level, validity, chunk.ranges, appended));
    }
    list = &list->children[0];
  }
  return ok_status();
}

Status ValueDecoder::packed(const Encoding& encoding, const Chunk& chunk, LeafValues& out) const {
  constexpr uint64_t kBlock = codec::kPackedBlockValues;
  if (encoding.number != shape_.bits) {
    return encoding_refused(encoding, "values of this width");
  }
  if (chunk.item_count > kBlock) {
    return page_damaged("a bit-packed chunk has at most 1024 values");
  }
  return with_word(shape_.bits, [&](auto word) -> Status {
    using T = decltype(word);
    if (is_whole(chunk.ranges, chunk.item_count)) {
      WEFT_TRY(std::byte* const at, out.extend_fixed(kBlock));
      if (reinterpret_cast<uintptr_t>(at) % alignof(T) == 0) {
        WEFT_TRY_STATUS(unpack_inline<T>(chunk.buffers[0],
                                         std::span<T, kBlock>(reinterpret_cast<T*>(at), kBlock)));
        out.drop_fixed(kBlock - chunk.item_count);
        return ok_status();
      }
      out.drop_fixed(kBlock);
    }
    uint64_t wanted = 0;
    for (const IndexRange range : chunk.ranges) {
      wanted += range.size();
    }
    if (wanted <= kFewOfABlock) {
      return few_packed<T>(chunk.buffers[0], chunk.ranges, out);
    }
    alignas(64) T block[kBlock];
    WEFT_TRY_STATUS(unpack_inline<T>(chunk.buffers[0], std::span<T, kBlock>(block)));
    for (const IndexRange range : chunk.ranges) {
      WEFT_TRY_STATUS(out.append_fixed(
          std::as_bytes(std::span<const T>(block).subspan(range.begin, range.size()))));
    }
    return ok_status();
  });
}

Status ValueDecoder::variable(const Encoding& encoding, const Chunk& chunk, LeafValues& out) const {
  const Encoding& offsets = encoding.children[0];
  const ByteView bytes = chunk.buffers[0];
  if (offsets.kind != EncodingKind::kFlat || (offsets.number != 32 && offsets.number != 64)) {
    return encoding_refused(offsets, "offsets of a chunk");
  }
  if (bytes.size() / (offsets.number / 8) <= chunk.item_count) {
    return page_damaged("a chunk has an offset for every item");
  }
  return offsets.number == 32 ? take_text<uint32_t>(bytes, chunk.ranges, out)
                              : take_text<uint64_t>(bytes, chunk.ranges, out);
}

Status ValueDecoder::fsst(const Encoding& encoding, const Chunk& chunk, LeafValues& out) const {
  const Encoding& values = encoding.children[0];
  if (values.kind == EncodingKind::kGeneral) {
    GrowingBytes plain(&chunk.memory);
    WEFT_TRY_STATUS(decompress(values.scheme, chunk.buffers[0], plain));
    const ByteView buffer = plain.view();
    Encoding inner = encoding;
    inner.children[0] = values.children[0];
    return fsst(inner, Chunk{std::span(&buffer, 1), chunk.item_count, chunk.ranges, chunk.memory},
                out);
  }
  if (values.kind != EncodingKind::kVariable || !fsst_->is_on()) {
    return decode_as(values, chunk, out);
  }
  const Encoding& offsets = values.children[0];
  const ByteView bytes = chunk.buffers[0];
  if (offsets.kind != EncodingKind::kFlat || (offsets.number != 32 && offsets.number != 64)) {
    return encoding_refused(offsets, "offsets of a chunk");
  }
  if (bytes.size() / (offsets.number / 8) <= chunk.item_count) {
    return page_damaged("a chunk has an offset for every item");
  }
  return offsets.number == 32 ? take_fsst<uint32_t>(*fsst_, bytes, chunk.ranges, out)
                              : take_fsst<uint64_t>(*fsst_, bytes, chunk.ranges, out);
}

Status ValueDecoder::runs(const Encoding& encoding, const Chunk& chunk, LeafValues& out) const {
  const Encoding& values = encoding.children[0];
  const Encoding& lengths = encoding.children[1];
  if (values.kind != EncodingKind::kFlat || values.number != shape_.bits ||
      shape_.kind != LeafShape::Kind::kFixed) {
    return encoding_refused(values, "values of runs");
  }
  if (lengths.kind != EncodingKind::kFlat || lengths.number != 8) {
    return encoding_refused(lengths, "lengths of runs");
  }
  const size_t width = shape_.bytes();
  const ByteView value_bytes = chunk.buffers[0];
  const ByteView run_lengths = chunk.buffers[1];
  if (value_bytes.size() / width < run_lengths.size()) {
    return page_damaged("every run has a value");
  }
  size_t run = 0;
  uint64_t run_begin = 0;
  for (const IndexRange range : chunk.ranges) {
    WEFT_TRY(std::byte * at, out.extend_fixed(range.size()));
    uint64_t position = range.begin;
    while (position < range.end) {
      if (run == run_lengths.size()) {
        return page_damaged("runs cover all values");
      }
      const uint64_t run_end = run_begin + static_cast<uint8_t>(run_lengths[run]);
      const uint64_t end = std::min(run_end, range.end);
      if (end > position) {
        fill(at, value_bytes.data() + run * width, width, end - position);
        at += (end - position) * width;
        position = end;
      }
      if (run_end <= position) {
        run_begin = run_end;
        ++run;
      }
    }
  }
  return ok_status();
}

Status ValueDecoder::split_bytes(const Encoding& encoding, const Chunk& chunk,
                                 LeafValues& out) const {
  const Encoding& values = encoding.children[0];
  if (values.kind != EncodingKind::kFlat || values.number != shape_.bits ||
      shape_.kind != LeafShape::Kind::kFixed) {
    return encoding_refused(values, "values of split bytes");
  }
  const size_t width = shape_.bytes();
  const ByteView bytes = chunk.buffers[0];
  if (bytes.size() / width < chunk.item_count) {
    return page_damaged("a chunk has all its values");
  }
  for (const IndexRange range : chunk.ranges) {
    WEFT_TRY(std::byte* const at, out.extend_fixed(range.size()));
    for (size_t byte = 0; byte < width; ++byte) {
      const std::byte* const stream = bytes.data() + byte * chunk.item_count + range.begin;
      for (uint64_t i = 0; i < range.size(); ++i) {
        at[i * width + byte] = stream[i];
      }
    }
  }
  return ok_status();
}

}  // namespace weft::lance::read
