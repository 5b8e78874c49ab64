#include "server/multipart.h"

#include <algorithm>

#include "server/http_message.h"

namespace weft::server {
namespace {

constexpr size_t kBoundaryBytesMax = 70;  // RFC 2046 §5.1.1

Error bad_body(std::string_view what) {
  return Error(ErrorKind::kInvalid, "the multipart body is malformed").with("reason", what);
}

std::string_view file_name_of(std::string_view disposition) {
  constexpr std::string_view kName = "filename=\"";
  const size_t begin = disposition.find(kName);
  if (begin == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = disposition.substr(begin + kName.size());
  return rest.substr(0, std::min(rest.find('"'), rest.size()));
}

void take_fields(std::string_view head, PartView& part) {
  while (!head.empty()) {
    const size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    if (equals_without_case(line.substr(0, colon), "Content-Type")) {
      part.content_type = value;
    } else if (equals_without_case(line.substr(0, colon), "Content-Disposition")) {
      part.file_name = file_name_of(value);
    }
  }
}

}  // namespace

Result<std::vector<PartView>> parse_multipart(std::string_view body, std::string_view boundary) {
  if (boundary.empty() || boundary.size() > kBoundaryBytesMax) {
    return bad_body("the boundary has no or too many characters");
  }
  const std::string delimiter = "\r\n--" + std::string(boundary);
  std::string_view rest = body;
  // The first delimiter may stand at the very beginning.
  if (rest.starts_with(std::string_view(delimiter).substr(2))) {
    rest.remove_prefix(delimiter.size() - 2);
  } else if (const size_t at = rest.find(delimiter); at != std::string_view::npos) {
    rest.remove_prefix(at + delimiter.size());
  } else {
    return bad_body("there is no boundary");
  }
  std::vector<PartView> parts;
  while (!rest.starts_with("--")) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (!rest.starts_with("\r\n")) {
      return bad_body("a boundary does not end its line");
    }
    const size_t end = rest.find(delimiter);
    if (end == std::string_view::npos) {
      return bad_body("the last boundary is missing");
    }
    if (parts.size() == kPartsMax) {
      return Error(ErrorKind::kLimit, "too many parts")
          .with("limit", "multipart parts")
          .with("max", kPartsMax);
    }
    const std::string_view whole = rest.substr(0, end);
    const size_t head_end = whole.find("\r\n\r\n");
    if (head_end == std::string_view::npos) {
      return bad_body("a part has no end of its fields");
    }
    PartView part;
    take_fields(whole.substr(2, head_end < 2 ? 0 : head_end - 2), part);
    part.bytes = whole.substr(head_end + 4);
    parts.push_back(part);
    rest.remove_prefix(end + delimiter.size());
  }
  return parts;
}

}  // namespace weft::server
