// What the stores that keep objects of their own agree on: which names are kept back, and what an
// etag is.
#pragma once

#include <cstdint>
#include <string_view>

#include "weft/base/bytes.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

// Unfinished objects and lock files have names that begin so.
inline constexpr std::string_view kTemporaryPrefix = ".weft-tmp-";
inline constexpr std::string_view kLockPrefix = ".weft-lock-";

// Whether a component of `name` begins like a temporary name or a lock file.
bool is_reserved_name(std::string_view name);

// The etag of a content: its size and its BLAKE3 hash.
Etag content_etag(ByteView bytes);
// The size of the content that has this etag; 0 if it is none of ours.
uint64_t etag_size(const Etag& etag);

}  // namespace weft::storage
