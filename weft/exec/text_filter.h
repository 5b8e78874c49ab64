// A text test over the rows of batches: each different term is tested once, all of a batch in one
// call to the source.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/result.h"
#include "weft/exec/quad_source.h"
#include "weft/exec/row_batch.h"
#include "weft/exec/term_pool.h"
#include "weft/exec/text_condition.h"

namespace weft::exec {

// Not thread-safe. All given must outlive it.
class TextFilter {
 public:
  TextFilter(std::unique_ptr<TextCondition> test, QuadSource& source, const TermPool& pool)
      : test_(std::move(test)), source_(source), pool_(pool) {}

  // keep[row] becomes 0 where it is not, and the test is not true. Errors: the source's.
  Status apply(const Column& column, std::vector<uint8_t>& keep);

 private:
  // Columns that are not sorted repeat terms: what was found of some is remembered.
  struct Known {
    rdf::TermId id = rdf::kNoTerm;
    uint8_t passes = 0;
  };
  static size_t slot_of(rdf::TermId id);
  bool passes(std::string_view token) { return test_->truth(token).value_or(false); }
  // Tests `unknown_`, ascending.
  Status test_unknown();

  std::unique_ptr<TextCondition> test_;
  QuadSource& source_;
  const TermPool& pool_;
  std::vector<Known> known_;
  std::vector<rdf::TermId> unknown_;
  std::vector<uint8_t> unknown_passes_;
  std::vector<uint32_t> pending_;  // rows with unknown terms
};

}  // namespace weft::exec
