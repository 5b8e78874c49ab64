// Which subjects can have a literal with a text: Fold::subjects_with_text. The base's text index
// knows those of the base; every row that an overlay or a change adds is taken as it is, whatever
// it says, and so is every row of the base with an IRI, where the demand allows one.
//
// Why these are enough: a visible row is one of the base, or was added later, by an overlay or a
// change, and then it is among their rows that match the pattern.
// docs/decisions/0015-text-index-in-queries.md
#include <algorithm>
#include <utility>

#include "weft/quads/fold_state.h"

namespace weft::quads {
namespace {

using Subjects = std::vector<rdf::TermId>;
const std::optional<Subjects> kUnknown;

// The first of the nodes from `begin` to before `end` that is no literal: in each part of the
// dictionary tokens ascend, and those of literals begin with the smallest first byte.
Result<rete::NodeId> first_no_literal(rete::Segment& segment, rete::NodeId begin, rete::NodeId end,
                                      const std::stop_token& stop) {
  rete::TokenTable token;
  while (begin < end) {
    const rete::NodeId middle = begin + (end - begin) / 2;
    WEFT_TRY_STATUS(segment.tokens_of({&middle, 1}, {}, token, stop));
    if (token[0].starts_with('"')) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// The nodes from `begin` to before `end`.
struct NodeRange {
  rete::NodeId begin = 0;
  rete::NodeId end = 0;
};

// Subjects of the rows of a scan from `first` on whose objects are in `range`; false once there are
// more than `rows_max` rows.
Result<bool> append_range(rete::SegmentCursor& cursor, const rete::RowKey& first, NodeRange range,
                          size_t rows_max, Subjects& subjects) {
  WEFT_TRY_STATUS(cursor.seek(first));
  rete::LocalBatch batch;
  while (true) {
    WEFT_TRY_STATUS(cursor.next(batch));
    if (batch.size() == 0) {
      return true;
    }
    for (size_t row = 0; row < batch.size(); ++row) {
      if (batch.object[row] >= range.end) {
        return true;
      }
      if (batch.object[row] >= range.begin) {
        subjects.push_back(batch.subject[row]);
      }
    }
    if (subjects.size() > rows_max) {
      return false;
    }
  }
}

// Of rows of the base that match `pattern` (subject and object open) and whose object is no
// literal; false once there are more than `rows_max` rows, or if no order has them together.
Result<bool> append_without_literal(rete::Segment& segment, const rete::LocalPattern& pattern,
                                    size_t rows_max, Subjects& subjects,
                                    const std::stop_token& stop) {
  const bool object_leads = pattern.predicate == 0;
  const rdf::Permutation order = object_leads ? rdf::Permutation::kOsp : rdf::Permutation::kPos;
  if (!segment.has_permutation(order)) {
    return false;
  }
  WEFT_TRY(const rete::TermCounts counts, segment.term_counts());
  const rete::NodeId behind_shared = counts.shared + 1;
  const rete::NodeId first_object = counts.shared + counts.subjects + 1;
  const rete::NodeId behind_objects = first_object + counts.objects;
  WEFT_TRY(const rete::NodeId shared, first_no_literal(segment, 1, behind_shared, stop));
  WEFT_TRY(const rete::NodeId objects,
           first_no_literal(segment, first_object, behind_objects, stop));
  for (const NodeRange range :
       {NodeRange{shared, behind_shared}, NodeRange{objects, behind_objects}}) {
    if (range.begin == range.end) {
      continue;
    }
    WEFT_TRY(const auto cursor, segment.scan(pattern, order, stop));
    rete::RowKey first;
    first.a = object_leads ? range.begin : pattern.predicate;
    first.b = object_leads ? 0 : range.begin;
    WEFT_TRY(const bool complete, append_range(*cursor, first, range, rows_max, subjects));
    if (!complete) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool FoldState::has_text_index() const {
  return terms_->base() != nullptr && terms_->base()->segment().facts().has_text_index;
}

Result<double> FoldState::changed_rows(const rdf::IdPattern& pattern, const std::stop_token& stop) {
  double rows = 0;
  if (!overlay_->empty()) {
    WEFT_TRY(Overlay* const overlays, overlay(1, stop));
    WEFT_TRY(const Overlay::Count count, overlays->count(pattern, stop));
    rows += count.rows;
  }
  if (!live_->empty()) {
    WEFT_TRY(const LiveRows::Wanted wanted, wanted_of(pattern, stop));
    rows += live_->count(pattern, wanted).rows;
  }
  return rows;
}

// Whether the base's index covers the rows of `pattern`.
Result<bool> FoldState::text_is_covered(const rdf::IdPattern& pattern,
                                        const std::stop_token& stop) {
  WEFT_TRY(const std::optional<rete::TextScope> scope, terms_->base()->segment().text_scope());
  if (!scope.has_value() ||
      (pattern.scope != rdf::GraphScope::kDefault && !scope->covers_named_graphs)) {
    return false;
  }
  using Predicates = rete::TextScope::Predicates;
  if (scope->predicates == Predicates::kAll) {
    return true;
  }
  if (pattern.predicate == rdf::kNoTerm) {
    return false;
  }
  std::vector<std::string> token;
  WEFT_TRY_STATUS(tokens({&pattern.predicate, 1}, token, stop));
  const bool listed = std::ranges::find(scope->listed, token.front()) != scope->listed.end();
  return listed == (scope->predicates == Predicates::kOnly);
}

Result<std::optional<Subjects>> FoldState::subjects_with_text(const rdf::IdPattern& pattern,
                                                              const rdf::TextDemand& demand,
                                                              size_t subjects_max,
                                                              std::stop_token stop) {
  if (!has_text_index() || pattern.scope == rdf::GraphScope::kAllNamed ||
      pattern.subject != rdf::kNoTerm || pattern.object != rdf::kNoTerm) {
    return kUnknown;
  }
  rete::Segment& base = terms_->base()->segment();
  WEFT_TRY(const bool covered, text_is_covered(pattern, stop));
  if (!covered) {
    return kUnknown;
  }
  Subjects subjects;
  if (!has_no_overlay()) {
    WEFT_TRY(const double rows, changed_rows(pattern, stop));
    if (rows > static_cast<double>(subjects_max)) {
      return kUnknown;
    }
    MemoryHold memory(budget_);
    const ScanOrder order(rdf::Permutation::kSpo);
    WEFT_TRY(const std::vector<DeltaRow> delta,
             delta_of(pattern, std::nullopt, order, memory, stop));
    for (const DeltaRow& row : delta) {
      if (adds(row.stamp)) {
        subjects.push_back(row.place.a);
      }
    }
  }
  WEFT_TRY(const std::optional<rete::LocalPattern> local, base_pattern(*terms_, pattern, stop));
  if (local.has_value()) {
    WEFT_TRY(const std::optional<std::vector<rete::NodeId>> known,
             base.subjects_with_text(demand.needs, subjects_max, stop));
    if (!known.has_value()) {
      return kUnknown;
    }
    subjects.insert(subjects.end(), known->begin(), known->end());
    if (!demand.literals_only) {
      WEFT_TRY(const bool complete,
               append_without_literal(base, *local, subjects_max, subjects, stop));
      if (!complete) {
        return kUnknown;
      }
    }
  }
  std::ranges::sort(subjects);
  const auto repeated = std::ranges::unique(subjects);
  subjects.erase(repeated.begin(), repeated.end());
  return subjects.size() > subjects_max ? kUnknown : std::optional(std::move(subjects));
}

}  // namespace weft::quads
