#include "weft/storage/local_listing.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>

#include "weft/storage/names.h"

namespace weft::storage {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

// One walk, folder by folder; the folders that wait are names, so that depth costs no descriptors.
class Listing {
 public:
  Listing(const FileCalls& calls, const Folder& root, const std::string& prefix,
          bool with_temporaries, uint64_t entries_max)
      : calls_(calls),
        root_(root),
        prefix_(prefix),
        with_temporaries_(with_temporaries),
        entries_max_(entries_max) {}

  Result<std::vector<ObjectInfo>> run() {
    const size_t slash = prefix_.rfind('/');
    std::vector<std::string> waiting;
    if (slash == std::string::npos) {
      waiting.emplace_back();
    } else {
      WEFT_TRY_STATUS(check_object_name(prefix_.substr(0, slash)));
      waiting.push_back(prefix_.substr(0, slash + 1));
    }
    while (!waiting.empty()) {
      const std::string folder = std::move(waiting.back());
      waiting.pop_back();
      WEFT_TRY_STATUS(read_folder(folder, waiting));
    }
    std::ranges::sort(found_, {}, &ObjectInfo::name);
    return std::move(found_);
  }

 private:
  // `folder` is "" or ends with '/'.
  Status read_folder(const std::string& folder, std::vector<std::string>& waiting) {
    const std::string path = folder.empty() ? "." : folder;
    const int descriptor = calls_.open(root_.handle.get(), path.c_str(), O_RDONLY | O_DIRECTORY, 0);
    if (descriptor == -ENOENT || descriptor == -ENOTDIR) {
      return ok_status();
    }
    if (descriptor < 0) {
      return file_error(descriptor, "cannot read a folder", root_.path_of(folder));
    }
    const OpenFolder open(::fdopendir(descriptor));
    if (!open) {
      const FileHandle closes(descriptor);
      return file_error(errno, "cannot read a folder", root_.path_of(folder));
    }
    while (true) {
      errno = 0;
      // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has this stream.
      const dirent* entry = ::readdir(open.get());
      if (entry == nullptr) {
        break;
      }
      if (++entries_seen_ > entries_max_) {
        return Error(ErrorKind::kLimit, "a store has too many entries to be listed")
            .with("path", root_.path_of(folder))
            .with("list_entries_max", entries_max_);
      }
      look_at(descriptor, entry->d_name, folder, waiting);
    }
    if (errno != 0) {
      return file_error(errno, "cannot read a folder", root_.path_of(folder));
    }
    return ok_status();
  }

  void look_at(int descriptor, const char* leaf, const std::string& folder,
               std::vector<std::string>& waiting) {
    std::string name = folder + leaf;
    if (!check_object_name(name).ok() || std::string_view(leaf).starts_with(kLockPrefix)) {
      return;
    }
    struct stat found{};
    if (::fstatat(descriptor, leaf, &found, AT_SYMLINK_NOFOLLOW) != 0) {
      return;  // gone meanwhile
    }
    if (S_ISDIR(found.st_mode)) {
      name += '/';
      if (name.starts_with(prefix_) || prefix_.starts_with(name)) {
        waiting.push_back(std::move(name));
      }
      return;
    }
    if (S_ISLNK(found.st_mode) && ::fstatat(descriptor, leaf, &found, 0) != 0) {
      return;
    }
    const bool shown = with_temporaries_ || !is_reserved_name(name);
    if (S_ISREG(found.st_mode) && shown && name.starts_with(prefix_)) {
      const base::WallTime modified{int64_t{found.st_mtim.tv_sec} * 1'000'000 +
                                    found.st_mtim.tv_nsec / 1'000};
      found_.push_back({std::move(name), static_cast<uint64_t>(found.st_size), modified});
    }
  }

  const FileCalls& calls_;
  const Folder& root_;
  const std::string& prefix_;
  bool with_temporaries_;
  uint64_t entries_max_;
  uint64_t entries_seen_ = 0;
  std::vector<ObjectInfo> found_;
};

}  // namespace

Result<std::vector<ObjectInfo>> list_files(const FileCalls& calls, const Folder& root,
                                           const std::string& prefix, bool with_temporaries,
                                           uint64_t entries_max) {
  return Listing(calls, root, prefix, with_temporaries, entries_max).run();
}

}  // namespace weft::storage
