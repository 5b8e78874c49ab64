// Bytes in order, in and out: the narrow interfaces between files, compression and text formats.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::codec {

// Not thread-safe.
class InputStream {
 public:
  virtual ~InputStream() = default;
  // Fills the front of `out`, which must not be empty, and returns how many bytes; 0 is the end,
  // and stays it. May return less than asked at any time. After an error the stream is useless.
  virtual Result<size_t> read(std::span<std::byte> out) = 0;
};

// Not thread-safe.
class OutputStream {
 public:
  virtual ~OutputStream() = default;
  // All of `bytes`, or an error.
  virtual Status write(ByteView bytes) = 0;
};

// Reads `bytes`, which must outlive it.
class MemoryInputView final : public InputStream {
 public:
  explicit MemoryInputView(std::string_view bytes) : rest_(bytes) {}
  Result<size_t> read(std::span<std::byte> out) override;

 private:
  std::string_view rest_;
};

class StringOutput final : public OutputStream {
 public:
  Status write(ByteView bytes) override;
  const std::string& text() const& { return text_; }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace weft::codec
