#include "weft/journal/journal.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "weft/journal/line.h"
#include "weft/rdf/term.h"

namespace weft::journal {
namespace {

constexpr size_t kJournalIdSizeMax = 64;
constexpr std::string_view kWhite = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kWhite);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kWhite) - first + 1);
}

std::string mark_start() {
  return "- " + std::string(kMarkSubject) + " " + std::string(kMarkPredicate) + " ";
}

bool is_journal_id(std::string_view id) {
  return !id.empty() && id.size() <= kJournalIdSizeMax && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

std::optional<uint64_t> decimal(std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

// "ID SEQUENCE SIZE CHECKSUM" between the quotes of a mark's object.
std::optional<CommitMark> parse_mark(std::string_view object) {
  if (object.size() < 2 || !object.starts_with('"') || !object.ends_with('"')) {
    return std::nullopt;
  }
  std::vector<std::string_view> parts;
  std::string_view rest = object.substr(1, object.size() - 2);
  while (parts.size() < 4) {
    const size_t space = std::min(rest.find(' '), rest.size());
    parts.push_back(rest.substr(0, space));
    if (space == rest.size()) {
      rest = {};
      break;
    }
    rest.remove_prefix(space + 1);
  }
  if (parts.size() != 4 || !rest.empty() || !is_journal_id(parts[0])) {
    return std::nullopt;
  }
  const std::optional<uint64_t> sequence = decimal(parts[1]);
  const std::optional<uint64_t> size = decimal(parts[2]);
  CommitMark mark;
  if (!sequence.has_value() || !size.has_value() || parts[3].size() != 2 * mark.checksum.size()) {
    return std::nullopt;
  }
  mark.journal_id = parts[0];
  mark.sequence = *sequence;
  mark.size_bytes = *size;
  for (size_t i = 0; i < mark.checksum.size(); ++i) {
    unsigned octet = 0;
    const char* first = parts[3].data() + 2 * i;
    const auto [end, error] = std::from_chars(first, first + 2, octet, 16);
    if (error != std::errc{} || end != first + 2) {
      return std::nullopt;
    }
    mark.checksum[i] = static_cast<std::byte>(octet);
  }
  // Only the form that mark_line writes: a mark is not free text.
  return codec::to_hex(mark.checksum) == parts[3] ? std::optional(std::move(mark)) : std::nullopt;
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, ChangeSink& sink,
         const std::optional<JournalPosition>& sealed)
      : text_(text), name_(name), sink_(sink), sealed_(sealed) {
    report_.size_bytes = text.size();
  }

  Result<JournalReport> run() {
    while (at_ < text_.size() && report_.cut_bytes == 0) {
      WEFT_TRY_STATUS(step());
      if (in_commit_ && at_ >= committed_end_) {
        WEFT_TRY_STATUS(leave_commit());
      }
    }
    return std::move(report_);
  }

 private:
  Error damaged(std::string_view reason) const {
    return Error(ErrorKind::kCorrupt, "the journal is damaged")
        .with("journal", name_)
        .with("line", line_)
        .with("offset", line_begin_)
        .with("reason", reason);
  }

  Status leave_commit() {
    in_commit_ = false;
    const bool delivered = !is_sealed_;
    is_sealed_ = false;
    return delivered ? sink_.end_commit() : ok_status();
  }

  Status cut(uint64_t offset, std::string_view reason) {
    report_.cut_offset = offset;
    report_.cut_bytes = text_.size() - offset;
    report_.cut_line = line_;
    report_.cut_reason = reason;
    return ok_status();
  }

  // Takes the line at `at_`.
  Status step() {
    const size_t begin = at_;
    line_begin_ = begin;
    const size_t newline = text_.find('\n', begin);
    const bool terminated = newline != std::string_view::npos;
    const std::string_view raw =
        text_.substr(begin, terminated ? newline - begin : std::string_view::npos);
    // A file that grew before its bytes arrived ends in zeros.
    if (!terminated && raw.find('\0') != std::string_view::npos) {
      return cut(begin, "zero bytes");
    }
    const std::string_view line = trimmed(raw);
    // rete writes a line and its newline in two calls: the newline alone may be missing. Without
    // " ." in the end, the line is torn; with a lone dot it may be: "_:b." of "_:b.1 .".
    if (!terminated && !line.empty() && !raw.ends_with(" .")) {
      return cut(begin, "torn line");
    }
    at_ = terminated ? newline + 1 : text_.size();
    if (!line.empty()) {
      Result<JournalLine> parsed = parse_line(line);
      if (!parsed.ok()) {
        return terminated ? bad_record(begin, parsed.error().message())
                          : cut(begin, "torn line: " + parsed.error().message());
      }
      WEFT_TRY_STATUS(take(*parsed, begin));
      report_.ends_open = !terminated && report_.cut_bytes == 0;
    }
    ++line_;
    return ok_status();
  }

  // Whether the line at `begin` may be the damaged mark of the last commit: one byte of it, or what
  // of it never reached the disk.
  bool may_be_mark(size_t begin) const {
    const std::string_view line = text_.substr(begin, text_.find('\n', begin) - begin);
    const std::string start = mark_start();
    size_t differing = 0;
    for (size_t i = 0; i < start.size(); ++i) {
      differing += i >= line.size() || line[i] != start[i] ? 1 : 0;
    }
    return differing <= 1 || line.find('\0') != std::string_view::npos;
  }

  // Of a record that cannot be read: the last one may be what a crash left of a commit that nobody
  // was told of. What other commits follow is damage.
  Status bad_record(size_t begin, std::string_view reason) {
    const bool is_ours =
        (begin == committed_end_ && report_.commit_count > 0) || may_be_mark(begin);
    if (is_ours && find_commit(text_, begin + 1) == std::string_view::npos) {
      report_.cut_is_whole = true;
      return cut(begin, "torn commit: " + std::string(reason));
    }
    return damaged(reason);
  }

  Status take(const JournalLine& line, size_t begin) {
    const bool is_mark = line.subject == kMarkSubject && line.predicate == kMarkPredicate;
    if (is_mark && !line.insert && line.graph.empty()) {
      return take_mark(line, begin);
    }
    if (is_mark) {
      return bad_record(begin, "the reserved quad of a commit mark is inserted");
    }
    if (is_sealed_) {
      return ok_status();
    }
    ++report_.change_count;
    report_.unmarked_changes += in_commit_ ? 0 : 1;
    return sink_.change(line.insert, {.subject = line.subject,
                                      .predicate = line.predicate,
                                      .object = line.object,
                                      .graph = line.graph});
  }

  Status take_mark(const JournalLine& line, size_t begin) {
    const std::optional<CommitMark> mark = parse_mark(line.object);
    if (!mark.has_value()) {
      return bad_record(begin, "a commit mark that cannot be read");
    }
    if (begin < committed_end_) {
      return damaged("a commit mark inside a commit");
    }
    const uint64_t left = text_.size() - at_;
    if (mark->size_bytes > left) {
      return cut(begin, "torn commit");
    }
    const std::string_view lines = text_.substr(at_, mark->size_bytes);
    if (make_mark(mark->journal_id, mark->sequence, lines).checksum != mark->checksum ||
        (!lines.empty() && !lines.ends_with('\n'))) {
      return bad_record(begin, "the checksum of a commit differs");
    }
    if (report_.commit_count > 0 &&
        (mark->journal_id != report_.journal_id || mark->sequence != report_.last_sequence + 1)) {
      return damaged("a commit is missing, or of another journal");
    }
    ++report_.commit_count;
    report_.journal_id = mark->journal_id;
    report_.last_sequence = mark->sequence;
    committed_end_ = at_ + mark->size_bytes;
    in_commit_ = true;
    is_sealed_ = sealed_.has_value() && sealed_->journal_id == mark->journal_id &&
                 mark->sequence <= sealed_->sequence;
    report_.sealed_commits += is_sealed_ ? 1 : 0;
    return is_sealed_ ? ok_status() : sink_.begin_commit(*mark, begin);
  }

  std::string_view text_;
  std::string_view name_;
  ChangeSink& sink_;
  const std::optional<JournalPosition>& sealed_;
  JournalReport report_;
  bool in_commit_ = false;
  bool is_sealed_ = false;  // the commit that we are in
  size_t line_begin_ = 0;
  size_t at_ = 0;
  size_t committed_end_ = 0;
  uint64_t line_ = 1;
};

}  // namespace

