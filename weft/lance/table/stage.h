// Staged transactions: everything a commit needs, prepared while nothing reachable moves, then
// either committed or left beside the table under a detached name and brought to the head later.
//
//     Stage stage(base, options);                        // upon one version
//     … data files under stage.new_data_file_name(), deletion files by stage.add_deletions() …
//     WEFT_TRY(StagedTransaction staged, stage.finish(AppendOperation{fragments}));
//     WEFT_TRY(CommitResult result, commit(staged, options));            // now
// or
//     WEFT_TRY_STATUS(put_staged(staged.objects_detached()));            // nothing is reachable
//     yet WEFT_TRY(FollowOutcome outcome, follow(location, staged.detached_version,
//                                        staged.version));   // later
//
// G1  Staging writes only under names that carry the operation's name and a random part, so that
//     nothing of two operations, or of one tried twice, ever meets on a name.
// G2  Until commit or follow creates the head, no reader finds anything of what was staged.
// G3  The head is created if absent, with the bytes that were computed when it was staged: those of
//     the detached manifest but for the version field and its length word.
// G4  Whoever loses the number changes nothing. commit() then reads what the others did and, by the
//     format's rules, stages the same operation upon the newest version (a bounded number of
//     times), or says that the work has to be done anew, or that it never can be.
// G5  An ambiguous answer of the store is followed by the identical creation until the name is
//     known to be taken; if that cannot be found out: kRecoveryRequired, and calling commit again
//     with the same StagedTransaction tells.
// G6  A version that somebody else made is synced before anything is built upon it.
// Protocol: docs/protocols/lance-tables.md
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/lance/table/deletions.h"
#include "weft/lance/table/names.h"
#include "weft/lance/table/snapshot.h"
#include "weft/lance/table/transaction.h"

namespace weft::lance {

struct StageOptions {
  // Begins the names of all that is staged: a ULID and the attempt, say. Letters, digits, '-', '_'.
  std::string operation = "op";
  // Ends the names of data files. Engines clean files that end as their own do: whoever plays one
  // (a test) says kEngineDataEnding.
  std::string_view data_ending = kDataEnding;
  base::Clock* clock = nullptr;    // must outlive what uses the options
  base::Random* random = nullptr;  // the same
  // Into the transaction; for people and for the graph above.
  StringMap properties;
  // Deletion files and transactions also below _weft/, where engines do not clean.
  bool keep_copies = false;
  // The transaction in the manifest too. Larger ones stay outside whatever this says (key filters
  // have 32 KiB): kInlineTransactionBytesMax.
  bool inline_transaction = true;
  // Config keys and values that the version gets (upserted).
  StringMap config;
  // Of the transaction; empty: a fresh one. A commit keeps it over all its rebases, so that it
  // recognises itself after an ambiguous answer.
  std::string uuid;
  // Where the version's base paths lie, instead of what the base version says (base_paths_here).
  std::optional<std::vector<BasePath>> base_paths;
  // The transaction says that all was overwritten, whatever the operation: for a base that is not
  // the version whose number it has (restored_under), so that nobody carries his work over it.
  bool says_overwrite = false;
};
inline constexpr size_t kInlineTransactionBytesMax = 4096;

// A small object, complete in memory. Names are the store's.
using StagedObject = std::pair<std::string, std::string>;

// A value: what there is to know about one staged version. Data files are in the store already, or
// wait among `objects`.
struct StagedTransaction {
  TableLocation location;
  uint64_t read_version = 0;  // the base; 0: the table is new
  uint64_t version = 0;       // the head's number, read_version + 1
  Naming naming = Naming::kV2;
  bool base_is_durable = false;
  Transaction transaction;
  // Deletion files, the transaction, kept copies of both, data files that wait.
  std::vector<StagedObject> objects;
  std::string head_name;
  std::string head;  // the bytes of the head's manifest
  uint64_t detached_version = 0;
  std::string detached_name;
  std::string detached;

