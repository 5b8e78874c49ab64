// match { … }: bindings, traversals, filters, negation.
#include <algorithm>
#include <utility>

#include "weft/gq/checker.h"

namespace weft::gq {
namespace {

constexpr std::string_view kAnonymous = "_";

}  // namespace

void Checker::check_clauses(std::vector<Clause>& clauses) {
  for (Clause& clause : clauses) {
    if (auto* const binding = std::get_if<Binding>(&clause.value)) {
      check_binding(*binding);
    } else if (auto* const traversal = std::get_if<Traversal>(&clause.value)) {
      check_traversal(*traversal);
    } else if (auto* const filter = std::get_if<Filter>(&clause.value)) {
      check_filter(*filter);
    } else if (auto* const call = std::get_if<TextCall>(&clause.value)) {
      type_of(call->call);
    } else {
      check_negation(std::get<Negation>(clause.value));
    }
  }
}

void Checker::check_binding(Binding& binding) {
  const schema::NodeType* const type = schema_.find_node(binding.type.text);
  const std::string& variable = binding.variable.text;
  if (type == nullptr) {
    report(binding.type.place, "T1", "there is no node type " + binding.type.text);
    scope_[variable] = {false, ""};
    return;
  }
  use(reads_, false, type->name);
  const auto found = scope_.find(variable);
  if (found != scope_.end() && variable != kAnonymous) {
    if (outer_uses_ != nullptr && outer_scope_->contains(variable)) {
      outer_uses_->insert(variable);
    }
    const Variable& bound = found->second;
    if (!bound.type.empty() && (bound.is_edge || bound.type != type->name)) {
      report(binding.variable.place, "type",
             "$" + variable + " is bound to " + (bound.is_edge ? "an edge " : "") + bound.type +
                 " already, and cannot be a " + type->name);
    }
  } else {
    scope_[variable] = {false, type->name};
  }
  for (Assignment& match : binding.matches) {
    const schema::Property* const property = type->find(match.property.text);
    if (property == nullptr) {
      report(match.property.place, "T2", type->name + " has no property " + match.property.text);
    } else {
      check_value(*property, match.value, ValueUse::kMatch);
    }
  }
}

void Checker::check_traversal(Traversal& traversal) {
  const schema::EdgeType* const edge = schema_.find_edge_ignoring_case(traversal.edge.text);
  if (edge == nullptr) {
    report(traversal.edge.place, "T4", "there is no edge type " + traversal.edge.text);
    bind_end(traversal.left, "");
    bind_end(traversal.right, "");
    return;
  }
  check_bounds(traversal);
  traversal.edge_type = edge->name;
  use(reads_, true, edge->name);
  use(reads_, false, edge->from);
  use(reads_, false, edge->to);
  if (traversal.undirected && edge->from != edge->to) {
    report(traversal.edge.place, "T22",
           "an undirected traversal needs an edge that begins and ends at one type, not " +
               edge_text(*edge));
  }
  orient(traversal, *edge);
  bind_end(traversal.left, traversal.left_type);
  bind_end(traversal.right, traversal.right_type);
  if (!traversal.edge_variable.text.empty()) {
    bind_edge(traversal, *edge);
  }
}

bool Checker::check_bounds(const Traversal& traversal) {
  if (!traversal.has_bounds) {
    return true;
  }
  if (traversal.hops_min < 1) {
    report(traversal.bounds_place, "T15", "a traversal has at least 1 hop");
    return false;
  }
  if (!traversal.hops_max.has_value()) {
    report(traversal.bounds_place, "T15", "a traversal needs an upper bound of its hops");
    return false;
  }
  if (*traversal.hops_max < traversal.hops_min) {
    report(traversal.bounds_place, "T15",
           "bounds {" + std::to_string(traversal.hops_min) + "," +
               std::to_string(*traversal.hops_max) + "} are the wrong way round");
    return false;
  }
  return true;
}

std::string Checker::bound_type(const Name& variable) {
  const auto found = variable.text == kAnonymous ? scope_.end() : scope_.find(variable.text);
  if (found == scope_.end()) {
    return "";
  }
  if (outer_uses_ != nullptr && outer_scope_->contains(variable.text)) {
    outer_uses_->insert(variable.text);
  }
  if (found->second.is_edge) {
    report(variable.place, "T23", "$" + variable.text + " is an edge; a traversal joins nodes");
    return "";
  }
  return found->second.type;
}

// The bound variables decide the direction: left at `from`, or right at `to`, goes out.
void Checker::orient(Traversal& traversal, const schema::EdgeType& edge) {
  const std::string left = bound_type(traversal.left);
  const std::string right = bound_type(traversal.right);
  traversal.binds_left = traversal.left.text == kAnonymous || !scope_.contains(traversal.left.text);
  traversal.binds_right =
      traversal.right.text == kAnonymous || !scope_.contains(traversal.right.text);
  const bool same_ends = edge.from == edge.to;
  const bool incoming = !same_ends && (left.empty() ? right == edge.from : left == edge.to);
  traversal.direction = traversal.undirected ? Direction::kBoth
                        : incoming           ? Direction::kIn
                                             : Direction::kOut;
  traversal.left_type = incoming ? edge.to : edge.from;
  traversal.right_type = incoming ? edge.from : edge.to;
  const auto expect = [&](const Name& variable, const std::string& bound,
                          const std::string& wanted) {
    if (!bound.empty() && bound != wanted) {
      report(variable.place, "T5",
             "$" + variable.text + " is a " + bound + ", which is no end of " + edge_text(edge) +
                 (bound == edge.from || bound == edge.to ? " on this side" : ""));
    }
  };
  expect(traversal.left, left, traversal.left_type);
  expect(traversal.right, right, traversal.right_type);
  // Where nothing is bound, the edges themselves are where to begin: both ends get their types.
  // An anonymous end says that a link was meant, which it cannot be.
  const bool nothing_bound = traversal.binds_left && traversal.binds_right;
  if (nothing_bound && (traversal.left.text == kAnonymous || traversal.right.text == kAnonymous)) {
    report(traversal.left.place, "T6",
           "neither end of this traversal is bound ($_ is another one each time)");
  }
}

void Checker::bind_end(const Name& variable, std::string_view type) {
  if (variable.text != kAnonymous && !scope_.contains(variable.text)) {
    scope_[variable.text] = {false, std::string(type)};
  }
}

void Checker::bind_edge(const Traversal& traversal, const schema::EdgeType& edge) {
  const Name& variable = traversal.edge_variable;
  const bool one_hop = traversal.hops_min == 1 && traversal.hops_max == 1U;
  if (!one_hop) {
    report(variable.place, "T23", "edge variable $" + variable.text + " needs a single hop");
  }
  if (variable.text == kAnonymous) {
    return;
  }
  if (scope_.contains(variable.text)) {
    report(variable.place, "T23", "edge variable $" + variable.text + " is bound already");
    return;
  }
  scope_[variable.text] = {true, edge.name};
}

void Checker::check_filter(Filter& filter) {
  in_match_ = true;
  const Type left = type_of(filter.left);
  const Type right = type_of(filter.right);
  in_match_ = false;
  if (is_aggregate(filter.left.kind) || is_aggregate(filter.right.kind)) {
    report(filter.left.place, "T7",
           "an aggregate (" + (is_aggregate(filter.left.kind) ? left : right).described() +
               ") cannot stand in match");
    return;
  }
  if (left.is_broken() || right.is_broken()) {
    return;
  }
  if (filter.op == Operator::kContains || filter.op == Operator::kStartsWith) {
    check_string_operator(filter, left, right);
  } else {
    check_comparison(filter, left, right);
  }
}

void Checker::check_comparison(const Filter& filter, const Type& left, const Type& right) {
  const auto is_list = [](const Type& type) {
    return type.kind == Type::Kind::kEmptyList ||
           (type.kind == Type::Kind::kValue && (type.value.is_list || type.value.is_vector()));
  };
  const std::string both =
      left.described() + " " + std::string(operator_text(filter.op)) + " " + right.described();
  if (left.kind == Type::Kind::kNode || right.kind == Type::Kind::kNode) {
    report(filter.left.place, "T7", "whole nodes cannot be compared: " + both);
  } else if (is_list(left) || is_list(right)) {
    report(filter.left.place, "T7",
           "lists cannot be compared: " + both + " (contains asks for one item)");
  } else if (left.value.scalar != right.value.scalar &&
             !(schema::is_numeric(left.value.scalar) && schema::is_numeric(right.value.scalar))) {
    report(filter.left.place, "T7", "types do not agree: " + both);
  }
}

void Checker::check_string_operator(const Filter& filter, const Type& left, const Type& right) {
  const std::string op(operator_text(filter.op));
  const auto refuse = [&](const std::string& why) {
    report(filter.left.place, "T7",
           op + " " + why + ": " + left.described() + " " + op + " " + right.described());
  };
  const bool in_list =
      filter.op == Operator::kContains && (left.kind == Type::Kind::kEmptyList ||
                                           (left.kind == Type::Kind::kValue && left.value.is_list));
  if (right.kind != Type::Kind::kValue || !right.value.is_plain()) {
    refuse("takes one value on its right");
  } else if (!in_list) {
    if (!left.is_plain(schema::Scalar::kString) || !right.is_plain(schema::Scalar::kString)) {
      refuse(filter.op == Operator::kContains ? "is for a list or a String" : "is for String");
    }
  } else if (left.kind == Type::Kind::kValue && left.value.scalar != right.value.scalar &&
             !(schema::is_numeric(left.value.scalar) && schema::is_numeric(right.value.scalar))) {
    refuse("finds items of the list's own type");
  }
}

void Checker::check_negation(Negation& negation) {
  const Scope outer = scope_;
  std::set<std::string> uses;
  const auto uses_before = std::exchange(outer_uses_, &uses);
  const auto scope_before = std::exchange(outer_scope_, &outer);
  check_clauses(negation.clauses);
  outer_uses_ = uses_before;
  outer_scope_ = scope_before;
  scope_ = outer;
  if (uses.empty()) {
    report(negation.place, "T9", "not { … } must name a variable that is bound outside of it");
  } else if (outer_uses_ != nullptr) {
    for (const std::string& name : uses) {
      if (outer_scope_->contains(name)) {
        outer_uses_->insert(name);
      }
    }
  }
}

}  // namespace weft::gq
