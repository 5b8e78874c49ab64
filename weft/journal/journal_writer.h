// Writes the journal: commits with their marks, one sync for all that wait.
//
// W1  A commit that sync() acknowledged is there, whole, after any crash.
// W2  A commit is in the file behind all that were appended before it, with the next sequence.
// W3  After a sync that failed nothing more is acknowledged until recover() has read the file again
//     and cut what was not acknowledged: a later sync proves nothing about the bytes of a failed
//     one.
// W4  Nothing is appended to a file that somebody else has changed: kConflict, open again.
// W5  open() needs no hand: a torn tail is cut, lines of other writers and what is sealed already
//     are brought into the journal's own form, in one step each.
//
// append() and drop_sealed() are for one thread at a time, which sets the order; sync() is for any.
// Protocol: docs/protocols/journal.md
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "weft/base/mutex.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/journal/journal.h"
#include "weft/storage/object_store.h"

namespace weft::journal {

// A commit in the file. Commits of before a recover() are of another epoch.
struct AppendedCommit {
  uint64_t sequence = 0;
  uint64_t epoch = 0;
};

class JournalWriter {
 public:
  // Opens the journal `name` of `store` (which is made when the first commit is appended), cuts and
  // rewrites what W5 says, and hands everything that counts to `sink`. `sealed` is what the log has
  // already. `store` must outlive the writer; the caller holds the right to write. Errors: those of
  // read_journal and of the store.
  static Result<std::unique_ptr<JournalWriter>> open(storage::ObjectStore& store, std::string name,
                                                     const std::optional<JournalPosition>& sealed,
                                                     base::Random& random, ChangeSink& sink);

  // As it was found by open().
  const JournalReport& found() const { return found_; }
  // Behind the last commit in the file; its id is empty if there is none.
  JournalPosition position() const;
  JournalPosition durable_position() const;
  uint64_t size_bytes() const;
  uint64_t sync_count() const;

  // Appends the lines (each with its newline) of one commit, not empty. Not yet durable. Errors:
  // kUnavailable, and nothing has changed (a full disk, say); kConflict (W4); kLimit: seal first;
  // after a failure that could not be undone always the error of that.
  Result<AppendedCommit> append(std::string_view lines);

  // Returns when the commit is durable: syncs, or waits for another thread's sync that covers it.
  // Errors: kRecoveryRequired, also for all commits after it, until recover().
  Status sync(const AppendedCommit& commit);

  // After a failed append or sync: reads the file again through a new handle, checks all that was
  // acknowledged, and cuts the rest, which from then on certainly is not there. Errors: kCorrupt if
  // what was acknowledged is not there any more; those of the store.
  Status recover();
  // Why nothing is appended any more, or nothing.
  std::optional<Error> broken() const;

  // Drops all commits up to `sealed`, which the log has now. One atomic step; does nothing if they
  // are gone already. All commits must be durable. Errors: kConflict (W4); those of the store, and
  // nothing has changed unless kRecoveryRequired.
  Status drop_sealed(const JournalPosition& sealed);
  // Hands the changes of commits behind `from` to `sink`.
  Status read_after(const JournalPosition& from, ChangeSink& sink);

 private:
  JournalWriter(storage::ObjectStore& store, std::string name)
      : store_(store), name_(std::move(name)) {}

  Status open_existing(const std::optional<JournalPosition>& sealed, base::Random& random,
                       ChangeSink& sink);
  Status keep_cut_tail(std::string_view tail);
  Status replace(const storage::VersionedObject& current, std::string_view text);
  Status open_file();
  void take_position(const JournalReport& report);

  storage::ObjectStore& store_;
  const std::string name_;
  JournalReport found_;
  std::string journal_id_;

  mutable base::Mutex mutex_;
  base::Condition synced_;
  std::shared_ptr<storage::AppendFile> file_ WEFT_GUARDED_BY(mutex_);
  uint64_t appended_sequence_ WEFT_GUARDED_BY(mutex_) = 0;
  uint64_t appended_size_ WEFT_GUARDED_BY(mutex_) = 0;
  uint64_t durable_sequence_ WEFT_GUARDED_BY(mutex_) = 0;
  uint64_t durable_size_ WEFT_GUARDED_BY(mutex_) = 0;
  uint64_t epoch_ WEFT_GUARDED_BY(mutex_) = 0;
  uint64_t syncs_ WEFT_GUARDED_BY(mutex_) = 0;
  bool syncing_ WEFT_GUARDED_BY(mutex_) = false;
  std::optional<Error> broken_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace weft::journal
