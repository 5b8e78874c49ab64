// Contents that a store will be asked to put soon (ObjectStore::put_many_foreseeing): written and
// synced under temporary names, so that the put has only the name to make durable.
//
// F1  A hint: what is not here, is older than kForeseenAgeMaxUs, or is for another content or
//     folder, is written as if nobody had foreseen it.
// F2  At most kForeseenMax wait; of more the oldest leaves, and its temporary name with it.
// Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "weft/base/bytes.h"
#include "weft/base/mutex.h"
#include "weft/storage/local_file.h"
#include "weft/storage/pending_file.h"

namespace weft::storage {

inline constexpr size_t kForeseenMax = 32;
inline constexpr size_t kForeseenBytesMax = size_t{1} << 20U;
// Much younger than what a cleanup takes for left behind.
inline constexpr int64_t kForeseenAgeMaxUs = int64_t{10} * 1'000'000;

class ForeseenFiles {
 public:
  // `file` holds `bytes`, synced. `now_us`: of a clock that never goes back.
  void keep(std::string name, ByteView bytes, PendingFile file, int64_t now_us);
  // What was kept for this name, if it has these bytes and lies in this very folder.
  std::optional<PendingFile> take(const std::string& name, ByteView bytes, const Folder& folder,
                                  int64_t now_us);

 private:
  struct Entry {
    std::string name;
    std::string bytes;
    PendingFile file;
    int64_t since_us = 0;
  };

  base::Mutex mutex_;
  std::list<Entry> entries_ WEFT_GUARDED_BY(mutex_);  // oldest first
};

}  // namespace weft::storage
