#include "weft/exec/operators/text_scan.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "weft/exec/memory_charge.h"
#include "weft/exec/operators/pattern.h"

namespace weft::exec {
namespace {

using Row = std::array<rdf::TermId, 3>;  // in the order of the scan

constexpr size_t kSubjectsPerRound = 1'024;
constexpr size_t kRowsPerRound = 65'536;

// Rows gathered and sorted before the first is handed out.
class TextCursor final : public QuadCursor {
 public:
  TextCursor(const rdf::IdPattern& pattern, rdf::Permutation permutation, Execution& execution)
      : pattern_(pattern),
        positions_(rdf::positions(permutation)),
        execution_(execution),
        charge_(&execution.budget) {
    while (first_open_ < 2 && pattern.at(positions_[first_open_]) != rdf::kNoTerm) {
      ++first_open_;
    }
  }

  // False if there are more than `rows_max` rows.
  Result<bool> gather(const std::vector<rdf::TermId>& subjects, size_t rows_max) {
    rdf::IdPattern one = pattern_;
    one.subject = subjects.empty() ? rdf::kNoTerm : subjects.front();
    const rdf::Permutation order = order_for(execution_.source, one, rdf::Permutation::kSpo);
    const std::unique_ptr<QuadLookup> lookup = execution_.source.lookup();
    std::vector<rdf::IdPattern> patterns;
    std::vector<uint32_t> ends;
    rdf::IdBatch found;
    for (size_t at = 0; at < subjects.size();) {
      WEFT_TRY_STATUS(execution_.interrupt.check());
      patterns.clear();
      for (size_t i = at; i < std::min(at + kSubjectsPerRound, subjects.size()); ++i) {
        one.subject = subjects[i];
        patterns.push_back(one);
      }
      if (execution_.source.is_remote()) {
        WEFT_TRY_STATUS(execution_.source.prefetch(patterns, order, execution_.interrupt.stop()));
      }
      WEFT_TRY(const size_t done, lookup->look_up(patterns, order, kRowsPerRound, found, ends,
                                                  execution_.interrupt.stop()));
      if (done > 0) {
        WEFT_TRY_STATUS(append(found));
      } else {
        WEFT_TRY_STATUS(scan(patterns.front(), order, rows_max));
      }
      at += std::max<size_t>(done, 1);
      if (rows_.size() > rows_max) {
        return false;
      }
    }
    std::ranges::sort(rows_);
    return true;
  }

  void drop_up_to(const rdf::IdBatch& batch) {
    const size_t last = batch.size() - 1;
    Row row{};
    for (size_t i = 0; i < 3; ++i) {
      row[i] = id_column(batch, static_cast<size_t>(positions_[i]))[last];
    }
    at_ = static_cast<size_t>(std::ranges::upper_bound(rows_, row) - rows_.begin());
  }

  Status next(rdf::IdBatch& batch) override {
    batch.clear();
    const size_t end = std::min(at_ + kBatchRows, rows_.size());
    for (size_t i = 0; i < 3; ++i) {
      Column& column = id_column(batch, static_cast<size_t>(positions_[i]));
      for (size_t row = at_; row < end; ++row) {
        column.push_back(rows_[row][i]);
      }
    }
    at_ = end;
    return ok_status();
  }

  Status seek(rdf::TermId key0, rdf::TermId /*key1*/) override {
    while (at_ < rows_.size() && rows_[at_][first_open_] < key0) {
      ++at_;
    }
    return ok_status();
  }

 private:
  Status append(const rdf::IdBatch& batch) {
    WEFT_TRY_STATUS(charge_.cover((rows_.size() + batch.size()) * 2 * sizeof(Row)));
    for (size_t row = 0; row < batch.size(); ++row) {
      Row& to = rows_.emplace_back();
      for (size_t i = 0; i < 3; ++i) {
        to[i] = id_column(batch, static_cast<size_t>(positions_[i]))[row];
      }
    }
    return ok_status();
  }

  Status scan(const rdf::IdPattern& pattern, rdf::Permutation order, size_t rows_max) {
    WEFT_TRY(const auto cursor,
             execution_.source.scan(pattern, order, execution_.interrupt.stop()));
    rdf::IdBatch batch;
    while (rows_.size() <= rows_max) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        break;
      }
      WEFT_TRY_STATUS(append(batch));
    }
    return ok_status();
  }

  rdf::IdPattern pattern_;
  std::array<rdf::Position, 3> positions_;
  size_t first_open_ = 0;
  Execution& execution_;
  MemoryCharge charge_;
  std::vector<Row> rows_;
  size_t at_ = 0;
};

}  // namespace

bool can_ask_later(const rdf::IdPattern& pattern) {
  return pattern.predicate != rdf::kNoTerm;
}

Result<std::unique_ptr<QuadCursor>> open_text_scan(const TextScanRequest& request,
                                                   Execution& execution) {
  const plan::PlanNode& node = request.node;
  if (node.rows < kTextScanRowsMin || request.pattern.scope == rdf::GraphScope::kAllNamed) {
    return std::unique_ptr<QuadCursor>();
  }
  plan::NodeRun& run = execution.runs[node.number];
  run.text_index = plan::NodeRun::TextIndex::kNotUsed;
  const auto subjects_max = static_cast<size_t>(node.rows / kTextRowsPerSubject);
  WEFT_TRY(const std::optional<std::vector<rdf::TermId>> subjects,
           execution.source.subjects_with_text(request.pattern, *node.text, subjects_max,
                                               execution.interrupt.stop()));
  if (!subjects.has_value()) {
    return std::unique_ptr<QuadCursor>();
  }
  auto cursor = std::make_unique<TextCursor>(request.pattern, request.permutation, execution);
  WEFT_TRY(const bool complete, cursor->gather(*subjects, static_cast<size_t>(node.rows / 4)));
  if (!complete) {
    return std::unique_ptr<QuadCursor>();
  }
  if (request.behind != nullptr) {
    cursor->drop_up_to(*request.behind);
  }
  run.text_index = plan::NodeRun::TextIndex::kUsed;
  run.text_subjects = subjects->size();
  return std::unique_ptr<QuadCursor>(std::move(cursor));
}

}  // namespace weft::exec
