#include "weft/rete/text_index.h"

#include <algorithm>
#include <utility>

#include "weft/codec/varint.h"
#include "weft/rete/damage.h"
#include "weft/rete/file_reader.h"
#include "weft/rete/segment.h"

namespace weft::rete {
namespace {

using storage::Range;

Error bad(const char* reason) {
  return Error(ErrorKind::kCorrupt, "damaged text index").with("reason", reason);
}

bool within(Range section, uint64_t offset, uint64_t size, Range& place) {
  if (offset > section.size || size > section.size - offset) {
    return false;
  }
  place = {section.offset + offset, size};
  return true;
}

}  // namespace

Result<std::shared_ptr<const TextLeaf>> TextLeaf::from_raw(std::string_view raw, uint64_t count,
                                                           size_t raw_offset,
                                                           uint64_t postings_size,
                                                           std::string* scope) {
  constexpr size_t kWordBytesMin = 4;
  if (raw_offset > raw.size() || count > (raw.size() - raw_offset) / kWordBytesMin) {
    return bad("leaf is cut short");
  }
  codec::ByteReaderView reader(as_bytes(raw.substr(raw_offset)));
  auto leaf = std::make_shared<TextLeaf>();
  std::string word;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t shared = reader.varint();
    const std::string_view suffix = as_text(reader.length_prefixed());
    const uint64_t offset = reader.varint();
    const uint64_t size = reader.varint();
    if (!reader.ok() || shared > word.size() || std::string_view(word).substr(shared) >= suffix) {
      return bad("words do not ascend");
    }
    if (offset > postings_size || size > postings_size - offset || size == 0) {
      return bad("posting is out of its place");
    }
    word.resize(shared);
    word.append(suffix);
    leaf->words_.add(word);
    leaf->postings_.push_back({offset, size});
  }
  if (scope != nullptr) {
    *scope = as_text(reader.bytes(reader.remaining()));
  } else if (reader.remaining() != 0) {
    return bad("bytes behind the last word");
  }
  return std::shared_ptr<const TextLeaf>(std::move(leaf));
}

size_t TextLeaf::lower_bound(std::string_view word) const {
  size_t low = 0;
  size_t high = words_.size();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (words_[middle] < word) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

size_t TextLeaf::memory_bytes() const {
  return sizeof(*this) + words_.text_bytes() + words_.size() * (sizeof(uint64_t) + sizeof(Posting));
}

Result<std::unique_ptr<TextIndex>> TextIndex::parse6(BlockLoader& loader, std::string_view payload,
                                                     Range leaves, Range postings, Codec codec,
                                                     uint64_t raw_bytes_max) {
  std::unique_ptr<TextIndex> index(new TextIndex(loader));
  index->codec_ = codec;
  index->raw_bytes_max_ = raw_bytes_max;
  index->postings_ = postings;
  codec::ByteReaderView reader(as_bytes(payload));
  index->scope_ = as_text(reader.length_prefixed());
  index->word_count_ = reader.varint();
  constexpr size_t kLeafRefBytesMin = 4;
  const uint64_t leaf_count = reader.count(kLeafRefBytesMin);
  uint64_t words = 0;
  for (uint64_t i = 0; i < leaf_count; ++i) {
    LeafRef ref;
    ref.word_count = reader.varint();
    const uint64_t offset = reader.varint();
    const uint64_t size = reader.varint();
    ref.first = as_text(reader.length_prefixed());
    if (!reader.ok() || size == 0 || !within(leaves, offset, size, ref.stored) ||
        ref.word_count == 0 || ref.word_count > index->word_count_ - words) {
      return bad("leaves do not cover the words");
    }
    if (!index->leaves_.empty() && (ref.first <= index->leaves_.back().first ||
                                    ref.stored.offset <= index->leaves_.back().stored.offset)) {
      return bad("leaves do not ascend");
    }
    words += ref.word_count;
    index->leaves_.push_back(std::move(ref));
  }
  if (!reader.ok() || reader.remaining() != 0 || words != index->word_count_) {
    return bad("leaves do not cover the words");
  }
  return index;
}

Result<std::unique_ptr<TextIndex>> TextIndex::read5(BlockLoader& loader, Range section,
                                                    Codec codec) {
  std::unique_ptr<TextIndex> index(new TextIndex(loader));
  index->is_generation5_ = true;
  index->codec_ = codec;
  index->raw_bytes_max_ = kBlockBytesMax5;
  FileReader reader(loader.file(), section, "text");
  const Range table = reader.region();
  index->postings_ = {reader.position(), reader.remaining()};
  WEFT_TRY_STATUS(reader.status());
  if (table.size == 0) {
    return index;
  }
  index->leaves_.push_back({.word_count = 0, .stored = table, .first = {}});
  std::string scope;
  WEFT_TRY(const std::shared_ptr<const TextLeaf> leaf, index->leaf(0, &scope));
  index->word_count_ = leaf->words().size();
  index->scope_ = std::move(scope);
  return index;
}

Result<BlockLoader::Blocks> TextIndex::leaves(size_t first, size_t count, std::string* scope,
                                              const std::stop_token& stop) {
  std::vector<BlockRequest> requests;
  for (size_t i = first; i < first + count; ++i) {
    requests.push_back(
        {.source = {.type = BlockType::kTextLeaf, .owner = 0, .section = "text-leaves"},
         .stored = leaves_[i].stored});
  }
  const auto decode = [&](size_t at,
                          ByteView stored) -> Result<std::shared_ptr<const CachedBlock>> {
    const size_t index = first + at;
    const LeafRef& ref = leaves_[index];
    WEFT_TRY(const std::string raw, decompress(codec_, stored, raw_bytes_max_));
    uint64_t words = ref.word_count;
    size_t offset = 0;
    std::string behind;
    if (is_generation5_) {
      codec::ByteReaderView head(as_bytes(raw));
      words = head.varint();
      offset = head.position();
    }
    WEFT_TRY(std::shared_ptr<const TextLeaf> leaf,
             TextLeaf::from_raw(raw, words, offset, postings_.size,
                                is_generation5_ ? &behind : nullptr));
    if (scope != nullptr) {
      *scope = std::move(behind);
    }
    if (!is_generation5_) {
      if (leaf->words()[0] != ref.first ||
          (index + 1 < leaves_.size() &&
           leaf->words()[leaf->words().size() - 1] >= leaves_[index + 1].first)) {
        return bad("leaf differs from its reference");
      }
    }
    return std::shared_ptr<const CachedBlock>(std::move(leaf));
  };
  // The first reading of a table of generation 5 also takes its scope, which the cache would not
  // give again: it is read before anything is kept.
  return loader_.load(requests, decode, scope == nullptr, stop);
}

Result<std::shared_ptr<const TextLeaf>> TextIndex::leaf(size_t index, std::string* scope) {
  WEFT_TRY(const BlockLoader::Blocks blocks, leaves(index, 1, scope, {}));
  return std::static_pointer_cast<const TextLeaf>(blocks[0]);
}

Status TextIndex::append_subjects(ByteView stored, uint64_t offset, uint32_t subject_limit,
                                  std::vector<uint32_t>& subjects) const {
  codec::ByteReaderView reader(stored);
  const uint64_t count = reader.count(1);
  subjects.reserve(subjects.size() + count);
  uint64_t subject = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t step = reader.varint();
    if (!reader.ok() || step == 0 || step > subject_limit - subject) {
      return damage("subjects of a word do not ascend", loader_.file().name(), "text", offset);
    }
    subject += step;
    subjects.push_back(static_cast<uint32_t>(subject));
  }
  if (!reader.ok() || count == 0 || reader.remaining() != 0) {
    return damage("posting is malformed", loader_.file().name(), "text", offset);
  }
  return ok_status();
}

