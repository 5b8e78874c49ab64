// The body of an answer as an output stream: held back while it is short, so that what fails early
// still gets its status; compressed if the client takes that and it pays.
#pragma once

#include <memory>
#include <string>

#include "server/exchange.h"
#include "server/field_values.h"

#include "weft/codec/compress_stream.h"
#include "weft/codec/stream.h"

namespace weft::server {

// Held back before the head is sent; what is shorter has a Content-Length.
inline constexpr size_t kHoldBackBytes = size_t{64} << 10U;
// Shorter answers are not compressed.
inline constexpr size_t kCompressBytesMin = 1'000;

// Not thread-safe. `exchange` must outlive it.
class AnswerStream final : public codec::OutputStream {
 public:
  AnswerStream(Exchange& exchange, ResponseHead head, Coding coding);
  ~AnswerStream() override;

  Status write(ByteView bytes) override;
  // The end of the body.
  Status finish();
  // True once the head is on its way: then an error can only break the answer off.
  bool begun() const { return begun_; }

 private:
  class Plain;
  Status begin();

  Exchange& exchange_;
  ResponseHead head_;
  Coding coding_;
  std::string held_;
  bool begun_ = false;
  std::unique_ptr<codec::OutputStream> plain_;
  std::unique_ptr<codec::CompressingOutput> compressor_;
};

}  // namespace weft::server
