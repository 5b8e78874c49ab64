// Objects in memory: a disk that several stores share, as several processes share a folder. It
// tells apart what others can see and what would survive a crash of the machine, so that a test can
// crash it.
//
// Every write is two steps, as on a real disk: the name shows the new content ("show"), then the
// name is synced ("sync"). Content is complete before it is shown. A crash between the two may lose
// what others saw already. Removing is never synced.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/mutex.h"
#include "weft/base/random.h"
#include "weft/storage/object_store.h"
#include "weft/storage/steps.h"

namespace weft::storage {

// Thread-safe. Must outlive its stores, readers and writers.
class MemoryDisk {
 public:
  // `clock` gives the times of changes; null: the machine's. It must outlive the disk.
  explicit MemoryDisk(const base::Clock* clock = nullptr);

  // A power cut: of each name, the last synced state or any later one survives, as `random` says.
  void crash(base::Random& random);
  // The hardest one: of each name only the last synced state survives.
  void lose_unsynced();
  // How many names show another state than the synced one.
  size_t unsynced_count() const;

 private:
  friend class MemoryStore;
  friend class MemoryWriter;
  friend class MemoryAppend;
  friend class MemoryRight;

  struct State {
    std::optional<Buffer> bytes;  // nothing: absent
    base::WallTime modified;
  };
  struct Entry {
    State synced;
    std::vector<State> later;  // oldest first; the last one is what others see
    const State& visible() const { return later.empty() ? synced : later.back(); }
  };

  std::optional<State> find(const std::string& name) const;
  // False: the name is taken.
  bool show_if_absent(const std::string& name, Buffer bytes);
  // False: the object is not the one with this etag.
  bool show_if_match(const std::string& name, Buffer bytes, const Etag& expected);
  void show(const std::string& name, std::optional<Buffer> bytes);
  void sync(const std::string& name);
  std::string new_temporary(const std::string& name);
  std::vector<ObjectInfo> list(const std::string& prefix) const;

  Entry& entry_of(const std::string& name) WEFT_REQUIRES(mutex_) { return entries_[name]; }
  void change(Entry& entry, std::optional<Buffer> bytes) WEFT_REQUIRES(mutex_);

  const base::Clock* clock_;
  base::SystemClock system_clock_;
  mutable base::Mutex mutex_;
  std::map<std::string, Entry> entries_ WEFT_GUARDED_BY(mutex_);
  uint64_t temporaries_made_ WEFT_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::string> holders_ WEFT_GUARDED_BY(mutex_);
};

// One process's view of the disk. Keeps S1 to S5 unless `steps` ends an operation in the middle.
// Thread-safe.
class MemoryStore final : public ObjectStore {
 public:
  // Both must outlive the store, its readers and writers. `steps` may be null.
  explicit MemoryStore(MemoryDisk& disk, StepListener* steps = nullptr);

  Capabilities capabilities() const override;
  std::string location() const override { return "memory:"; }
  Result<std::unique_ptr<ObjectReader>> open(const std::string& name) override;
  Result<VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override;
  Result<PutOutcome> put_if_absent(const std::string& name, ByteView bytes) override;
  Result<std::vector<PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) override;
  Result<std::unique_ptr<ObjectWriter>> create(const std::string& name) override;
  Result<PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                  const Etag& expected) override;
  Status sync_existing(const std::vector<std::string>& names) override;
  Status remove(const std::string& name) override;
  Result<std::vector<ObjectInfo>> list(const std::string& prefix, bool with_temporaries) override;
  // Of what was appended and not synced a crash leaves any part, or zero bytes in its place.
  Result<std::unique_ptr<AppendFile>> open_append(const std::string& name) override;
  // Never waits.
  Result<std::unique_ptr<HeldRight>> hold(const std::string& name,
                                          const HoldRequest& request) override;

 private:
  Status step(std::string_view action, const std::string& name);
  Result<Buffer> content(const std::string& name);

  MemoryDisk& disk_;
  StepListener* steps_;
};

// A reader of bytes that are in memory.
std::unique_ptr<ObjectReader> read_buffer(std::string name, Buffer bytes);

}  // namespace weft::storage
