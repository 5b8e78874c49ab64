// The files below a folder, as list() of a local store shows them.
#pragma once

#include <string>
#include <vector>

#include "weft/storage/file_calls.h"
#include "weft/storage/object_store.h"
#include "weft/storage/pending_file.h"

namespace weft::storage {

// See LocalStore. Folders and files that vanish meanwhile are left out. Errors: kLimit (more than
// `entries_max` entries looked at), kDenied (a folder that may not be read).
Result<std::vector<ObjectInfo>> list_files(const FileCalls& calls, const Folder& root,
                                           const std::string& prefix, bool with_temporaries,
                                           uint64_t entries_max);

}  // namespace weft::storage
