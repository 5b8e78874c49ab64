#include "weft/engine/live_store.h"

#include <utility>

#include "weft/quads/seal_mark.h"

namespace weft::engine {
namespace {

// Replays a journal into a draft, and counts.
class ReplaySink final : public journal::ChangeSink {
 public:
  explicit ReplaySink(quads::FoldDraft& draft) : draft_(draft) {}
  Status change(bool insert, const rdf::QuadView& quad) override {
    ++changes;
    return draft_.change(insert, quad);
  }
  uint64_t changes = 0;

 private:
  quads::FoldDraft& draft_;
};

// What is no failure of opening: there is no such object.
Result<std::string> identity_of(manifest::ObjectOpener& opener, const std::string& address) {
  Result<std::unique_ptr<storage::ObjectReader>> reader = opener.open(address);
  if (reader.ok()) {
    std::string identity = (*reader)->identity();
    // A store that does not tell: what it holds grows, or is replaced.
    return identity.empty() ? "size " + std::to_string((*reader)->size()) : identity;
  }
  if (reader.error().kind() == ErrorKind::kNotFound) {
    return std::string("absent");
  }
  return std::move(reader).error();
}

}  // namespace

LiveStore::LiveStore(LivePlace place, LiveOptions options)
    : place_(std::move(place)),
      options_(std::move(options)),
      manifests_(place_.graph.store, place_.graph.name, place_.tools.clock) {}

LiveStore::~LiveStore() {
  static_cast<void>(close());
}

Result<std::unique_ptr<LiveGraph>> LiveStore::open(LivePlace place, const LiveOptions& options) {
  std::unique_ptr<LiveStore> graph(new LiveStore(std::move(place), options));
  {
    const base::MutexLock lock(graph->order_);
    WEFT_TRY_STATUS(options.access == Access::kReadWrite ? graph->open_writer()
                                                         : graph->open_reader());
  }
  return std::unique_ptr<LiveGraph>(std::move(graph));
}

Result<std::string> LiveStore::manifest_identity() {
  WEFT_TRY(std::string identity, identity_of(place_.tools.opener, place_.graph.address));
  if (identity.starts_with("size ")) {
    // The content is the identity.
    WEFT_TRY(const storage::VersionedObject object,
             place_.graph.store.get(place_.graph.name, manifest::kManifestSizeMaxBytes));
    return object.etag.value;
  }
  return identity;
}

Result<LiveStore::Ground> LiveStore::load_ground() {
  Ground ground;
  if (!place_.is_manifest) {
    WEFT_TRY(auto reader, place_.tools.opener.open(place_.graph.address));
    rete::SegmentOptions options;
    options.cache = place_.tools.fold.cache;
    options.executor = place_.tools.fold.executor;
    options.verdicts = place_.tools.fold.verdicts;
    options.verify = place_.tools.fold.verify;
    WEFT_TRY(auto segment, rete::Segment::open(std::move(reader), options));
    WEFT_TRY(ground.fold, quads::Fold::of_segment(std::move(segment), place_.tools.fold));
    return ground;
  }
  // The identity first: a change in between is then seen as one, and looked at again.
  WEFT_TRY(ground.identity, manifest_identity());
  WEFT_TRY(ground.manifest, manifests_.load());
  WEFT_TRY(ground.fold, quads::Fold::open(ground.manifest->manifest.log(), place_.graph.address,
                                          false, place_.tools.opener, place_.tools.fold));
  return ground;
}

void LiveStore::take_manifest(Ground& ground) {
  manifest_ = std::move(ground.manifest);
  manifest_identity_ = std::move(ground.identity);
  if (!manifest_.has_value()) {
    return;
  }
  for (const manifest::LogEntry& entry : manifest_->manifest.log()) {
    for (const std::optional<manifest::SegmentPin>* pin : {&entry.adds, &entry.dels}) {
      if (pin->has_value()) {
        named_once_.insert((*pin)->url);
      }
    }
  }
}

Status LiveStore::open_writer() {
  const storage::HoldRequest request{.holder = options_.holder, .wait_ms = options_.writer_wait_ms};
  // Of the graph, whatever journal is used; and of the journal, whatever graph uses it.
  WEFT_TRY(right_, place_.graph.store.hold(journal::journal_of(place_.graph.name), request));
  if (place_.journal_address != journal::journal_of(place_.graph.address)) {
    WEFT_TRY(journal_right_, place_.journal_store.hold(place_.journal_name, request));
  }
  WEFT_TRY_STATUS(reopen_journal());
  if (journal_->found().cut_bytes > 0) {
    repaired_ = journal_->found();
  }
  return ok_status();
}

// Opens the journal anew, and the graph with it.
Status LiveStore::reopen_journal() {
  WEFT_TRY(Ground ground, load_ground());
  std::optional<journal::JournalPosition> sealed;
  if (ground.manifest.has_value()) {
    WEFT_TRY(sealed, ground.fold->sealed(ground.manifest->manifest));
  }
  const std::unique_ptr<quads::FoldDraft> draft = ground.fold->draft();
  ReplaySink replay(*draft);
  WEFT_TRY(journal_, journal::JournalWriter::open(place_.journal_store, place_.journal_name, sealed,
                                                  place_.tools.random, replay));
  WEFT_TRY_STATUS(draft->apply({}));
  take_manifest(ground);
  journal_changes_ = replay.changes;
  oldest_change_us_ = replay.changes > 0 ? place_.tools.clock.monotonic_microseconds() : 0;
  tip_commit_.reset();
  {
    const base::MutexLock lock(visible_mutex_);
    waiting_.clear();
  }
  set_tip(state_of(draft->state(), journal_->position()));
  return ok_status();
}

// The journal is opened first: if a seal takes it into the log meanwhile, both are seen, and the
// mark says what not to take twice.
Status LiveStore::open_reader() {
  for (int attempt = 0;; ++attempt) {
    WEFT_TRY(const std::string journal_identity,
             identity_of(place_.tools.opener, place_.journal_address));
    auto opened = place_.tools.opener.open_growing(place_.journal_address);
    if (!opened.ok() && opened.error().kind() != ErrorKind::kNotFound) {
      return std::move(opened).error();
    }
    std::unique_ptr<storage::ObjectReader> journal =
        opened.ok() ? std::move(opened).value() : nullptr;
    Result<Ground> loaded = load_ground();
    if (!loaded.ok() && loaded.error().kind() == ErrorKind::kNotFound && attempt < 3) {
      continue;  // a compaction has removed a segment behind our back
    }
    WEFT_TRY(Ground ground, std::move(loaded));
    const std::unique_ptr<quads::FoldDraft> draft = ground.fold->draft();
    ReplaySink replay(*draft);
    journal::JournalPosition position;
    if (journal != nullptr) {
      std::optional<journal::JournalPosition> sealed;
      if (ground.manifest.has_value()) {
        WEFT_TRY(sealed, ground.fold->sealed(ground.manifest->manifest));
      }
      WEFT_TRY(const journal::JournalReport report,
               journal::read_journal(*journal, replay, sealed));
      position = {.journal_id = report.journal_id, .sequence = report.last_sequence};
    }
    WEFT_TRY_STATUS(draft->apply({}));
    take_manifest(ground);
    journal_identity_ = journal_identity;
    journal_changes_ = replay.changes;
    set_tip(state_of(draft->state(), position));
    return ok_status();
  }
}

LiveStore::StatePtr LiveStore::state_of(std::shared_ptr<quads::Fold> fold,
                                        const journal::JournalPosition& position) {
  return std::make_shared<LiveState>(place_.owner, std::move(fold),
                                     manifest_.has_value() ? &manifest_->manifest : nullptr,
                                     position);
}

void LiveStore::set_tip(StatePtr state) {
  tip_ = std::move(state);
  const bool is_durable =
      journal_ == nullptr || journal_->durable_position() == journal_->position();
  const base::MutexLock lock(visible_mutex_);
  if (is_durable) {
    waiting_.clear();
    visible_ = tip_;
  } else {
    waiting_.push_back(
        {.journal = journal_.get(), .sequence = journal_->position().sequence, .state = tip_});
  }
}

Status LiveStore::adopt(Ground ground, const std::optional<journal::JournalPosition>& sealed) {
  const std::unique_ptr<quads::FoldDraft> draft = ground.fold->draft();
  ReplaySink replay(*draft);
  WEFT_TRY_STATUS(journal_->read_after(sealed.value_or(journal::JournalPosition{}), replay));
  WEFT_TRY_STATUS(draft->apply({}));
  take_manifest(ground);
  journal_changes_ = replay.changes;
  if (replay.changes == 0) {
    oldest_change_us_ = 0;
  }
  set_tip(state_of(draft->state(), journal_->position()));
  return ok_status();
}

Status LiveStore::reload_locked() {
  WEFT_TRY(Ground ground, load_ground());
  std::optional<journal::JournalPosition> sealed;
  if (ground.manifest.has_value()) {
    WEFT_TRY(sealed, ground.fold->sealed(ground.manifest->manifest));
  }
  return adopt(std::move(ground), sealed);
}

Status LiveStore::refresh_locked() {
  bool is_same = true;
  if (place_.is_manifest) {
    WEFT_TRY(const std::string identity, manifest_identity());
    is_same = identity == manifest_identity_;
  }
  if (journal_ != nullptr) {
    return is_same ? ok_status() : reload_locked();
  }
  WEFT_TRY(const std::string identity, identity_of(place_.tools.opener, place_.journal_address));
  return is_same && identity == journal_identity_ ? ok_status() : open_reader();
}

Status LiveStore::refresh() {
  const base::MutexLock lock(order_);
  return is_closed_ ? ok_status() : refresh_locked();
}

std::shared_ptr<Snapshot> LiveStore::snapshot() {
  const base::MutexLock lock(visible_mutex_);
  return visible_;
}

// Whoever watches a server must not wait for an update that takes long.
LiveFacts LiveStore::facts() {
  if (!order_.try_lock()) {
    {
      const base::MutexLock lock(visible_mutex_);
      if (last_facts_.has_value()) {
        return *last_facts_;
      }
    }
    order_.lock();
  }
  LiveFacts facts = facts_locked();
  order_.unlock();
  const base::MutexLock lock(visible_mutex_);
  last_facts_ = facts;
  return facts;
}

LiveFacts LiveStore::facts_locked() {
  LiveFacts facts;
  facts.writable = journal_ != nullptr && !is_closed_ && !broken_.has_value();
  facts.is_manifest = place_.is_manifest;
  if (manifest_.has_value()) {
    facts.generation = manifest_->manifest.generation();
    facts.log_entries = manifest_->manifest.log().size();
  }
  facts.journal_path = place_.journal_address;
  if (journal_ != nullptr) {
    facts.journal_bytes = journal_->size_bytes();
    facts.syncs = journal_->sync_count();
  }
  facts.journal_changes = journal_changes_;
  facts.commits = commits_;
  facts.seals = seals_;
  facts.overlay_rows = tip_->fold().changed_quads();
  facts.repaired = repaired_;
  facts.broken = broken_;
  return facts;
}

Status LiveStore::close() {
  const base::MutexLock seal_lock(seal_mutex_);
  const base::MutexLock lock(order_);
  if (is_closed_) {
    return ok_status();
  }
  Status synced = journal_ != nullptr ? sync_tip() : ok_status();
  is_closed_ = true;
  right_.reset();
  journal_right_.reset();
  return synced;
}

}  // namespace weft::engine
