// The folders of a local store: finds, makes and syncs them.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "weft/base/mutex.h"
#include "weft/storage/local_file.h"
#include "weft/storage/pending_file.h"

namespace weft::storage {

// Remembers which folders it has made durable (their entry in the folder above was synced), so that
// each costs one sync in the life of a store. Thread-safe. Movable before it is shared.
class FolderTree {
 public:
  enum class Absent : uint8_t { kRefuse, kCreate };

  static Result<FolderTree> open(const FileCalls& calls, const std::string& root, Absent absent);

  const Folder& root() const { return root_; }
  // The folder of an object, opened, with all folders above it durable. `name` must be checked.
  Result<Place> find(const std::string& name, Absent absent);

 private:
  // Device, inode and birth: an inode number is used again once its folder is gone.
  using FolderId = std::tuple<uint64_t, uint64_t, int64_t, uint64_t>;
  struct Durable {
    base::Mutex mutex;
    std::set<FolderId> folders WEFT_GUARDED_BY(mutex);
  };

  FolderTree(const FileCalls& calls, Folder root)
      : calls_(&calls), root_(std::move(root)), durable_(std::make_unique<Durable>()) {}

  Result<Folder> enter(const Folder& above, const std::string& part, Absent absent);
  Status make_durable(const Folder& above, const Folder& folder);
  void sync_above_store(const Folder& above, const Folder& folder);

  const FileCalls* calls_;
  Folder root_;
  std::unique_ptr<Durable> durable_;
};

}  // namespace weft::storage
