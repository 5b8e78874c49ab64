#include "weft/exec/path_steps.h"

#include <algorithm>
#include <bit>

#include "weft/base/present.h"
#include "weft/exec/operators/pattern.h"
#include "weft/exec/row_batch.h"
#include "weft/exec/term_pool.h"

namespace weft::exec {
namespace {

// What a look-up costs, in rows read in passing: the call, and each node of it; and from how many
// nodes on that is thought about.
constexpr double kCallCost = 80;
constexpr double kLookupCost = 20;
constexpr double kLookupsMin = 64;
// Edges kept of one label at most: slots count in 32 bits.
constexpr double kEdgesMax = 1'000'000'000;

}  // namespace

PathSteps::PathSteps(const plan::PathLabel& label, const rdf::IdPattern& graphs,
                     Execution& execution)
    : label_(label), pattern_(graphs), execution_(execution), charge_(&execution.budget) {
  pattern_.predicate = label.predicate;
}

bool PathSteps::has(rdf::TermId predicate) const {
  return label_.predicate != rdf::kNoTerm ||
         std::find(label_.excluded.begin(), label_.excluded.end(), predicate) ==
             label_.excluded.end();
}

rdf::Permutation PathSteps::order(const rdf::IdPattern& pattern) const {
  using enum rdf::Permutation;
  const bool any = label_.predicate == rdf::kNoTerm;
  const rdf::Permutation forwards = any ? kSpo : kPso;
  const rdf::Permutation backwards = any ? kOsp : kPos;
  return order_for(execution_.source, pattern, label_.backwards ? backwards : forwards);
}

Status PathSteps::expand(std::span<const rdf::TermId> nodes, std::vector<rdf::TermId>& out) {
  if (!loaded_ && !too_big_) {
    WEFT_TRY_STATUS(consider_loading(nodes.size()));
  }
  if (!loaded_) {
    return look_up(nodes, out);
  }
  for (const rdf::TermId node : nodes) {
    const uint32_t found = slots_.empty() ? 0 : slots_[slot_of(node)];
    for (size_t i = found; i != 0 && i <= edges_.size() && edges_[i - 1].first == node; ++i) {
      out.push_back(edges_[i - 1].second);
    }
  }
  return ok_status();
}

Status PathSteps::look_up(std::span<const rdf::TermId> nodes, std::vector<rdf::TermId>& out) {
  patterns_.clear();
  for (const rdf::TermId node : nodes) {
    if (is_computed(node)) {
      continue;  // not in the graph
    }
    rdf::IdPattern pattern = pattern_;
    (label_.backwards ? pattern.object : pattern.subject) = node;
    patterns_.push_back(pattern);
  }
  if (patterns_.empty()) {
    return ok_status();
  }
  if (lookup_ == nullptr) {
    lookup_ = execution_.source.lookup();
    lookup_order_ = order(patterns_.front());
  }
  const rdf::Permutation permutation = base::present(lookup_order_);
  std::span<const rdf::IdPattern> left = patterns_;
  while (!left.empty()) {
    WEFT_TRY(const size_t done, lookup_->look_up(left, permutation, kBatchRows, batch_, ends_,
                                                 execution_.interrupt.stop()));
    if (done == 0) {
      break;
    }
    append_far(out);
    left = left.subspan(done);
    WEFT_TRY_STATUS(execution_.interrupt.check());
  }
  return scan_each(left, permutation, out);
}

void PathSteps::append_far(std::vector<rdf::TermId>& out) const {
  const std::vector<rdf::TermId>& far = far_column(batch_);
  for (size_t row = 0; row < far.size(); ++row) {
    if (has(batch_.predicate[row])) {
      out.push_back(far[row]);
    }
  }
}

Status PathSteps::scan_each(std::span<const rdf::IdPattern> patterns, rdf::Permutation permutation,
                            std::vector<rdf::TermId>& out) {
  if (patterns.size() > 1) {
    WEFT_TRY_STATUS(execution_.source.prefetch(patterns, permutation, execution_.interrupt.stop()));
  }
  for (const rdf::IdPattern& pattern : patterns) {
    WEFT_TRY(const auto cursor,
             execution_.source.scan(pattern, permutation, execution_.interrupt.stop()));
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch_));
      if (batch_.size() == 0) {
        break;
      }
      append_far(out);
      WEFT_TRY_STATUS(execution_.interrupt.check());
    }
  }
  return ok_status();
}

