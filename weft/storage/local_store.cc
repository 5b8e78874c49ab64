#include "weft/storage/local_store.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

#include "weft/base/executor.h"
#include "weft/storage/file_lock.h"
#include "weft/storage/foreseen_files.h"
#include "weft/storage/local_append.h"
#include "weft/storage/local_file.h"
#include "weft/storage/local_listing.h"
#include "weft/storage/local_tree.h"
#include "weft/storage/names.h"
#include "weft/storage/pending_file.h"

namespace weft::storage {
namespace {

constexpr size_t kPutsTogetherMax = 64;

using Objects = std::vector<std::pair<std::string, ByteView>>;

// The bytes of a file with what the file was when they were read.
struct Content {
  FileHandle file;
  struct stat found{};
  Bytes bytes;
};

class LocalStore final : public ObjectStore {
 public:
  LocalStore(const FileCalls& calls, FolderTree tree, LocalStoreOptions options)
      : calls_(calls),
        options_(options),
        tree_(std::move(tree)),
        syncs_(options.syncs_at_once != 0 ? options.syncs_at_once
               : options.calls != nullptr ? 1
                                          : kSyncsAtOnce) {}

  Capabilities capabilities() const override {
    const bool writable = ::faccessat(tree_.root().handle.get(), ".", W_OK, AT_EACCESS) == 0;
    return {
        .writable = writable, .put_if_absent = writable, .put_if_match = writable, .list = true};
  }
  std::string location() const override { return tree_.root().path; }

  Result<std::unique_ptr<ObjectReader>> open(const std::string& name) override {
    WEFT_TRY_STATUS(check_object_name(name));
    return open_file_in(calls_, tree_.root().handle.get(), name, tree_.root().path_of(name));
  }

  Result<VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override {
    WEFT_TRY_STATUS(check_object_name(name));
    WEFT_TRY(Content content, read_whole(tree_.root(), name, size_max_bytes));
    Etag etag = content_etag(content.bytes);
    return VersionedObject{Buffer::from(std::move(content.bytes)), std::move(etag)};
  }

  Result<PutOutcome> put_if_absent(const std::string& name, ByteView bytes) override {
    WEFT_TRY(Place place, place_to_write(name));
    if (is_taken(place)) {
      return PutOutcome::kLost;
    }
    std::optional<PendingFile> file = foreseen(name, bytes, place);
    if (!file.has_value()) {
      WEFT_TRY(PendingFile fresh,
               PendingFile::create(calls_, std::move(place.folder), std::move(place.leaf)));
      WEFT_TRY_STATUS(fresh.append(bytes));
      WEFT_TRY_STATUS(fresh.sync());
      file.emplace(std::move(fresh));
    }
    WEFT_TRY(const PutOutcome outcome, file->name_if_absent());
    if (outcome == PutOutcome::kDone) {
      WEFT_TRY_STATUS(sync_named(calls_, file->folder(), file->leaf()));
    }
    return outcome;
  }

  Result<std::vector<PutOutcome>> put_many_if_absent(const Objects& objects) override {
    return put_many_foreseeing(objects, {});
  }
  Result<std::vector<PutOutcome>> put_many_foreseeing(const Objects& objects,
                                                      const Objects& next) override {
    std::vector<Foreseen> foreseen = write_foreseen(next);
    std::vector<PutOutcome> outcomes(objects.size(), PutOutcome::kLost);
    bool named = false;
    for (size_t begin = 0; begin < objects.size(); begin += kPutsTogetherMax) {
      const size_t end = std::min(begin + kPutsTogetherMax, objects.size());
      Status status = put_group(objects, begin, end, outcomes, named, foreseen);
      if (!status.ok() && named) {
        return Error(ErrorKind::kRecoveryRequired, "some of several objects were put")
            .with("store", location())
            .with("cause", status.error().to_string());
      }
      WEFT_TRY_STATUS(std::move(status));
    }
    return outcomes;
  }

