// What an open graph remembers between its operations, so that they read nothing anew that they
// know already: the newest version of each chain that was seen, the pinned versions of tables,
// small objects that never change.
//
// W1  It decides nothing. Whether a version is still the newest, and whether a head is still there,
//     is asked of the store each time.
// W2  A newest version that was confirmed longer ago than kKnownViewMaxUs is not gone on from: a
//     cleanup may have removed the versions behind it meanwhile (docs/protocols/write.md).
// W3  The same of a head after kKnownHeadMaxUs: a tag may have kept it below versions of others
// that
//     a cleanup removed, which asking for the next number does not show (weft/txn/head.h).
// W4  What only a version of before names is forgotten when the next one is noted, so that what is
//     kept does not grow with the number of commits but with what the newest versions consist of.
// Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "weft/base/clock.h"
#include "weft/base/mutex.h"
#include "weft/catalog/catalog.h"
#include "weft/storage/object_memory.h"

namespace weft::catalog {

inline constexpr int64_t kKnownViewMaxUs = int64_t{3600} * 1'000'000;
inline constexpr int64_t kKnownHeadMaxUs = int64_t{60} * 1'000'000;

class KnownState {
 public:
  // `clock` must outlive it.
  KnownState(uint64_t bytes_max, const base::Clock& clock) : objects_(bytes_max), clock_(clock) {}

  // Of the chain of a life.
  std::optional<CatalogView> newest(const std::string& life) const;
  // `view` is the newest version now.
  void note_newest(const std::string& life, const CatalogView& view);

  // The version that a pin names; nothing if it is not known.
  std::optional<lance::Snapshot> pinned(const TableEntry& table) const;
  void note_pinned(const TableEntry& table, const lance::Snapshot& version);
  // Whether that version was seen under its number, a short while ago: whatever stands there now is
  // it, though versions of others may stand above it.
  bool was_numbered(const TableEntry& table) const;
  void note_numbered(const TableEntry& table);
  // Whether that version was seen at the head, a short while ago (W3).
  bool was_head(const TableEntry& table) const;
  void note_head(const TableEntry& table);

  // What an object that never changes was parsed into, by its name; of one name the last.
  std::shared_ptr<const void> parsed(const std::string& name) const;
  void note_parsed(const std::string& name, std::shared_ptr<const void> value);

  storage::ObjectMemory& objects() { return objects_; }

 private:
  struct Newest {
    CatalogView view;
    int64_t confirmed_us = 0;
  };
  struct Table {
    lance::Snapshot version;
    std::string detached_hash;
    uint64_t detached_version = 0;
    std::optional<int64_t> numbered_since_us = {};
    std::optional<int64_t> head_since_us = {};
  };
  const Table* find(const TableEntry& table) const WEFT_REQUIRES(mutex_);
  bool is_recent(const std::optional<int64_t>& since_us) const;
  // The small files of `before` that are not those of `now` (W4).
  void forget_left(const lance::Snapshot& before, const lance::Snapshot& now);

  storage::ObjectMemory objects_;
  const base::Clock& clock_;
  mutable base::Mutex mutex_;
  std::map<std::string, Newest> newest_ WEFT_GUARDED_BY(mutex_);
  // By path and native branch: the last version of each.
  std::map<std::pair<std::string, std::string>, Table> tables_ WEFT_GUARDED_BY(mutex_);
  std::pair<std::string, std::shared_ptr<const void>> parsed_ WEFT_GUARDED_BY(mutex_);
};

// Objects of a graph that never change and are worth remembering: staged ones, whose names nobody
// uses twice. Heads and versions of the catalog are not among them: that they are there means
// something.
bool is_worth_remembering(std::string_view name, uint64_t size);

}  // namespace weft::catalog
