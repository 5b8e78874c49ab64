#include "weft/plan/join_candidates.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "weft/plan/plan_nodes.h"
#include "weft/plan/variable_set.h"

namespace weft::plan {
namespace {

// The rows of a scan that a merge with few keys touches: it jumps over the others.
double skipping_cost(const Entry& entry, size_t index, double keys) {
  const Candidate& candidate = entry.candidates[index];
  if (candidate.method != Candidate::Method::kLeaf) {
    return candidate.cost;
  }
  return std::min(candidate.cost, keys * kCostSkip + entry.figures.rows);
}

void offer_merge(Entry& entry, const Entry& left, const Entry& right, const VariableList& shared,
                 double made) {
  for (size_t l = 0; l < left.candidates.size(); ++l) {
    const std::optional<Variable> key = left.candidates[l].sorted_by;
    if (!key || !contains(shared, *key)) {
      continue;
    }
    for (size_t r = 0; r < right.candidates.size(); ++r) {
      if (right.candidates[r].sorted_by != key) {
        continue;
      }
      Candidate candidate;
      candidate.method = Candidate::Method::kMerge;
      candidate.left = &left;
      candidate.right = &right;
      candidate.left_candidate = l;
      candidate.right_candidate = r;
      candidate.key = *key;
      candidate.sorted_by = key;
      // Pairs that agree in the key alone are compared one by one.
      const double pairs =
          left.figures.rows * right.figures.rows /
          std::max(left.figures.distinct_of(*key), right.figures.distinct_of(*key));
      candidate.cost = skipping_cost(left, l, right.figures.distinct_of(*key)) +
                       skipping_cost(right, r, left.figures.distinct_of(*key)) + 0.5 * pairs + made;
      entry.offer(candidate);
    }
  }
}

void offer_hash(Entry& entry, const Entry& left, const Entry& right, double made) {
  Candidate candidate;
  candidate.method = Candidate::Method::kHash;
  candidate.left = &left;
  candidate.right = &right;
  candidate.right_candidate = right.cheapest();
  for (size_t i = 0; i < left.candidates.size(); ++i) {
    candidate.left_candidate = i;
    candidate.sorted_by = left.candidates[i].sorted_by;
    candidate.cost = left.candidates[i].cost + right.cost() + made +
                     kCostBuild * right.figures.rows + kCostProbe * left.figures.rows;
    entry.offer(candidate);
  }
}

void offer_bind(Entry& entry, const Entry& left, const Entry& right) {
  Candidate candidate;
  candidate.method = Candidate::Method::kBind;
  candidate.left = &left;
  candidate.right = &right;
  const double fetched = entry.joined_rows;
  candidate.left_candidate = left.cheapest();
  candidate.cost = left.cost() + left.figures.rows * kCostSeek * right.figures.seeks +
                   fetched * (kCostScan + kCostOutput);
  entry.offer(candidate);
}

void offer_service(Entry& entry, const Entry& left, const Entry& right,
                   const ServiceScan& service) {
  if (service.endpoint.variable && !contains(left.certain, *service.endpoint.variable)) {
    return;
  }
  Candidate candidate;
  candidate.method = Candidate::Method::kIndex;
  candidate.left = &left;
  candidate.right = &right;
  candidate.left_candidate = left.cheapest();
  candidate.cost = left.cost() + kCostRequest * std::ceil(left.figures.rows / kRowsPerRequest) +
                   entry.joined_rows * 10;
  entry.offer(candidate);
}

void offer_path(Entry& entry, const Entry& left, const Entry& right) {
  Candidate candidate;
  candidate.method = Candidate::Method::kIndex;
  candidate.left = &left;
  candidate.right = &right;
  candidate.left_candidate = left.cheapest();
  candidate.cost = left.cost() + std::max(1.0, left.figures.rows) * kCostSeek * kPathSeeks +
                   entry.joined_rows * (kCostBuild + kCostOutput);
  entry.offer(candidate);
}

}  // namespace

// --- Filters

// All variables are settled: certain, or bound by nothing that is still to come.
bool JoinCandidates::applies(const GroupFilter& filter, const Entry& entry) const {
  for (const Variable variable : filter.variables) {
    if (contains(entry.certain, variable)) {
      continue;
    }
    for (uint32_t i = 0; i < group_.elements.size(); ++i) {
      if (contains(group_.elements[i].scope, variable) &&
          !std::binary_search(entry.elements.begin(), entry.elements.end(), i)) {
        return false;
      }
    }
    for (size_t i = 0; i < filter.before_step; ++i) {
      if (contains(group_.steps[i].scope, variable)) {
        return false;
      }
    }
  }
  return true;
}

// Applies what `inherited` does not hold yet.
void JoinCandidates::apply_filters(Entry& entry, const std::vector<uint32_t>& inherited) const {
  for (uint32_t i = 0; i < group_.filters.size(); ++i) {
    const bool is_inherited = std::binary_search(inherited.begin(), inherited.end(), i);
    if (is_inherited || applies(group_.filters[i], entry)) {
      entry.filters.push_back(i);
      if (!is_inherited) {
        entry.figures.rows *= selectivity(*group_.filters[i].condition);
      }
    }
  }
}

// --- Candidates

Entry JoinCandidates::leaf(uint32_t index) const {
  const Element& element = group_.elements[index];
  Entry entry;
  entry.elements = {index};
  entry.scope = element.scope;
  entry.certain = element.certain;
  entry.figures = element.figures;
  if (const auto* scan = std::get_if<Scan>(&element.form)) {
    for (size_t p = 0; p < rdf::kPermutationCount; ++p) {
      const auto permutation = static_cast<rdf::Permutation>(p);
      if (environment_.statistics->has_order(permutation) && serves(permutation, *scan)) {
        Candidate candidate;
        candidate.cost = element.figures.cost;
        candidate.permutation = permutation;
        candidate.sorted_by = order_of(*scan, permutation);
        entry.offer(candidate);
      }
    }
  } else {
    Candidate candidate;
    candidate.cost = element.figures.cost;
    entry.offer(candidate);
  }
  apply_filters(entry, {});
  return entry;
}

// The joint entry without candidates.
Entry JoinCandidates::united(const Entry& a, const Entry& b) const {
  Entry entry;
  entry.elements.reserve(a.elements.size() + b.elements.size());
  std::merge(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
             std::back_inserter(entry.elements));
  entry.scope = unite(a.scope, b.scope);
  entry.certain = unite(a.certain, b.certain);
  entry.figures = joined(a.figures, b.figures);
  entry.joined_rows = entry.figures.rows;
  std::vector<uint32_t> inherited;
  std::set_union(a.filters.begin(), a.filters.end(), b.filters.begin(), b.filters.end(),
                 std::back_inserter(inherited));
  apply_filters(entry, inherited);
  return entry;
}

void JoinCandidates::offer_joins(Entry& entry, const Entry& left, const Entry& right) const {
  const VariableList shared = intersect(left.scope, right.scope);
  const double made = entry.joined_rows * kCostOutput;
  offer_hash(entry, left, right, made);
  if (shared.empty()) {
    return;
  }
  if (is_subset(shared, left.certain) && is_subset(shared, right.certain)) {
    offer_merge(entry, left, right, shared, made);
  }
  offer_lookup(entry, left, right, shared);
}

void JoinCandidates::offer_lookup(Entry& entry, const Entry& left, const Entry& right) const {
  offer_lookup(entry, left, right, intersect(left.scope, right.scope));
}

void JoinCandidates::offer_lookup(Entry& entry, const Entry& left, const Entry& right,
                                  const VariableList& shared) const {
  if (right.elements.size() == 1 && !shared.empty()) {
    const Element& element = group_.elements[right.elements.front()];
    if (const auto* scan = std::get_if<Scan>(&element.form)) {
      offer_index(entry, left, right, *scan, shared);
    } else if (const auto* service = std::get_if<ServiceScan>(&element.form)) {
      offer_service(entry, left, right, *service);
    } else if (std::holds_alternative<PathScan>(element.form)) {
      offer_path(entry, left, right);
    } else if (const auto* part = std::get_if<Element::Part>(&element.form);
               part != nullptr && meet(shared, left.certain) && accepts_keys(*part->node, shared)) {
      offer_bind(entry, left, right);
    }
  }
}

void JoinCandidates::offer_index(Entry& entry, const Entry& left, const Entry& right,
                                 const Scan& scan, const VariableList& shared) const {
  const Element& element = group_.elements[right.elements.front()];
  // Filters on the right side alone come after the lookup.
  const double passed = right.figures.rows / std::max(1e-9, element.figures.rows);
  const double fetched = entry.joined_rows / std::max(1e-3, std::min(1.0, passed));
  const bool graph_is_open =
      scan.graph.kind == GraphChoice::Kind::kVariable && !contains(shared, scan.graph.variable);
  const double seeks = std::max(1.0, left.figures.rows) *
                       (graph_is_open ? std::max(1.0, environment_.graph_count) : 1.0);
  Candidate candidate;
  candidate.method = Candidate::Method::kIndex;
  candidate.left = &left;
  candidate.right = &right;
  candidate.permutation = lookup_order(scan, shared);
  for (size_t i = 0; i < left.candidates.size(); ++i) {
    candidate.left_candidate = i;
    // The rows are brought into the order of the keys. That of the left side survives only if it is
    // that of a key.
    candidate.sorted_by = left.candidates[i].sorted_by;
    if (candidate.sorted_by && !contains(shared, *candidate.sorted_by)) {
      candidate.sorted_by.reset();
    }
    candidate.cost =
        left.candidates[i].cost + seeks * kCostSeek + fetched * kCostScan + fetched * kCostOutput;
    entry.offer(candidate);
  }
}

rdf::Permutation JoinCandidates::lookup_order(const Scan& scan, const VariableList& bound) const {
  const auto is_open = [&scan](rdf::Position position) {
    return scan.slots[static_cast<size_t>(position)].variable.has_value();
  };
  const auto stays_open = [&](rdf::Position position) {
    const PatternSlot& slot = scan.slots[static_cast<size_t>(position)];
    return slot.variable.has_value() && !contains(bound, *slot.variable);
  };
  // The order with the constants in front keeps the keys of one predicate close together.
  for (const bool constants_first : {true, false}) {
    for (size_t p = 0; p < rdf::kPermutationCount; ++p) {
      const auto permutation = static_cast<rdf::Permutation>(p);
      if (environment_.statistics->has_order(permutation) &&
          has_closed_first(permutation, stays_open) &&
          (!constants_first || has_closed_first(permutation, is_open))) {
        return permutation;
      }
    }
  }
  return rdf::Permutation::kSpo;
}

}  // namespace weft::plan