  Result<std::unique_ptr<ObjectWriter>> create(const std::string& name) override {
    WEFT_TRY(Place place, place_to_write(name));
    WEFT_TRY(PendingFile file,
             PendingFile::create(calls_, std::move(place.folder), std::move(place.leaf)));
    return write_pending(calls_, std::move(file), IfExists::kRefuse);
  }

  Result<PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                  const Etag& expected) override {
    WEFT_TRY(Place place, place_to_write(name));
    WEFT_TRY(place, follow_links(calls_, std::move(place)));
    WEFT_TRY(const FileLock lock,
             FileLock::acquire(calls_, place.folder, place.leaf, clock_, options_.lock_wait_ms));
    return replace_locked(std::move(place), bytes, expected);
  }

  Status sync_existing(const std::vector<std::string>& names) override {
    std::map<std::string, Folder> folders;
    for (const std::string& name : names) {
      WEFT_TRY_STATUS(check_object_name(name));
      WEFT_TRY(Place place, tree_.find(name, FolderTree::Absent::kRefuse));
      WEFT_TRY(const FileHandle file, open_path(calls_, place.folder.handle.get(), place.leaf,
                                                O_RDONLY | O_NONBLOCK, "cannot open a file"));
      if (const int answer = calls_.sync_data(file.get()); answer < 0) {
        return file_error(answer, "cannot sync a file", place.folder.path_of(place.leaf));
      }
      folders.try_emplace(place.folder.path, std::move(place.folder));
    }
    for (const auto& [path, folder] : folders) {
      WEFT_TRY_STATUS(sync_folder(calls_, folder));
    }
    return ok_status();
  }

  Status remove(const std::string& name) override {
    WEFT_TRY_STATUS(check_object_name(name));
    const size_t slash = name.rfind('/');
    if (name.substr(slash == std::string::npos ? 0 : slash + 1).starts_with(kLockPrefix)) {
      return Error(ErrorKind::kInvalid, "a lock file is never removed").with("name", name);
    }
    const int answer = calls_.unlink(tree_.root().handle.get(), name.c_str());
    if (answer < 0 && answer != -ENOENT && answer != -ENOTDIR) {
      return file_error(answer, "cannot remove a file", tree_.root().path_of(name));
    }
    return ok_status();
  }

  Result<std::vector<ObjectInfo>> list(const std::string& prefix, bool with_temporaries) override {
    return list_files(calls_, tree_.root(), prefix, with_temporaries, options_.list_entries_max);
  }

  Result<std::unique_ptr<AppendFile>> open_append(const std::string& name) override {
    WEFT_TRY(Place place, place_to_write(name));
    WEFT_TRY(place, follow_links(calls_, std::move(place)));
    return open_local_append(calls_, std::move(place), name);
  }

  Result<std::unique_ptr<HeldRight>> hold(const std::string& name,
                                          const HoldRequest& request) override {
    WEFT_TRY(Place place, place_to_write(name));
    WEFT_TRY(place, follow_links(calls_, std::move(place)));
    WEFT_TRY(FileLock lock, FileLock::acquire(calls_, place.folder, place.leaf + ".writer", clock_,
                                              request.wait_ms));
    lock.tell_holder(calls_, request.holder);
    return std::make_unique<FileLock>(std::move(lock));
  }

 private:
  static bool is_taken(const Place& place) {
    struct stat found{};
    return ::fstatat(place.folder.handle.get(), place.leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) ==
           0;
  }

  Result<Place> place_to_write(const std::string& name) {
    WEFT_TRY_STATUS(check_object_name(name));
    if (is_reserved_name(name)) {
      return Error(ErrorKind::kInvalid, "a name is kept for unfinished files and locks")
          .with("name", name);
    }
    return tree_.find(name, FolderTree::Absent::kCreate);
  }

