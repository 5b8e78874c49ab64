// Seal, compact, sweep: docs/protocols/seal.md.

#include <algorithm>
#include <utility>

#include "weft/engine/live_store.h"
#include "weft/quads/seal_segments.h"

namespace weft::engine {
namespace {

constexpr int kSealAttemptsMax = 5;
constexpr int64_t kMicrosecondsPerMs = 1'000;

struct UnnamedFile {
  int64_t since_us = 0;
  std::string name;
  uint64_t size_bytes = 0;
};

uint64_t bytes_named_by(const manifest::Manifest& manifest) {
  uint64_t bytes = 0;
  for (const manifest::LogEntry& entry : manifest.log()) {
    bytes += entry.adds.has_value() ? entry.adds->size_bytes : 0;
    bytes += entry.dels.has_value() ? entry.dels->size_bytes : 0;
  }
  return bytes;
}

Error unsupported(const std::string& address) {
  return Error(
             ErrorKind::kUnsupported,
             "a single segment has no log to seal into; make a manifest with `weft manifest init`")
      .with("graph", address);
}

}  // namespace

Result<bool> LiveStore::publish_and_adopt(const manifest::Manifest& next,
                                          const journal::JournalPosition& sealed) {
  // Opened before it is published: what cannot be read is not named.
  Ground ground;
  WEFT_TRY(ground.fold, quads::Fold::open(next.log(), place_.graph.address, false,
                                          place_.tools.opener, place_.tools.fold));
  WEFT_TRY_STATUS(ground.fold->warm_up({}));
  Result<storage::PutOutcome> outcome = manifests_.publish(*manifest_, next);
  if (!outcome.ok()) {
    if (outcome.error().kind() != ErrorKind::kRecoveryRequired) {
      return std::move(outcome).error();
    }
    // It may be there. Whoever looks sees one of the two.
    const Result<manifest::LoadedManifest> now = manifests_.load();
    if (!now.ok() || !place_.graph.store.sync_existing({place_.graph.name}).ok()) {
      return std::move(outcome).error();
    }
    const auto& log = now->manifest.log();
    const bool is_there = next.log().empty()
                              ? now->manifest == next
                              : std::ranges::find(log, next.log().back()) != log.end();
    if (!is_there) {
      return false;
    }
  } else if (*outcome == storage::PutOutcome::kLost) {
    return false;
  }
  const Status gone_on = go_on_upon(next, std::move(ground), sealed);
  if (!gone_on.ok()) {
    // It is published: nobody may take it for not done. The next change looks at it again.
    return Error(ErrorKind::kRecoveryRequired, "published, and then not read again")
        .with("manifest", place_.graph.address)
        .with("cause", gone_on.error().to_string());
  }
  ++seals_;
  return true;
}

Status LiveStore::go_on_upon(const manifest::Manifest& published, Ground ground,
                             const journal::JournalPosition& sealed) {
  WEFT_TRY(ground.identity, manifest_identity());
  WEFT_TRY(ground.manifest, manifests_.load());
  if (ground.manifest->manifest != published) {
    // Somebody was quick. The log has our entry, and theirs.
    WEFT_TRY(ground, load_ground());
  }
  WEFT_TRY_STATUS(adopt(std::move(ground), sealed));
  return finish_seal(sealed);
}

// What the log has now leaves the journal. If that does not work, the mark keeps it from counting
// twice, and the next seal or opening does it.
Status LiveStore::finish_seal(const journal::JournalPosition& sealed) {
  WEFT_TRY_STATUS(sync_tip());
  const Status dropped = journal_->drop_sealed(sealed);
  if (dropped.ok() || dropped.error().kind() == ErrorKind::kUnavailable) {
    return ok_status();
  }
  // Changed by others, or not known: the file tells.
  return reopen_journal();
}

Result<SealReceipt> LiveStore::would_seal(const SealRequest& request) {
  StatePtr state;
  std::optional<manifest::Manifest> current;
  {
    const base::MutexLock lock(order_);
    WEFT_TRY_STATUS(refresh_locked());
    state = tip_;
    current = manifest_->manifest;
  }
  SealReceipt receipt;
  receipt.generation = current->generation();
  WEFT_TRY(const quads::SealedSegments segments,
           quads::make_sealed_segments(place_.graph, place_.tools, state->fold(), *current,
                                       state->position(), true, request.folder, request.stop));
  if (segments.entry.has_value()) {
    receipt = {.sealed = true,
               .generation = current->generation() + 1,
               .added_quads = segments.added_quads,
               .deleted_quads = segments.deleted_quads,
               .files = segments.files};
  }
  return receipt;
}

Result<SealReceipt> LiveStore::seal_once(const SealRequest& request) {
  StatePtr state;
  std::optional<manifest::Manifest> current;
  {
    const base::MutexLock lock(order_);
    WEFT_TRY_STATUS(ready_to_write());
    WEFT_TRY_STATUS(sync_tip());
    state = tip_;
    current = manifest_->manifest;
  }
  SealReceipt receipt;
  receipt.generation = current->generation();
  const journal::JournalPosition position = state->position();
  if (position.sequence == 0) {
    return receipt;
  }
  // Updates go on meanwhile: they stand behind `position`.
  WEFT_TRY(const quads::SealedSegments segments,
           quads::make_sealed_segments(place_.graph, place_.tools, state->fold(), *current,
                                       position, false, request.folder, request.stop));
  const base::MutexLock lock(order_);
  WEFT_TRY_STATUS(ready_to_write());
  const bool is_same_journal = journal_->position().journal_id == position.journal_id;
  if (!segments.entry.has_value() && is_same_journal) {
    // The changes come to nothing: dropping them is all there is to do.
    WEFT_TRY_STATUS(finish_seal(position));
    WEFT_TRY_STATUS(reload_locked());
    return receipt;
  }
  bool published = false;
  if (segments.entry.has_value() && manifest_->manifest == *current && is_same_journal) {
    manifest::Manifest next = *current;
    WEFT_TRY_STATUS(next.append_sealed(
        *segments.entry, {.journal_id = position.journal_id, .sequence = position.sequence}, true));
    WEFT_TRY(published, publish_and_adopt(next, position));
  }
  if (!published) {
    // The segments were computed against another log; they are swept.
    return Error(ErrorKind::kConflict, "others kept changing the manifest during a seal")
        .with("manifest", place_.graph.address)
        .with("reason", "moved");
  }
  return SealReceipt{.sealed = true,
                     .generation = manifest_->manifest.generation(),
                     .added_quads = segments.added_quads,
                     .deleted_quads = segments.deleted_quads,
                     .files = segments.files};
}

Result<SealReceipt> LiveStore::seal_as(const SealRequest& request) {
  if (!place_.is_manifest) {
    return unsupported(place_.graph.address);
  }
  if (request.dry_run) {
    return would_seal(request);
  }
  const base::MutexLock lock(seal_mutex_);
  for (int attempt = 1;; ++attempt) {
    Result<SealReceipt> receipt = seal_once(request);
    const bool has_moved = !receipt.ok() && receipt.error().kind() == ErrorKind::kConflict;
    if (!has_moved || attempt == kSealAttemptsMax) {
      return receipt;
    }
  }
}

Result<SealReceipt> LiveStore::compact(std::stop_token stop) {
  WEFT_TRY(SealReceipt receipt, seal(stop));
  const base::MutexLock lock(seal_mutex_);
  // A tool of its own: others may compact, too, and one of us loses with kConflict.
  base::Random random = base::Random::from_system();
  quads::GraphTools tools{.opener = place_.tools.opener,
                          .executor = place_.tools.executor,
                          .scratch = place_.tools.scratch,
                          .clock = place_.tools.clock,
                          .random = random,
                          .fold = place_.tools.fold,
                          .build = place_.tools.build,
                          .ingest = place_.tools.ingest,
                          .retry = place_.tools.retry};
  quads::GraphLog log(place_.graph, std::move(tools));
  WEFT_TRY(const quads::ChangeReport report,
           log.compact({.output_file = {}, .output_folder = {}, .dry_run = false, .stop = stop}));
  receipt.generation = report.generation;
  for (const quads::NewSegment& segment : report.segments) {
    receipt.files.push_back(segment.pin.url);
  }
  const base::MutexLock order(order_);
  WEFT_TRY_STATUS(refresh_locked());
  return receipt;
}

bool LiveStore::is_seal_due() {
  const MaintenancePolicy& policy = options_.policy;
  if (!place_.is_manifest || journal_ == nullptr || tip_->position().sequence == 0 ||
      journal_->size_bytes() == 0) {
    return false;
  }
  const int64_t age_us = place_.tools.clock.monotonic_microseconds() - oldest_change_us_;
  return (policy.seal_bytes > 0 && journal_->size_bytes() >= policy.seal_bytes) ||
         (policy.seal_changes > 0 && journal_changes_ >= policy.seal_changes) ||
         (policy.seal_age_ms > 0 && oldest_change_us_ != 0 &&
          age_us >= policy.seal_age_ms * kMicrosecondsPerMs);
}

bool LiveStore::is_compaction_due() {
  if (!place_.is_manifest || journal_ == nullptr || !manifest_.has_value()) {
    return false;
  }
  const quads::SegmentSet& segments = tip_->fold().segments();
  if (segments.uses().size() < 2) {
    return false;
  }
  uint64_t base = 0;
  uint64_t rest = 0;
  for (const quads::SegmentUse& use : segments.uses()) {
    const uint64_t quads = segments.facts(use.segment).quad_count;
    const bool is_base = tip_->fold().facts().base == use.segment;
    (is_base ? base : rest) += quads;
  }
  const MaintenancePolicy& policy = options_.policy;
  return (policy.compact_percent > 0 && rest * 100 > base * policy.compact_percent) ||
         (policy.compact_segments > 0 && segments.size() > policy.compact_segments);
}

Status LiveStore::maintain(std::stop_token stop) {
  bool seal_is_due = false;
  {
    const base::MutexLock lock(order_);
    if (is_closed_) {
      return ok_status();
    }
    WEFT_TRY_STATUS(refresh_locked());
    seal_is_due = is_seal_due();
  }
  if (seal_is_due) {
    WEFT_TRY_STATUS(seal(stop));
  }
  bool compaction_is_due = false;
  {
    const base::MutexLock lock(order_);
    compaction_is_due = is_compaction_due();
  }
  if (compaction_is_due) {
    WEFT_TRY_STATUS(compact(stop));
  }
  const base::MutexLock lock(seal_mutex_);
  return options_.access == Access::kReadWrite && place_.is_manifest ? sweep(100) : ok_status();
}

// Removes what a manifest named and none has named for so long: readers in other processes hold
// open what they read, and who comes late reads the manifest again. Where such files take more room
// than `keep_percent` of the live ones, those longest unnamed go earlier. What was never named may
// be named by its maker yet, in whatever process: it goes by the grace period of a collection
// alone.
Status LiveStore::sweep(uint64_t keep_percent) {
  const int64_t after_ms = options_.policy.sweep_after_ms;
  if (after_ms < 0) {
    return ok_status();
  }
  const int64_t now = place_.tools.clock.monotonic_microseconds();
  const quads::GcRequest by_grace;
  quads::GraphLog log(place_.graph, place_.tools);
  WEFT_TRY(const quads::GcReport found, log.gc({.grace_ms = 0, .dry_run = true}));
  std::vector<std::string> removed;
  std::vector<UnnamedFile> unnamed;
  uint64_t live_bytes = 0;
  {
    const base::MutexLock lock(order_);
    live_bytes = bytes_named_by(manifest_->manifest);
    std::map<std::string, int64_t> since;
    for (const quads::GcReport::Leftover& leftover : found.leftovers) {
      if (named_once_.contains(leftover.name)) {
        const auto known = unnamed_since_.find(leftover.name);
        const int64_t began = known != unnamed_since_.end() ? known->second : now;
        since[leftover.name] = began;
        unnamed.push_back({began, leftover.name, leftover.size_bytes});
      } else if (leftover.age_ms >= by_grace.grace_ms) {
        removed.push_back(leftover.name);
      }
    }
    unnamed_since_ = std::move(since);
  }
  std::ranges::sort(unnamed, {}, &UnnamedFile::since_us);
  uint64_t unnamed_bytes = 0;
  for (const UnnamedFile& file : unnamed) {
    unnamed_bytes += file.size_bytes;
  }
  for (const UnnamedFile& file : unnamed) {
    if (now - file.since_us < after_ms * kMicrosecondsPerMs &&
        unnamed_bytes <= live_bytes / 100 * keep_percent) {
      break;
    }
    removed.push_back(file.name);
    unnamed_bytes -= file.size_bytes;
  }
  for (const std::string& name : removed) {
    WEFT_TRY_STATUS(place_.graph.store.remove(name));
    const base::MutexLock lock(order_);
    named_once_.erase(name);
  }
  return ok_status();
}

void LiveStore::make_room() {
  if (!place_.is_manifest || !seal_mutex_.try_lock()) {
    return;  // whoever has it sweeps
  }
  const Status swept = sweep(50);
  static_cast<void>(swept);
  seal_mutex_.unlock();
}

}  // namespace weft::engine
