// The ways to make a set of joined elements, and what they cost: the cells of the search for an
// order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weft/plan/estimate.h"
#include "weft/plan/join_group.h"
#include "weft/plan/plan.h"

namespace weft::plan {

struct Entry;

// One way to make the rows of an entry.
struct Candidate {
  enum class Method : uint8_t { kLeaf, kMerge, kHash, kIndex, kBind };
  Method method = Method::kLeaf;
  double cost = 0;
  std::optional<Variable> sorted_by;
  // kLeaf of a scan, kIndex
  rdf::Permutation permutation = rdf::Permutation::kSpo;
  // joins
  const Entry* left = nullptr;
  const Entry* right = nullptr;
  size_t left_candidate = 0;
  size_t right_candidate = 0;
  Variable key = 0;  // kMerge
};

// A set of elements, joined.
struct Entry {
  std::vector<uint32_t> elements;  // ascending
  VariableList scope;
  VariableList certain;
  Figures figures;
  double joined_rows = 0;         // before the filters that become possible with it
  std::vector<uint32_t> filters;  // applied in it, ascending
  std::vector<Candidate> candidates;

  size_t cheapest() const {
    size_t best = 0;
    for (size_t i = 1; i < candidates.size(); ++i) {
      if (candidates[i].cost < candidates[best].cost) {
        best = i;
      }
    }
    return best;
  }
  double cost() const { return candidates[cheapest()].cost; }
  // Keeps the cheapest candidate of each order.
  void offer(const Candidate& candidate) {
    for (Candidate& known : candidates) {
      if (known.sorted_by == candidate.sorted_by) {
        if (candidate.cost < known.cost) {
          known = candidate;
        }
        return;
      }
    }
    if (candidates.empty()) {
      candidates.reserve(kOrdersMostly);
    }
    candidates.push_back(candidate);
  }
  static constexpr size_t kOrdersMostly = 4;
};

// Makes entries and finds the ways to join two of them.
class JoinCandidates {
 public:
  // Both must outlive it; the elements must not move.
  JoinCandidates(const JoinGroup& group, const Environment& environment)
      : group_(group), environment_(environment) {}

  Entry leaf(uint32_t index) const;
  // The joint entry, without candidates.
  Entry united(const Entry& a, const Entry& b) const;
  // Adds the ways to join `left` and `right`, in these roles.
  void offer_joins(Entry& entry, const Entry& left, const Entry& right) const;
  // The same, but only those that look up the right side for each left row: nothing is built first.
  void offer_lookup(Entry& entry, const Entry& left, const Entry& right) const;

 private:
  bool applies(const GroupFilter& filter, const Entry& entry) const;
  void apply_filters(Entry& entry, const std::vector<uint32_t>& inherited) const;
  void offer_lookup(Entry& entry, const Entry& left, const Entry& right,
                    const VariableList& shared) const;
  void offer_index(Entry& entry, const Entry& left, const Entry& right, const Scan& scan,
                   const VariableList& shared) const;
  rdf::Permutation lookup_order(const Scan& scan, const VariableList& bound) const;

  const JoinGroup& group_;
  const Environment& environment_;
};

}  // namespace weft::plan
