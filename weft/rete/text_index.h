// The text index: from a word to the subjects that have a literal with it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rete/block_loader.h"
#include "weft/rete/format.h"
#include "weft/rete/text_words.h"
#include "weft/rete/token_table.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

struct TextScope;

// Words and where their postings lie, a piece of the table. Words strictly ascending.
class TextLeaf final : public CachedBlock {
 public:
  struct Posting {
    uint64_t offset = 0;  // within the postings
    uint64_t size = 0;
  };
  // `count` words; `scope` takes what stands behind the last one, or must be nullptr if nothing
  // may.
  static Result<std::shared_ptr<const TextLeaf>> from_raw(std::string_view raw, uint64_t count,
                                                          size_t raw_offset, uint64_t postings_size,
                                                          std::string* scope);
  size_t memory_bytes() const override;
  const TokenTable& words() const { return words_; }
  const std::vector<Posting>& postings() const { return postings_; }
  // The first word that is not below `word`, or the number of words.
  size_t lower_bound(std::string_view word) const;

 private:
  TokenTable words_;
  std::vector<Posting> postings_;
};

// Thread-safe. The loader must outlive it.
class TextIndex {
 public:
  struct LeafRef {
    uint64_t word_count = 0;
    storage::Range stored;
    std::string first;
  };

  // Generation 6: the unit root, sections 6 and 20.
  static Result<std::unique_ptr<TextIndex>> parse6(BlockLoader& loader, std::string_view payload,
                                                   storage::Range leaves, storage::Range postings,
                                                   Codec codec, uint64_t raw_bytes_max);
  // Generation 5: the section (behind its digest, if it has one).
  static Result<std::unique_ptr<TextIndex>> read5(BlockLoader& loader, storage::Range section,
                                                  Codec codec);

  // The scope block as stored; empty: default graph, all predicates.
  const std::string& scope_bytes() const { return scope_; }
  // Errors: kUnsupported if its version is unknown.
  Result<TextScope> scope() const;
  uint64_t word_count() const { return word_count_; }

  // Stored subject ids, strictly ascending, at most `subject_limit` each.
  Result<std::vector<uint32_t>> find(std::string_view word, uint32_t subject_limit);

  // Subjects that have, for each of `parts`, a literal with a word that holds it, or more subjects
  // than those, ascending. nullopt if there is no part, or if these are
  // probably more than `subjects_max`. At worst it looks at all words. Errors: kCorrupt,
  // kUnavailable, kCancelled.
  Result<std::optional<std::vector<uint32_t>>> find_parts(std::span<const WordPart> parts,
                                                          uint32_t subject_limit,
                                                          uint64_t subjects_max,
                                                          const std::stop_token& stop);

  // All words in order with their subjects, for verify.
  using Visit = std::function<Status(std::string_view word, const std::vector<uint32_t>& subjects)>;
  Status for_each(uint32_t subject_limit, const Visit& visit);

 private:
  explicit TextIndex(BlockLoader& loader) : loader_(loader) {}
  Result<std::shared_ptr<const TextLeaf>> leaf(size_t index, std::string* scope = nullptr);
  Result<BlockLoader::Blocks> leaves(size_t first, size_t count, std::string* scope,
                                     const std::stop_token& stop);
  // The leaf that has `word` if any has; leaves_.size() if none can.
  size_t leaf_of(std::string_view word) const;
  Result<std::vector<uint32_t>> subjects(const TextLeaf::Posting& posting, uint32_t subject_limit);
  Status append_subjects(ByteView stored, uint64_t offset, uint32_t subject_limit,
                         std::vector<uint32_t>& subjects) const;
  // text_search.cc
  struct Matches;
  static void match(const TextLeaf& leaf, const WordPart& part, Matches& matches);
  Result<std::vector<uint32_t>> subjects_of(const Matches& matches, uint32_t subject_limit,
                                            const std::stop_token& stop);
  Status find_words(const WordPart& part, Matches& matches, const std::stop_token& stop);

  BlockLoader& loader_;
  Codec codec_ = Codec::kNone;
  uint64_t raw_bytes_max_ = 0;
  bool is_generation5_ = false;  // the leaf begins with its count and may end with the scope
  std::string scope_;
  uint64_t word_count_ = 0;
  std::vector<LeafRef> leaves_;
  storage::Range postings_;
};

}  // namespace weft::rete
