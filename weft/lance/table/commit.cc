#include <algorithm>

#include "weft/base/check.h"
#include "weft/base/planted.h"
#include "weft/lance/table/conflict.h"
#include "weft/lance/table/follow_all.h"
#include "weft/lance/table/kept_copies.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/next_manifest.h"
#include "weft/lance/table/stage.h"
#include "weft/storage/which_exist.h"

namespace weft::lance {

namespace {

using base::Bug;
using base::planted;

// How often an ambiguous creation is repeated before the caller is told so.
constexpr int kAmbiguousRepeatsMax = 8;

enum class HeadOutcome : uint8_t { kOurs, kTaken };

// Creates `name` if absent, and finds out who has it if the answer is unclear.
Result<HeadOutcome> create_head(storage::ObjectStore& store, const std::string& name,
                                const std::string& bytes,
                                const std::function<Status()>& may_create = {}) {
  for (int repeat = 0;; ++repeat) {
    if (Status allowed = may_create ? may_create() : ok_status(); !allowed.ok()) {
      if (repeat == 0) {
        return std::move(allowed).error();
      }
      return Error(ErrorKind::kRecoveryRequired, "whether the version was created is not known")
          .with("object", name)
          .with("cause", allowed.error().to_string());
    }
    auto outcome = store.put_if_absent(name, as_bytes(bytes));
    if (outcome.ok()) {
      if (*outcome == storage::PutOutcome::kDone || planted(Bug::kAcknowledgeBlindly)) {
        return HeadOutcome::kOurs;
      }
      break;
    }
    if (planted(Bug::kFailAfterTimeout)) {
      return Error(ErrorKind::kUnavailable, "the store does not answer").with("object", name);
    }
    if (planted(Bug::kNewIdAfterTimeout)) {
      return std::move(outcome).error();
    }
    if (outcome.error().kind() != ErrorKind::kRecoveryRequired || repeat == kAmbiguousRepeatsMax) {
      // After an unclear answer nothing but a clear one counts.
      if (repeat > 0) {
        return Error(ErrorKind::kRecoveryRequired, "whether the version was created is not known")
            .with("object", name);
      }
      return std::move(outcome).error();
    }
  }
  auto there = store.get(name, std::max<uint64_t>(bytes.size() + 1, kManifestFileBytesMax));
  if (!there.ok()) {
    return Error(ErrorKind::kRecoveryRequired, "who created the version is not known")
        .with("object", name)
        .with("cause", there.error().to_string());
  }
  const bool is_ours = as_text(there->bytes.view()) == bytes;
  Status synced = store.sync_existing({name});
  if (!synced.ok() && is_ours) {
    return Error(ErrorKind::kRecoveryRequired, "whether the version survives a crash is not known")
        .with("object", name)
        .with("cause", synced.error().to_string());
  }
  WEFT_TRY_STATUS(std::move(synced));
  return is_ours ? HeadOutcome::kOurs : HeadOutcome::kTaken;
}

// New fragments as they were before they were placed in a manifest.
void unplace(std::vector<Fragment>& fragments) {
  for (Fragment& fragment : fragments) {
    fragment.id = 0;
  }
}

// Which fragments the operation adds, whose fields must still mean the same.
const std::vector<Fragment>* added_fragments(const Operation& operation) {
  if (const auto* append = std::get_if<AppendOperation>(&operation)) {
    return &append->fragments;
  }
  if (const auto* update = std::get_if<UpdateOperation>(&operation)) {
    return &update->new_fragments;
  }
  return nullptr;
}

struct Loss {
  Judgement judgement;
  uint64_t version = 0;
  std::string operation;
  bool is_ours = false;  // an earlier try of this very transaction came through
};

// Judges what version `theirs` did against ours.
Result<Loss> judge_version(const Transaction& ours, const Snapshot& theirs) {
  Loss loss;
  loss.version = theirs.version();
  WEFT_TRY(const std::optional<Transaction> transaction, theirs.transaction());
  if (!transaction) {
    loss.judgement = {Verdict::kFail, "the version has no transaction"};
    loss.operation = "unknown";
    return loss;
  }
  loss.operation = operation_name(transaction->operation);
  loss.judgement = judge(ours.operation, transaction->operation);
  loss.is_ours = transaction->uuid == ours.uuid;
  return loss;
}

CommitResult lost(CommitOutcome outcome, Snapshot latest, Loss loss) {
  CommitResult result;
  result.outcome = outcome;
  result.snapshot = std::move(latest);
  result.other_version = loss.version;
  result.other_operation = std::move(loss.operation);
  result.reason = loss.judgement.reason;
  return result;
}

// One commit with its rebases.
class Committer {
 public:
  Committer(const StagedTransaction& staged, const CommitOptions& options)
      : options_(options), given_(staged), store_(*staged.location.store) {}

