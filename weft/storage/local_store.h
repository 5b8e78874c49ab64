// A folder of the local file system as an ObjectStore. Keeps S1 to S5 of object_store.h on any file
// system that can hard link or rename without replacing, and that has kernel locks (for
// put_if_match only). Which system calls in which order, and why: docs/protocols/storage.md.
//
// L1  What is visible under its name is complete and synced; temporary names begin with
//     kTemporaryPrefix and stand in the folder of the name they are for.
// L2  put_if_match compares and replaces under a kernel lock on a file of its own
//     (kLockPrefix + name); readers need no lock and always find a version.
// L3  What was found in place is synced before it is replaced, and a folder before something in it
//     is acknowledged.
// L4  Etags are content hashes: the same bytes have the same etag, whoever wrote them.
//
// The names above are refused to objects (kInvalid), and lock files are never listed or removed.
// list does not follow symbolic links to folders, and leaves out what is no regular file or whose
// name is no object name. Thread-safe; several processes may use one folder.
#pragma once

#include <memory>
#include <string>

#include "weft/base/clock.h"
#include "weft/storage/file_calls.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

inline constexpr size_t kSyncsAtOnce = 8;

struct LocalStoreOptions {
  // Makes the folder (and those above it) if it is absent.
  bool create_folder = false;
  // How long put_if_match waits for another process; then kUnavailable with reason=locked.
  uint64_t lock_wait_ms = 60'000;
  // More entries below one list() are kLimit.
  uint64_t list_entries_max = 50'000'000;
  // How many files of one call are synced at once, which is waiting for the disk and not for a
  // processor. 0: kSyncsAtOnce, or one behind the other if `calls` are given, so that a trace has
  // an order.
  size_t syncs_at_once = 0;
  // Null: the operating system's. Must outlive the store, its readers and its writers.
  const FileCalls* calls = nullptr;
};

// Errors: kNotFound, kDenied, kUnavailable.
Result<std::unique_ptr<ObjectStore>> open_local_store(const std::string& folder,
                                                      LocalStoreOptions options = {});

}  // namespace weft::storage
