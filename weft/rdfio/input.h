// Where RDF text comes from and goes to: files, standard input and output. Compressed input is
// recognised by its content (weft/codec/decompress.h).
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "weft/codec/stream.h"

namespace weft::rdfio {

using codec::InputStream;
using codec::OutputStream;

// The decompressed bytes of a file; "-" is standard input. Errors: kNotFound, kDenied,
// kUnavailable for the rest, each with the fact "file".
Result<std::unique_ptr<InputStream>> open_input(const std::string& path);

// The decompressed bytes of `bytes`, which must outlive the stream.
Result<std::unique_ptr<InputStream>> open_memory(std::string_view bytes);

// Writes to a file descriptor that it does not close. Errors: kUnavailable.
class DescriptorOutput final : public OutputStream {
 public:
  explicit DescriptorOutput(int descriptor) : descriptor_(descriptor) {}
  Status write(ByteView bytes) override;

 private:
  int descriptor_;
};

}  // namespace weft::rdfio
