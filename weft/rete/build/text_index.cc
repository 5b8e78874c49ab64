#include "weft/rete/build/text_index.h"

#include <algorithm>

#include "weft/codec/varint.h"
#include "weft/rete/build/unicode_text.h"

namespace weft::rete::build {
namespace {

constexpr uint64_t kSeed = 0x7E57;
constexpr uint8_t kScopeVersion = 1;
constexpr size_t kCursorBytesMin = 4096;
constexpr size_t kCursorBytesMax = size_t{256} << 10U;

std::string encode_scope(const TextIndexScope& scope) {
  if (!scope.named_graphs && scope.predicates == TextIndexScope::Predicates::kAll) {
    return "";
  }
  std::vector<std::string> listed = scope.listed;
  std::sort(listed.begin(), listed.end());
  listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
  std::string out;
  out.push_back(static_cast<char>(kScopeVersion));
  out.push_back(scope.named_graphs ? '\1' : '\0');
  out.push_back(static_cast<char>(scope.predicates));
  codec::append_varint(out, listed.size());
  for (const std::string& predicate : listed) {
    codec::append_length_prefixed(out, predicate);
  }
  return out;
}

// Every value alike: buckets of equal width, and a finer round for those that grow too large.
ColumnHistogram even_histogram(uint32_t value_max) {
  ColumnHistogram histogram(1, value_max);
  for (uint64_t value = 1; value <= value_max; value += uint64_t{1} << histogram.shift()) {
    histogram.add(static_cast<uint32_t>(value));
  }
  return histogram;
}

}  // namespace

TextCollector::TextCollector(const Dictionary& dictionary, const TextIndexScope& scope,
                             std::vector<uint32_t> listed, uint32_t restart_interval,
                             const BuildSpace& space)
    : dictionary_(&dictionary),
      scope_(scope),
      listed_(std::move(listed)),
      space_(&space),
      objects_(dictionary, DictSection::kObjects, restart_interval, space.codec.compresses()),
      terms_file_(space.scratch),
      rows_file_(space.scratch),
      numbers_file_(space.scratch) {
  runs_.push_back(std::make_unique<Run>(kSeed));
}

bool TextCollector::covers(uint32_t predicate) const {
  const bool listed = std::binary_search(listed_.begin(), listed_.end(), predicate);
  switch (scope_.predicates) {
    case TextIndexScope::Predicates::kAll:
      return true;
    case TextIndexScope::Predicates::kOnly:
      return listed;
    case TextIndexScope::Predicates::kAllBut:
      return !listed;
  }
  return false;
}

Status TextCollector::use_object(uint32_t object) {
  object_ = object;
  subject_ = 0;
  object_words_.clear();
  word_places_.clear();
  const uint32_t shared = dictionary_->count(DictSection::kShared);
  is_literal_ = object <= shared
                    ? object <= dictionary_->at(DictSection::kShared).literal_count
                    : object - shared <= dictionary_->at(DictSection::kObjects).literal_count;
  if (!is_literal_) {
    return ok_status();
  }
  WEFT_TRY(const std::string_view token, objects_.at(object));
  std::vector<std::string> words;
  for_each_word(literal_value(token),
                [&words](std::string_view word) { words.emplace_back(word); });
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (const std::string& word : words) {
    word_places_.emplace_back(object_words_.size(), word.size());
    object_words_ += word;
  }
  return ok_status();
}

Status TextCollector::renew_if_full(size_t word_count, size_t word_bytes) {
  Run& run = *runs_.back();
  const TermInterner& words = run.words.interner();
  const uint64_t needed = words.memory_bytes_with(word_count, word_bytes) +
                          run.rows.memory_bytes() + word_count * sizeof(WordRow);
  if (words.size() == 0 ||
      (needed <= space_->sort_bytes && words.has_room(word_count, word_bytes))) {
    return ok_status();
  }
  WEFT_TRY_STATUS(spill(run));
  runs_.push_back(std::make_unique<Run>(kSeed));
  return ok_status();
}

Status TextCollector::spill(Run& run) {
  run.words.sort();
  run.words.compute_rank();
  const std::span<const uint32_t> rank = run.words.rank();
  for (WordRow& row : run.rows.span()) {
    row.at[0] = rank[row.at[0]];
  }
  run.row_count = run.rows.size();
  if (!run.rows.empty()) {
    WEFT_TRY(const Extent extent, rows_file_.append(std::as_bytes(run.rows.span())));
    run.extents.push_back(extent);
  }
  run.rows.release();
  return run.words.spill(terms_file_);
}

Status TextCollector::add_subject(uint32_t subject) {
  if (subject == subject_) {
    return ok_status();
  }
  subject_ = subject;
  WEFT_TRY_STATUS(renew_if_full(word_places_.size(), object_words_.size()));
  Run& run = *runs_.back();
  for (const auto& [begin, size] : word_places_) {
    const uint32_t word = run.words.interner().intern(
        std::string_view(object_words_).substr(begin, size), kRoleSubject);
    run.rows.push_back({{word, subject}});
  }
  return ok_status();
}

Status TextCollector::accept_osp(std::span<const Row<3>> rows) {
  for (const Row<3>& row : rows) {
    if (row.at[2] != object_) {
      WEFT_TRY_STATUS(use_object(row.at[2]));
    }
    if (is_literal_ && covers(row.at[1])) {
      WEFT_TRY_STATUS(add_subject(row.at[0]));
    }
  }
  return ok_status();
}

Status TextCollector::accept_quads(std::span<const Row<4>> rows) {
  if (quad_rows_ == nullptr) {
    quad_rows_ =
        std::make_unique<RowSorter<3>>(std::vector<SortColumn>{{2, 1, dictionary_->object_max()},
                                                               {0, 1, dictionary_->subject_max()}},
                                       even_histogram(dictionary_->object_max()), false, *space_);
  }
  std::vector<Row<3>> triples;
  triples.reserve(rows.size());
  for (const Row<4>& row : rows) {
    triples.push_back({{row.at[1], row.at[2], row.at[3]}});
  }
  return quad_rows_->accept(triples);
}

Status TextCollector::number_words(TextParts& parts) {
  const bool spilled = runs_.size() > 1;
  if (spilled) {
    WEFT_TRY_STATUS(spill(*runs_.back()));
  } else {
    runs_.back()->words.sort();
    runs_.back()->row_count = runs_.back()->rows.size();
  }
  const size_t buffer =
      std::clamp<size_t>(space_->sort_bytes / (2 * runs_.size()), kCursorBytesMin, kCursorBytesMax);
  std::vector<std::unique_ptr<TermCursor>> cursors;
  cursors.reserve(runs_.size());
  for (const auto& run : runs_) {
    cursors.push_back(run->words.cursor(terms_file_, numbers_file_, buffer));
  }
  TermMerge merge(std::move(cursors));
  std::string entry;
  while (true) {
    WEFT_TRY(const bool more, merge.next());
    if (!more) {
      break;
    }
    if (parts.token_count == UINT32_MAX) {
      return Error(ErrorKind::kLimit, "too many words for the text index");
    }
    WEFT_TRY_STATUS(merge.assign(static_cast<uint32_t>(++parts.token_count)));
    entry.clear();
    codec::append_length_prefixed(entry, merge.token());
    WEFT_TRY_STATUS(parts.tokens.append(as_bytes(entry)));
  }
  WEFT_TRY_STATUS(merge.finish());
  for (const auto& run : runs_) {
    run->words.release_terms();
  }
  return ok_status();
}

Status TextCollector::for_each_row(const TakeRows<2>& take) {
  constexpr size_t kRowsPerBatch = 16384;
  PageArray<WordRow> batch;
  for (const auto& run : runs_) {
    WEFT_TRY_STATUS(run->words.load_numbers(numbers_file_));
    const std::span<const uint32_t> numbers = run->words.numbers();
    const auto translate = [&](std::span<WordRow> rows) {
      for (WordRow& row : rows) {
        row.at[0] = numbers[row.at[0]];
      }
    };
    translate(run->rows.span());
    WEFT_TRY_STATUS(take(run->rows.span()));
    ExtentReader reader(rows_file_, run->extents, kRowsPerBatch * sizeof(WordRow));
    while (true) {
      WEFT_TRY(const ByteView bytes, reader.read(kRowsPerBatch * sizeof(WordRow)));
      if (bytes.empty()) {
        break;
      }
      batch.resize(bytes.size() / sizeof(WordRow));
      std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(batch.span()).begin());
      translate(batch.span());
      WEFT_TRY_STATUS(take(batch.span()));
    }
    run->rows.release();
    run->words.release_numbers();
  }
  return ok_status();
}

