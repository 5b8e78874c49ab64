#include "weft/plan/join_order.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <memory>
#include <utility>

#include "weft/plan/join_candidates.h"
#include "weft/plan/plan_nodes.h"
#include "weft/plan/variable_set.h"

namespace weft::plan {
namespace {

// Joining small unconnected sets all with all is no risk.
constexpr double kSmallProduct = 10'000;

class JoinSearch {
 public:
  JoinSearch(JoinGroup& group, const Environment& environment, PartCompiler& compiler,
             std::optional<double> row_goal)
      : group_(group), candidates_(group, environment), compiler_(compiler), row_goal_(row_goal) {}

  Result<PlanPtr> run() {
    std::stable_sort(group_.elements.begin(), group_.elements.end(),
                     [](const Element& a, const Element& b) { return a.order_key < b.order_key; });
    std::vector<Entry*> leaves;
    for (uint32_t i = 0; i < group_.elements.size(); ++i) {
      leaves.push_back(keep(candidates_.leaf(i)));
    }
    const Entry* all = leaves.size() <= kExhaustiveElementsMax ? search(leaves) : nullptr;
    if (all == nullptr) {
      all = greedy(leaves);
    }
    if (row_goal_ && all->figures.rows > *row_goal_) {
      const Entry* stream = pipeline(leaves);
      if (stream != nullptr && first_rows_cost(*stream) < built_cost(*all, all->cheapest())) {
        all = stream;
      }
    }
    const std::vector<uint32_t> applied = all->filters;
    WEFT_TRY(PlanPtr plan, build(*all, all->cheapest()));
    std::vector<GroupFilter> left_over;
    for (uint32_t i = 0; i < group_.filters.size(); ++i) {
      if (!std::binary_search(applied.begin(), applied.end(), i)) {
        left_over.push_back(std::move(group_.filters[i]));
      }
    }
    group_.filters = std::move(left_over);
    group_.elements.clear();
    return plan;
  }

 private:
  Entry* keep(Entry entry) { return &entries_.emplace_back(std::move(entry)); }

  // --- Search

  Entry* search(const std::vector<Entry*>& leaves) {
    const size_t count = leaves.size();
    std::vector<Entry*> table(size_t{1} << count, nullptr);
    for (size_t i = 0; i < count; ++i) {
      table[size_t{1} << i] = leaves[i];
    }
    for (size_t set = 1; set < table.size(); ++set) {
      if (std::has_single_bit(set)) {
        continue;
      }
      for (size_t part = (set - 1) & set; part != 0; part = (part - 1) & set) {
        const Entry* left = table[part];
        const Entry* right = table[set & ~part];
        if (left == nullptr || right == nullptr || !worth_joining(*left, *right)) {
          continue;
        }
        if (table[set] == nullptr) {
          table[set] = keep(candidates_.united(*left, *right));
        }
        candidates_.offer_joins(*table[set], *left, *right);
      }
    }
    return table.back();
  }

  static bool worth_joining(const Entry& left, const Entry& right) {
    return meet(left.scope, right.scope) || left.figures.rows * right.figures.rows <= kSmallProduct;
  }

  // Joins the pair that makes the cheapest and smallest set, until one is left.
  Entry* greedy(std::vector<Entry*> rest) {
    while (rest.size() > 1) {
      double best_score = std::numeric_limits<double>::infinity();
      std::pair<size_t, size_t> best(0, 1);
      for (size_t i = 0; i < rest.size(); ++i) {
        for (size_t j = i + 1; j < rest.size(); ++j) {
          const double score = pair_score(*rest[i], *rest[j]);
          if (score < best_score) {
            best_score = score;
            best = {i, j};
          }
        }
      }
      Entry* both = keep(candidates_.united(*rest[best.first], *rest[best.second]));
      candidates_.offer_joins(*both, *rest[best.first], *rest[best.second]);
      candidates_.offer_joins(*both, *rest[best.second], *rest[best.first]);
      rest[best.first] = both;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(best.second));
    }
    return rest.front();
  }

  // Cheap to compute: it is asked for all pairs again and again.
  static double pair_score(const Entry& a, const Entry& b) {
    const double rows = joined(a.figures, b.figures).rows;
    const double smaller = std::min(a.figures.rows, b.figures.rows);
    const double larger = std::max(a.figures.rows, b.figures.rows);
    double score = rows + std::min(larger, smaller * kCostSeek);
    if (!meet(a.scope, b.scope)) {
      score = score * 1e6 + 1e9;
    }
    return score;
  }

