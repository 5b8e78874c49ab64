// Reads the journal beside a manifest, `<manifest>.changes`: the text lines of rete, and the commit
// marks by which weft finds a torn or damaged commit. Reading changes nothing; journal_writer.h
// writes.
//
// J1  A change is delivered only if its whole line, and the whole commit it belongs to, is there.
// J2  What a crash can leave at the end (a torn line, a torn commit, zero bytes) is cut and
// reported;
//     damage anywhere before is kCorrupt with its line, never a change less or more.
// J3  Every delivered quad is well-formed RDF with canonical tokens.
//
// J4  What a seal has taken into the log is not delivered again.
//
// Format: docs/formats/journal.md; protocol: docs/protocols/journal.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weft/base/result.h"
#include "weft/codec/blake3.h"
#include "weft/rdf/quad.h"
#include "weft/storage/object_store.h"

namespace weft::journal {

// The journal of the graph `G` is `G.changes`.
inline constexpr std::string_view kJournalSuffix = ".changes";
inline std::string journal_of(std::string_view graph) {
  return std::string(graph).append(kJournalSuffix);
}

inline constexpr uint64_t kJournalSizeMaxBytes = uint64_t{1} << 30U;

// The quad that a commit mark deletes: it is never inserted, so deleting it does nothing.
inline constexpr std::string_view kMarkSubject = "<urn:weft:journal:1>";
inline constexpr std::string_view kMarkPredicate = "<urn:weft:commit>";

// What stands in front of the lines of one commit.
struct CommitMark {
  std::string journal_id;   // 1 to 64 of a-z, 0-9: names this journal among its manifest's
  uint64_t sequence = 0;    // counts the commits of a journal from 1
  uint64_t size_bytes = 0;  // of the lines that follow
  codec::Digest16 checksum = {};
  friend bool operator==(const CommitMark&, const CommitMark&) = default;
};
// The mark for these lines, which end with a newline.
CommitMark make_mark(std::string_view journal_id, uint64_t sequence, std::string_view lines);
// As a line of the journal, newline included.
std::string mark_line(const CommitMark& mark);

// A line of the journal, newline included.
void append_line(std::string& lines, bool insert, const rdf::QuadView& quad);

// A place in the life of a journal: behind this commit.
struct JournalPosition {
  std::string journal_id;
  uint64_t sequence = 0;
  friend bool operator==(const JournalPosition&, const JournalPosition&) = default;
};

// Takes changes in file order. Views are valid during the call.
class ChangeSink {
 public:
  virtual ~ChangeSink() = default;
  virtual Status change(bool insert, const rdf::QuadView& quad) = 0;
  // Around the changes of a commit with a mark, at `offset` in the file. Lines of other writers
  // stand outside of commits.
  virtual Status begin_commit(const CommitMark& /*mark*/, uint64_t /*offset*/) {
    return ok_status();
  }
  virtual Status end_commit() { return ok_status(); }
};

struct JournalReport {
  uint64_t size_bytes = 0;
  uint64_t change_count = 0;
  uint64_t commit_count = 0;      // commits with a mark, sealed ones included
  uint64_t sealed_commits = 0;    // of them, those that the log has already
  uint64_t unmarked_changes = 0;  // of other writers, outside of commits
  // A last line without its newline counts, but nothing may be appended behind it.
  bool ends_open = false;
  // Of the last whole commit with a mark.
  std::string journal_id;
  uint64_t last_sequence = 0;
  // The torn tail: where it begins, and why it was cut. 0 bytes: there is none.
  uint64_t cut_offset = 0;
  uint64_t cut_bytes = 0;
  uint64_t cut_line = 0;
  std::string cut_reason;
  // The tail is not merely short: bytes of it are other than they were written, so it may have been
  // acknowledged. Keep it before it is cut.
  bool cut_is_whole = false;
};

// Commits up to `sealed`, if it names this journal, are checked and left out. Errors: kCorrupt with
// facts journal, line, offset, reason; kLimit; those of the sink.
Result<JournalReport> read_journal(std::string_view text, std::string_view name, ChangeSink& sink,
                                   const std::optional<JournalPosition>& sealed = {});
Result<JournalReport> read_journal(storage::ObjectReader& reader, ChangeSink& sink,
                                   const std::optional<JournalPosition>& sealed = {});

// The place of the first line at or behind `offset` that is a whole commit with a right checksum;
// npos if there is none. For repairs.
size_t find_commit(std::string_view text, size_t offset);

}  // namespace weft::journal