CommitMark make_mark(std::string_view journal_id, uint64_t sequence, std::string_view lines) {
  WEFT_CHECK(is_journal_id(journal_id));
  codec::Blake3 hash;
  hash.update(as_bytes(journal_id));
  hash.update(as_bytes(" " + std::to_string(sequence) + " " + std::to_string(lines.size()) + "\n"));
  hash.update(as_bytes(lines));
  return {.journal_id = std::string(journal_id),
          .sequence = sequence,
          .size_bytes = lines.size(),
          .checksum = hash.digest16()};
}

std::string mark_line(const CommitMark& mark) {
  std::string line = mark_start() + "\"" + mark.journal_id + " " + std::to_string(mark.sequence) +
                     " " + std::to_string(mark.size_bytes) + " " + codec::to_hex(mark.checksum) +
                     "\" .\n";
  return line;
}

void append_line(std::string& lines, bool insert, const rdf::QuadView& quad) {
  lines += insert ? '+' : '-';
  for (const std::string_view token : {quad.subject, quad.predicate, quad.object, quad.graph}) {
    if (!token.empty()) {
      lines += ' ';
      lines += token;
    }
  }
  lines += " .\n";
}

Result<JournalReport> read_journal(std::string_view text, std::string_view name, ChangeSink& sink,
                                   const std::optional<JournalPosition>& sealed) {
  if (text.size() > kJournalSizeMaxBytes) {
    return Error(ErrorKind::kLimit, "the journal is too large: seal it")
        .with("journal", name)
        .with("size_bytes", text.size())
        .with("size_max_bytes", kJournalSizeMaxBytes);
  }
  return Reader(text, name, sink, sealed).run();
}

