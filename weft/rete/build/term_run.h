// The distinct terms of one run in dictionary order, in memory or spilled, and the final numbers
// they get; and the merge of many runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rete/build/pages.h"
#include "weft/rete/build/spool.h"
#include "weft/rete/build/term_interner.h"
#include "weft/rete/build/token_sort.h"

namespace weft::rete::build {

// Reads terms in ascending order. After a successful next() the term is current until the next
// one. Not thread-safe.
class TermCursor {
 public:
  virtual ~TermCursor() = default;
  // False at the end.
  virtual Result<bool> next() = 0;
  // Remembers the final number of the current term.
  virtual Status assign(uint32_t number) = 0;
  virtual Status finish() = 0;

  std::string_view token() const { return token_; }
  uint8_t roles() const { return roles_; }

 protected:
  std::string_view token_;
  uint8_t roles_ = 0;
};

// One kind of terms (nodes, predicates or graph names) of one run. First filled, then sorted, then
// read once through a cursor that gives every term its number, then looked up by the ids that the
// run's rows hold: those of the interner, or positions in sorted order if it was spilled.
class RunTerms {
 public:
  explicit RunTerms(uint64_t seed) : interner_(seed) {}

  TermInterner& interner() { return interner_; }
  const TermInterner& interner() const { return interner_; }
  bool is_spilled() const { return spilled_; }
  uint32_t term_count() const { return term_count_; }

  void sort();
  // After sort(): position in sorted order by interner id. Released by spill().
  std::span<const uint32_t> rank() const { return numbers_.span(); }
  void compute_rank();
  // After sort(): moves the terms to `file`.
  Status spill(SharedScratchFile& file);

  // `numbers_file` keeps the numbers of spilled terms; `buffer_bytes` per cursor. The run, and
  // `terms_file` (where spill() wrote) must outlive the cursor.
  std::unique_ptr<TermCursor> cursor(SharedScratchFile& terms_file, SharedScratchFile& numbers_file,
                                     size_t buffer_bytes);
  // After the cursor's end: frees what only the merge needed.
  void release_terms();
  // Brings the numbers into memory, indexed by the ids of the rows; release_numbers() undoes it for
  // spilled runs.
  Status load_numbers(const SharedScratchFile& numbers_file);
  void release_numbers();
  std::span<const uint32_t> numbers() const { return numbers_.span(); }

 private:
  friend class MemoryTermCursor;
  friend class SpilledTermCursor;
  TermInterner interner_;
  PageArray<TokenRef> order_;
  PageArray<uint32_t> numbers_;
  uint32_t term_count_ = 0;
  bool spilled_ = false;
  std::vector<Extent> terms_;
  std::vector<Extent> numbers_extents_;
};

// All distinct terms of several cursors, ascending, roles united. Not thread-safe.
class TermMerge {
 public:
  explicit TermMerge(std::vector<std::unique_ptr<TermCursor>> cursors)
      : cursors_(std::move(cursors)) {}
  Result<bool> next();
  std::string_view token() const { return cursors_[current_.front()]->token(); }
  uint8_t roles() const { return roles_; }
  // Tells every run that has the current term.
  Status assign(uint32_t number);
  // After the end.
  Status finish();

 private:
  Result<bool> advance(size_t cursor);
  bool comes_later(size_t a, size_t b) const { return cursors_[a]->token() > cursors_[b]->token(); }

  std::vector<std::unique_ptr<TermCursor>> cursors_;
  std::vector<size_t> heap_;     // cursors that wait, the one with the least term on top
  std::vector<size_t> current_;  // cursors that stand on the current term
  uint8_t roles_ = 0;
  bool started_ = false;
};

}  // namespace weft::rete::build
