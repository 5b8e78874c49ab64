#include "weft/journal/repair.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "weft/base/bytes.h"
#include "weft/journal/journal_writer.h"
#include "weft/journal/rewriter.h"

namespace weft::journal {
namespace {

uint64_t number_fact(const Error& error, std::string_view key) {
  const std::string text(error.fact(key));
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A piece of the journal that reads without damage, as the rewriter's next commits.
Result<JournalReport> take_piece(std::string_view text, const std::string& name,
                                 const RepairRequest& request, Rewriter& rewriter) {
  // Read once for damage: what is in front of it would else have been delivered already.
  NullSink nobody;
  WEFT_TRY(const JournalReport probe, read_journal(text, name, nobody, request.sealed));
  static_cast<void>(probe);
  return read_journal(text, name, rewriter, request.sealed);
}

}  // namespace

Result<RepairReport> repair_journal(storage::ObjectStore& store, const std::string& name,
                                    const RepairRequest& request, base::Random& random) {
  WEFT_TRY(const storage::VersionedObject current, store.get(name, kJournalSizeMaxBytes));
  const std::string_view text = as_text(current.bytes.view());
  RepairReport report;
  NullSink nobody;
  Rewriter rewriter(base::random_name(random), nobody);
  const auto line_of = [&](uint64_t offset) {
    return static_cast<uint64_t>(std::ranges::count(text.substr(0, offset), '\n')) + 1;
  };
  for (size_t begin = 0; begin < text.size();) {
    const std::string_view rest = text.substr(begin);
    Result<JournalReport> piece = take_piece(rest, name, request, rewriter);
    if (piece.ok()) {
      report.kept_changes += piece->change_count;
      if (piece->cut_bytes > 0) {
        report.lost.push_back({.offset = begin + piece->cut_offset,
                               .size = piece->cut_bytes,
                               .line = line_of(begin + piece->cut_offset),
                               .reason = piece->cut_reason});
      }
      break;
    }
    if (piece.error().kind() != ErrorKind::kCorrupt) {
      return std::move(piece).error();
    }
    const uint64_t damage = number_fact(piece.error(), "offset");
    WEFT_TRY(const JournalReport front,
             take_piece(rest.substr(0, damage), name, request, rewriter));
    report.kept_changes += front.change_count;
    const size_t next = request.keep_later ? find_commit(rest, damage + 1) : std::string_view::npos;
    const uint64_t lost = next == std::string_view::npos ? rest.size() - damage : next - damage;
    report.lost.push_back({.offset = begin + damage,
                           .size = lost,
                           .line = line_of(begin + damage),
                           .reason = std::string(piece.error().fact("reason"))});
    begin += damage + lost;
  }
  const std::string repaired = rewriter.take_text();
  report.kept_commits = rewriter.commit_count();
  if (report.lost.empty() || request.dry_run) {
    return report;
  }
  report.kept_as = name + ".damaged-" + short_hash(text);
  WEFT_TRY_STATUS(store.put_if_absent(report.kept_as, current.bytes.view()));
  WEFT_TRY(const storage::PutOutcome outcome,
           store.put_if_match(name, as_bytes(repaired), current.etag));
  if (outcome == storage::PutOutcome::kLost) {
    return Error(ErrorKind::kConflict, "another program has changed the journal")
        .with("journal", name);
  }
  return report;
}

}  // namespace weft::journal