Status PathSteps::consider_loading(size_t nodes) {
  lookups_ += static_cast<double>(nodes);
  lookup_cost_ += kCallCost + static_cast<double>(nodes) * kLookupCost;
  if (lookups_ < kLookupsMin) {
    return ok_status();
  }
  if (edge_count_ < 0) {
    WEFT_TRY(const rdf::Cardinality known, execution_.source.cardinality(pattern_));
    edge_count_ = known.rows;
  }
  if (lookup_cost_ < edge_count_) {
    return ok_status();
  }
  Status status = load(edge_count_);
  if (!status.ok() && status.error().kind() == ErrorKind::kLimit &&
      execution_.interrupt.check().ok()) {
    too_big_ = true;  // then one by one
    edges_ = {};
    slots_ = {};
    charge_.shrink(0);
    return ok_status();
  }
  return status;
}

Result<std::unique_ptr<QuadCursor>> PathSteps::scan_all() const {
  return execution_.source.scan(pattern_, order(pattern_), execution_.interrupt.stop());
}

void PathSteps::append_near(const rdf::IdBatch& batch, std::vector<rdf::TermId>& out) const {
  const std::vector<rdf::TermId>& near = near_column(batch);
  for (size_t row = 0; row < near.size(); ++row) {
    if (has(batch.predicate[row])) {
      out.push_back(near[row]);
    }
  }
}

Status PathSteps::load(double rows) {
  if (rows > kEdgesMax) {
    return Error(ErrorKind::kLimit, "too many edges to keep");
  }
  WEFT_TRY_STATUS(charge_.cover(static_cast<uint64_t>(rows) * sizeof(Edge)));
  edges_.reserve(static_cast<size_t>(rows));
  WEFT_TRY(const auto cursor, scan_all());
  while (true) {
    WEFT_TRY_STATUS(execution_.interrupt.check());
    WEFT_TRY_STATUS(cursor->next(batch_));
    if (batch_.size() == 0) {
      break;
    }
    const size_t wanted = edges_.size() + batch_.size();
    if (wanted > edges_.capacity()) {
      WEFT_TRY_STATUS(charge_.cover(wanted * 3 * sizeof(Edge)));  // the old ones while they move
      edges_.reserve(wanted * 2);
    }
    const std::vector<rdf::TermId>& near = near_column(batch_);
    const std::vector<rdf::TermId>& far = far_column(batch_);
    for (size_t row = 0; row < near.size(); ++row) {
      if (has(batch_.predicate[row])) {
        edges_.emplace_back(near[row], far[row]);
      }
    }
  }
  if (!std::is_sorted(edges_.begin(), edges_.end())) {
    std::sort(edges_.begin(), edges_.end());
  }
  return index_edges();
}

Status PathSteps::index_edges() {
  if (static_cast<double>(edges_.size()) > kEdgesMax) {
    return Error(ErrorKind::kLimit, "too many edges to keep");
  }
  const size_t slots = std::bit_ceil(edges_.size() * 2 + 1);
  WEFT_TRY_STATUS(charge_.cover(edges_.capacity() * sizeof(Edge) + slots * sizeof(slots_.front())));
  slots_.assign(slots, 0);
  for (size_t i = 0; i < edges_.size(); ++i) {
    if (i == 0 || edges_[i].first != edges_[i - 1].first) {
      slots_[slot_of(edges_[i].first)] = static_cast<uint32_t>(i + 1);
    }
  }
  loaded_ = true;
  return ok_status();
}

// Where `node` is, or where it would be.
size_t PathSteps::slot_of(rdf::TermId node) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = (node * 0x9E3779B97F4A7C15U) >> 20U & mask;
  while (slots_[slot] != 0 && edges_[slots_[slot] - 1].first != node) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

}  // namespace weft::exec
