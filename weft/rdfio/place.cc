#include "weft/rdfio/place.h"

#include <algorithm>

namespace weft::rdfio {

Error error_at(ErrorKind kind, std::string_view file_name, Place place, std::string_view reason) {
  const std::string_view file = file_name.empty() ? "input" : file_name;
  std::string message(file);
  message.append(":").append(std::to_string(place.line));
  message.append(":").append(std::to_string(place.column));
  message.append(": ").append(reason);
  return Error(kind, std::move(message))
      .with("file", file)
      .with("line", place.line)
      .with("column", place.column);
}

LineCount count_lines(std::string_view text) {
  LineCount count;
  count.line_ends = static_cast<uint64_t>(std::ranges::count(text, '\n'));
  count.last_line_start = text.rfind('\n') + 1;  // npos + 1 is 0
  for (size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != '\n') {
      ++count.line_ends;
      count.last_line_start = std::max(count.last_line_start, at + 1);
    }
  }
  return count;
}

}  // namespace weft::rdfio
