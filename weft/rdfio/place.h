// Where in a text something is, and the errors that say so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/error.h"

namespace weft::rdfio {

// Counted from one; columns in code points.
struct Place {
  uint64_t line = 1;
  uint64_t column = 1;
};

// "FILE:LINE:COLUMN: reason", with the facts "file", "line" and "column". An empty name is shown as
// "input".
Error error_at(ErrorKind kind, std::string_view file_name, Place place, std::string_view reason);

// Line ends are LF, CR LF, and CR alone.
struct LineCount {
  uint64_t line_ends = 0;
  // Offset behind the last line end; 0 if there is none.
  size_t last_line_start = 0;
};
// A CR at the very end of `text` is counted as a line end.
LineCount count_lines(std::string_view text);

}  // namespace weft::rdfio
