#include "weft/storage/pending_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "weft/base/random.h"

namespace weft::storage {
namespace {

constexpr size_t kGatherBytes = size_t{1} << 20;
constexpr uint64_t kWritebackBytes = uint64_t{8} << 20;
constexpr int kTemporaryNamesMax = 16;

std::string temporary_name(base::Random& random) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name(kTemporaryPrefix);
  for (uint64_t bits = random.next(), i = 0; i < 16; ++i, bits >>= 4U) {
    name += kDigits[bits & 15U];
  }
  return name;
}

bool lacks_the_call(int answer) {
  return answer == -EPERM || answer == -EOPNOTSUPP || answer == -ENOSYS || answer == -EMLINK ||
         answer == -EINVAL;
}

}  // namespace

std::string Folder::path_of(std::string_view leaf) const {
  std::string text = path;
  if (!text.ends_with('/')) {
    text += '/';
  }
  text += leaf;
  return text;
}

Status sync_folder(const FileCalls& calls, const Folder& folder) {
  if (const int answer = calls.sync(folder.handle.get()); answer < 0) {
    return file_error(answer, "cannot sync a folder", folder.path);
  }
  return ok_status();
}

Status sync_named(const FileCalls& calls, const Folder& folder, const std::string& leaf) {
  Status synced = sync_folder(calls, folder);
  if (!synced.ok()) {
    return Error(ErrorKind::kRecoveryRequired, "a file has its name, which may not survive a crash")
        .with("path", folder.path_of(leaf))
        .with("cause", synced.error().to_string());
  }
  return synced;
}

PendingFile::PendingFile(const FileCalls& calls, Folder folder, std::string leaf,
                         std::string temporary, FileHandle file)
    : calls_(&calls),
      folder_(std::move(folder)),
      leaf_(std::move(leaf)),
      temporary_(std::move(temporary)),
      file_(std::move(file)) {}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : calls_(other.calls_),
      folder_(std::move(other.folder_)),
      leaf_(std::move(other.leaf_)),
      temporary_(std::exchange(other.temporary_, std::string())),
      file_(std::move(other.file_)),
      gathered_(std::move(other.gathered_)),
      written_bytes_(other.written_bytes_),
      writeback_begin_(other.writeback_begin_) {}

PendingFile::~PendingFile() {
  remove_temporary();
}

void PendingFile::remove_temporary() {
  if (!temporary_.empty()) {
    // Best effort: what stays is swept by age.
    static_cast<void>(calls_->unlink(folder_.handle.get(), temporary_.c_str()));
    temporary_.clear();
  }
}

