// The catalog of a property graph: the Lance table `__manifest`, each version of which is one
// commit. Creating the next version is what makes a write visible, and nothing else does.
//
//     WEFT_TRY(const CatalogView view, open_latest(place));
//     CatalogState next = view.state();
//     … next.head = the new commit; next.tables[i].pin = the staged version …
//     WEFT_TRY(const StagedPublication staged, stage_publication(place, &view, next));
//     WEFT_TRY(const PublishResult result, publish(place, staged));
//
// C1  A version is created if absent: of several that publish upon one version, one succeeds, and
// the
//     others change nothing.
// C2  What is staged is not reachable. After publish() has returned kPublished, the version and all
//     that it names in the catalog survive a crash.
// C3  Opening reads one listing or probe, one manifest and the fragment of pointers, whatever the
//     length of the history. Commits lie in fragments of their own, at most kTailFragmentsMax small
//     ones (lance/rows/tail_fold.h).
// C4  An ambiguous answer of the store is asked again until it is known; if that cannot be,
//     kRecoveryRequired with fact operation, and find_operation() tells later.
// C5  A version that somebody else's program made is kCorrupt and named: the catalog is weft's own.
// Format: docs/formats/catalog.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/catalog/records.h"
#include "weft/lance/table/snapshot.h"
#include "weft/lance/table/stage.h"

namespace weft::txn {
class WriteQueue;  // write_queue.h, above this layer
}

namespace weft::catalog {

inline constexpr std::string_view kCatalogFolder = "__manifest";

// A version of a chain, from which another chain begins.
struct ForkPoint {
  std::string life;  // "": main
  uint64_t version = 0;
  friend bool operator==(const ForkPoint&, const ForkPoint&) = default;
};

class KnownState;  // known_state.h

// Where a graph's chain of versions is and what working on it needs. References must outlive all
// that is opened. Not thread-safe because of `random`.
struct CatalogPlace {
  storage::ObjectStore& store;
  base::Clock& clock;
  base::Random& random;
  base::Executor& executor;
  // The life of a branch (branches.h): a native branch of `__manifest`; "": main.
  std::string life;
  // Of a branch: where it comes from, nearest first, main last; when it was made; the commit it was
  // made from, which may share its version with later ones; and the object that says all this.
  std::vector<ForkPoint> lineage = {};
  base::WallTime forked_at = {};
  base::Ulid forked_from = {};
  std::string ref = {};
  // What an open graph remembers; may be null.
  KnownState* known = nullptr;
  // Where writers of one process that want to publish together wait; may be null. Needs `known`.
  txn::WriteQueue* queue = nullptr;

  lance::TableLocation location() const { return {&store, std::string(kCatalogFolder), life}; }
};

// One version. A value, cheap to copy, immutable.
class CatalogView {
 public:
  CatalogView(lance::TableLocation chain, lance::Snapshot snapshot, CatalogState state)
      : chain_(std::move(chain)),
        snapshot_(std::move(snapshot)),
        state_(std::make_shared<const CatalogState>(std::move(state))) {}

  uint64_t version() const { return snapshot_.version(); }
  // Where later versions come to stand.
  const lance::TableLocation& chain() const { return chain_; }
  // Of a branch to which nobody has published yet: a version of another chain.
  bool is_inherited() const { return chain_.branch != snapshot_.location().branch; }
  const CatalogState& state() const { return *state_; }
  const lance::Snapshot& snapshot() const { return snapshot_; }

  // The head and the commits that it comes from, newest first, at most `limit`. Errors: kCorrupt.
  Result<std::vector<CommitRecord>> commits(uint64_t limit) const;
  // Those of later versions than `version`, newest first: also those that share a version with one
  // that the head comes from, and came after it.
  Result<std::vector<CommitRecord>> commits_since(uint64_t version) const;
  // Of the head and the commits that it comes from: that of an operation, if it is among those that
  // began after it was named (its id holds the time; clocks may differ by kClockSkewMax).
  Result<std::optional<CommitRecord>> find_operation(base::Ulid operation) const;
  // The newest of them with this key that is not older than `earliest`. Reads the commits since
  // then.
  Result<std::optional<CommitRecord>> find_idempotency_key(std::string_view key,
                                                           base::WallTime earliest) const;

 private:
  lance::TableLocation chain_;
  lance::Snapshot snapshot_;
  std::shared_ptr<const CatalogState> state_;
};
inline constexpr int64_t kClockSkewMaxUs = int64_t{10} * 60 * 1'000'000;

// Errors: kNotFound: there is no graph; kUnsupported: another format; kCorrupt; those of the store.
// From a version that the place knows, as open_latest_after.
Result<CatalogView> open_latest(const CatalogPlace& place);
// `known` itself if nothing was published since: one read that finds nothing.
Result<CatalogView> open_latest_after(const CatalogView& known);
Result<CatalogView> open_version(const CatalogPlace& place, uint64_t version);
// The graph as a commit left it, also one that shares its version with later ones. `commit` is as
// commits() gave it.
Result<CatalogView> open_commit(const CatalogPlace& place, const CommitRecord& commit);

struct StagedPublication {
  CatalogState state;
  lance::StagedTransaction transaction;
  // The heads that follow (lance::CommitOptions::next). Views of what the caller keeps.
  lance::NextObjects heads = {};
  // As lance::CommitOptions::may_create.
  std::function<Status()> may_publish = {};
};
// Computes the next version upon `base` (null: the first one); its rows are held among the staged
// objects, where those of the tables can join them, to be put under one barrier. The catalog
// version of `next.head` is set here, as that of the commits `before` it, oldest first, which share
// the version. Errors: kInvalid if one of them does not follow the one before it; those of the
// store.
Result<StagedPublication> stage_publication(const CatalogPlace& place, const CatalogView* base,
                                            CatalogState next,
                                            std::vector<CommitRecord> before = {});

enum class PublishOutcome : uint8_t { kPublished, kLost };
struct PublishResult {
  PublishOutcome outcome = PublishOutcome::kLost;
  // kPublished: what it became. kLost: the newest version that was seen, to start over from.
  std::optional<CatalogView> view;
};
// Puts the objects that `staged` holds, then creates the version. May be repeated with the same
// staged publication: it happens once. Errors: kRecoveryRequired; those of the store, and then
// nothing was published.
Result<PublishResult> publish(const CatalogPlace& place, const StagedPublication& staged);

}  // namespace weft::catalog
