// The text index: word -> subjects that have a literal with it. Format: docs/formats/rete.md, "Text
// index".
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/options.h"
#include "weft/rete/build/row_sorter.h"
#include "weft/rete/build/segment_parts.h"
#include "weft/rete/build/term_reader.h"
#include "weft/rete/build/term_run.h"

namespace weft::rete::build {

// Collects words while rows come by in the order of their objects; then writes the index. Not
// thread-safe.
class TextCollector {
 public:
  // `listed`: ids of the scope's predicates, ascending.
  TextCollector(const Dictionary& dictionary, const TextIndexScope& scope,
                std::vector<uint32_t> listed, uint32_t restart_interval, const BuildSpace& space);

  // Rows of the default graph in the order OSP.
  Status accept_osp(std::span<const Row<3>> rows);
  // Rows of named graphs in any order; kept until finish().
  Status accept_quads(std::span<const Row<4>> rows);
  // nullopt if there is no word.
  Result<std::optional<TextParts>> finish();

 private:
  using WordRow = Row<2>;  // word, subject
  struct Run {
    explicit Run(uint64_t seed) : words(seed) {}
    RunTerms words;
    PageArray<WordRow> rows;
    std::vector<Extent> extents;
    uint64_t row_count = 0;
  };

  bool covers(uint32_t predicate) const;
  Status use_object(uint32_t object);
  Status add_subject(uint32_t subject);
  Status renew_if_full(size_t word_count, size_t word_bytes);
  Status spill(Run& run);
  Status number_words(TextParts& parts);
  Status for_each_row(const TakeRows<2>& take);
  Status write_postings(TextParts& parts);

  const Dictionary* dictionary_;
  TextIndexScope scope_;
  std::vector<uint32_t> listed_;
  const BuildSpace* space_;
  RoleReader objects_;
  uint32_t object_ = 0;
  bool is_literal_ = false;
  uint32_t subject_ = 0;                                // the last one with object_
  std::string object_words_;                            // one after the other
  std::vector<std::pair<size_t, size_t>> word_places_;  // distinct words of object_
  std::unique_ptr<RowSorter<3>> quad_rows_;
  SharedScratchFile terms_file_;
  SharedScratchFile rows_file_;
  SharedScratchFile numbers_file_;
  std::vector<std::unique_ptr<Run>> runs_;
};

}  // namespace weft::rete::build
