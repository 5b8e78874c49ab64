// A file of a local store that grows at its end.
#pragma once

#include <memory>
#include <string>

#include "weft/base/result.h"
#include "weft/storage/append_file.h"
#include "weft/storage/file_calls.h"
#include "weft/storage/local_file.h"

namespace weft::storage {

// `calls` must outlive the file. Errors: kNotFound, kDenied, kUnavailable; kUnsupported for what is
// no regular file.
Result<std::unique_ptr<AppendFile>> open_local_append(const FileCalls& calls, Place place,
                                                      std::string name);

}  // namespace weft::storage
