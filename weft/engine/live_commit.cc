// How a live graph makes a change: order, journal, visibility.

#include <algorithm>
#include <utility>

#include "weft/engine/live_store.h"
#include "weft/quads/seal_segments.h"
#include "weft/sparql/traversal.h"

namespace weft::engine {
namespace {

// How often a change starts over because another program has changed the journal or the manifest.
constexpr int kAttemptsMax = 4;
// How often a request that waits for others is run beside other writers, before it holds them up.
constexpr int kApartAttemptsMax = 4;
// The text of a request that may become a segment.
constexpr size_t kTextWorthRoom = size_t{1} << 20U;

bool asks_services(const sparql::Update& request) {
  return std::ranges::any_of(request.operations, [](const sparql::UpdateOperation& operation) {
    const auto* modify = std::get_if<sparql::Modify>(&operation);
    return modify != nullptr && sparql::asks_services(*modify->where.pattern);
  });
}

// The change stands in nothing that lasts.
Error taken_back(const Error& cause) {
  return Error(ErrorKind::kUnavailable,
               "the update could not be made durable, and was taken back; nothing has changed")
      .with("cause", cause.to_string());
}

}  // namespace

Status LiveStore::ready_to_write() {
  if (is_closed_) {
    return Error(ErrorKind::kUnavailable, "the graph is closed")
        .with("graph", place_.graph.address);
  }
  if (journal_ == nullptr) {
    return Error(ErrorKind::kDenied, "the graph is open for reading only")
        .with("graph", place_.graph.address);
  }
  WEFT_TRY_STATUS(recover_locked());
  return refresh_locked();
}

Status LiveStore::check_tag(const UpdateOptions& options) {
  if (options.if_tag.has_value() && *options.if_tag != tip_->tag()) {
    return Error(ErrorKind::kConflict, "the graph is not in the expected state")
        .with("expected", *options.if_tag)
        .with("current", tip_->tag());
  }
  return ok_status();
}

exec::QueryOptions LiveStore::query_options(const UpdateOptions& options) {
  exec::QueryOptions query;
  query.budget = options.budget != nullptr ? options.budget : &place_.query_budget;
  query.executor = &place_.tools.executor;
  query.clock = &place_.tools.clock;
  query.random = &place_.tools.random;
  query.services = options.services;
  query.stop = options.stop;
  return query;
}

Result<UpdateReceipt> LiveStore::update(std::string_view text, const UpdateOptions& options) {
  sparql::ParseOptions parse;
  parse.base_iri = options.base_iri;
  // Parsed before the order is taken; again only if the request has to start over.
  WEFT_TRY(sparql::Update first, sparql::parse_update(text, parse));
  if (text.size() > kTextWorthRoom) {
    make_room();
  }
  const bool waits_for_others = asks_services(first);
  std::optional<sparql::Update> request = std::move(first);
  const auto run = [&](quads::FoldDraft& draft, const exec::QueryOptions& query) -> Status {
    if (!request.has_value()) {
      WEFT_TRY(request, sparql::parse_update(text, parse));
    }
    sparql::Update now = *std::exchange(request, std::nullopt);
    return run_update(std::move(now), draft, options, query);
  };
  if (waits_for_others) {
    return change_apart(options, [&](quads::FoldDraft& draft, base::Random& random) {
      exec::QueryOptions query = query_options(options);
      query.random = &random;
      return run(draft, query);
    });
  }
  return change(options,
                [&](quads::FoldDraft& draft) { return run(draft, query_options(options)); });
}

Result<UpdateReceipt> LiveStore::drop(const std::string& graph, const UpdateOptions& options) {
  const std::string token = graph.empty() ? "" : "<" + graph + ">";
  return change(options, [&](quads::FoldDraft& draft) -> Status {
    if (!token.empty()) {
      WEFT_TRY(const bool is_there, has_graph(*draft.state(), token, options.stop));
      if (!is_there) {
        return Error(ErrorKind::kNotFound, "there is no such graph").with("graph", graph);
      }
    }
    quads::RemovingSink sink(draft);
    WEFT_TRY_STATUS(graph_quads(*draft.state(), token, sink, options.stop));
    return draft.apply(options.stop);
  });
}

Result<UpdateReceipt> LiveStore::change(const UpdateOptions& options, const Fill& fill) {
  Pending pending;
  {
    const base::MutexLock lock(order_);
    for (int attempt = 1;; ++attempt) {
      Result<Pending> made = change_locked(options, fill);
      if (made.ok()) {
        pending = std::move(made).value();
        break;
      }
      const bool has_moved =
          made.error().kind() == ErrorKind::kConflict && made.error().fact("reason") == "moved";
      if (!has_moved || attempt == kAttemptsMax) {
        return std::move(made).error();
      }
      WEFT_TRY_STATUS(reopen_journal());
    }
  }
  WEFT_TRY_STATUS(await(pending));
  return std::move(pending.receipt);
}

Result<UpdateReceipt> LiveStore::change_apart(const UpdateOptions& options, const SlowFill& fill) {
  base::Random random = base::Random::from_system();
  for (int attempt = 1; attempt <= kApartAttemptsMax; ++attempt) {
    StatePtr from;
    {
      const base::MutexLock lock(order_);
      WEFT_TRY_STATUS(ready_to_write());
      WEFT_TRY_STATUS(check_tag(options));
      from = tip_;
    }
    const std::unique_ptr<quads::FoldDraft> draft = from->fold().draft();
    WEFT_TRY_STATUS(fill(*draft, random));
    Pending pending;
    {
      const base::MutexLock lock(order_);
      WEFT_TRY_STATUS(ready_to_write());
      if (tip_ != from) {
        continue;  // what it found may not be so any more
      }
      Result<Pending> made = commit(*draft);
      if (!made.ok()) {
        if (made.error().kind() == ErrorKind::kConflict && made.error().fact("reason") == "moved") {
          WEFT_TRY_STATUS(reopen_journal());
          continue;
        }
        return std::move(made).error();
      }
      pending = std::move(made).value();
    }
    WEFT_TRY_STATUS(await(pending));
    return std::move(pending.receipt);
  }
  return change(options, [&](quads::FoldDraft& draft) { return fill(draft, random); });
}

Result<LiveStore::Pending> LiveStore::change_locked(const UpdateOptions& options,
                                                    const Fill& fill) {
  WEFT_TRY_STATUS(ready_to_write());
  WEFT_TRY_STATUS(check_tag(options));
  const std::unique_ptr<quads::FoldDraft> draft = tip_->fold().draft();
  WEFT_TRY_STATUS(fill(*draft));
  return commit(*draft);
}

Result<LiveStore::Pending> LiveStore::commit(quads::FoldDraft& draft) {
  const uint64_t changes = draft.inserted() + draft.removed();
  Pending pending;
  if (changes == 0) {
    // What it found may still wait for its sync.
    pending.state = tip_;
    pending.commit = tip_commit_;
    pending.journal = journal_;
  } else if (place_.is_manifest && changes > options_.large_update_changes) {
    WEFT_TRY(pending, commit_as_segment(draft));
  } else {
    WEFT_TRY(pending, commit_in_journal(draft));
  }
  ++commits_;
  pending.receipt = {.inserted = draft.inserted(),
                     .removed = draft.removed(),
                     .generation = pending.state->generation(),
                     .sequence = pending.state->sequence(),
                     .tag = pending.state->tag()};
  return pending;
}

Result<LiveStore::Pending> LiveStore::commit_in_journal(const quads::FoldDraft& draft) {
  WEFT_TRY(const std::string lines, draft.lines());
  Result<journal::AppendedCommit> appended = journal_->append(lines);
  if (!appended.ok()) {
    if (appended.error().kind() == ErrorKind::kConflict) {
      Error error = std::move(appended).error();
      error.add("reason", "moved");
      return error;
    }
    if (journal_->broken().has_value()) {
      const Error cause = std::move(appended).error();
      WEFT_TRY_STATUS(recover_locked());
      return taken_back(cause);
    }
    return std::move(appended).error();
  }
  if (oldest_change_us_ == 0) {
    oldest_change_us_ = place_.tools.clock.monotonic_microseconds();
  }
  journal_changes_ += draft.inserted() + draft.removed();
  tip_commit_ = *appended;
  set_tip(state_of(draft.state(), journal_->position()));
  return Pending{.state = tip_, .commit = *appended, .journal = journal_, .receipt = {}};
}

// The journal's changes and this request's as one entry of the log, or, where that is no more work,
// the whole new state as one segment, so that replacing a graph over and over does not pile up
// tombstones. The publication is the commit.
Result<LiveStore::Pending> LiveStore::commit_as_segment(quads::FoldDraft& draft) {
  WEFT_TRY_STATUS(sync_tip());
  const journal::JournalPosition position = journal_->position();
  const manifest::SealMark mark{.journal_id = position.journal_id, .sequence = position.sequence};
  quads::Fold& state = *draft.state();
  manifest::Manifest next = manifest_->manifest;
  WEFT_TRY(const uint64_t count, state.quad_count({}));
  if (count <= state.changed_quads()) {
    WEFT_TRY(const std::optional<manifest::SegmentPin> whole,
             quads::make_whole_segment(place_.graph, place_.tools, state, next, position, {}));
    WEFT_TRY_STATUS(next.rewrite(
        whole.has_value() ? std::vector{*whole} : std::vector<manifest::SegmentPin>(), mark));
  } else {
    WEFT_TRY(const quads::SealedSegments segments,
             quads::make_sealed_segments(place_.graph, place_.tools, state, next, position, false,
                                         {}, {}));
    WEFT_CHECK(segments.entry.has_value());
    WEFT_TRY_STATUS(next.append_sealed(*segments.entry, mark, false));
  }
  WEFT_TRY(const bool published, publish_and_adopt(next, position));
  if (!published) {
    return Error(ErrorKind::kConflict, "another program has changed the manifest")
        .with("reason", "moved");
  }
  return Pending{.state = tip_, .commit = {}, .journal = {}, .receipt = {}};
}

void LiveStore::show_through(const journal::JournalWriter& journal, uint64_t sequence) {
  const base::MutexLock lock(visible_mutex_);
  while (!waiting_.empty() && waiting_.front().journal == &journal &&
         waiting_.front().sequence <= sequence) {
    visible_ = std::move(waiting_.front().state);
    waiting_.pop_front();
  }
}

Status LiveStore::await(const Pending& pending) {
  if (!pending.commit.has_value()) {
    return ok_status();
  }
  const Status synced = pending.journal->sync(*pending.commit);
  if (synced.ok()) {
    show_through(*pending.journal, pending.commit->sequence);
    return ok_status();
  }
  const base::MutexLock lock(order_);
  if (pending.journal != journal_) {
    // The journal was opened anew meanwhile, with what it found: perhaps with this.
    return synced;
  }
  WEFT_TRY_STATUS(recover_locked());
  return taken_back(synced.error());
}

Status LiveStore::sync_tip() {
  if (tip_commit_.has_value()) {
    const Status synced = journal_->sync(*tip_commit_);
    if (!synced.ok()) {
      WEFT_TRY_STATUS(recover_locked());
      return taken_back(synced.error());
    }
    show_through(*journal_, tip_commit_->sequence);
  }
  return ok_status();
}

// After a failed write: back to the last state that was acknowledged. If that does not work, the
// outcome of what was under way is unknown, and nothing more is written until it does.
Status LiveStore::recover_locked() {
  if (journal_ == nullptr || !journal_->broken().has_value()) {
    broken_.reset();
    return ok_status();
  }
  show_through(*journal_, journal_->durable_position().sequence);
  Status recovered = journal_->recover();
  if (!recovered.ok()) {
    broken_ =
        Error(ErrorKind::kRecoveryRequired, "the journal cannot be read again after a failed write")
            .with("journal", place_.journal_address)
            .with("cause", recovered.error().to_string());
    return *broken_;
  }
  broken_.reset();
  const base::MutexLock lock(visible_mutex_);
  waiting_.clear();
  tip_ = visible_;
  tip_commit_.reset();
  return ok_status();
}

}  // namespace weft::engine
