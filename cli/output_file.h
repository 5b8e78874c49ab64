// Where a command writes a document: standard output, or a file that appears only when it is whole.
#pragma once

#include <memory>
#include <string>

#include "weft/base/result.h"
#include "weft/codec/stream.h"

namespace weft::cli {

class OutputFile {
 public:
  virtual ~OutputFile() = default;
  // "-" is standard output. Errors: kAlreadyExists unless `replace`; those of storage.
  static Result<std::unique_ptr<OutputFile>> open(const std::string& path, bool replace);

  virtual codec::OutputStream& stream() = 0;
  // Makes the file appear, synced. Standard output: nothing to do.
  virtual Status publish() = 0;
};

}  // namespace weft::cli
