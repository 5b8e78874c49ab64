// One new file on its way to its name: written under a temporary name in the same folder, synced,
// then linked (if the name must be free) or renamed (if it replaces). The order of the system calls
// and the reasons: docs/protocols/storage.md.
//
// P1  The name never shows a file that is not complete and synced.
// P2  Destroyed before it got its name, it leaves nothing. After a crash a file kTemporaryPrefix…
//     stays behind, which sweeping removes.
#pragma once

#include <string>
#include <string_view>

#include "weft/storage/file_calls.h"
#include "weft/storage/names.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

// A folder that is held open, so that it stays the same when somebody renames it.
struct Folder {
  FileHandle handle;
  std::string path;  // for messages

  std::string path_of(std::string_view leaf) const;
};

// Syncs the entries of a folder.
Status sync_folder(const FileCalls& calls, const Folder& folder);
// The same after `leaf` got its name in it: a failure is then kRecoveryRequired, because others see
// the file already.
Status sync_named(const FileCalls& calls, const Folder& folder, const std::string& leaf);

// Not thread-safe. Movable. After an error only destruction is useful.
class PendingFile {
 public:
  // `leaf` is the name in `folder` that the file shall get. Nothing is checked about it yet.
  static Result<PendingFile> create(const FileCalls& calls, Folder folder, std::string leaf);

  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  // Small pieces are gathered to 1 MiB. The operating system is told to start writing early, so
  // that the sync of a file of gigabytes does not have to write all of it.
  Status append(ByteView bytes);
  // kInvalid if [offset, offset + bytes) was not appended before.
  Status overwrite(uint64_t offset, ByteView bytes);
  uint64_t size() const { return written_bytes_ + gathered_.size(); }

  // Permissions (and, for the superuser, the owner) as `other` has them.
  Status take_permissions_of(const struct stat& other);

  // Hands what is gathered to the operating system and tells it to begin writing.
  Status start_writing();
  // Writes what is gathered and syncs the content.
  Status sync();
  // After sync: gives the file its name if that is free; else kLost and nothing changed. The folder
  // is not synced. Errors: kUnsupported if the file system can neither link nor rename without
  // replacing; kRecoveryRequired if it cannot be told whether the file has its name.
  Result<PutOutcome> name_if_absent();
  // After sync: gives the file its name, in place of what is there. The folder is not synced.
  Status name_replacing();

  const Folder& folder() const { return folder_; }
  const std::string& leaf() const { return leaf_; }

 private:
  PendingFile(const FileCalls& calls, Folder folder, std::string leaf, std::string temporary,
              FileHandle file);

  Status write_at(uint64_t offset, ByteView bytes);
  Status flush();
  void hint_writeback();
  Result<bool> has_its_name() const;
  void forget_temporary() { temporary_.clear(); }
  void remove_temporary();
  // What `error_number` from linking or renaming means, seen from what the folder shows now.
  Result<PutOutcome> judge(int error_number, std::string_view attempted);

  const FileCalls* calls_;
  Folder folder_;
  std::string leaf_;
  std::string temporary_;  // empty: there is none (any more)
  FileHandle file_;
  Bytes gathered_;
  uint64_t written_bytes_ = 0;
  uint64_t writeback_begin_ = 0;
};

}  // namespace weft::storage