Result<JournalReport> read_journal(storage::ObjectReader& reader, ChangeSink& sink,
                                   const std::optional<JournalPosition>& sealed) {
  if (reader.size() > kJournalSizeMaxBytes) {
    return Error(ErrorKind::kLimit, "the journal is too large: seal it")
        .with("journal", reader.name())
        .with("size_bytes", reader.size())
        .with("size_max_bytes", kJournalSizeMaxBytes);
  }
  WEFT_TRY(const std::vector<storage::Buffer> parts,
           reader.read_many({{.offset = 0, .size = reader.size()}}));
  return read_journal(as_text(parts.front().view()), reader.name(), sink, sealed);
}

size_t find_commit(std::string_view text, size_t offset) {
  const std::string start = mark_start();
  for (size_t at = text.find(start, offset); at != std::string_view::npos;
       at = text.find(start, at + 1)) {
    const size_t newline = text.find('\n', at);
    if ((at > 0 && text[at - 1] != '\n') || newline == std::string_view::npos) {
      continue;
    }
    const Result<JournalLine> line = parse_line(trimmed(text.substr(at, newline - at)));
    const std::optional<CommitMark> mark = line.ok() ? parse_mark(line->object) : std::nullopt;
    if (mark.has_value() && mark->size_bytes <= text.size() - newline - 1 &&
        make_mark(mark->journal_id, mark->sequence, text.substr(newline + 1, mark->size_bytes))
                .checksum == mark->checksum) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace weft::journal
