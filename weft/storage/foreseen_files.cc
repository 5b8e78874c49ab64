#include "weft/storage/foreseen_files.h"

#include <algorithm>
#include <utility>

namespace weft::storage {
namespace {

bool is_same_folder(const Folder& one, const Folder& other) {
  const Result<struct stat> first = stat_of(one.handle, one.path);
  const Result<struct stat> second = stat_of(other.handle, other.path);
  return first.ok() && second.ok() && first->st_dev == second->st_dev &&
         first->st_ino == second->st_ino;
}

}  // namespace

void ForeseenFiles::keep(std::string name, ByteView bytes, PendingFile file, int64_t now_us) {
  std::list<Entry> leaving;  // outlives the lock: removing temporaries takes its time
  const base::MutexLock lock(mutex_);
  entries_.push_back({std::move(name), to_text(bytes), std::move(file), now_us});
  while (entries_.size() > kForeseenMax) {
    leaving.splice(leaving.end(), entries_, entries_.begin());
  }
}

std::optional<PendingFile> ForeseenFiles::take(const std::string& name, ByteView bytes,
                                               const Folder& folder, int64_t now_us) {
  std::list<Entry> leaving;
  std::list<Entry> found;
  {
    const base::MutexLock lock(mutex_);
    while (!entries_.empty() && now_us - entries_.front().since_us > kForeseenAgeMaxUs) {
      leaving.splice(leaving.end(), entries_, entries_.begin());
    }
    const auto at = std::ranges::find(entries_, name, &Entry::name);
    if (at == entries_.end()) {
      return std::nullopt;
    }
    found.splice(found.end(), entries_, at);
  }
  Entry& entry = found.front();
  if (entry.bytes != as_text(bytes) || !is_same_folder(entry.file.folder(), folder)) {
    return std::nullopt;
  }
  return std::move(entry.file);
}

}  // namespace weft::storage
