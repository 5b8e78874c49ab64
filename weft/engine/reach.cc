#include "weft/engine/reach.h"

#include <algorithm>

namespace weft::engine {
namespace {

struct Parts {
  std::string authority;  // scheme and authority, in lower case: "http://host:80"
  std::string_view rest;  // from the first '/', '?' or '#' on
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

Parts split(std::string_view iri) {
  const size_t colon = iri.find(':');
  if (colon == std::string_view::npos) {
    return {"", iri};
  }
  size_t end = colon + 1;
  if (iri.substr(end).starts_with("//")) {
    end = std::min(iri.find_first_of("/?#", end + 2), iri.size());
  }
  Parts parts;
  parts.authority.resize(end);
  std::transform(iri.begin(), iri.begin() + static_cast<std::ptrdiff_t>(end),
                 parts.authority.begin(), lower);
  parts.rest = iri.substr(end);
  return parts;
}

// Other programs see a "." in "%2e", and a "/" in a "\".
bool is_plain(std::string_view iri) {
  const bool clean = std::ranges::all_of(
      iri, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != '\\' && c != '\x7f'; });
  std::string text;
  for (const char c : iri.substr(0, iri.find_first_of("?#"))) {
    text += lower(c);
  }
  for (size_t at = text.find("%2e"); at != std::string::npos; at = text.find("%2e", at + 1)) {
    text.replace(at, 3, ".");
  }
  return clean && text.find("/..") == std::string::npos && text.find("%2f") == std::string::npos &&
         text.find("%5c") == std::string::npos;
}

}  // namespace

bool Reach::contains(std::string_view iri) const {
  if (anything) {
    return true;
  }
  const Parts wanted = split(iri);
  if (!is_plain(iri) || wanted.authority.find('@') != std::string::npos) {
    return false;
  }
  return std::ranges::any_of(prefixes, [&](const std::string& prefix) {
    if (prefix == "*") {
      return true;
    }
    const Parts allowed = split(prefix);
    return !allowed.authority.empty() && allowed.authority == wanted.authority &&
           wanted.rest.starts_with(allowed.rest);
  });
}

}  // namespace weft::engine
