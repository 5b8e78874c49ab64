#include "weft/journal/journal_writer.h"

#include <algorithm>
#include <utility>

#include "weft/base/bytes.h"
#include "weft/journal/rewriter.h"

namespace weft::journal {
namespace {

Error conflict(std::string_view name) {
  return Error(ErrorKind::kConflict, "another program has changed the journal")
      .with("journal", name);
}

}  // namespace

Result<std::unique_ptr<JournalWriter>> JournalWriter::open(
    storage::ObjectStore& store, std::string name, const std::optional<JournalPosition>& sealed,
    base::Random& random, ChangeSink& sink) {
  std::unique_ptr<JournalWriter> writer(new JournalWriter(store, std::move(name)));
  WEFT_TRY_STATUS(writer->open_existing(sealed, random, sink));
  if (writer->journal_id_.empty()) {
    writer->journal_id_ = base::random_name(random);
  }
  return writer;
}

Status JournalWriter::open_existing(const std::optional<JournalPosition>& sealed,
                                    base::Random& random, ChangeSink& sink) {
  Result<storage::VersionedObject> current = store_.get(name_, kJournalSizeMaxBytes);
  if (!current.ok()) {
    return current.error().kind() == ErrorKind::kNotFound ? ok_status() : Status(current.error());
  }
  const std::string_view text = as_text(current->bytes.view());
  std::string id = base::random_name(random);
  Rewriter rewriter(id, sink);
  WEFT_TRY(found_, read_journal(text, name_, rewriter, sealed));
  if (found_.cut_is_whole) {
    WEFT_TRY_STATUS(keep_cut_tail(text.substr(found_.cut_offset)));
  }
  const bool in_form =
      found_.unmarked_changes == 0 && found_.sealed_commits == 0 && !found_.ends_open;
  if (!in_form) {
    const std::string rewritten = rewriter.take_text();
    WEFT_TRY_STATUS(replace(*current, rewritten));
    NullSink nobody;
    WEFT_TRY(const JournalReport report, read_journal(rewritten, name_, nobody));
    take_position(report);
    return open_file();
  }
  take_position(found_);
  WEFT_TRY_STATUS(open_file());
  const base::MutexLock lock(mutex_);
  if (file_->size() != text.size()) {
    return conflict(name_);
  }
  if (found_.cut_bytes > 0) {
    WEFT_TRY_STATUS(file_->truncate(found_.cut_offset));
    durable_size_ = found_.cut_offset;
    appended_size_ = durable_size_;
  }
  return ok_status();
}

void JournalWriter::take_position(const JournalReport& report) {
  const base::MutexLock lock(mutex_);
  journal_id_ = report.journal_id;
  appended_sequence_ = report.last_sequence;
  durable_sequence_ = report.last_sequence;
}

Status JournalWriter::open_file() {
  WEFT_TRY(std::unique_ptr<storage::AppendFile> file, store_.open_append(name_));
  const base::MutexLock lock(mutex_);
  file_ = std::move(file);
  durable_size_ = file_->size();
  appended_size_ = durable_size_;
  return ok_status();
}

// What may have been acknowledged is not thrown away.
Status JournalWriter::keep_cut_tail(std::string_view tail) {
  // Taken: it is kept already, by an opening that went no further.
  Result<storage::PutOutcome> put =
      store_.put_if_absent(name_ + ".cut-" + short_hash(tail), as_bytes(tail));
  return put.ok() ? ok_status() : Status(put.error());
}

Status JournalWriter::replace(const storage::VersionedObject& current, std::string_view text) {
  WEFT_TRY(const storage::PutOutcome outcome,
           store_.put_if_match(name_, as_bytes(text), current.etag));
  return outcome == storage::PutOutcome::kDone ? ok_status() : Status(conflict(name_));
}

JournalPosition JournalWriter::position() const {
  const base::MutexLock lock(mutex_);
  return {.journal_id = journal_id_, .sequence = appended_sequence_};
}

JournalPosition JournalWriter::durable_position() const {
  const base::MutexLock lock(mutex_);
  return {.journal_id = journal_id_, .sequence = durable_sequence_};
}

uint64_t JournalWriter::size_bytes() const {
  const base::MutexLock lock(mutex_);
  return file_ != nullptr ? file_->size() : 0;
}

uint64_t JournalWriter::sync_count() const {
  const base::MutexLock lock(mutex_);
  return syncs_;
}

std::optional<Error> JournalWriter::broken() const {
  const base::MutexLock lock(mutex_);
  return broken_;
}

Result<AppendedCommit> JournalWriter::append(std::string_view lines) {
  WEFT_CHECK(!lines.empty() && lines.ends_with('\n'));
  std::shared_ptr<storage::AppendFile> file;
  uint64_t sequence = 0;
  {
    const base::MutexLock lock(mutex_);
    if (broken_.has_value()) {
      return *broken_;
    }
    file = file_;
    sequence = appended_sequence_ + 1;
  }
  if (file == nullptr) {
    // The name first, synced, so that the commit's sync makes all of it durable.
    WEFT_TRY(const storage::PutOutcome made, store_.put_if_absent(name_, {}));
    if (made == storage::PutOutcome::kLost) {
      return conflict(name_);
    }
    WEFT_TRY_STATUS(open_file());
    const base::MutexLock lock(mutex_);
    file = file_;
  }
  WEFT_TRY(const bool is_ours, file->is_ours());
  if (!is_ours) {
    return conflict(name_);
  }
  std::string record = mark_line(make_mark(journal_id_, sequence, lines));
  record += lines;
  const uint64_t begin = file->size();
  if (begin + record.size() > kJournalSizeMaxBytes) {
    return Error(ErrorKind::kLimit, "the journal is too large: seal it")
        .with("journal", name_)
        .with("size_max_bytes", kJournalSizeMaxBytes);
  }
  Status appended = file->append(as_bytes(record));
  if (!appended.ok()) {
    Status cut = file->truncate(begin);
    const base::MutexLock lock(mutex_);
    if (!cut.ok()) {
      broken_ = Error(ErrorKind::kRecoveryRequired, "a commit was written in part")
                    .with("journal", name_)
                    .with("cause", appended.error().to_string());
      return *broken_;
    }
    if (appended.error().kind() == ErrorKind::kRecoveryRequired) {
      return Error(ErrorKind::kUnavailable, "a commit could not be written, and was cut")
          .with("journal", name_)
          .with("cause", appended.error().to_string());
    }
    return std::move(appended).error();
  }
  const base::MutexLock lock(mutex_);
  appended_sequence_ = sequence;
  appended_size_ = file->size();
  return AppendedCommit{.sequence = sequence, .epoch = epoch_};
}

Status JournalWriter::sync(const AppendedCommit& commit) {
  mutex_.lock();
  while (true) {
    if (commit.epoch != epoch_ || (broken_.has_value() && commit.sequence > durable_sequence_)) {
      Error error = broken_.has_value()
                        ? *broken_
                        : Error(ErrorKind::kRecoveryRequired, "a sync of the journal failed")
                              .with("journal", name_);
      mutex_.unlock();
      return error;
    }
    if (commit.sequence <= durable_sequence_) {
      mutex_.unlock();
      return ok_status();
    }
    if (syncing_) {
      synced_.wait(mutex_);
      continue;
    }
    // The leader: its sync covers all that is appended by now.
    syncing_ = true;
    const uint64_t sequence = appended_sequence_;
    const uint64_t size = appended_size_;
    const std::shared_ptr<storage::AppendFile> file = file_;
    mutex_.unlock();
    const Status status = file->sync();
    mutex_.lock();
    syncing_ = false;
    ++syncs_;
    if (status.ok()) {
      durable_sequence_ = std::max(durable_sequence_, sequence);
      durable_size_ = std::max(durable_size_, size);
    } else {
      broken_ = Error(ErrorKind::kRecoveryRequired, "a sync of the journal failed")
                    .with("journal", name_)
                    .with("cause", status.error().to_string());
    }
    synced_.notify_all();
  }
}

Status JournalWriter::recover() {
  uint64_t size = 0;
  uint64_t sequence = 0;
  {
    const base::MutexLock lock(mutex_);
    while (syncing_) {
      synced_.wait(mutex_);  // what it covers is acknowledged
    }
    if (!broken_.has_value()) {
      return ok_status();
    }
    size = durable_size_;
    sequence = durable_sequence_;
  }
  WEFT_TRY(std::unique_ptr<storage::AppendFile> file, store_.open_append(name_));
  if (file->size() > size) {
    WEFT_TRY_STATUS(file->truncate(size));
  }
  WEFT_TRY(const storage::VersionedObject left, store_.get(name_, kJournalSizeMaxBytes));
  NullSink nobody;
  WEFT_TRY(const JournalReport report, read_journal(as_text(left.bytes.view()), name_, nobody));
  const bool is_whole = left.bytes.size() == size && report.cut_bytes == 0 &&
                        (report.commit_count == 0 || report.last_sequence == sequence);
  if (!is_whole) {
    return Error(ErrorKind::kCorrupt, "the journal does not hold what was acknowledged")
        .with("journal", name_)
        .with("acknowledged_sequence", sequence)
        .with("found_sequence", report.last_sequence);
  }
  const base::MutexLock lock(mutex_);
  file_ = std::move(file);
  appended_sequence_ = sequence;
  appended_size_ = size;
  ++epoch_;
  broken_.reset();
  synced_.notify_all();
  return ok_status();
}

Status JournalWriter::drop_sealed(const JournalPosition& sealed) {
  {
    const base::MutexLock lock(mutex_);
    if (file_ == nullptr) {
      return ok_status();
    }
    WEFT_CHECK(appended_sequence_ == durable_sequence_ && sealed.journal_id == journal_id_);
  }
  WEFT_TRY(const storage::VersionedObject current, store_.get(name_, kJournalSizeMaxBytes));
  const std::string_view text = as_text(current.bytes.view());
  struct FirstKept final : ChangeSink {
    std::optional<uint64_t> offset;
    Status begin_commit(const CommitMark& /*mark*/, uint64_t at) override {
      offset = offset.value_or(at);
      return ok_status();
    }
    Status change(bool /*insert*/, const rdf::QuadView& /*quad*/) override { return ok_status(); }
  } first;
  WEFT_TRY(const JournalReport report, read_journal(text, name_, first, sealed));
  if (report.unmarked_changes > 0 || report.cut_bytes > 0) {
    return conflict(name_);
  }
  if (report.sealed_commits == 0) {
    return ok_status();
  }
  WEFT_TRY_STATUS(replace(current, text.substr(first.offset.value_or(text.size()))));
  return open_file();
}

Status JournalWriter::read_after(const JournalPosition& from, ChangeSink& sink) {
  Result<storage::VersionedObject> current = store_.get(name_, kJournalSizeMaxBytes);
  if (!current.ok()) {
    return current.error().kind() == ErrorKind::kNotFound ? ok_status() : Status(current.error());
  }
  const Result<JournalReport> report =
      read_journal(as_text(current->bytes.view()), name_, sink, from);
  return report.ok() ? ok_status() : Status(report.error());
}

}  // namespace weft::journal
