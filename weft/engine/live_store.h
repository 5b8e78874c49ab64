// A live graph over any store: what LiveGraph::open makes over the local disk, and tests over
// stores that crash.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "weft/base/budget.h"
#include "weft/base/mutex.h"
#include "weft/engine/live_graph.h"
#include "weft/engine/live_state.h"
#include "weft/engine/run_update.h"
#include "weft/journal/journal_writer.h"
#include "weft/manifest/manifest_store.h"
#include "weft/quads/fold_draft.h"
#include "weft/quads/graph_log.h"

namespace weft::engine {

// Everything must outlive the graph; `owner` keeps alive what snapshots need.
struct LivePlace {
  quads::GraphPlace graph;  // `name` is the manifest, or the segment
  quads::GraphTools tools;
  bool is_manifest = true;
  storage::ObjectStore& journal_store;
  std::string journal_name;
  std::string journal_address;  // for openers and messages
  base::MemoryBudget& query_budget;
  std::shared_ptr<void> owner;
};

class LiveStore final : public LiveGraph {
 public:
  static Result<std::unique_ptr<LiveGraph>> open(LivePlace place, const LiveOptions& options);
  ~LiveStore() override;

  std::shared_ptr<Snapshot> snapshot() override;
  Result<UpdateReceipt> update(std::string_view text, const UpdateOptions& options) override;
  Result<UpdateReceipt> load(const LoadRequest& request, const UpdateOptions& options) override;
  Result<UpdateReceipt> drop(const std::string& graph, const UpdateOptions& options) override;
  Result<SealReceipt> seal_as(const SealRequest& request) override;
  Result<SealReceipt> compact(std::stop_token stop) override;
  Status maintain(std::stop_token stop) override;
  Status refresh() override;
  LiveFacts facts() override;
  Status close() override;

 private:
  using StatePtr = std::shared_ptr<LiveState>;
  // Makes the changes of one request; may be called again if the graph has moved meanwhile.
  using Fill = std::function<Status(quads::FoldDraft&)>;
  // The same of a request that may wait long for others; its random numbers are its own.
  using SlowFill = std::function<Status(quads::FoldDraft&, base::Random&)>;

  LiveStore(LivePlace place, LiveOptions options);

  // ---- opening, live_store.cc ------------------------------------------------------------------
  Status open_writer() WEFT_REQUIRES(order_);
  Status open_reader() WEFT_REQUIRES(order_);
  // The graph without its journal.
  struct Ground {
    std::optional<manifest::LoadedManifest> manifest;
    std::string identity;
    std::shared_ptr<quads::Fold> fold;
  };
  Result<Ground> load_ground();
  Result<std::string> manifest_identity();
  // Makes it the manifest that we stand on, and remembers what it names.
  void take_manifest(Ground& ground) WEFT_REQUIRES(order_);
  // Looks whether another process has changed what we stand on, and takes it over.
  LiveFacts facts_locked() WEFT_REQUIRES(order_);
  Status refresh_locked() WEFT_REQUIRES(order_);
  Status reload_locked() WEFT_REQUIRES(order_);
  // Goes on upon `ground`, with the commits behind `sealed` on top.
  Status adopt(Ground ground, const std::optional<journal::JournalPosition>& sealed)
      WEFT_REQUIRES(order_);
  Status reopen_journal() WEFT_REQUIRES(order_);
  StatePtr state_of(std::shared_ptr<quads::Fold> fold, const journal::JournalPosition& position)
      WEFT_REQUIRES(order_);
  // Makes `state` the tip, and visible at once if the journal is durable so far.
  void set_tip(StatePtr state) WEFT_REQUIRES(order_);

  // ---- committing, live_commit.cc --------------------------------------------------------------
  Result<UpdateReceipt> change(const UpdateOptions& options, const Fill& fill);
  // Fills without the order of writers, as long as nobody else writes meanwhile; after
  // kApartAttemptsMax rounds it takes the order first.
  Result<UpdateReceipt> change_apart(const UpdateOptions& options, const SlowFill& fill);
  struct Pending {
    StatePtr state;
    std::optional<journal::AppendedCommit> commit;  // nullopt: nothing to wait for
    std::shared_ptr<journal::JournalWriter> journal;
    UpdateReceipt receipt;
  };
  Result<Pending> change_locked(const UpdateOptions& options, const Fill& fill)
      WEFT_REQUIRES(order_);
  Result<Pending> commit(quads::FoldDraft& draft) WEFT_REQUIRES(order_);
  Result<Pending> commit_in_journal(const quads::FoldDraft& draft) WEFT_REQUIRES(order_);
  Result<Pending> commit_as_segment(quads::FoldDraft& draft) WEFT_REQUIRES(order_);
  Status ready_to_write() WEFT_REQUIRES(order_);
  Status check_tag(const UpdateOptions& options) WEFT_REQUIRES(order_);
  Status await(const Pending& pending);
  // All that is appended becomes durable and visible.
  Status sync_tip() WEFT_REQUIRES(order_);
  void show_through(const journal::JournalWriter& journal, uint64_t sequence);
  Status recover_locked() WEFT_REQUIRES(order_);
  exec::QueryOptions query_options(const UpdateOptions& options);

