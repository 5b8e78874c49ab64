// One file by its path, wherever it is: what a user names on a command line.
#pragma once

#include <memory>
#include <string>

#include "weft/storage/file_calls.h"
#include "weft/storage/object_store.h"
#include "weft/storage/pending_file.h"

namespace weft::storage {

// Reads a regular file with pread over one descriptor that stays open, so the reader keeps its file
// when the name is replaced. A file that is changed in place while it is open (shorter, or another
// modification time) is kCorrupt at the next read. Errors: kNotFound, kDenied, kUnsupported (a
// pipe or device), kInvalid (a folder), kUnavailable.
Result<std::unique_ptr<ObjectReader>> open_local_file(const std::string& path,
                                                      const FileCalls& calls = system_file_calls());

// The same of a file that others append to: the reader shows it as long as it is now.
Result<std::unique_ptr<ObjectReader>> open_growing_file(
    const std::string& path, const FileCalls& calls = system_file_calls());

enum class IfExists : uint8_t {
  kRefuse,   // create is kAlreadyExists; publish is kLost if the name was taken meanwhile
  kReplace,  // the name shows the old file until publish, then the new one; permissions are kept
};

// Writes a new file that appears at `path` when publish succeeds, complete and synced. The folder
// must exist. With kReplace a symbolic link is followed, and a path that is no regular file is
// refused (kInvalid). Errors: as open_local_file; kUnavailable with reason=no-space.
Result<std::unique_ptr<ObjectWriter>> create_local_file(
    const std::string& path, IfExists if_exists, const FileCalls& calls = system_file_calls());

// For the stores: the same in a folder that is open already.
Result<std::unique_ptr<ObjectReader>> open_file_in(const FileCalls& calls, int folder,
                                                   const std::string& path, std::string name);
std::unique_ptr<ObjectWriter> write_pending(const FileCalls& calls, PendingFile file,
                                            IfExists if_exists);

// A file by its folder and its name in it.
struct Place {
  Folder folder;
  std::string leaf;
};
Result<Place> find_place(const FileCalls& calls, const std::string& path);
// Where the file really lies if `place` is a symbolic link (or several, at most 16).
Result<Place> follow_links(const FileCalls& calls, Place place);

}  // namespace weft::storage