  Result<CommitResult> run() {
    if (!planted(Bug::kPublishBeforeStaged)) {
      NextObjects next = options_.next;
      next.emplace_back(staged().head_name, as_bytes(staged().head));
      WEFT_TRY_STATUS(put_staged(store_, staged().objects, next));
    }
    if (staged().read_version != 0 && !staged().base_is_durable && !planted(Bug::kSeenIsDurable)) {
      WEFT_TRY_STATUS(sync_base());
    }
    for (uint64_t rebases = 0;; ++rebases) {
      WEFT_TRY(const HeadOutcome outcome,
               create_head(store_, staged().head_name, staged().head, options_.may_create));
      if (outcome == HeadOutcome::kOurs) {
        if (planted(Bug::kPublishBeforeStaged)) {
          WEFT_TRY_STATUS(put_staged(store_, staged().objects));
        }
        CommitResult result;
        result.outcome = CommitOutcome::kCommitted;
        WEFT_TRY(result.snapshot, staged().snapshot());
        result.snapshot->set_durable();
        result.rebases = rebases;
        return result;
      }
      WEFT_TRY(std::optional<CommitResult> end, meet_others());
      if (end) {
        end->rebases = rebases;
        return std::move(*end);
      }
      if (!options_.rebase || rebases == options_.rebases_max) {
        return lost(CommitOutcome::kRetry, *latest_,
                    {{Verdict::kRetry, "lost the number too often"}, latest_->version(), {}});
      }
      WEFT_TRY_STATUS(restage());
    }
  }

 private:
  // Reads every version since ours was staged. Something: that is how it ends.
  Result<std::optional<CommitResult>> meet_others() {
    if (staged().read_version == 0) {
      WEFT_TRY(latest_, open_version(staged().location, staged().version, staged().naming));
      return std::optional(lost(CommitOutcome::kConflict, *latest_,
                                {{Verdict::kFail, "the table exists"}, latest_->version(), {}}));
    }
    std::optional<Loss> worst;
    uint64_t version = staged().version;
    while (true) {
      auto theirs = open_version(staged().location, version, staged().naming);
      if (!theirs.ok() && theirs.error().kind() == ErrorKind::kNotFound &&
          version > staged().version) {
        break;
      }
      if (!theirs.ok()) {
        return std::move(theirs).error();
      }
      latest_ = std::move(theirs).value();
      WEFT_TRY(Loss loss, judge_version(staged().transaction, *latest_));
      if (loss.is_ours) {
        WEFT_TRY_STATUS(sync_latest());
        CommitResult result;
        result.outcome = CommitOutcome::kCommitted;
        result.snapshot = latest_;
        return std::optional(std::move(result));
      }
      if (!worst || loss.judgement.verdict > worst->judgement.verdict) {
        worst = std::move(loss);
      }
      ++version;
    }
    WEFT_TRY_STATUS(store_.sync_existing(
        {staged().location.object(manifest_name(latest_->version(), latest_->naming()))}));
    if (worst->judgement.verdict == Verdict::kCompatible) {
      return std::optional<CommitResult>();
    }
    const bool retry = worst->judgement.verdict == Verdict::kRetry;
    return std::optional(lost(retry ? CommitOutcome::kRetry : CommitOutcome::kConflict, *latest_,
                              std::move(*worst)));
  }

  Status sync_latest() {
    WEFT_TRY_STATUS(store_.sync_existing(
        {staged().location.object(manifest_name(latest_->version(), latest_->naming()))}));
    latest_->set_durable();
    return {};
  }
  // A base that is only staged, or was cleaned since, is not there: the version that follows is
  // whole without it.
  Status sync_base() {
    Status synced = store_.sync_existing(
        {staged().location.object(manifest_name(staged().read_version, staged().naming))});
    return !synced.ok() && synced.error().kind() == ErrorKind::kNotFound ? Status() : synced;
  }

  // The same operation upon the newest version.
  Status restage() {
    Operation operation = staged().transaction.operation;
    if (const std::vector<Fragment>* added = added_fragments(operation)) {
      WEFT_TRY(const Snapshot before, staged().snapshot());
      WEFT_TRY_STATUS(check_same_fields(*added, before.manifest(), latest_->manifest()));
    }
    if (auto* rewrite = std::get_if<RewriteOperation>(&operation)) {
      for (RewriteGroup& group : rewrite->groups) {
        unplace(group.new_fragments);
      }
    }
    // Data and deletion files stay; the transaction is another one.
    std::vector<StagedObject> kept = staged().objects;
    StageOptions again = options_.stage;
    again.uuid = staged().transaction.uuid;
    WEFT_TRY(StagedTransaction next, Stage(*latest_, again).finish(std::move(operation)));
    WEFT_TRY_STATUS(put_staged(store_, next.objects));
    next.objects.insert(next.objects.begin(), std::make_move_iterator(kept.begin()),
                        std::make_move_iterator(kept.end()));
    restaged_ = std::move(next);
    return {};
  }

  const StagedTransaction& staged() const { return restaged_ ? *restaged_ : given_; }

