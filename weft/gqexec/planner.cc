#include "weft/gqexec/planner.h"

#include <utility>

#include "weft/gqexec/constants.h"
#include "weft/gqexec/operand.h"
#include "weft/ndjson/table_columns.h"

namespace weft::gqexec {
namespace {

constexpr std::string_view kAnonymous = "_";
constexpr size_t kSlotsMax = 4'096;
constexpr int32_t kSumDigits = 38;

Error unsupported(gq::ExpressionKind kind) {
  return Error(ErrorKind::kUnsupported, "search functions are not supported yet")
      .with("function", gq::function_name(kind));
}

}  // namespace

Result<size_t> Planner::add_slot(const std::string& name, const std::string& type, bool is_edge) {
  if (plan_.slots.size() == kSlotsMax) {
    return Error(ErrorKind::kLimit, "a query has too many variables")
        .with("variables_max", kSlotsMax);
  }
  WEFT_TRY(TypeData* const data, is_edge ? graph_.edge(type) : graph_.node(type));
  plan_.slots.push_back({name, type, is_edge, data});
  return plan_.slots.size() - 1;
}

Result<size_t> Planner::node_slot(const std::string& name, const std::string& type, Pending& out) {
  if (const auto found = scope_.find(name); found != scope_.end() && name != kAnonymous) {
    return found->second;
  }
  WEFT_TRY(const size_t slot, add_slot(name, type, false));
  out.nodes.insert(slot);
  scope_[name] = slot;  // of `_`: the latest
  return slot;
}

Status Planner::lower(const std::vector<gq::Clause>& clauses, Pending& out) {
  for (const gq::Clause& clause : clauses) {
    if (const auto* const binding = std::get_if<gq::Binding>(&clause.value)) {
      WEFT_TRY_STATUS(lower_binding(*binding, out));
    } else if (const auto* const traversal = std::get_if<gq::Traversal>(&clause.value)) {
      WEFT_TRY_STATUS(lower_traversal(*traversal, out));
    } else if (const auto* const filter = std::get_if<gq::Filter>(&clause.value)) {
      WEFT_TRY_STATUS(lower_filter(*filter, out));
    } else if (const auto* const call = std::get_if<gq::TextCall>(&clause.value)) {
      return unsupported(call->call.kind);
    } else {
      WEFT_TRY_STATUS(lower_negation(std::get<gq::Negation>(clause.value), out));
    }
  }
  return ok_status();
}

Status Planner::lower_binding(const gq::Binding& binding, Pending& out) {
  WEFT_TRY(const size_t slot, node_slot(binding.variable.text, binding.type.text, out));
  const schema::NodeType* const type = graph_.schema().find_node(binding.type.text);
  for (const gq::Assignment& match : binding.matches) {
    Condition condition;
    condition.left.kind = Term::Kind::kProperty;
    condition.left.slot = slot;
    condition.left.property = match.property.text;
    const schema::Property* const property = type->find(match.property.text);
    condition.op = property->type.is_list ? gq::Operator::kContains : gq::Operator::kEqual;
    WEFT_TRY(condition.right, term_of(match.value));
    WEFT_TRY_STATUS(add_condition(std::move(condition), out));
  }
  return ok_status();
}

Status Planner::lower_traversal(const gq::Traversal& traversal, Pending& out) {
  ExpandStep join;
  WEFT_TRY(join.from, node_slot(traversal.left.text, traversal.left_type, out));
  WEFT_TRY(join.to, node_slot(traversal.right.text, traversal.right_type, out));
  if (const std::string& name = traversal.edge_variable.text; !name.empty()) {
    WEFT_TRY(join.edge_slot, add_slot(name, traversal.edge_type, true));
    if (name != kAnonymous) {
      scope_[name] = *join.edge_slot;
    }
  }
  join.edge_type = traversal.edge_type;
  join.way = traversal.direction;
  const schema::EdgeType* const edge = graph_.schema().find_edge(traversal.edge_type);
  join.one_type = edge->from == edge->to;
  join.hops_min = traversal.hops_min;
  join.hops_max = traversal.hops_max.value_or(traversal.hops_min);
  WEFT_TRY(TypeData* const edges, graph_.edge(traversal.edge_type));
  edge_counts_[traversal.edge_type] = static_cast<double>(edges->row_count());
  out.joins.push_back(std::move(join));
  return ok_status();
}

Status Planner::lower_filter(const gq::Filter& filter, Pending& out) {
  Condition condition;
  WEFT_TRY(condition.left, term_of(filter.left));
  condition.op = filter.op;
  WEFT_TRY(condition.right, term_of(filter.right));
  return add_condition(std::move(condition), out);
}

Status Planner::lower_negation(const gq::Negation& negation, Pending& out) {
  const Scope outer = scope_;
  const size_t slots_before = plan_.slots.size();
  Pending::Negated negated;
  negated.inner = std::make_unique<Pending>();
  WEFT_TRY_STATUS(lower(negation.clauses, *negated.inner));
  scope_ = outer;
  const auto use = [&](size_t slot) {
    if (slot < slots_before) {
      negated.outer.insert(slot);
    }
  };
  for (const Condition& condition : negated.inner->conditions) {
    for (const size_t slot : slots_of(condition)) {
      use(slot);
    }
  }
  for (const ExpandStep& join : negated.inner->joins) {
    use(join.from);
    use(join.to);
  }
  for (const Pending::Negated& deeper : negated.inner->negations) {
    for (const size_t slot : deeper.outer) {
      use(slot);
    }
  }
  out.negations.push_back(std::move(negated));
  return ok_status();
}

Status Planner::add_condition(Condition condition, Pending& out) {
  const auto text = [this](const Term& term) {
    return term.kind == Term::Kind::kConstant
               ? columns::element_text(*term.constant, 0)
               : "$" + plan_.slots[term.slot].name + "." + term.property;
  };
  condition.text = text(condition.left) + " " + std::string(gq::operator_text(condition.op)) + " " +
                   text(condition.right);
  if (!slots_of(condition).empty()) {
    out.conditions.push_back(std::move(condition));
    return ok_status();
  }
  Operand left = constant_operand(condition.left.constant);
  Operand right = constant_operand(condition.right.constant);
  round_constants(left, right);
  std::vector<uint32_t> selected;
  select(left, condition.op, right, 1, selected);
  out.never = out.never || selected.empty();
  return ok_status();
}

Result<Term> Planner::term_of(const gq::Expression& expression) {
  switch (expression.kind) {
    case gq::ExpressionKind::kLiteral:
    case gq::ExpressionKind::kNow:
    case gq::ExpressionKind::kVariable:
    case gq::ExpressionKind::kProperty:
      break;
    case gq::ExpressionKind::kAlias:
      return term_of(
          std::get<gq::Read>(query_.query.body).projections[expression.column].expression);
    default:
      return unsupported(expression.kind);
  }
  if (is_constant(expression)) {
    Term term;
    WEFT_TRY(term.constant, constant_value(expression, parameters_, now_));
    return term;
  }
  const auto found = scope_.find(expression.name);
  if (found == scope_.end()) {
    return Error(ErrorKind::kInternal, "a checked query names what is not bound")
        .with("variable", expression.name);
  }
  Term term;
  term.kind = Term::Kind::kProperty;
  term.slot = found->second;
  term.property = expression.kind == gq::ExpressionKind::kVariable ? "id" : expression.property;
  return term;
}

Status Planner::lower_columns() {
  const auto& read = std::get<gq::Read>(query_.query.body);
  plan_.aggregates = read.aggregates;
  for (size_t i = 0; i < read.projections.size(); ++i) {
    const gq::Expression* expression = &read.projections[i].expression;
    while (expression->kind == gq::ExpressionKind::kAlias) {
      expression = &read.projections[expression->column].expression;
    }
    OutputColumn column;
    column.name = read.projections[i].column_name;
    if (gq::is_aggregate(expression->kind)) {
      column.aggregate = expression->kind;
      expression = expression->arguments.data();
      while (expression->kind == gq::ExpressionKind::kAlias) {
        expression = &read.projections[expression->column].expression;
      }
      column.counts_rows =
          expression->kind == gq::ExpressionKind::kVariable && !expression->is_parameter;
    }
    WEFT_TRY(column.term, term_of(*expression));
    const columns::TypeId summed = term_type(column.term)->id();
    column.sums_reals = summed == columns::TypeId::kDouble || summed == columns::TypeId::kFloat;
    column.type = column_type(column);
    plan_.columns.push_back(std::move(column));
  }
  return ok_status();
}

columns::TypePtr Planner::term_type(const Term& term) const {
  if (term.kind == Term::Kind::kConstant) {
    return term.constant->type();
  }
  if (term.property == "id") {
    return columns::simple_type(columns::TypeId::kString);
  }
  const Slot& slot = plan_.slots[term.slot];
  const schema::EntityType* type = graph_.schema().find_node(slot.type);
  if (slot.is_edge) {
    type = graph_.schema().find_edge(slot.type);
  }
  return ndjson::column_type(type->find(term.property)->type);
}

columns::TypePtr Planner::column_type(const OutputColumn& column) const {
  columns::TypePtr type = term_type(column.term);
  if (!column.aggregate.has_value()) {
    return type;
  }
  switch (*column.aggregate) {
    case gq::ExpressionKind::kCount:
      return columns::simple_type(columns::TypeId::kUint64);
    case gq::ExpressionKind::kAvg:
      return columns::simple_type(columns::TypeId::kDouble);
    case gq::ExpressionKind::kSum:
      // Integers are summed exactly, whatever their number.
      return column.sums_reals ? columns::simple_type(columns::TypeId::kDouble)
                               : columns::decimal128(kSumDigits, 0);
    default:
      return type;
  }
}

Status Planner::lower_orders() {
  const auto& read = std::get<gq::Read>(query_.query.body);
  for (const gq::Ordering& ordering : read.orderings) {
    const gq::Expression& expression = ordering.expression;
    OrderKey key;
    key.descending = ordering.descending;
    if (expression.kind == gq::ExpressionKind::kAlias) {
      key.column = expression.column;
    } else if (plan_.aggregates) {
      for (size_t i = 0; i < read.projections.size() && !key.column.has_value(); ++i) {
        if (gq::same(read.projections[i].expression, expression)) {
          key.column = i;
        }
      }
    } else {
      WEFT_TRY(key.term, term_of(expression));
    }
    if (key.column.has_value() && !plan_.aggregates) {
      key.term = plan_.columns[*key.column].term;
      key.column.reset();
    }
    plan_.orders.push_back(std::move(key));
  }
  plan_.limit = read.limit;
  return ok_status();
}

Result<Plan> Planner::run() {
  Pending pending;
  WEFT_TRY_STATUS(lower(std::get<gq::Read>(query_.query.body).clauses, pending));
  WEFT_TRY_STATUS(lower_columns());
  WEFT_TRY_STATUS(lower_orders());
  std::set<size_t> needed;
  if (!plan_.orders.empty() && !plan_.aggregates) {
    // In the order of their clauses.
    std::set<size_t> ties = pending.nodes;
    for (const ExpandStep& join : pending.joins) {
      if (join.edge_slot.has_value()) {
        ties.insert(*join.edge_slot);
      }
    }
    plan_.tie_slots.assign(ties.begin(), ties.end());
    needed = ties;
  }
  for (const OutputColumn& column : plan_.columns) {
    if (column.term.kind == Term::Kind::kProperty && !column.counts_rows) {
      needed.insert(column.term.slot);
    }
  }
  for (const OrderKey& key : plan_.orders) {
    if (!key.column.has_value() && key.term.kind == Term::Kind::kProperty) {
      needed.insert(key.term.slot);
    }
  }
  plan_.steps = order(pending, {}, plan_.never);
  mark_live(plan_.steps, needed);
  if (plan_.aggregates) {
    collapse(plan_.steps);
  }
  return std::move(plan_);
}

Result<Plan> make_plan(const gq::CheckedQuery& query, GraphData& graph,
                       const ParameterValues& parameters, base::WallTime now) {
  return Planner(query, graph, parameters, now).run();
}

}  // namespace weft::gqexec
