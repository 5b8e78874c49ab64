// Searching the words of the text index for parts of them.
//
// The words are few beside the literals, and lie one behind the other in memory once their leaves
// are decoded: looking through all of them for a part costs a fraction of a millisecond per
// megabyte.
#include <algorithm>
#include <iterator>
#include <utility>

#include <string.h>

#include "weft/rete/text_index.h"

namespace weft::rete {

// The postings of the words that hold a part.
struct TextIndex::Matches {
  std::vector<TextLeaf::Posting> postings;
  uint64_t bytes = 0;
  uint64_t bytes_max = 0;

  bool too_many() const { return bytes > bytes_max || postings.size() > kWordsMax; }
  void add(const TextLeaf::Posting& posting) {
    bytes += posting.size;
    postings.push_back(posting);
  }

  // Words whose subjects are read for one question.
  static constexpr size_t kWordsMax = 8'192;
};

namespace {

// Leaves that are loaded together.
constexpr size_t kLeavesPerRound = 64;
// A posting has at least so many bytes per subject on average, more or less: above that a question
// is given up before any subject is read.
constexpr uint64_t kPostingBytesPerSubject = 3;
constexpr uint64_t kPostingBytesMin = 256;
// Of several parts each may have so many times as many: reading a subject is quick beside looking
// it up, and those that all parts have are few.
constexpr uint64_t kIntersectedTimes = 16;
// Subjects that are not worth another list.
constexpr size_t kFewSubjects = 32;

}  // namespace

// Words that hold `part` anywhere, or at their end.
void TextIndex::match(const TextLeaf& leaf, const WordPart& part, Matches& matches) {
  const TokenTable& words = leaf.words();
  const std::string_view text = words.text();
  size_t at = 0;
  while (at < text.size() && !matches.too_many()) {
    const void* const found =
        memmem(text.data() + at, text.size() - at, part.text.data(), part.text.size());
    if (found == nullptr) {
      return;
    }
    const auto begin = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    const size_t word = words.index_at(begin);
    const size_t end = words.end_of(word);
    const bool fits = part.ends ? begin + part.text.size() == end : begin + part.text.size() <= end;
    if (fits) {
      matches.add(leaf.postings()[word]);
    }
    at = fits ? end : begin + 1;
  }
}

Status TextIndex::find_words(const WordPart& part, Matches& matches, const std::stop_token& stop) {
  if (!part.begins) {
    for (size_t first = 0; first < leaves_.size() && !matches.too_many();
         first += kLeavesPerRound) {
      const size_t count = std::min(kLeavesPerRound, leaves_.size() - first);
      WEFT_TRY(const BlockLoader::Blocks blocks, leaves(first, count, nullptr, stop));
      for (const std::shared_ptr<const CachedBlock>& block : blocks) {
        match(static_cast<const TextLeaf&>(*block), part, matches);
      }
    }
    return ok_status();
  }
  // Words that begin with it stand together, from the leaf on that would have the part itself.
  const size_t from = leaf_of(part.text);
  for (size_t i = from < leaves_.size() ? from : 0; i < leaves_.size() && !matches.too_many();
       ++i) {
    if (i > from && leaves_[i].first.compare(0, part.text.size(), part.text) > 0) {
      return ok_status();
    }
    WEFT_TRY(const BlockLoader::Blocks blocks, leaves(i, 1, nullptr, stop));
    const auto& leaf = static_cast<const TextLeaf&>(*blocks.front());
    const TokenTable& words = leaf.words();
    for (size_t word = leaf.lower_bound(part.text); word < words.size() && !matches.too_many();
         ++word) {
      if (!words[word].starts_with(part.text)) {
        return ok_status();
      }
      if (!part.ends || words[word] == part.text) {
        matches.add(leaf.postings()[word]);
      }
      if (part.ends) {
        return ok_status();
      }
    }
  }
  return ok_status();
}

Result<std::vector<uint32_t>> TextIndex::subjects_of(const Matches& matches, uint32_t subject_limit,
                                                     const std::stop_token& stop) {
  std::vector<storage::Range> places;
  places.reserve(matches.postings.size());
  for (const TextLeaf::Posting& posting : matches.postings) {
    places.push_back({postings_.offset + posting.offset, posting.size});
  }
  WEFT_TRY(const std::vector<storage::Buffer> stored, loader_.file().read(places, stop));
  std::vector<uint32_t> subjects;
  for (size_t i = 0; i < stored.size(); ++i) {
    WEFT_TRY_STATUS(append_subjects(stored[i].view(), places[i].offset, subject_limit, subjects));
  }
  if (stored.size() > 1) {
    std::ranges::sort(subjects);
    const auto repeated = std::ranges::unique(subjects);
    subjects.erase(repeated.begin(), repeated.end());
  }
  return subjects;
}

Result<std::optional<std::vector<uint32_t>>> TextIndex::find_parts(std::span<const WordPart> parts,
                                                                   uint32_t subject_limit,
                                                                   uint64_t subjects_max,
                                                                   const std::stop_token& stop) {
  // Where words begin with a part they are found by the order; then long parts before short ones.
  std::vector<const WordPart*> order;
  for (const WordPart& part : parts) {
    order.push_back(&part);
  }
  std::ranges::sort(order, [](const WordPart* a, const WordPart* b) {
    return std::pair(!a->begins, b->text.size()) < std::pair(!b->begins, a->text.size());
  });
  const uint64_t one_part_bytes_max =
      std::max(kPostingBytesMin, subjects_max * kPostingBytesPerSubject);
  std::vector<Matches> found;
  for (const WordPart* part : order) {
    Matches matches;
    matches.bytes_max = one_part_bytes_max * (parts.size() > 1 ? kIntersectedTimes : 1);
    WEFT_TRY_STATUS(find_words(*part, matches, stop));
    if (matches.too_many()) {
      continue;
    }
    found.push_back(std::move(matches));
    if (found.back().bytes <= kPostingBytesMin) {
      break;  // few enough
    }
  }
  std::ranges::sort(found, {}, &Matches::bytes);
  if (found.empty() || (found.size() == 1 && found.front().bytes > one_part_bytes_max)) {
    return std::optional<std::vector<uint32_t>>();
  }
  WEFT_TRY(std::vector<uint32_t> subjects, subjects_of(found.front(), subject_limit, stop));
  for (size_t i = 1; i < found.size() && subjects.size() > kFewSubjects; ++i) {
    WEFT_TRY(const std::vector<uint32_t> others, subjects_of(found[i], subject_limit, stop));
    std::vector<uint32_t> both;
    std::ranges::set_intersection(subjects, others, std::back_inserter(both));
    subjects = std::move(both);
  }
  if (subjects.size() > subjects_max) {
    return std::optional<std::vector<uint32_t>>();
  }
  return std::optional(std::move(subjects));
}

}  // namespace weft::rete
