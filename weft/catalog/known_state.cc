#include "weft/catalog/known_state.h"

#include <unordered_set>
#include <utility>

#include "weft/lance/table/names.h"

namespace weft::catalog {
namespace {

// One for each chain and table that was worked on; more are forgotten all at once.
constexpr size_t kChainsMax = 256;
constexpr size_t kTablesMax = 4096;

}  // namespace

std::optional<CatalogView> KnownState::newest(const std::string& life) const {
  const base::MutexLock lock(mutex_);
  const auto at = newest_.find(life);
  if (at == newest_.end() ||
      clock_.monotonic_microseconds() - at->second.confirmed_us > kKnownViewMaxUs) {
    return std::nullopt;
  }
  return at->second.view;
}

void KnownState::note_newest(const std::string& life, const CatalogView& view) {
  std::optional<CatalogView> before;
  {
    const base::MutexLock lock(mutex_);
    if (newest_.size() >= kChainsMax && !newest_.contains(life)) {
      newest_.clear();
    }
    const auto at = newest_.find(life);
    if (at == newest_.end()) {
      newest_.emplace(life, Newest{view, clock_.monotonic_microseconds()});
    } else if (at->second.view.version() <= view.version()) {
      before = std::exchange(at->second, Newest{view, clock_.monotonic_microseconds()}).view;
    }
  }
  if (before.has_value() && !before->is_inherited()) {
    forget_left(before->snapshot(), view.snapshot());
  }
}

void KnownState::forget_left(const lance::Snapshot& before, const lance::Snapshot& now) {
  if (before.version() >= now.version() || before.location().folder() != now.location().folder()) {
    return;
  }
  std::unordered_set<uint64_t> stays;
  for (const lance::Fragment& fragment : now.manifest().fragments) {
    stays.insert(fragment.id);
  }
  for (const lance::Fragment& fragment : before.manifest().fragments) {
    if (stays.contains(fragment.id)) {
      continue;
    }
    for (const lance::DataFile& file : fragment.files) {
      if (const auto name = before.data_file_name(file); name.ok()) {
        objects_.forget(*name);
      }
    }
  }
}

const KnownState::Table* KnownState::find(const TableEntry& table) const {
  const auto at = tables_.find({table.path, table.pin.ref});
  return at != tables_.end() && at->second.detached_hash == table.pin.detached_hash &&
                 at->second.version.version() == table.pin.head_version
             ? &at->second
             : nullptr;
}

std::optional<lance::Snapshot> KnownState::pinned(const TableEntry& table) const {
  const base::MutexLock lock(mutex_);
  const Table* const found = find(table);
  return found == nullptr ? std::nullopt : std::optional(found->version);
}

void KnownState::note_pinned(const TableEntry& table, const lance::Snapshot& version) {
  std::optional<Table> before;
  {
    const base::MutexLock lock(mutex_);
    if (find(table) != nullptr) {
      return;
    }
    if (tables_.size() >= kTablesMax) {
      tables_.clear();
    }
    Table next{version, table.pin.detached_hash, table.pin.detached_version};
    const auto at = tables_.find({table.path, table.pin.ref});
    if (at == tables_.end()) {
      tables_.emplace(std::pair(table.path, table.pin.ref), std::move(next));
    } else {
      before = std::exchange(at->second, std::move(next));
    }
  }
  if (before.has_value() && before->version.version() < version.version()) {
    objects_.forget(
        before->version.location().object(lance::manifest_name(before->detached_version)));
    forget_left(before->version, version);
  }
}

bool KnownState::is_recent(const std::optional<int64_t>& since_us) const {
  return since_us.has_value() && clock_.monotonic_microseconds() - *since_us < kKnownHeadMaxUs;
}

bool KnownState::was_numbered(const TableEntry& table) const {
  const base::MutexLock lock(mutex_);
  const Table* const found = find(table);
  return found != nullptr && is_recent(found->numbered_since_us);
}

void KnownState::note_numbered(const TableEntry& table) {
  const base::MutexLock lock(mutex_);
  if (find(table) != nullptr) {
    tables_.at({table.path, table.pin.ref}).numbered_since_us = clock_.monotonic_microseconds();
  }
}

bool KnownState::was_head(const TableEntry& table) const {
  const base::MutexLock lock(mutex_);
  const Table* const found = find(table);
  return found != nullptr && is_recent(found->head_since_us);
}

void KnownState::note_head(const TableEntry& table) {
  const base::MutexLock lock(mutex_);
  if (const Table* const found = find(table); found != nullptr) {
    tables_.at({table.path, table.pin.ref}).head_since_us = clock_.monotonic_microseconds();
  }
}

std::shared_ptr<const void> KnownState::parsed(const std::string& name) const {
  const base::MutexLock lock(mutex_);
  return parsed_.first == name ? parsed_.second : nullptr;
}

void KnownState::note_parsed(const std::string& name, std::shared_ptr<const void> value) {
  const base::MutexLock lock(mutex_);
  parsed_ = {name, std::move(value)};
}

bool is_worth_remembering(std::string_view name, uint64_t size) {
  const bool is_detached = name.find("/_versions/d") != std::string_view::npos;
  // Copies of transactions are asked for where an engine has cleaned, and never again.
  const bool is_run = name.find("/_weft/keys-") != std::string_view::npos;
  const bool is_small_data =
      name.ends_with(lance::kDataEnding) && size <= storage::kRememberedWholeBytesMax;
  return is_detached || is_run || is_small_data || name.starts_with("_schema/");
}

}  // namespace weft::catalog