Result<std::vector<uint32_t>> TextIndex::subjects(const TextLeaf::Posting& posting,
                                                  uint32_t subject_limit) {
  const Range place{postings_.offset + posting.offset, posting.size};
  WEFT_TRY(const storage::Buffer bytes, loader_.file().read_one(place));
  std::vector<uint32_t> result;
  WEFT_TRY_STATUS(append_subjects(bytes.view(), place.offset, subject_limit, result));
  return result;
}

size_t TextIndex::leaf_of(std::string_view word) const {
  if (is_generation5_) {
    return 0;  // at most one leaf, whose first word is not known beforehand
  }
  const auto behind = std::partition_point(leaves_.begin(), leaves_.end(),
                                           [&](const LeafRef& ref) { return ref.first <= word; });
  return behind == leaves_.begin() ? leaves_.size()
                                   : static_cast<size_t>(behind - leaves_.begin()) - 1;
}

Result<std::vector<uint32_t>> TextIndex::find(std::string_view word, uint32_t subject_limit) {
  const size_t index = leaf_of(word);
  if (index >= leaves_.size()) {
    return std::vector<uint32_t>();
  }
  WEFT_TRY(const std::shared_ptr<const TextLeaf> words, leaf(index));
  const size_t at = words->lower_bound(word);
  if (at == words->words().size() || words->words()[at] != word) {
    return std::vector<uint32_t>();
  }
  return subjects(words->postings()[at], subject_limit);
}

Status TextIndex::for_each(uint32_t subject_limit, const Visit& visit) {
  for (size_t i = 0; i < leaves_.size(); ++i) {
    WEFT_TRY(const std::shared_ptr<const TextLeaf> words, leaf(i));
    for (size_t k = 0; k < words->words().size(); ++k) {
      WEFT_TRY(const std::vector<uint32_t> found, subjects(words->postings()[k], subject_limit));
      WEFT_TRY_STATUS(visit(words->words()[k], found));
    }
  }
  return ok_status();
}

Result<TextScope> TextIndex::scope() const {
  TextScope result;
  if (scope_.empty()) {
    return result;
  }
  codec::ByteReaderView reader(as_bytes(scope_));
  const uint8_t version = reader.u8();
  if (version != 1) {
    return Error(ErrorKind::kUnsupported, "cannot read the scope of the text index")
        .with("file", loader_.file().name())
        .with("version", uint64_t{version});
  }
  const uint8_t graphs = reader.u8();
  const uint8_t predicates = reader.u8();
  const uint64_t count = reader.count(1);
  for (uint64_t i = 0; i < count; ++i) {
    result.listed.emplace_back(as_text(reader.length_prefixed()));
  }
  if (!reader.ok() || reader.remaining() != 0 || graphs > 1 || predicates > 2) {
    return damage("scope of the text index is malformed", loader_.file().name(), "text", 0);
  }
  result.covers_named_graphs = graphs == 1;
  result.predicates = static_cast<TextScope::Predicates>(predicates);
  return result;
}

}  // namespace weft::rete
