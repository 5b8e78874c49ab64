// A piece of a text that is read forward, with room to look ahead and the place of every byte.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdfio/input.h"
#include "weft/rdfio/place.h"

namespace weft::rdfio {

// Not thread-safe. Pointers into the window are valid until the next call of fill() or grow().
// Behind end() stand kPaddingBytes zero bytes. A byte order mark at the start is skipped.
class TextWindow {
 public:
  // A token that fits into this many bytes needs no grow(): fill() in front of it is enough.
  static constexpr size_t kRoomBytes = (size_t{1} << 20U) + 4096;

  explicit TextWindow(InputStream& input);

  const char* at() const { return bytes_.data() + at_; }
  const char* end() const { return bytes_.data() + size_; }
  // `next` must be in [at(), end()].
  void advance_to(const char* next) { at_ = static_cast<size_t>(next - bytes_.data()); }
  // Whether end() is the end of the text.
  bool ended() const { return ended_; }
  bool at_end() const { return at_ == size_ && ended_; }

  // Makes at least kRoomBytes available from at() on, or all that is left. Errors: of the input.
  Status fill() { return ended_ || size_ - at_ >= kRoomBytes ? ok_status() : refill(kRoomBytes); }
  // Makes at least twice as many bytes available from at() on as are now, or all that is left.
  Status grow() { return ended_ ? ok_status() : refill((size_ - at_) * 2); }

  // Of a position in the window, perhaps in front of at().
  Place place_of(const char* position) const;
  // Of the text read so far.
  uint64_t bytes() const { return read_bytes_; }

 private:
  Status refill(size_t wanted_bytes);
  void discard();

  InputStream& input_;
  std::vector<char> bytes_;
  size_t at_ = 0;
  size_t size_ = 0;
  bool started_ = false;
  bool ended_ = false;
  uint64_t read_bytes_ = 0;
  Place start_;  // of bytes_[0]
};

}  // namespace weft::rdfio