  Result<Content> read_whole(const Folder& folder, const std::string& path,
                             uint64_t size_max_bytes) const {
    Content content;
    WEFT_TRY(content.file, open_path(calls_, folder.handle.get(), path,
                                     O_RDONLY | O_NONBLOCK | O_NOCTTY, "cannot open a file"));
    const std::string shown = folder.path_of(path);
    WEFT_TRY(content.found, stat_of(content.file, shown));
    if (!S_ISREG(content.found.st_mode)) {
      return Error(ErrorKind::kUnsupported, "not a regular file").with("path", shown);
    }
    if (static_cast<uint64_t>(content.found.st_size) > size_max_bytes) {
      return Error(ErrorKind::kLimit, "an object is too long to be read as a whole")
          .with("path", shown)
          .with("size", static_cast<uint64_t>(content.found.st_size))
          .with("size_max_bytes", size_max_bytes);
    }
    content.bytes.resize(static_cast<size_t>(content.found.st_size));
    for (size_t done = 0; done < content.bytes.size();) {
      const ssize_t got = calls_.pread(content.file.get(), content.bytes.data() + done,
                                       content.bytes.size() - done, done);
      if (got < 0) {
        return file_error(static_cast<int>(got), "cannot read a file", shown);
      }
      if (got == 0) {
        return Error(ErrorKind::kCorrupt, "a file became shorter while it was read")
            .with("path", shown);
      }
      done += static_cast<size_t>(got);
    }
    return content;
  }

  // With the lock held. L3: the state that a crash may leave is the one that was compared or the
  // new one, not an older one that was never synced.
  Result<PutOutcome> replace_locked(Place place, ByteView bytes, const Etag& expected) {
    Result<Content> read = read_whole(place.folder, place.leaf, etag_size(expected));
    if (!read.ok()) {
      const ErrorKind kind = read.error().kind();
      if (kind == ErrorKind::kNotFound || kind == ErrorKind::kLimit) {
        return PutOutcome::kLost;
      }
      return std::move(read).error();
    }
    Content current = std::move(read).value();
    if (content_etag(current.bytes) != expected) {
      return PutOutcome::kLost;
    }
    if (const int answer = calls_.sync_data(current.file.get()); answer < 0) {
      return file_error(answer, "cannot sync a file", place.folder.path_of(place.leaf));
    }
    WEFT_TRY_STATUS(sync_folder(calls_, place.folder));
    WEFT_TRY(PendingFile file,
             PendingFile::create(calls_, std::move(place.folder), std::move(place.leaf)));
    WEFT_TRY_STATUS(file.take_permissions_of(current.found));
    WEFT_TRY_STATUS(file.append(bytes));
    WEFT_TRY_STATUS(file.sync());
    if (!is_still(file, current.found)) {
      return PutOutcome::kLost;  // a program that takes no lock replaced it
    }
    WEFT_TRY_STATUS(file.name_replacing());
    WEFT_TRY_STATUS(sync_named(calls_, file.folder(), file.leaf()));
    return PutOutcome::kDone;
  }

  static bool is_still(const PendingFile& file, const struct stat& then) {
    struct stat now{};
    return ::fstatat(file.folder().handle.get(), file.leaf().c_str(), &now, AT_SYMLINK_NOFOLLOW) ==
               0 &&
           now.st_dev == then.st_dev && now.st_ino == then.st_ino && now.st_size == then.st_size &&
           now.st_mtim.tv_sec == then.st_mtim.tv_sec && now.st_mtim.tv_nsec == then.st_mtim.tv_nsec;
  }

  // One of several objects of a call.
  struct Putting {
    size_t index = 0;
    PendingFile file;
    bool is_synced = false;
  };
  // What is synced with them, and named by a later call.
  struct Foreseen {
    std::string name;
    ByteView bytes;
    PendingFile file;
    bool is_synced = false;
  };

  std::optional<PendingFile> foreseen(const std::string& name, ByteView bytes, const Place& place) {
    return foreseen_.take(name, bytes, place.folder, clock_.monotonic_microseconds());
  }

