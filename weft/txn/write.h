// The write protocol: capture, prepare, stage, publish, follow. A write is one commit of the graph,
// over any number of tables, and becomes visible by one creation: that of the next version of the
// catalog. Nothing reachable moves before it, so there is nothing to recover after a crash.
//
//     WEFT_TRY(const Receipt receipt, write(place, {.kind = "load", .actor = "ana"},
//         [&](Capture& capture) -> Result<Change> {
//           WEFT_TRY(const lance::Snapshot people, capture.table("node:Person"));
//           … stage upon `people` with capture.stage_options() …
//         }));
//
// T1  The change is visible as a whole or not at all, whatever stops when.
// T2  When write() returns a receipt, the commit and all that it names survive a crash.
// T3  An operation happens once: repeated with the same id, also by another process, it returns the
//     receipt of the first time. The same holds for a key that the caller gives.
// T4  Whoever loses the publication changes nothing. Work that may be done upon another state
//     starts over from the newest one; strict work is told that its reads have changed.
// T5  Heads follow: after the publication each table's version is created under its own number, by
//     whoever comes first, so that other Lance readers see published rows only, in order.
// T6  What another program did to a table without changing rows (compactions, indices) is built
//     upon; where it took the number of a pinned version, that version's change is done again upon
//     it, as a commit that changes no rows. A table of which it changed rows is not built upon: the
//     write is refused and names the version. Other tables are not affected.
// T11 A branch moves heads of its own life only: what it inherits is forked into a native branch of
//     the table by its first write.
// Writers of one process may share a publication: write_queue.h; those of several take turns where
// the store has them: turn.h.
// Protocol: docs/protocols/write.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/catalog/catalog.h"
#include "weft/txn/capture.h"

namespace weft::txn {

// The kind of a commit that changes no rows (T6). At most so many behind one another are taken for
// the head that a write expects.
inline constexpr std::string_view kRebaseKind = "rebase";
inline constexpr uint64_t kRebasesMax = 16;

inline constexpr int64_t kIdempotencyRetentionUs = int64_t{7} * 24 * 3600 * 1'000'000;
inline constexpr size_t kIdempotencyKeyBytesMax = 256;

// A write is abandoned when this long ago it, or whoever staged for it before, began: what is older
// and was never published, nobody will publish any more, and twice as long after it a cleanup may
// have it (weft/graph/cleanup.h).
inline constexpr int64_t kWriterLifetimeUs = int64_t{24} * 3600 * 1'000'000;

struct WriteRequest {
  // None: a fresh one. To be repeated after kRecoveryRequired, whose fact operation holds it.
  base::Ulid operation = {};
  // `operation` was made for this very call: nobody can have done it before, so that its commit is
  // looked for only once an attempt was lost.
  bool is_new_operation = false;
  std::string kind = {};
  std::string actor = {};
  std::string message = {};
  // "": none. A write with a key that a commit of the last kIdempotencyRetentionUs has is not done
  // again: the receipt of that one is the answer if its request had the same hash, else kConflict
  // with reason=idempotency-key.
  std::string idempotency_key = {};
  std::string request_hash = {};
  // Another commit in between is kConflict with reason=read-set-changed, instead of a new attempt.
  bool is_strict = false;
  // Another head is kConflict with reason=precondition.
  std::optional<base::Ulid> expected_head = {};
  uint64_t attempts_max = 100;
  // When the first object was staged, if that was before the call.
  std::optional<base::WallTime> begun_at = {};
  // Keys of tables that the write will likely build upon: an open graph asks for their heads
  // together with the catalog. A hint, some may be missing or not there.
  std::vector<std::string> tables = {};
};

struct Receipt {
  catalog::CommitRecord commit;
  uint64_t attempts = 1;
  // An earlier call with this operation did it.
  bool is_repeated = false;
  // Every head is there. If not, whoever writes the table next follows first.
  bool has_followed = false;
};

// Whether `view` is at the commit that a write expects, or at rebases of it (null: no commit is
// there). write() asks this before each attempt; for whoever would rather know before long work.
// Errors: kConflict with reason=precondition; those of reading.
Status check_expected_head(const catalog::CatalogView* view, base::Ulid expected);

// Called once an attempt, on the thread of write(), or of a writer that leads a group
// (write_queue.h) while this one waits.
using Prepare = std::function<Result<Change>(Capture&)>;

// Errors: those of `prepare`; kConflict; kLimit: the key; kUnavailable with reason=contention after
// `attempts_max`, with reason=writer-lifetime after kWriterLifetimeUs; kRecoveryRequired with fact
// operation; those of the store, and then nothing was published.
Result<Receipt> write(const catalog::CatalogPlace& place, const WriteRequest& request,
                      const Prepare& prepare);

// The last commit of a branch: its tables and versions stay until a cleanup, and nothing is written
// to it any more. Errors: those of write(); kInvalid: main; kNotFound: it was deleted already.
Result<Receipt> delete_branch(const catalog::CatalogPlace& branch, const WriteRequest& request);

}  // namespace weft::txn
