// The order of steps.
#include <algorithm>
#include <limits>
#include <utility>

#include "weft/gqexec/planner.h"

namespace weft::gqexec {
namespace {

// Guesses, since no statistics are kept: which rows of a type meet a condition.
constexpr double kEqualShare = 0.01;
constexpr double kUniqueRows = 1;
constexpr double kTextShare = 0.1;
constexpr double kRangeShare = 0.3;
constexpr double kNegationShare = 0.5;

// Rows, as a share of their type's, from which on equal ones are looked for.
constexpr double kCollapseShare = 0.1;

// (Aggregates of variants make g++ 12 warn of what is not so.)
template <typename Action>
void add_step(std::vector<Step>& steps, Action action, double rows) {
  Step& step = steps.emplace_back();
  step.action.emplace<Action>(std::move(action));
  step.estimated_rows = rows;
}

bool is_property_of(const Term& term, size_t slot) {
  return term.kind == Term::Kind::kProperty && term.slot == slot;
}

// The id of a node with a key of one String is that property.
bool is_whole_key(const schema::Schema& schema, const Slot& slot, const std::string& name) {
  if (slot.is_edge) {
    return false;
  }
  const schema::NodeType* const type = schema.find_node(slot.type);
  if (type->key.size() != 1 || type->key.front() != name) {
    return false;
  }
  const schema::PropertyType& key = type->find(name)->type;
  return key.is_plain() && key.scalar == schema::Scalar::kString;
}

}  // namespace

std::set<size_t> slots_of(const Condition& condition) {
  std::set<size_t> slots;
  for (const Term* term : {&condition.left, &condition.right}) {
    if (term->kind == Term::Kind::kProperty) {
      slots.insert(term->slot);
    }
  }
  return slots;
}

bool is_about(const Condition& condition, size_t slot) {
  const std::set<size_t> slots = slots_of(condition);
  return slots.size() == 1 && slots.contains(slot);
}

double Planner::scan_rows(size_t slot, const std::vector<Condition>& conditions) const {
  const Slot& of = plan_.slots[slot];
  auto rows = static_cast<double>(of.data->row_count());
  for (const Condition& condition : conditions) {
    if (!is_about(condition, slot)) {
      continue;
    }
    switch (condition.op) {
      case gq::Operator::kEqual: {
        const bool unique = is_property_of(condition.left, slot) &&
                            is_whole_key(graph_.schema(), of, condition.left.property);
        rows = unique ? std::min(rows, kUniqueRows) : rows * kEqualShare;
        break;
      }
      case gq::Operator::kContains:
      case gq::Operator::kStartsWith:
        rows *= kTextShare;
        break;
      case gq::Operator::kNotEqual:
        break;
      case gq::Operator::kLess:
      case gq::Operator::kLessOrEqual:
      case gq::Operator::kGreater:
      case gq::Operator::kGreaterOrEqual:
        rows *= kRangeShare;
        break;
    }
  }
  return rows;
}

double Planner::fan_out(const ExpandStep& join, bool from_left) const {
  const Slot& from = plan_.slots[from_left ? join.from : join.to];
  const double nodes = std::max(1.0, static_cast<double>(from.data->row_count()));
  const double one = edge_counts_.find(join.edge_type)->second / nodes *
                     (join.way == gq::Direction::kBoth ? 2 : 1);
  double all = one;
  for (uint32_t hop = 1; hop < std::min<uint32_t>(join.hops_max, 4); ++hop) {
    all = all * std::max(1.0, one) + one;
  }
  return std::min(all, nodes);
}

void Planner::take_conditions(std::vector<Condition>& conditions, const std::set<size_t>& bound,
                              std::vector<Step>& steps) {
  for (auto at = conditions.begin(); at != conditions.end();) {
    const std::set<size_t> slots = slots_of(*at);
    if (!std::includes(bound.begin(), bound.end(), slots.begin(), slots.end())) {
      ++at;
      continue;
    }
    rows_ *= at->op == gq::Operator::kEqual ? kTextShare : kRangeShare;
    add_step(steps, FilterStep{std::move(*at)}, rows_);
    at = conditions.erase(at);
  }
}

ScanStep Planner::make_scan(size_t slot, std::vector<Condition>& conditions,
                            const std::set<size_t>& bound) const {
  ScanStep scan;
  scan.slot = slot;
  for (auto at = conditions.begin(); at != conditions.end();) {
    Condition& condition = *at;
    if (is_about(condition, slot)) {
      if (is_property_of(condition.right, slot) && condition.left.kind == Term::Kind::kConstant &&
          condition.op == gq::Operator::kEqual) {
        std::swap(condition.left, condition.right);
      }
      if (condition.op == gq::Operator::kEqual && is_property_of(condition.left, slot) &&
          condition.right.kind == Term::Kind::kConstant && !scan.key_condition.has_value() &&
          is_whole_key(graph_.schema(), plan_.slots[slot], condition.left.property)) {
        scan.key_condition = scan.conditions.size();
      }
      scan.conditions.push_back(std::move(condition));
      at = conditions.erase(at);
      continue;
    }
    // Joins by equality of one property of this slot and one of a bound slot.
    const bool left = is_property_of(condition.left, slot);
    const Term& other = left ? condition.right : condition.left;
    const bool joins = condition.op == gq::Operator::kEqual &&
                       (left || is_property_of(condition.right, slot)) &&
                       other.kind == Term::Kind::kProperty && bound.contains(other.slot);
    if (joins && !scan.join.has_value()) {
      if (!left) {
        std::swap(condition.left, condition.right);
      }
      scan.join = std::move(condition);
      at = conditions.erase(at);
      continue;
    }
    ++at;
  }
  return scan;
}

std::vector<Step> Planner::order(const Pending& pending, std::set<size_t> bound, bool& never) {
  never = pending.never;
  std::vector<Step> steps;
  std::vector<Condition> conditions = pending.conditions;
  std::vector<const ExpandStep*> joins;
  for (const ExpandStep& join : pending.joins) {
    joins.push_back(&join);
  }
  std::vector<const Pending::Negated*> negations;
  for (const Pending::Negated& negated : pending.negations) {
    negations.push_back(&negated);
  }
  while (true) {
    take_conditions(conditions, bound, steps);
    take_negations(negations, bound, steps);
    if (take_join(joins, bound, steps)) {
      continue;
    }
    // Nothing leads on: another variable to begin with, the one with the fewest rows.
    std::optional<size_t> first;
    double fewest = std::numeric_limits<double>::infinity();
    for (const size_t slot : pending.nodes) {
      const double rows = bound.contains(slot) ? fewest : scan_rows(slot, conditions);
      if (rows < fewest) {
        fewest = rows;
        first = slot;
      }
    }
    if (!first.has_value()) {
      return steps;
    }
    rows_ *= fewest;
    ScanStep scan = make_scan(*first, conditions, bound);
    if (scan.join.has_value()) {
      rows_ *= kEqualShare;
    }
    add_step(steps, std::move(scan), rows_);
    bound.insert(*first);
  }
}

// The join that adds the fewest rows among those with a bound end. Both bound: at once.
bool Planner::take_join(std::vector<const ExpandStep*>& joins, std::set<size_t>& bound,
                        std::vector<Step>& steps) {
  size_t best = joins.size();
  double fewest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < joins.size(); ++i) {
    const bool left = bound.contains(joins[i]->from);
    const bool right = bound.contains(joins[i]->to);
    if (!left && !right) {
      continue;
    }
    const double rows = left && right ? -1 : fan_out(*joins[i], left);
    if (rows < fewest) {
      fewest = rows;
      best = i;
    }
  }
  if (best == joins.size()) {
    return false;
  }
  ExpandStep step = *joins[best];
  joins.erase(joins.begin() + static_cast<ptrdiff_t>(best));
  if (!bound.contains(step.from)) {
    std::swap(step.from, step.to);
    step.way = step.way == gq::Direction::kOut  ? gq::Direction::kIn
               : step.way == gq::Direction::kIn ? gq::Direction::kOut
                                                : gq::Direction::kBoth;
  }
  // One variable at both ends is bound by itself.
  step.is_bound = bound.contains(step.to);
  rows_ *= step.is_bound ? kTextShare : std::max(fewest, 0.0);
  bound.insert(step.to);
  if (step.edge_slot.has_value()) {
    bound.insert(*step.edge_slot);
  }
  add_step(steps, std::move(step), rows_);
  return true;
}

