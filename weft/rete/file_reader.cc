#include "weft/rete/file_reader.h"

#include <algorithm>
#include <utility>

#include "weft/codec/varint.h"
#include "weft/rete/damage.h"

namespace weft::rete {
namespace {

constexpr uint64_t kWindowBytesLocal = uint64_t{64} * 1024;
constexpr uint64_t kWindowBytesRemote = uint64_t{256} * 1024;

}  // namespace

FileReader::FileReader(CheckedFile& file, storage::Range region, std::string_view section)
    : file_(file), section_(section), position_(region.offset), end_(region.offset + region.size) {}

void FileReader::fail(std::string_view what) {
  if (ok()) {
    status_ = damage(what, file_.name(), section_, position_);
  }
}

ByteView FileReader::peek(uint64_t size) {
  if (!ok()) {
    return {};
  }
  const uint64_t wanted = std::min(size, end_ - position_);
  if (position_ < window_offset_ || position_ + wanted > window_offset_ + window_.size()) {
    const uint64_t window = file_.is_remote() ? kWindowBytesRemote : kWindowBytesLocal;
    Result<storage::Buffer> read =
        file_.read_one({position_, std::min(std::max(wanted, window), end_ - position_)});
    if (!read.ok()) {
      status_ = std::move(read).error();
      return {};
    }
    window_ = std::move(read).value();
    window_offset_ = position_;
  }
  return window_.view().subspan(position_ - window_offset_, wanted);
}

uint64_t FileReader::varint() {
  const ByteView bytes = peek(codec::kVarintBytesMax);
  const uint8_t* cursor = as_octets(bytes);
  uint64_t value = 0;
  if (!codec::decode_varint(cursor, as_octets(bytes) + bytes.size(), value)) {
    fail("cut short");
    return 0;
  }
  position_ += static_cast<uint64_t>(cursor - as_octets(bytes));
  return value;
}

uint64_t FileReader::count(uint64_t size_min) {
  const uint64_t value = varint();
  if (value > remaining() / size_min) {
    fail("count is impossible");
    return 0;
  }
  return value;
}

std::string FileReader::bytes(uint64_t size) {
  if (size > remaining()) {
    fail("cut short");
    return {};
  }
  const ByteView view = peek(size);
  if (view.size() != size) {
    return {};
  }
  position_ += size;
  return to_text(view);
}

storage::Range FileReader::region() {
  const uint64_t size = varint();
  const storage::Range range{position_, size};
  skip(size);
  return ok() ? range : storage::Range{};
}

void FileReader::skip(uint64_t size) {
  if (size > remaining()) {
    fail("cut short");
    return;
  }
  position_ += size;
}

}  // namespace weft::rete
