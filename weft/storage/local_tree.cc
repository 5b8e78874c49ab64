#include "weft/storage/local_tree.h"

#include <cerrno>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

namespace weft::storage {
namespace {

// The folder itself, so that the way down has an owner of its own descriptor.
Result<Folder> open_again(const FileCalls& calls, const Folder& folder) {
  WEFT_TRY(FileHandle handle, open_path(calls, folder.handle.get(), ".", O_RDONLY | O_DIRECTORY,
                                        "cannot open a folder"));
  return Folder{std::move(handle), folder.path};
}

Result<FileHandle> open_or_make(const FileCalls& calls, int above, const std::string& part,
                                const std::string& shown, bool make) {
  int descriptor = calls.open(above, part.c_str(), O_RDONLY | O_DIRECTORY, 0);
  if (descriptor == -ENOENT && make) {
    const int made = calls.make_folder(above, part.c_str());
    if (made < 0 && made != -EEXIST) {
      return file_error(made, "cannot make a folder", shown);
    }
    descriptor = calls.open(above, part.c_str(), O_RDONLY | O_DIRECTORY, 0);
  }
  if (descriptor == -EACCES && make) {
    descriptor =
        calls.open(above, part.c_str(), O_PATH | O_DIRECTORY, 0);  // enough to pass through
  }
  if (descriptor < 0) {
    return file_error(descriptor, "cannot open a folder", shown);
  }
  return FileHandle(descriptor);
}

}  // namespace

Result<FolderTree> FolderTree::open(const FileCalls& calls, const std::string& root,
                                    Absent absent) {
  const std::string path = root.empty() ? "." : root;
  Result<FileHandle> whole = open_or_make(calls, AT_FDCWD, path, path, false);
  if (whole.ok()) {
    return FolderTree(calls, Folder{std::move(whole).value(), path});
  }
  if (absent == Absent::kRefuse || whole.error().kind() != ErrorKind::kNotFound) {
    return std::move(whole).error();
  }
  const std::string start = path.starts_with('/') ? "/" : ".";
  WEFT_TRY(FileHandle handle, open_or_make(calls, AT_FDCWD, start, start, false));
  FolderTree tree(calls, Folder{std::move(handle), start});
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (const std::string part = path.substr(begin, end - begin); !part.empty()) {
      std::string shown = path.substr(0, end);
      WEFT_TRY(FileHandle below, open_or_make(calls, tree.root_.handle.get(), part, shown, true));
      Folder next{std::move(below), std::move(shown)};
      tree.sync_above_store(tree.root_, next);
      tree.root_ = std::move(next);
    }
    begin = end + 1;
  }
  return tree;
}

void FolderTree::sync_above_store(const Folder& above, const Folder& folder) {
  // A folder that was there before the store may refuse to be synced by us; then whoever made the
  // store's folder has to answer for it.
  static_cast<void>(make_durable(above, folder));
}

Status FolderTree::make_durable(const Folder& above, const Folder& folder) {
  struct statx found{};
  std::optional<FolderId> id;
  if (::statx(folder.handle.get(), "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &found) == 0 &&
      (found.stx_mask & STATX_BTIME) != 0) {
    const uint64_t device = (uint64_t{found.stx_dev_major} << 32U) | found.stx_dev_minor;
    id = FolderId(device, found.stx_ino, found.stx_btime.tv_sec, found.stx_btime.tv_nsec);
    const base::MutexLock lock(durable_->mutex);
    if (durable_->folders.contains(*id)) {
      return ok_status();
    }
  }
  WEFT_TRY_STATUS(sync_folder(*calls_, above));
  if (id) {
    const base::MutexLock lock(durable_->mutex);
    durable_->folders.insert(*id);
  }
  return ok_status();
}

Result<Folder> FolderTree::enter(const Folder& above, const std::string& part, Absent absent) {
  std::string shown = above.path_of(part);
  WEFT_TRY(FileHandle handle,
           open_or_make(*calls_, above.handle.get(), part, shown, absent == Absent::kCreate));
  Folder folder{std::move(handle), std::move(shown)};
  WEFT_TRY_STATUS(make_durable(above, folder));
  return folder;
}

Result<Place> FolderTree::find(const std::string& name, Absent absent) {
  WEFT_TRY(Folder folder, open_again(*calls_, root_));
  if (const int above = calls_->open(folder.handle.get(), "..", O_RDONLY | O_DIRECTORY, 0);
      above >= 0) {
    sync_above_store(Folder{FileHandle(above), root_.path_of("..")}, folder);
  }
  size_t begin = 0;
  for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', begin)) {
    WEFT_TRY(folder, enter(folder, name.substr(begin, slash - begin), absent));
    begin = slash + 1;
  }
  return Place{std::move(folder), name.substr(begin)};
}

}  // namespace weft::storage
