// One document on its way in: readable twice if its blank nodes need the hash of all its bytes.
#pragma once

#include <memory>
#include <string>

#include "weft/base/result.h"
#include "weft/codec/blake3.h"
#include "weft/rdfio/input.h"
#include "weft/storage/scratch.h"

namespace weft::quads {

// Not thread-safe, but for content_digest().
class IngestDocument {
 public:
  // `path` "-" is standard input. What cannot be opened again (a pipe, standard input) is copied to
  // `scratch` if `twice`. Errors: those of rdfio::open_input and of the scratch file.
  static Result<IngestDocument> open(const std::string& path, bool twice,
                                     storage::ScratchSpace& scratch);

  // The decompressed bytes; once.
  rdfio::InputStream& input() { return *input_; }
  // The digest of the decompressed bytes, from a second reading. Only if opened for it.
  Result<codec::Digest16> content_digest() const;

 private:
  Result<std::unique_ptr<rdfio::InputStream>> reopen() const;

  std::string path_;
  std::shared_ptr<storage::ScratchFile> copy_;  // if it cannot be opened again
  std::unique_ptr<rdfio::InputStream> input_;
};

}  // namespace weft::quads
