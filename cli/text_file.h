// Small texts that commands are given by file name: cards, queries.
#pragma once

#include <cstdint>
#include <string>

#include "weft/base/result.h"

namespace weft::cli {

// All of a file; "-" is standard input. Errors: kLimit beyond `size_max_bytes`; those of storage.
Result<std::string> read_text_file(const std::string& path, uint64_t size_max_bytes);

}  // namespace weft::cli