  // --- Few rows wanted

  // Everything looked up for one row after the other, beginning with the smallest; null if
  // something cannot be looked up.
  const Entry* pipeline(std::vector<Entry*> rest) {
    const auto smallest = std::min_element(
        rest.begin(), rest.end(),
        [](const Entry* a, const Entry* b) { return a->figures.rows < b->figures.rows; });
    Entry* current = *smallest;
    rest.erase(smallest);
    while (!rest.empty()) {
      Entry* best = nullptr;
      size_t best_at = 0;
      for (size_t i = 0; i < rest.size(); ++i) {
        if (!meet(current->scope, rest[i]->scope)) {
          continue;
        }
        Entry both = candidates_.united(*current, *rest[i]);
        candidates_.offer_lookup(both, *current, *rest[i]);
        if (!both.candidates.empty() &&
            (best == nullptr || both.figures.rows < best->figures.rows)) {
          best = keep(std::move(both));
          best_at = i;
        }
      }
      if (best == nullptr) {
        return nullptr;
      }
      current = best;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(best_at));
    }
    return current;
  }

  // Of the wanted rows of a pipeline.
  double first_rows_cost(const Entry& entry) const {
    return entry.cost() * *row_goal_ / std::max(*row_goal_, entry.figures.rows) +
           kCostSeek * static_cast<double>(entry.elements.size());
  }

  // Of what must be there before the first row comes.
  static double built_cost(const Entry& entry, size_t index) {
    const Candidate& candidate = entry.candidates[index];
    switch (candidate.method) {
      case Candidate::Method::kLeaf:
        return 0;
      case Candidate::Method::kMerge:
        return built_cost(*candidate.left, candidate.left_candidate) +
               built_cost(*candidate.right, candidate.right_candidate);
      case Candidate::Method::kHash: {
        const Entry& right = *candidate.right;
        return built_cost(*candidate.left, candidate.left_candidate) +
               right.candidates[candidate.right_candidate].cost + kCostBuild * right.figures.rows;
      }
      case Candidate::Method::kIndex:
      case Candidate::Method::kBind:
        return built_cost(*candidate.left, candidate.left_candidate);
    }
    return 0;
  }

  // --- Plans

  Result<PlanPtr> build(const Entry& entry, size_t index) {
    const Candidate& candidate = entry.candidates[index];
    std::vector<uint32_t> done;
    PlanPtr plan;
    switch (candidate.method) {
      case Candidate::Method::kLeaf: {
        WEFT_TRY(plan, build_leaf(entry, candidate));
        break;
      }
      case Candidate::Method::kMerge:
      case Candidate::Method::kHash: {
        WEFT_TRY(plan, build_pair(candidate));
        std::set_union(candidate.left->filters.begin(), candidate.left->filters.end(),
                       candidate.right->filters.begin(), candidate.right->filters.end(),
                       std::back_inserter(done));
        break;
      }
      case Candidate::Method::kIndex: {
        WEFT_TRY(plan, build_index(candidate));
        done = candidate.left->filters;
        break;
      }
      case Candidate::Method::kBind: {
        WEFT_TRY(plan, build_bind(candidate));
        done = candidate.left->filters;
        break;
      }
    }
    std::vector<const sparql::Expression*> conditions;
    for (const uint32_t filter : entry.filters) {
      if (!std::binary_search(done.begin(), done.end(), filter)) {
        conditions.push_back(group_.filters[filter].condition);
      }
    }
    plan->cost = candidate.cost;
    plan->sorted_by = candidate.sorted_by;
    plan = make_filter(std::move(plan), std::move(conditions));
    plan->rows = entry.figures.rows;
    return plan;
  }

  Result<PlanPtr> build_leaf(const Entry& entry, const Candidate& candidate) {
    Element& element = group_.elements[entry.elements.front()];
    if (const auto* scan = std::get_if<Scan>(&element.form)) {
      return make_scan_node(*scan, candidate.permutation, element.figures);
    }
    if (const auto* part = std::get_if<Element::Part>(&element.form)) {
      return compiler_.compile_alone(*part);
    }
    if (const auto* service = std::get_if<ServiceScan>(&element.form)) {
      return build_service(*service, element, make_leaf(OneRow{}, {}, 1, 1), entry.figures.rows,
                           candidate.cost);
    }
    if (auto* path = std::get_if<PathScan>(&element.form)) {
      return build_path(*path, element, make_leaf(OneRow{}, {}, 1, 1), entry.figures.rows,
                        candidate.cost);
    }
    return std::move(std::get<PlanPtr>(element.form));
  }