  const CommitOptions& options_;
  const StagedTransaction& given_;
  std::optional<StagedTransaction> restaged_;
  storage::ObjectStore& store_;
  std::optional<Snapshot> latest_;
};

}  // namespace

Status restore_kept(const Snapshot& snapshot) {
  const TableLocation& location = snapshot.location();
  std::vector<std::string> names;
  if (!snapshot.manifest().transaction_file.empty()) {
    names.push_back(std::string(kTransactionsFolder) + snapshot.manifest().transaction_file);
  }
  for (const Fragment& fragment : snapshot.manifest().fragments) {
    if (fragment.deletion_file && !fragment.deletion_file->base_id) {
      names.push_back(deletion_file_name(fragment.id, *fragment.deletion_file));
    }
  }
  std::vector<StagedObject> missing;
  for (const std::string& name : names) {
    auto there = location.store->open(location.object(name));
    if (there.ok()) {
      continue;
    }
    if (there.error().kind() != ErrorKind::kNotFound) {
      return std::move(there).error();
    }
    auto kept = location.store->get(location.object(std::string(kKeptFolder) + name),
                                    kDeletionFileBytesMax);
    if (kept.ok()) {
      missing.emplace_back(location.object(name), to_text(kept->bytes.view()));
    } else if (kept.error().kind() != ErrorKind::kNotFound) {
      return std::move(kept).error();
    }
  }
  return put_staged(*location.store, missing);
}

Result<CommitResult> commit(const StagedTransaction& staged, const CommitOptions& options) {
  return Committer(staged, options).run();
}

Result<FollowResult> follow(const TableLocation& location, uint64_t detached_version,
                            uint64_t head_version, Naming naming) {
  WEFT_CHECK(is_detached(detached_version) && !is_detached(head_version));
  WEFT_TRY(const Snapshot detached, open_version(location, detached_version));
  const std::string detached_name = location.object(manifest_name(detached_version));
  // Another's: made durable before a head stands on it.
  WEFT_TRY_STATUS(location.store->sync_existing({detached_name}));
  WEFT_TRY_STATUS(restore_kept(detached));
  WEFT_TRY(const std::string head, with_version(detached.file().view(), head_version));
  FollowResult result;
  result.head_name = location.object(manifest_name(head_version, naming));
  auto there = location.store->get(result.head_name, kManifestFileBytesMax);
  if (there.ok()) {
    WEFT_TRY_STATUS(location.store->sync_existing({result.head_name}));
    result.outcome =
        as_text(there->bytes.view()) == head ? FollowOutcome::kAlreadyThere : FollowOutcome::kTaken;
    return result;
  }
  if (there.error().kind() != ErrorKind::kNotFound) {
    return std::move(there).error();
  }
  WEFT_TRY(const HeadOutcome outcome, create_head(*location.store, result.head_name, head));
  result.outcome = outcome == HeadOutcome::kOurs ? FollowOutcome::kFollowed : FollowOutcome::kTaken;
  return result;
}

namespace {

// Deletion files of these versions that are no longer there, from what was staged.
Status put_back_deletions(storage::ObjectStore& store,
                          const std::vector<const StagedTransaction*>& staged) {
  std::vector<std::string> names;
  std::vector<const StagedObject*> objects;
  for (const StagedTransaction* const each : staged) {
    const std::string folder = each->location.object(kDeletionsFolder);
    for (const StagedObject& object : each->objects) {
      if (object.first.starts_with(folder)) {
        names.push_back(object.first);
        objects.push_back(&object);
      }
    }
  }
  if (names.empty()) {
    return ok_status();
  }
  WEFT_TRY(const std::vector<bool> there, storage::which_exist(store, names));
  std::vector<StagedObject> missing;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!there[i]) {
      missing.push_back(*objects[i]);
    }
  }
  return put_staged(store, missing);
}

}  // namespace

Result<std::vector<FollowOutcome>> follow_all(const std::vector<const StagedTransaction*>& staged) {
  std::vector<FollowOutcome> outcomes(staged.size(), FollowOutcome::kFollowed);
  if (staged.empty()) {
    return outcomes;
  }
  storage::ObjectStore& store = *staged.front()->location.store;
  WEFT_TRY_STATUS(put_back_deletions(store, staged));
  std::vector<std::pair<std::string, ByteView>> heads;
  heads.reserve(staged.size());
  for (const StagedTransaction* const each : staged) {
    heads.emplace_back(each->head_name, as_bytes(each->head));
  }
  const auto put = store.put_many_if_absent(heads);
  for (size_t i = 0; i < staged.size(); ++i) {
    if (put.ok() && (*put)[i] == storage::PutOutcome::kDone) {
      continue;
    }
    // Taken, or the answer is unclear.
    const StagedTransaction& each = *staged[i];
    WEFT_TRY(const FollowResult found,
             follow(each.location, each.detached_version, each.version, each.naming));
    outcomes[i] = found.outcome;
  }
  return outcomes;
}

}  // namespace weft::lance
