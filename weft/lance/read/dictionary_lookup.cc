// Values of a page that are indices into its dictionary.
#include "weft/lance/read/dictionary_lookup.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "weft/lance/read/block_decoder.h"

namespace weft::lance::read {
namespace {

// Index `i` of a buffer of Ts.
template <typename T>
uint64_t index_at(ByteView indices, uint64_t i) {
  T index = 0;
  std::memcpy(&index, indices.data() + i * sizeof(T), sizeof(T));
  return index;
}

template <typename T>
Status check_indices(ByteView indices, uint64_t count, uint64_t item_count) {
  uint64_t greatest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    greatest = std::max(greatest, index_at<T>(indices, i));
  }
  return count == 0 || greatest < item_count
             ? ok_status()
             : Status(page_damaged("indices stay inside the dictionary"));
}

template <typename T, size_t kWidth>
void copy_items(ByteView indices, uint64_t count, ByteView items, std::byte* out) {
  for (uint64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * kWidth, items.data() + index_at<T>(indices, i) * kWidth, kWidth);
  }
}

template <typename T>
Status look_up_fixed(ByteView indices, uint64_t count, const LeafValues& dictionary,
                     LeafValues& out) {
  const ByteView items = dictionary.fixed_bytes();
  const size_t width = out.shape().bytes();
  WEFT_TRY(std::byte* const at, out.extend_fixed(count));
  switch (width) {
    case 4:
      copy_items<T, 4>(indices, count, items, at);
      break;
    case 8:
      copy_items<T, 8>(indices, count, items, at);
      break;
    case 16:
      copy_items<T, 16>(indices, count, items, at);
      break;
    default:
      for (uint64_t i = 0; i < count; ++i) {
        std::memcpy(at + i * width, items.data() + index_at<T>(indices, i) * width, width);
      }
  }
  return ok_status();
}

template <typename T>
Status look_up_text(ByteView indices, uint64_t count, const LeafValues& dictionary,
                    LeafValues& out) {
  std::vector<uint64_t> ends(count);
  uint64_t size = 0;
  for (uint64_t i = 0; i < count; ++i) {
    size += dictionary.text_at(index_at<T>(indices, i)).size();
    ends[i] = size;
  }
  const uint64_t base = out.bytes().size();
  WEFT_TRY(std::byte * at, out.bytes().extend(size));
  for (uint64_t i = 0; i < count; ++i) {
    const ByteView text = dictionary.text_at(index_at<T>(indices, i));
    if (!text.empty()) {
      std::memcpy(at, text.data(), text.size());
      at += text.size();
    }
  }
  return out.append_text_ends<uint64_t>(base, reinterpret_cast<const std::byte*>(ends.data()),
                                        count, 0);
}

template <typename T>
Status look_up_as(const LeafValues& indices, const LeafValues& dictionary, LeafValues& out) {
  const ByteView bytes = indices.fixed_bytes();
  WEFT_TRY_STATUS(check_indices<T>(bytes, indices.count(), dictionary.count()));
  return out.shape().kind == LeafShape::Kind::kText
             ? look_up_text<T>(bytes, indices.count(), dictionary, out)
             : look_up_fixed<T>(bytes, indices.count(), dictionary, out);
}
}  // namespace

Status look_up(const LeafValues& indices, const LeafValues& dictionary, LeafValues& out) {
  switch (indices.shape().bits) {
    case 8:
      return look_up_as<uint8_t>(indices, dictionary, out);
    case 16:
      return look_up_as<uint16_t>(indices, dictionary, out);
    case 32:
      return look_up_as<uint32_t>(indices, dictionary, out);
    default:
      return look_up_as<uint64_t>(indices, dictionary, out);
  }
}
}  // namespace weft::lance::read