  Result<PlanPtr> build_pair(const Candidate& candidate) {
    const Entry& l = *candidate.left;
    const Entry& r = *candidate.right;
    WEFT_TRY(PlanPtr left, build(l, candidate.left_candidate));
    WEFT_TRY(PlanPtr right, build(r, candidate.right_candidate));
    const VariableList shared = intersect(left->columns, right->columns);
    const VariableList sure = intersect(left->certain, right->certain);
    const double rows = joined(l.figures, r.figures).rows;
    if (candidate.method == Candidate::Method::kMerge) {
      MergeJoin join;
      join.key = candidate.key;
      join.others = subtract(shared, {join.key});
      return make_join(std::move(join), std::move(left), std::move(right), rows, candidate.cost);
    }
    HashJoin join;
    join.keys = intersect(shared, sure);
    join.loose = subtract(shared, sure);
    return make_join(std::move(join), std::move(left), std::move(right), rows, candidate.cost);
  }

  Result<PlanPtr> build_index(const Candidate& candidate) {
    const Entry& l = *candidate.left;
    const Element& element = group_.elements[candidate.right->elements.front()];
    WEFT_TRY(PlanPtr left, build(l, candidate.left_candidate));
    if (const auto* service = std::get_if<ServiceScan>(&element.form)) {
      return build_service(*service, element, std::move(left),
                           joined(l.figures, element.figures).rows, candidate.cost);
    }
    if (const auto* path = std::get_if<PathScan>(&element.form)) {
      return build_path(*path, element, std::move(left), joined(l.figures, element.figures).rows,
                        candidate.cost);
    }
    IndexJoin join;
    join.scan = std::get<Scan>(element.form);
    join.scan.permutation = candidate.permutation;
    join.keys = intersect(left->columns, element.scope);
    const double rows = joined(l.figures, element.figures).rows;
    PlanPtr node = make_join(std::move(join), std::move(left), nullptr, rows, candidate.cost);
    node->columns = unite(node->columns, element.scope);
    node->certain = unite(node->certain, element.certain);
    return node;
  }

  static PlanPtr build_service(const ServiceScan& service, const Element& element, PlanPtr left,
                               double rows, double cost) {
    PlanPtr node = make_join(ServiceJoin{service}, std::move(left), nullptr, rows, cost);
    node->columns = unite(node->columns, service.variables);
    node->certain = unite(node->certain, element.certain);
    node->sorted_by.reset();
    return node;
  }

  static PlanPtr build_path(const PathScan& path, const Element& element, PlanPtr left, double rows,
                            double cost) {
    PathJoin join;
    join.path = path;
    join.keys = intersect(left->columns, element.scope);
    PlanPtr node = make_join(std::move(join), std::move(left), nullptr, rows, cost);
    node->columns = unite(node->columns, element.scope);
    node->certain = unite(node->certain, element.certain);
    node->sorted_by.reset();
    return node;
  }

  Result<PlanPtr> build_bind(const Candidate& candidate) {
    const Entry& l = *candidate.left;
    const Element& element = group_.elements[candidate.right->elements.front()];
    WEFT_TRY(PlanPtr left, build(l, candidate.left_candidate));
    BindJoin join;
    join.keys = intersect(left->columns, element.scope);
    join.number = compiler_.new_variable();
    WEFT_TRY(PlanPtr right,
             compiler_.compile_bound(std::get<Element::Part>(element.form), join.keys,
                                     intersect(join.keys, left->certain), join.number, l.figures));
    const double rows = joined(l.figures, element.figures).rows;
    const Variable number = join.number;
    PlanPtr node =
        make_join(std::move(join), std::move(left), std::move(right), rows, candidate.cost);
    node->columns = subtract(node->columns, {number});
    node->certain = subtract(node->certain, {number});
    return node;
  }

  JoinGroup& group_;
  JoinCandidates candidates_;
  PartCompiler& compiler_;
  std::optional<double> row_goal_;
  std::deque<Entry> entries_;  // which do not move
};

}  // namespace

Result<PlanPtr> order_joins(JoinGroup& group, const Environment& environment,
                            PartCompiler& compiler, std::optional<double> row_goal) {
  return JoinSearch(group, environment, compiler, row_goal).run();
}

}  // namespace weft::plan