  // ---- large documents, live_load.cc ------------------------------------------------------------
  // `replaced`: the graph (a token, "" the default graph) that the document takes the place of.
  Result<UpdateReceipt> load_as_segment(rete::SegmentBuilder& builder,
                                        const std::optional<std::string>& replaced,
                                        const UpdateOptions& options);
  // `document` and all of `state` that is not in graph `replaced`, as segments that add.
  Result<std::vector<manifest::SegmentPin>> with_others(const manifest::SegmentPin& document,
                                                        const std::string& replaced,
                                                        quads::Fold& state, std::stop_token stop)
      WEFT_REQUIRES(order_);
  Result<UpdateReceipt> publish_document(const manifest::SegmentPin& document,
                                         const std::optional<std::string>& replaced,
                                         const UpdateOptions& options) WEFT_REQUIRES(order_);

  // ---- sealing, live_seal.cc -------------------------------------------------------------------
  Result<SealReceipt> seal_once(const SealRequest& request) WEFT_REQUIRES(seal_mutex_);
  Result<SealReceipt> would_seal(const SealRequest& request);
  // Publishes `next` and goes on upon it; false: somebody else has changed the manifest.
  Result<bool> publish_and_adopt(const manifest::Manifest& next,
                                 const journal::JournalPosition& sealed) WEFT_REQUIRES(order_);
  Status go_on_upon(const manifest::Manifest& published, Ground ground,
                    const journal::JournalPosition& sealed) WEFT_REQUIRES(order_);
  Status finish_seal(const journal::JournalPosition& sealed) WEFT_REQUIRES(order_);
  // What nothing names any more stays for a while, but for what takes more room than
  // `keep_percent` of the live files.
  Status sweep(uint64_t keep_percent) WEFT_REQUIRES(seal_mutex_);
  // Before much is written: half of the room that old files may take. What cannot be removed now is
  // maintain()'s to report.
  void make_room();
  bool is_seal_due() WEFT_REQUIRES(order_);
  bool is_compaction_due() WEFT_REQUIRES(order_);

  LivePlace place_;
  LiveOptions options_;
  manifest::ManifestStore manifests_;

  // The order of changes. Held while one is made, not while it is synced.
  base::Mutex order_;
  std::unique_ptr<storage::HeldRight> right_ WEFT_GUARDED_BY(order_);
  std::unique_ptr<storage::HeldRight> journal_right_ WEFT_GUARDED_BY(order_);
  std::shared_ptr<journal::JournalWriter> journal_ WEFT_GUARDED_BY(order_);
  std::optional<manifest::LoadedManifest> manifest_ WEFT_GUARDED_BY(order_);
  std::string manifest_identity_ WEFT_GUARDED_BY(order_);
  std::string journal_identity_ WEFT_GUARDED_BY(order_);  // of readers
  StatePtr tip_ WEFT_GUARDED_BY(order_);
  std::optional<journal::AppendedCommit> tip_commit_ WEFT_GUARDED_BY(order_);
  int64_t oldest_change_us_ WEFT_GUARDED_BY(order_) = 0;  // 0: the journal is empty
  uint64_t journal_changes_ WEFT_GUARDED_BY(order_) = 0;
  uint64_t commits_ WEFT_GUARDED_BY(order_) = 0;
  uint64_t seals_ WEFT_GUARDED_BY(order_) = 0;
  // Segments of the manifests that we stood on, by their URLs; without those that are gone.
  std::set<std::string> named_once_ WEFT_GUARDED_BY(order_);
  bool is_closed_ WEFT_GUARDED_BY(order_) = false;
  std::optional<journal::JournalReport> repaired_ WEFT_GUARDED_BY(order_);
  std::optional<Error> broken_ WEFT_GUARDED_BY(order_);

  base::Mutex visible_mutex_;
  StatePtr visible_ WEFT_GUARDED_BY(visible_mutex_);
  std::optional<LiveFacts> last_facts_ WEFT_GUARDED_BY(visible_mutex_);
  struct Waiting {
    const journal::JournalWriter* journal = nullptr;
    uint64_t sequence = 0;
    StatePtr state;
  };
  std::deque<Waiting> waiting_ WEFT_GUARDED_BY(visible_mutex_);

  // One seal, compaction or sweep at a time. Taken before order_.
  base::Mutex seal_mutex_;
  // Files that a manifest named and none names any more, and since when we know.
  std::map<std::string, int64_t> unnamed_since_ WEFT_GUARDED_BY(seal_mutex_);
};

}  // namespace weft::engine
