#include "weft/storage/names.h"

#include <charconv>

#include "weft/codec/blake3.h"

namespace weft::storage {

bool is_reserved_name(std::string_view name) {
  while (true) {
    if (name.starts_with(kTemporaryPrefix) || name.starts_with(kLockPrefix)) {
      return true;
    }
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos) {
      return false;
    }
    name.remove_prefix(slash + 1);
  }
}

Etag content_etag(ByteView bytes) {
  return {std::to_string(bytes.size()) + "-" + codec::to_hex(codec::blake3(bytes))};
}

uint64_t etag_size(const Etag& etag) {
  uint64_t size = 0;
  const char* end = etag.value.data() + etag.value.size();
  const auto [rest, error] = std::from_chars(etag.value.data(), end, size);
  return error == std::errc() && rest != end && *rest == '-' ? size : 0;
}

}  // namespace weft::storage