  // The version as if it were there: staging upon it makes the next one.
  Result<Snapshot> snapshot() const;
  // `objects` and the detached manifest.
  std::vector<StagedObject> objects_detached() const;
};

// A fresh name in data/, without the folder: DataFile::path.
std::string new_data_path(const StageOptions& options);

// Collects what one operation stages upon `base`. Not thread-safe.
class Stage {
 public:
  Stage(Snapshot base, StageOptions options)
      : base_(std::move(base)), options_(std::move(options)) {}

  const Snapshot& base() const { return base_; }
  const StageOptions& options() const { return options_; }

  // A fresh name in data/, without the folder: DataFile::path. The name in the store is
  // location().object("data/" + path).
  std::string new_data_path();
  // All deleted rows of a fragment, old ones included, as an entry for it. Written by finish's
  // objects. `deletions` is not empty.
  DeletionFile add_deletions(uint64_t fragment_id, const Deletions& deletions);

  // More objects of the operation, put with the others: data files that wait in memory.
  std::vector<StagedObject>& held_objects() { return objects_; }

  // Computes the next version. New fragments get their ids and row ids here. Reads nothing.
  // Errors: kInvalid, naming what in the operation does not fit the base; kUnsupported: the base
  // must not be written.
  Result<StagedTransaction> finish(Operation operation) &&;

 private:
  Snapshot base_;
  StageOptions options_;
  std::vector<StagedObject> objects_;
};

// A table that is not there yet: version 1. Errors: as finish.
struct NewTable {
  TableLocation location;
  std::vector<layout::SchemaField> schema;
  std::vector<Fragment> fragments;
  std::string file_version = "2.1";
  StringMap schema_metadata;
  StringMap config;
  bool stable_row_ids = false;
};
// `held`: as Stage::held_objects.
Result<StagedTransaction> stage_new_table(NewTable table, const StageOptions& options,
                                          std::vector<StagedObject> held = {});

// Puts objects under as few sync barriers as the store allows. What is there already must be the
// same (an earlier attempt of this operation), else kAlreadyExists. `next`: what is put after them
// if all goes well, a hint for the store (ObjectStore::put_many_foreseeing).
using NextObjects = std::vector<std::pair<std::string, ByteView>>;
Status put_staged(storage::ObjectStore& store, const std::vector<StagedObject>& objects,
                  const NextObjects& next = {});

enum class CommitOutcome : uint8_t {
  kCommitted,
  kRetry,     // somebody changed what this stands on: do the work again upon the newest version
  kConflict,  // it can never be committed
};
struct CommitResult {
  CommitOutcome outcome = CommitOutcome::kConflict;
  // kCommitted: the version that it became. Else the newest one that was seen.
  std::optional<Snapshot> snapshot;
  uint64_t rebases = 0;
  // kRetry, kConflict: who was in the way and why.
  uint64_t other_version = 0;
  std::string other_operation;
  std::string reason;
};
struct CommitOptions {
  StageOptions stage;          // for restaging upon newer versions
  uint64_t rebases_max = 100;  // more: kRetry
  bool rebase = true;          // false: whoever loses the number gets kRetry
  // What the caller puts once this has its head; as `next` of put_staged.
  NextObjects next = {};
  // Asked just before the head is created, each time: an error is the end, kRecoveryRequired after
  // an unclear answer.
  std::function<Status()> may_create = {};
};
// Puts `staged.objects`, then the head if absent.
// Errors: those of the store; kRecoveryRequired; kCorrupt if a version between cannot be read.
Result<CommitResult> commit(const StagedTransaction& staged, const CommitOptions& options);

enum class FollowOutcome : uint8_t {
  kFollowed,
  kAlreadyThere,  // the head is this very version
  kTaken,         // another version has the number
};
struct FollowResult {
  FollowOutcome outcome = FollowOutcome::kTaken;
  std::string head_name;
};
// Brings a detached version to the head under `head_version`, the number that it was staged for.
// Puts back deletion files and the transaction from their kept copies first if an engine cleaned
// them.
// Errors: kNotFound: no such detached version; kCorrupt; those of the store.
Result<FollowResult> follow(const TableLocation& location, uint64_t detached_version,
                            uint64_t head_version, Naming naming = Naming::kV2);

}  // namespace weft::lance
