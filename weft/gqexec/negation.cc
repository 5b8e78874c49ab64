// Rows for which steps find nothing.
#include <numeric>
#include <utility>

#include "weft/gqexec/rows.h"

namespace weft::gqexec {
namespace {

class NegationSink final : public RowSink {
 public:
  NegationSink(RunState& state, const Step& step, const NegationStep& negation, RowSink& next)
      : state_(state),
        step_(step),
        negation_(negation),
        next_(next),
        matches_(negation.tag, found_),
        inner_(state, negation.steps, matches_) {}

  Status accept(const RowBatch& batch) override {
    found_.assign(batch.row_count, 0);
    if (!negation_.never) {
      seed_.row_count = batch.row_count;
      seed_.slots.resize(batch.slots.size());
      for (const size_t slot : negation_.outer_slots) {
        seed_.slots[slot] = batch.slots[slot];
      }
      std::vector<RowNumber>& tags = seed_.slots[negation_.tag];
      tags.resize(batch.row_count);
      std::iota(tags.begin(), tags.end(), RowNumber{0});
      WEFT_TRY_STATUS(inner_.first().accept(seed_));
    }
    kept_.clear();
    for (size_t row = 0; row < batch.row_count; ++row) {
      if (found_[row] == 0) {
        kept_.push_back(static_cast<uint32_t>(row));
      }
    }
    if (kept_.empty()) {
      return ok_status();
    }
    gather_rows(batch, kept_, step_.live, out_);
    return next_.accept(out_);
  }

  Status finish() override { return next_.finish(); }

 private:
  // Notes which rows something was found for.
  class Matches final : public RowSink {
   public:
    Matches(size_t tag, std::vector<uint8_t>& found) : tag_(tag), found_(found) {}
    Status accept(const RowBatch& batch) override {
      for (const RowNumber row : batch.slots[tag_]) {
        found_[row] = 1;
      }
      return ok_status();
    }
    Status finish() override { return ok_status(); }

   private:
    const size_t tag_;
    std::vector<uint8_t>& found_;
  };

  RunState& state_;
  const Step& step_;
  const NegationStep& negation_;
  RowSink& next_;
  std::vector<uint8_t> found_;
  Matches matches_;
  Pipeline inner_;
  RowBatch seed_;
  RowBatch out_;
  std::vector<uint32_t> kept_;
};

}  // namespace

std::unique_ptr<RowSink> make_negation(RunState& state, const Step& step,
                                       const NegationStep& negation, RowSink& next) {
  return std::make_unique<NegationSink>(state, step, negation, next);
}

}  // namespace weft::gqexec