Result<PendingFile> PendingFile::create(const FileCalls& calls, Folder folder, std::string leaf) {
  base::Random random = base::Random::from_system();
  for (int attempt = 0; attempt < kTemporaryNamesMax; ++attempt) {
    std::string temporary = temporary_name(random);
    const int descriptor = calls.open(folder.handle.get(), temporary.c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    if (descriptor >= 0) {
      return PendingFile(calls, std::move(folder), std::move(leaf), std::move(temporary),
                         FileHandle(descriptor));
    }
    if (descriptor != -EEXIST) {
      return file_error(descriptor, "cannot create a file", folder.path_of(temporary));
    }
  }
  return Error(ErrorKind::kUnavailable, "found no free temporary name").with("path", folder.path);
}

Status PendingFile::write_at(uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t written = calls_->pwrite(file_.get(), bytes.data(), bytes.size(), offset);
    if (written <= 0) {
      return file_error(written == 0 ? EIO : static_cast<int>(written), "cannot write a file",
                        folder_.path_of(leaf_));
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return ok_status();
}

Status PendingFile::flush() {
  WEFT_TRY_STATUS(write_at(written_bytes_, gathered_));
  written_bytes_ += gathered_.size();
  gathered_.clear();
  if (written_bytes_ - writeback_begin_ >= kWritebackBytes) {
    hint_writeback();
  }
  return ok_status();
}

void PendingFile::hint_writeback() {
  // The sync decides; whether this works does not matter.
  static_cast<void>(::sync_file_range(file_.get(), static_cast<off_t>(writeback_begin_),
                                      static_cast<off_t>(written_bytes_ - writeback_begin_),
                                      SYNC_FILE_RANGE_WRITE));
  writeback_begin_ = written_bytes_;
}

Status PendingFile::start_writing() {
  WEFT_TRY_STATUS(flush());
  hint_writeback();
  return ok_status();
}

Status PendingFile::append(ByteView bytes) {
  if (gathered_.size() + bytes.size() > kGatherBytes) {
    WEFT_TRY_STATUS(flush());
  }
  if (bytes.size() >= kGatherBytes) {
    WEFT_TRY_STATUS(write_at(written_bytes_, bytes));
    written_bytes_ += bytes.size();
    return flush();
  }
  gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
  return ok_status();
}

Status PendingFile::overwrite(uint64_t offset, ByteView bytes) {
  if (offset > size() || bytes.size() > size() - offset) {
    return Error(ErrorKind::kInvalid, "cannot overwrite what was not written")
        .with("path", folder_.path_of(leaf_))
        .with("offset", offset)
        .with("size", bytes.size())
        .with("written", size());
  }
  if (offset < written_bytes_) {
    const auto head =
        static_cast<size_t>(std::min<uint64_t>(bytes.size(), written_bytes_ - offset));
    WEFT_TRY_STATUS(write_at(offset, bytes.first(head)));
    bytes = bytes.subspan(head);
    offset += head;
  }
  if (!bytes.empty()) {
    std::memcpy(gathered_.data() + (offset - written_bytes_), bytes.data(), bytes.size());
  }
  return ok_status();
}

Status PendingFile::take_permissions_of(const struct stat& other) {
  if (::geteuid() == 0 && ::fchown(file_.get(), other.st_uid, other.st_gid) != 0) {
    return file_error(errno, "cannot keep the owner of a file", folder_.path_of(leaf_));
  }
  if (::fchmod(file_.get(), other.st_mode & 07777U) != 0) {
    return file_error(errno, "cannot keep the permissions of a file", folder_.path_of(leaf_));
  }
  return ok_status();
}

Status PendingFile::sync() {
  WEFT_TRY_STATUS(flush());
  if (const int answer = calls_->sync_data(file_.get()); answer < 0) {
    return file_error(answer, "cannot sync a file", folder_.path_of(leaf_));
  }
  return ok_status();
}

Result<bool> PendingFile::has_its_name() const {
  WEFT_TRY(const struct stat ours, stat_of(file_, folder_.path_of(leaf_)));
  struct stat found{};
  if (::fstatat(folder_.handle.get(), leaf_.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) {
      return false;
    }
    return file_error(errno, "cannot look at a file", folder_.path_of(leaf_));
  }
  return found.st_dev == ours.st_dev && found.st_ino == ours.st_ino;
}

Result<PutOutcome> PendingFile::judge(int error_number, std::string_view attempted) {
  // A network file system may answer with an error although the call was done, so look.
  const Result<bool> named = has_its_name();
  if (!named.ok()) {
    return Error(ErrorKind::kRecoveryRequired, "cannot tell whether a file got its name")
        .with("path", folder_.path_of(leaf_))
        .with("cause", named.error().to_string());
  }
  if (*named) {
    remove_temporary();
    return PutOutcome::kDone;
  }
  if (error_number == -EEXIST) {
    remove_temporary();
    return PutOutcome::kLost;
  }
  return file_error(error_number, attempted, folder_.path_of(leaf_));
}

Result<PutOutcome> PendingFile::name_if_absent() {
  WEFT_CHECK(!temporary_.empty() && gathered_.empty());
  const int linked = calls_->link(folder_.handle.get(), temporary_.c_str(), leaf_.c_str());
  if (linked == 0) {
    remove_temporary();
    return PutOutcome::kDone;
  }
  if (!lacks_the_call(linked)) {
    return judge(linked, "cannot link a file to its name");
  }
  const int renamed =
      calls_->rename_no_replace(folder_.handle.get(), temporary_.c_str(), leaf_.c_str());
  if (renamed == 0) {
    forget_temporary();
    return PutOutcome::kDone;
  }
  if (lacks_the_call(renamed) && renamed != -EPERM) {
    return Error(ErrorKind::kUnsupported,
                 "the file system can neither link nor rename without replacing")
        .with("path", folder_.path_of(leaf_));
  }
  return judge(renamed, "cannot rename a file to its name");
}

Status PendingFile::name_replacing() {
  WEFT_CHECK(!temporary_.empty() && gathered_.empty());
  const int renamed = calls_->rename(folder_.handle.get(), temporary_.c_str(), leaf_.c_str());
  if (renamed < 0) {
    WEFT_TRY_STATUS(judge(renamed == -EEXIST ? -EIO : renamed, "cannot replace a file"));
  }
  forget_temporary();
  return ok_status();
}

}  // namespace weft::storage
