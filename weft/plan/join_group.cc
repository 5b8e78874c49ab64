#include "weft/plan/join_group.h"

#include <algorithm>
#include <optional>
#include <set>

#include "weft/plan/exists.h"
#include "weft/plan/plan_nodes.h"
#include "weft/plan/variable_set.h"
#include "weft/rdf/term.h"
#include "weft/sparql/traversal.h"

namespace weft::plan {
namespace {

using sparql::Expression;
using sparql::Function;
using sparql::Node;

// Everything in `a` that is outside is certain.
bool is_settled(const VariableList& a, const VariableList& outside, const VariableList& certain) {
  return is_subset(intersect(a, outside), certain);
}

std::string slot_key(const PatternSlot& slot, const sparql::VariableTable& variables) {
  // Constants first, so that selective patterns win ties.
  return slot.variable ? "~" + variables[*slot.variable].name : " " + slot.text;
}

// The variable and the IRIs of ?x = <iri>, sameTerm(?x, <iri>), ?x IN (<iri>, …).
struct IriChoice {
  Variable variable;
  std::vector<std::string> tokens;
};
std::optional<IriChoice> iri_choice(const Expression& condition) {
  const auto* call = std::get_if<Expression::Call>(&condition.form);
  if (call == nullptr ||
      (call->function != Function::kEqual && call->function != Function::kSameTerm &&
       call->function != Function::kIn)) {
    return std::nullopt;
  }
  IriChoice choice{};
  size_t variables = 0;
  for (const Expression& argument : call->arguments) {
    if (const auto* variable = std::get_if<Expression::Variable>(&argument.form)) {
      choice.variable = variable->variable;
      ++variables;
    } else if (const auto* constant = std::get_if<Expression::Constant>(&argument.form);
               constant != nullptr && rdf::kind_of(constant->token) == rdf::TermKind::kIri) {
      choice.tokens.push_back(constant->token);
    } else {
      return std::nullopt;
    }
  }
  const bool variable_first = std::holds_alternative<Expression::Variable>(call->arguments[0].form);
  if (variables != 1 || choice.tokens.empty() ||
      (call->function == Function::kIn && !variable_first)) {
    return std::nullopt;
  }
  std::sort(choice.tokens.begin(), choice.tokens.end());
  choice.tokens.erase(std::unique(choice.tokens.begin(), choice.tokens.end()), choice.tokens.end());
  return choice;
}

}  // namespace

VariableList scope_in(const VariableList& scope, const GraphChoice& graph) {
  VariableList result = scope;
  if (graph.kind == GraphChoice::Kind::kVariable) {
    insert(result, graph.variable);
  }
  return result;
}

bool accepts_keys(const sparql::Node& node, const VariableList& keys) {
  const sparql::Operation& operation = node.operation;
  if (intersect(node.scope, keys).empty()) {
    return false;
  }
  if (const auto* alternatives = std::get_if<sparql::Union>(&operation)) {
    return std::all_of(alternatives->parts.begin(), alternatives->parts.end(),
                       [&](const sparql::NodePtr& part) { return accepts_keys(*part, keys); });
  }
  if (const auto* join = std::get_if<sparql::Join>(&operation)) {
    return std::any_of(join->parts.begin(), join->parts.end(),
                       [&](const sparql::NodePtr& part) { return accepts_keys(*part, keys); });
  }
  if (const auto* left_join = std::get_if<sparql::LeftJoin>(&operation)) {
    VariableList seen = left_join->right->scope;
    for (const sparql::Expression& condition : left_join->conditions) {
      seen = unite(seen, sparql::variables_of(condition));
    }
    return is_settled(seen, keys, left_join->left->certain) && accepts_keys(*left_join->left, keys);
  }
  if (const auto* filter = std::get_if<sparql::Filter>(&operation)) {
    for (const sparql::Expression& condition : filter->conditions) {
      if (!is_settled(sparql::variables_of(condition), keys, filter->input->certain)) {
        return false;
      }
    }
    return accepts_keys(*filter->input, keys);
  }
  if (const auto* minus = std::get_if<sparql::Minus>(&operation)) {
    return is_settled(minus->right->scope, keys, minus->left->certain) &&
           accepts_keys(*minus->left, keys);
  }
  if (const auto* extend = std::get_if<sparql::Extend>(&operation)) {
    return !contains(keys, extend->variable) &&
           is_settled(sparql::variables_of(extend->expression), keys, extend->input->certain) &&
           accepts_keys(*extend->input, keys);
  }
  return std::holds_alternative<sparql::Bgp>(operation) ||
         std::holds_alternative<sparql::Path>(operation) ||
         std::holds_alternative<sparql::Service>(operation);
}

void Flattener::add_leaf(PlanPtr leaf, Figures figures, std::string order_key) {
  Element element;
  element.scope = leaf->columns;
  element.certain = leaf->certain;
  element.figures = std::move(figures);
  element.form = std::move(leaf);
  element.order_key = std::move(order_key);
  group_.elements.push_back(std::move(element));
}

Status Flattener::add_pattern(const sparql::TriplePattern& triple, const GraphChoice& graph) {
  WEFT_TRY(Scan scan, estimator_.make_scan(triple, graph));
  Element element;
  WEFT_TRY(element.figures, estimator_.scan_figures(scan));
  for (const PatternSlot& slot : scan.slots) {
    if (!slot.variable && slot.id == rdf::kNoTerm) {
      group_.hopeless = true;
      group_.why_hopeless = "the graph has no " + slot.text;
    }
    element.order_key += slot_key(slot, estimator_.query().variables);
  }
  element.order_key += graph.text;
  element.scope = scan_variables(scan);
  element.certain = element.scope;
  element.form = std::move(scan);
  group_.elements.push_back(std::move(element));
  return ok_status();
}

Status Flattener::add_path(const sparql::Path& path, const GraphChoice& graph) {
  WEFT_TRY(PathScan scan, estimator_.make_path(path, graph));
  const auto is_replaced = [this](const PatternSlot& end) {
    return end.variable && contains(replaced_, *end.variable);
  };
  scan.subject_is_replaced = is_replaced(scan.subject);
  scan.object_is_replaced = is_replaced(scan.object);
  Element element;
  WEFT_TRY(element.figures, estimator_.path_figures(scan));
  for (const PatternSlot* end : {&scan.subject, &scan.object}) {
    if (end->variable) {
      insert(element.scope, *end->variable);
    } else if (end->id == rdf::kNoTerm) {
      group_.hopeless = true;
      group_.why_hopeless = "the graph has no " + end->text;
    }
  }
  element.order_key = "~ " + slot_key(scan.subject, estimator_.query().variables) + scan.text +
                      slot_key(scan.object, estimator_.query().variables) + graph.text;
  element.certain = element.scope;
  element.form = std::move(scan);
  group_.elements.push_back(std::move(element));
  return ok_status();
}

void Flattener::add_service(const sparql::Service& service, const Node& node) {
  ServiceScan scan;
  scan.endpoint = estimator_.slot(service.endpoint);
  scan.silent = service.silent;
  scan.query = service.query;
  for (const auto& [name, variable] : service.names) {
    scan.variables.push_back(variable);
    scan.names.push_back(name);
  }
  Element element;
  element.figures = Estimator::service_figures(scan);
  element.order_key = "~~~" + slot_key(scan.endpoint, estimator_.query().variables) + scan.query;
  element.scope = scan.variables;
  if (scan.endpoint.variable) {
    insert(element.scope, *scan.endpoint.variable);
  } else if (!scan.silent) {
    element.certain = intersect(node.certain, scan.variables);
  }
  element.form = std::move(scan);
  group_.elements.push_back(std::move(element));
}

Status Flattener::add_part(const Node& node, const GraphChoice& graph) {
  Element element;
  WEFT_TRY(element.figures, estimator_.node_figures(node, graph));
  element.scope = scope_in(node.scope, graph);
  element.certain = scope_in(node.certain, graph);
  for (const Variable variable : element.scope) {
    element.figures.distinct.try_emplace(variable, element.figures.rows);
  }
  element.order_key = "~~" + dump(node, estimator_.query().variables);
  element.form = Element::Part{&node, graph};
  group_.elements.push_back(std::move(element));
  return ok_status();
}

Status Flattener::add_values(const sparql::Values& values) {
  ValueRows rows;
  rows.variables = values.variables;
  rows.columns.resize(values.variables.size());
  rows.row_count = values.rows.size();
  const Environment& environment = estimator_.environment();
  Figures figures;
  figures.rows = static_cast<double>(values.rows.size());
  figures.cost = figures.rows;
  figures.seeks = 0;
  VariableList columns = sorted_set(values.variables);
  VariableList certain;
  std::string order_key = "  values";
  for (size_t c = 0; c < values.variables.size(); ++c) {
    std::set<rdf::TermId> different;
    for (const auto& row : values.rows) {
      rdf::TermId id = rdf::kNoTerm;
      if (row[c]) {
        const auto found = environment.constants->find(*row[c]);
        id = found == environment.constants->end() ? rdf::kNoTerm : found->second;
        if (id == rdf::kNoTerm) {
          WEFT_TRY(id, environment.intern(*row[c]));
        }
      }
      rows.columns[c].push_back(id);
      different.insert(id);
    }
    if (!different.contains(rdf::kNoTerm)) {
      insert(certain, values.variables[c]);
    }
    figures.distinct[values.variables[c]] = static_cast<double>(different.size());
    order_key += " " + estimator_.query().variables[values.variables[c]].name;
  }
  PlanPtr leaf = make_leaf(std::move(rows), std::move(columns), figures.rows, figures.rows);
  leaf->certain = std::move(certain);
  add_leaf(std::move(leaf), std::move(figures), std::move(order_key));
  return ok_status();
}

Result<bool> Flattener::add_as_values(const Expression& condition, const VariableList& certain) {
  std::optional<IriChoice> choice = iri_choice(condition);
  if (!choice || !contains(certain, choice->variable)) {
    return false;
  }
  sparql::Values values;
  values.variables = {choice->variable};
  for (std::string& token : choice->tokens) {
    values.rows.push_back({std::move(token)});
  }
  WEFT_TRY_STATUS(add_values(values));
  return true;
}

Status Flattener::add_join(const sparql::Join& join, const GraphChoice& graph,
                           const VariableList& outside) {
  for (const sparql::NodePtr& part : join.parts) {
    VariableList seen = outside;
    for (const sparql::NodePtr& other : join.parts) {
      if (other != part) {
        seen = unite(seen, scope_in(other->scope, graph));
      }
    }
    WEFT_TRY_STATUS(add(*part, graph, seen));
  }
  return ok_status();
}

Status Flattener::add_filter(const Node& node, const sparql::Filter& filter,
                             const GraphChoice& graph, const VariableList& outside) {
  const VariableList certain = scope_in(filter.input->certain, graph);
  for (const Expression& condition : filter.conditions) {
    if (!is_settled(sparql::variables_of(condition), outside, certain)) {
      return add_part(node, graph);
    }
  }
  WEFT_TRY_STATUS(add(*filter.input, graph, outside));
  for (const Expression& condition : filter.conditions) {
    if (add_as_join(condition, *filter.input, graph)) {
      continue;
    }
    WEFT_TRY(const bool as_values, add_as_values(condition, certain));
    if (!as_values) {
      group_.filters.push_back({&condition, sparql::variables_of(condition), group_.steps.size()});
    }
  }
  return ok_status();
}

bool Flattener::add_as_join(const Expression& condition, const Node& input,
                            const GraphChoice& graph) {
  const auto* exists = std::get_if<Expression::Exists>(&condition.form);
  if (exists == nullptr) {
    return false;
  }
  const Node& pattern = *exists->pattern;
  const VariableList shared = intersect(pattern.scope, input.scope);
  if (shared.empty() || !is_subset(shared, intersect(pattern.certain, input.certain)) ||
      !is_joinable(pattern, mentioned(input))) {
    return false;
  }
  GroupStep step;
  step.kind = GroupStep::Kind::kExists;
  step.right = &pattern;
  step.graph = graph;
  step.exists = &condition;
  group_.steps.push_back(std::move(step));
  return true;
}

Status Flattener::add_left_join(const Node& node, const sparql::LeftJoin& join,
                                const GraphChoice& graph, const VariableList& outside) {
  GroupStep step;
  for (const Expression& condition : join.conditions) {
    step.conditions.push_back(&condition);
  }
  step.scope = scope_in(join.right->scope, graph);
  const VariableList seen = unite(step.scope, variables_in(step.conditions));
  if (!is_settled(seen, outside, scope_in(join.left->certain, graph))) {
    return add_part(node, graph);
  }
  WEFT_TRY_STATUS(add(*join.left, graph, outside));
  step.kind = GroupStep::Kind::kOptional;
  step.right = join.right.get();
  step.graph = graph;
  group_.steps.push_back(std::move(step));
  return ok_status();
}

Status Flattener::add_minus(const Node& node, const sparql::Minus& minus, const GraphChoice& graph,
                            const VariableList& outside) {
  if (!is_settled(scope_in(minus.right->scope, graph), outside,
                  scope_in(minus.left->certain, graph))) {
    return add_part(node, graph);
  }
  WEFT_TRY_STATUS(add(*minus.left, graph, outside));
  GroupStep step;
  step.kind = GroupStep::Kind::kMinus;
  step.right = minus.right.get();
  step.graph = graph;
  group_.steps.push_back(std::move(step));
  return ok_status();
}

Status Flattener::add_extend(const Node& node, const sparql::Extend& extend,
                             const GraphChoice& graph, const VariableList& outside) {
  const bool settled = !contains(outside, extend.variable) &&
                       is_settled(sparql::variables_of(extend.expression), outside,
                                  scope_in(extend.input->certain, graph));
  if (!settled) {
    return add_part(node, graph);
  }
  WEFT_TRY_STATUS(add(*extend.input, graph, outside));
  GroupStep step;
  step.kind = GroupStep::Kind::kExtend;
  step.extend = &extend;
  step.scope = {extend.variable};
  group_.steps.push_back(std::move(step));
  return ok_status();
}

Status Flattener::add_constant_graph(const sparql::GraphPattern& pattern, const GraphChoice& inner,
                                     const VariableList& outside) {
  rdf::Cardinality quads{0, true};
  if (inner.id != rdf::kNoTerm) {
    WEFT_TRY(quads, estimator_.graph_size(inner.id));
  }
  if (quads.exact && quads.rows == 0) {
    group_.hopeless = true;
    group_.why_hopeless = "there is no graph " + inner.text;
  }
  const size_t before = group_.elements.size();
  WEFT_TRY_STATUS(add(*pattern.input, inner, outside));
  // A pattern that matched in the graph shows that it is there. Nothing else does.
  for (size_t i = before; i < group_.elements.size(); ++i) {
    const auto* scan = std::get_if<Scan>(&group_.elements[i].form);
    if (scan != nullptr && scan->graph.id == inner.id) {
      return ok_status();
    }
  }
  if (!quads.exact) {
    Figures figures;
    figures.rows = 1;
    figures.cost = 1;
    figures.seeks = 0;
    add_leaf(make_leaf(GraphPresent{inner.id, inner.text}, {}, 1, 1), std::move(figures),
             "  graph " + inner.text);
  }
  return ok_status();
}

Status Flattener::add_graph(const sparql::GraphPattern& pattern, const VariableList& outside) {
  WEFT_TRY(const GraphChoice inner, estimator_.graph_choice(pattern.graph));
  if (inner.kind == GraphChoice::Kind::kConstant) {
    return add_constant_graph(pattern, inner, outside);
  }
  const size_t before = group_.elements.size();
  WEFT_TRY_STATUS(add(*pattern.input, inner, unite(outside, {inner.variable})));
  for (size_t i = before; i < group_.elements.size(); ++i) {
    if (contains(group_.elements[i].certain, inner.variable)) {
      return ok_status();
    }
  }
  Figures figures;
  figures.rows = estimator_.environment().graph_count;
  figures.cost = figures.rows;
  figures.seeks = 1;
  figures.distinct[inner.variable] = figures.rows;
  add_leaf(make_leaf(GraphNames{inner.variable}, {inner.variable}, figures.rows, figures.rows),
           std::move(figures), "  graphs");
  return ok_status();
}

Status Flattener::add(const Node& node, const GraphChoice& graph, const VariableList& outside) {
  if (group_.elements.size() > kJoinElementsMax) {
    return Error(ErrorKind::kLimit, "too many patterns in one group")
        .with("join_elements_max", kJoinElementsMax);
  }
  const sparql::Operation& operation = node.operation;
  if (const auto* bgp = std::get_if<sparql::Bgp>(&operation)) {
    for (const sparql::TriplePattern& triple : bgp->triples) {
      WEFT_TRY_STATUS(add_pattern(triple, graph));
    }
    return ok_status();
  }
  if (const auto* path = std::get_if<sparql::Path>(&operation)) {
    return add_path(*path, graph);
  }
  if (const auto* service = std::get_if<sparql::Service>(&operation)) {
    add_service(*service, node);
    return ok_status();
  }
  if (const auto* join = std::get_if<sparql::Join>(&operation)) {
    return add_join(*join, graph, outside);
  }
  if (const auto* filter = std::get_if<sparql::Filter>(&operation)) {
    return add_filter(node, *filter, graph, outside);
  }
  if (const auto* left_join = std::get_if<sparql::LeftJoin>(&operation)) {
    return add_left_join(node, *left_join, graph, outside);
  }
  if (const auto* minus = std::get_if<sparql::Minus>(&operation)) {
    return add_minus(node, *minus, graph, outside);
  }
  if (const auto* extend = std::get_if<sparql::Extend>(&operation)) {
    return add_extend(node, *extend, graph, outside);
  }
  if (const auto* values = std::get_if<sparql::Values>(&operation)) {
    return add_values(*values);
  }
  if (const auto* pattern = std::get_if<sparql::GraphPattern>(&operation)) {
    const auto* variable = std::get_if<Variable>(&pattern->graph);
    const bool loops = variable != nullptr && !fits_all_graphs(*pattern->input);
    // It names its own graph, and says nothing of the one around it.
    return loops ? add_part(node, GraphChoice{}) : add_graph(*pattern, outside);
  }
  return add_part(node, graph);
}

}  // namespace weft::plan