void Planner::take_negations(std::vector<const Pending::Negated*>& negations,
                             const std::set<size_t>& bound, std::vector<Step>& steps) {
  for (auto at = negations.begin(); at != negations.end();) {
    const Pending::Negated& negated = **at;
    if (!std::includes(bound.begin(), bound.end(), negated.outer.begin(), negated.outer.end())) {
      ++at;
      continue;
    }
    NegationStep step;
    step.outer_slots.assign(negated.outer.begin(), negated.outer.end());
    step.tag = plan_.slots.size();
    plan_.slots.push_back({"row", "", false, nullptr});
    const double rows_before = std::exchange(rows_, 1);
    step.steps = order(*negated.inner, negated.outer, step.never);
    rows_ = rows_before * kNegationShare;
    add_step(steps, std::move(step), rows_);
    at = negations.erase(at);
  }
}

// Backwards: what the steps behind need.
void Planner::mark_live(std::vector<Step>& steps, std::set<size_t> needed) {
  for (auto at = steps.rbegin(); at != steps.rend(); ++at) {
    at->live.assign(needed.begin(), needed.end());
    if (const auto* const scan = std::get_if<ScanStep>(&at->action)) {
      needed.erase(scan->slot);
      if (scan->join.has_value()) {
        needed.insert(scan->join->right.slot);
      }
    } else if (const auto* const filter = std::get_if<FilterStep>(&at->action)) {
      for (const size_t slot : slots_of(filter->condition)) {
        needed.insert(slot);
      }
    } else if (const auto* const expand = std::get_if<ExpandStep>(&at->action)) {
      if (expand->edge_slot.has_value()) {
        needed.erase(*expand->edge_slot);
      }
      if (expand->is_bound) {
        needed.insert(expand->to);
      } else {
        needed.erase(expand->to);
      }
      needed.insert(expand->from);
    } else if (auto* const negation = std::get_if<NegationStep>(&at->action)) {
      mark_live(negation->steps, {negation->tag});
      needed.insert(negation->outer_slots.begin(), negation->outer_slots.end());
    }
  }
}

// Where one slot is all that is left, and more edges are followed: equal rows are followed once.
void Planner::collapse(std::vector<Step>& steps) {
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    if (!std::holds_alternative<ExpandStep>(steps[i].action) || steps[i].live.size() != 1) {
      continue;
    }
    // It looks at a number for each row of the type: not worth it for a few rows.
    const uint64_t type_rows = plan_.slots[steps[i].live.front()].data->row_count();
    if (steps[i].estimated_rows < static_cast<double>(type_rows) * kCollapseShare) {
      continue;
    }
    const bool follows = std::any_of(
        steps.begin() + static_cast<ptrdiff_t>(i) + 1, steps.end(),
        [](const Step& step) { return std::holds_alternative<ExpandStep>(step.action); });
    if (follows) {
      Step step{CollapseStep{steps[i].live.front()}, steps[i].estimated_rows, steps[i].live};
      steps.insert(steps.begin() + static_cast<ptrdiff_t>(i) + 1, std::move(step));
      ++i;
    }
  }
}

}  // namespace weft::gqexec