namespace {

// Writes the postings of words whose rows come in order: per word a count and the steps between its
// subjects.
class PostingWriter {
 public:
  explicit PostingWriter(TextParts& parts) : parts_(&parts) {}

  Status accept(std::span<const Row<2>> rows) {
    for (const Row<2>& row : rows) {
      WEFT_TRY_STATUS(row.at[0] == word_ ? ok_status() : start(row.at[0]));
      codec::append_varint(deltas_, row.at[1] - previous_);
      previous_ = row.at[1];
      ++count_;
    }
    return ok_status();
  }

  // Writes the last word's, if there was one.
  Status close() {
    if (word_ == 0) {
      return ok_status();
    }
    std::string posting;
    codec::append_varint(posting, count_);
    posting += deltas_;
    std::string length;
    codec::append_varint(length, posting.size());
    WEFT_TRY_STATUS(parts_->posting_lengths.append(as_bytes(length)));
    return parts_->postings.append(as_bytes(posting));
  }

 private:
  Status start(uint32_t word) {
    WEFT_TRY_STATUS(close());
    word_ = word;
    count_ = 0;
    previous_ = 0;
    deltas_.clear();
    return ok_status();
  }

  TextParts* parts_;
  uint32_t word_ = 0;
  uint64_t count_ = 0;
  uint32_t previous_ = 0;
  std::string deltas_;
};

}  // namespace

Status TextCollector::write_postings(TextParts& parts) {
  const auto words = static_cast<uint32_t>(parts.token_count);
  RowSorter<2> sorter({{0, 1, words}, {1, 1, dictionary_->subject_max()}}, even_histogram(words),
                      true, *space_);
  WEFT_TRY_STATUS(
      for_each_row([&sorter](std::span<const WordRow> rows) { return sorter.accept(rows); }));
  PostingWriter writer(parts);
  WEFT_TRY_STATUS(
      sorter.emit([&writer](std::span<const WordRow> rows) { return writer.accept(rows); }));
  return writer.close();
}

Result<std::optional<TextParts>> TextCollector::finish() {
  if (quad_rows_ != nullptr) {
    object_ = 0;
    WEFT_TRY_STATUS(
        quad_rows_->emit([this](std::span<const Row<3>> rows) { return accept_osp(rows); }));
  }
  std::optional<TextParts> parts(std::in_place, *space_);
  parts->scope = encode_scope(scope_);
  WEFT_TRY_STATUS(number_words(*parts));
  if (parts->token_count == 0) {
    return std::optional<TextParts>();
  }
  WEFT_TRY_STATUS(write_postings(*parts));
  return parts;
}

}  // namespace weft::rete::build