  Result<PendingFile> start_file(Place place, ByteView bytes) {
    WEFT_TRY(PendingFile file,
             PendingFile::create(calls_, std::move(place.folder), std::move(place.leaf)));
    WEFT_TRY_STATUS(file.append(bytes));
    WEFT_TRY_STATUS(file.start_writing());
    return file;
  }

  // What fails here is written by the call that puts it, which then tells.
  std::vector<Foreseen> write_foreseen(const Objects& next) {
    std::vector<Foreseen> all;
    for (const auto& [name, bytes] : next) {
      Result<Place> place = place_to_write(name);
      if (!place.ok() || bytes.size() > kForeseenBytesMax || is_taken(*place)) {
        continue;
      }
      if (Result<PendingFile> file = start_file(*std::move(place), bytes); file.ok()) {
        all.push_back({name, bytes, *std::move(file)});
      }
    }
    return all;
  }

  Status sync_all(std::vector<Putting>& files, std::vector<Foreseen>& foreseen) {
    std::vector<Putting*> waiting;
    for (Putting& each : files) {
      if (!each.is_synced) {
        waiting.push_back(&each);
      }
    }
    return syncs_.for_each(waiting.size() + foreseen.size(), [&](size_t i) -> Status {
      if (i < waiting.size()) {
        return waiting[i]->file.sync();
      }
      Foreseen& hint = foreseen[i - waiting.size()];
      hint.is_synced = hint.file.sync().ok();
      return ok_status();
    });
  }

  // All contents first, then all syncs, all names, and each folder once: the syncs find most of
  // their work under way.
  Status put_group(const Objects& objects, size_t begin, size_t end,
                   std::vector<PutOutcome>& outcomes, bool& named,
                   std::vector<Foreseen>& foreseen_with) {
    std::vector<Putting> files;
    for (size_t i = begin; i < end; ++i) {
      const auto& [name, bytes] = objects[i];
      WEFT_TRY(Place place, place_to_write(name));
      if (is_taken(place)) {
        continue;
      }
      if (std::optional<PendingFile> file = foreseen(name, bytes, place); file.has_value()) {
        files.push_back({i, *std::move(file), true});
        continue;
      }
      WEFT_TRY(PendingFile file, start_file(std::move(place), bytes));
      files.push_back({i, std::move(file)});
    }
    WEFT_TRY_STATUS(sync_all(files, foreseen_with));
    for (Foreseen& hint : foreseen_with) {
      if (hint.is_synced) {
        foreseen_.keep(std::move(hint.name), hint.bytes, std::move(hint.file),
                       clock_.monotonic_microseconds());
      }
    }
    foreseen_with.clear();
    std::map<std::string, const PendingFile*> folders;
    for (Putting& each : files) {
      WEFT_TRY(outcomes[each.index], each.file.name_if_absent());
      if (outcomes[each.index] == PutOutcome::kDone) {
        named = true;
        folders.try_emplace(each.file.folder().path, &each.file);
      }
    }
    std::vector<const PendingFile*> one_of_each;
    for (const auto& [path, file] : folders) {
      one_of_each.push_back(file);
    }
    return syncs_.for_each(one_of_each.size(), [&](size_t i) {
      return sync_named(calls_, one_of_each[i]->folder(), one_of_each[i]->leaf());
    });
  }

  const FileCalls& calls_;
  LocalStoreOptions options_;
  base::SystemClock clock_;
  FolderTree tree_;
  base::ThreadPool syncs_;
  ForeseenFiles foreseen_;
};

}  // namespace

Result<std::unique_ptr<ObjectStore>> open_local_store(const std::string& folder,
                                                      LocalStoreOptions options) {
  const FileCalls& calls = options.calls != nullptr ? *options.calls : system_file_calls();
  WEFT_TRY(FolderTree tree, FolderTree::open(calls, folder,
                                             options.create_folder ? FolderTree::Absent::kCreate
                                                                   : FolderTree::Absent::kRefuse));
  return std::make_unique<LocalStore>(calls, std::move(tree), options);
}

}  // namespace weft::storage
