#include "weft/plan/estimate.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "weft/plan/path_program.h"
#include "weft/sparql/traversal.h"

namespace weft::plan {
namespace {

using sparql::Expression;

double at_least_one(double value) {
  return std::max(value, 1.0);
}

int graph_key(const GraphChoice& graph) {
  return static_cast<int>(graph.kind) * 2 + (graph.id != rdf::kNoTerm ? 1 : 0);
}

}  // namespace

bool Estimator::Key::operator<(const Key& other) const {
  const auto tied = [](const rdf::IdPattern& p) {
    return std::tie(p.subject, p.predicate, p.object, p.scope, p.graph);
  };
  return tied(pattern) < tied(other.pattern);
}

rdf::TermId Estimator::constant(const std::string& token) const {
  const auto found = environment_.constants->find(token);
  return found == environment_.constants->end() ? rdf::kNoTerm : found->second;
}

PatternSlot Estimator::slot(const sparql::PatternTerm& term) const {
  PatternSlot slot;
  if (const auto* variable = std::get_if<Variable>(&term)) {
    slot.variable = *variable;
  } else {
    slot.text = std::get<std::string>(term);
    slot.id = constant(slot.text);
  }
  return slot;
}

Result<Scan> Estimator::make_scan(const sparql::TriplePattern& triple,
                                  const GraphChoice& graph) const {
  Scan scan;
  scan.slots = {slot(triple.subject), slot(triple.predicate), slot(triple.object)};
  scan.graph = graph;
  return scan;
}

Result<GraphChoice> Estimator::graph_choice(const sparql::PatternTerm& graph) const {
  GraphChoice choice;
  const PatternSlot term = slot(graph);
  if (term.variable) {
    choice.kind = GraphChoice::Kind::kVariable;
    choice.variable = *term.variable;
  } else {
    choice.kind = GraphChoice::Kind::kConstant;
    choice.id = term.id;
    choice.text = term.text;
  }
  return choice;
}

rdf::IdPattern Estimator::id_pattern(const Scan& scan) const {
  rdf::IdPattern pattern;
  pattern.subject = scan.slots[0].id;
  pattern.predicate = scan.slots[1].id;
  pattern.object = scan.slots[2].id;
  switch (scan.graph.kind) {
    case GraphChoice::Kind::kDefault:
      pattern.scope = rdf::GraphScope::kDefault;
      break;
    case GraphChoice::Kind::kConstant:
      pattern.scope = rdf::GraphScope::kOne;
      pattern.graph = scan.graph.id;
      break;
    case GraphChoice::Kind::kVariable:
    case GraphChoice::Kind::kLoop:
      pattern.scope = rdf::GraphScope::kAllNamed;
      break;
  }
  return pattern;
}

namespace {

// A constant that the graph lacks: no row can match.
bool is_hopeless(const Scan& scan) {
  for (const PatternSlot& slot : scan.slots) {
    if (!slot.variable && slot.id == rdf::kNoTerm) {
      return true;
    }
  }
  return scan.graph.kind == GraphChoice::Kind::kConstant && scan.graph.id == rdf::kNoTerm;
}

}  // namespace

Status Estimator::ask(const rdf::IdPattern& pattern, Known& known) const {
  WEFT_TRY(known.rows, environment_.statistics->cardinality(pattern));
  for (size_t i = 0; i < 3; ++i) {
    const auto position = static_cast<rdf::Position>(i);
    if (pattern.at(position) != rdf::kNoTerm) {
      known.distinct[i] = 1;
    } else if (known.rows.rows <= 1 || !known.joins[i]) {
      known.distinct[i] = known.rows.rows;
    } else {
      WEFT_TRY(known.distinct[i], environment_.statistics->distinct(pattern, position));
    }
  }
  return ok_status();
}

Status Estimator::collect(const sparql::Node& node, const GraphChoice& graph,
                          std::vector<Scan>& scans) {
  if (const auto* bgp = std::get_if<sparql::Bgp>(&node.operation)) {
    for (const sparql::TriplePattern& triple : bgp->triples) {
      WEFT_TRY(Scan scan, make_scan(triple, graph));
      for (const PatternSlot& slot : scan.slots) {
        if (slot.variable) {
          ++mentions_[*slot.variable];
        }
      }
      if (!is_hopeless(scan)) {
        scans.push_back(std::move(scan));
      }
    }
    return ok_status();
  }
  if (std::holds_alternative<sparql::Path>(node.operation)) {
    for (const Variable variable : node.scope) {
      ++mentions_[variable];
    }
  }
  if (const auto* values = std::get_if<sparql::Values>(&node.operation)) {
    for (const Variable variable : values->variables) {
      ++mentions_[variable];
    }
  }
  GraphChoice inner = graph;
  if (const auto* pattern = std::get_if<sparql::GraphPattern>(&node.operation)) {
    WEFT_TRY(inner, graph_choice(pattern->graph));
  }
  Status status = ok_status();
  const auto descend = [&](const sparql::Node& child) {
    if (status.ok()) {
      status = collect(child, inner, scans);
    }
  };
  const auto into_exists = [&](const Expression& expression) {
    if (const auto* exists = std::get_if<Expression::Exists>(&expression.form)) {
      descend(*exists->pattern);
    }
  };
  sparql::for_each_part(node, descend, [&](const Expression& expression) {
    sparql::for_each_expression(expression, into_exists);
  });
  return status;
}

Status Estimator::load(const sparql::Node& root, const GraphChoice& graph) {
  std::vector<Scan> scans;
  WEFT_TRY_STATUS(collect(root, graph, scans));
  std::vector<std::pair<Key, Known*>> wanted;
  for (const Scan& scan : scans) {
    const Key key{id_pattern(scan)};
    const auto [known, fresh] = known_.try_emplace(key);
    if (fresh) {
      wanted.emplace_back(key, &known->second);
    }
    for (size_t i = 0; i < 3; ++i) {
      // How many different terms a column has matters only to joins.
      known->second.joins[i] = known->second.joins[i] ||
                               (scan.slots[i].variable && mentions_[*scan.slots[i].variable] > 1);
    }
  }
  const auto ask_one = [&](size_t i) { return ask(wanted[i].first.pattern, *wanted[i].second); };
  if (environment_.statistics->is_remote()) {
    return environment_.executor->for_each(wanted.size(), ask_one);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    WEFT_TRY_STATUS(ask_one(i));
  }
  return ok_status();
}

Result<rdf::Cardinality> Estimator::graph_size(rdf::TermId graph) const {
  rdf::IdPattern pattern;
  pattern.scope = rdf::GraphScope::kOne;
  pattern.graph = graph;
  return environment_.statistics->cardinality(pattern);
}

Result<Figures> Estimator::scan_figures(const Scan& scan) {
  Figures figures;
  Known known;
  if (!is_hopeless(scan)) {
    const Key key{id_pattern(scan)};
    const auto [found, fresh] = known_.try_emplace(key);
    if (fresh) {
      WEFT_TRY_STATUS(ask(key.pattern, found->second));
    }
    known = found->second;
  } else {
    known.rows = {0, true};
    std::fill(std::begin(known.distinct), std::end(known.distinct), 0.0);
  }
  double rows = known.rows.rows;
  bool repeated = false;
  const auto add = [&](Variable variable, double distinct) {
    const auto [place, fresh] = figures.distinct.try_emplace(variable, distinct);
    if (!fresh) {
      rows /= at_least_one(std::max(distinct, place->second));
      repeated = true;
    }
  };
  for (size_t i = 0; i < 3; ++i) {
    if (scan.slots[i].variable) {
      add(*scan.slots[i].variable, known.distinct[i]);
    }
  }
  if (scan.graph.kind == GraphChoice::Kind::kVariable) {
    add(scan.graph.variable, std::min(known.rows.rows, environment_.graph_count));
    figures.seeks = at_least_one(environment_.graph_count);
  }
  figures.rows = rows;
  figures.exact = known.rows.exact && !repeated;
  figures.cost = known.rows.rows * kCostScan;
  return figures;
}

Result<Figures> Estimator::node_figures(const sparql::Node& node, const GraphChoice& graph) {
  const std::pair<const sparql::Node*, int> key(&node, graph_key(graph));
  const auto found = nodes_.find(key);
  if (found != nodes_.end()) {
    return found->second;
  }
  WEFT_TRY(Figures figures, compute(node, graph));
  for (const Variable variable : node.scope) {
    figures.distinct.try_emplace(variable, figures.rows);
  }
  nodes_[key] = figures;
  return figures;
}

Result<PathScan> Estimator::make_path(const sparql::Path& path, const GraphChoice& graph) const {
  PathScan scan;
  scan.subject = slot(path.subject);
  scan.object = slot(path.object);
  scan.graph = graph;
  scan.text = path_text(path.path);
  const auto id_of = [this](const std::string& token) { return constant(token); };
  WEFT_TRY(scan.forwards, make_path_program(path.path, false, id_of));
  WEFT_TRY(scan.backwards, make_path_program(path.path, true, id_of));
  if (scan.forwards.matches_nothing_walked()) {
    // A term that the graph lacks is its own end.
    for (PatternSlot* end : {&scan.subject, &scan.object}) {
      if (!end->variable && end->id == rdf::kNoTerm) {
        WEFT_TRY(end->id, environment_.intern(end->text));
      }
    }
  }
  return scan;
}

Figures Estimator::service_figures(const ServiceScan& service) {
  Figures figures;
  figures.rows = kServiceRows;
  // A variable endpoint must come from somewhere else.
  constexpr double kNever = 1e15;
  figures.cost = kCostRequest + kServiceRows * 10 + (service.endpoint.variable ? kNever : 0);
  for (const Variable variable : service.variables) {
    figures.distinct[variable] = kServiceRows;
  }
  if (service.endpoint.variable) {
    figures.distinct[*service.endpoint.variable] = 1;
  }
  return figures;
}

Result<Figures> Estimator::path_figures(const PathScan& path) {
  double edges = 0;
  for (const PathLabel& label : path.forwards.labels) {
    Scan scan;
    scan.slots[1].id = label.predicate;
    scan.graph = path.graph;
    const Key key{id_pattern(scan)};
    const auto [found, fresh] = known_.try_emplace(key);
    if (fresh) {
      WEFT_TRY(found->second.rows, environment_.statistics->cardinality(key.pattern));
    }
    edges += found->second.rows.rows;
  }
  Figures figures;
  figures.seeks = kPathSeeks;
  const double nodes = at_least_one(edges / 2);
  const double reached = kPathReach;
  const bool from_one = !path.subject.variable || !path.object.variable;
  figures.rows = from_one ? std::min(reached, at_least_one(edges)) : nodes * reached;
  figures.cost = from_one ? figures.rows * kCostSeek : figures.rows * kCostBuild + edges;
  for (const PatternSlot* end : {&path.subject, &path.object}) {
    if (end->variable) {
      figures.distinct[*end->variable] = from_one ? figures.rows : nodes;
    }
  }
  return figures;
}

namespace {

// The join of `parts`, smallest first, each step by the cheaper of hash and index.
Figures join_all(std::vector<Figures> parts) {
  std::sort(parts.begin(), parts.end(),
            [](const Figures& a, const Figures& b) { return a.rows < b.rows; });
  Figures result = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) {
    Figures next = joined(result, parts[i]);
    next.cost = result.cost +
                std::min(parts[i].cost + kCostProbe * parts[i].rows,
                         result.rows * kCostSeek * parts[i].seeks) +
                next.rows * kCostOutput;
    result = std::move(next);
  }
  return result;
}

Figures one_row() {
  Figures figures;
  figures.rows = 1;
  figures.cost = 1;
  figures.seeks = 0;
  return figures;
}

// Visits the operations; `self` computes the figures of a child in the same graph.
struct FiguresOf {
  std::function<Result<Figures>(const sparql::Node&)> self;

  Result<Figures> operator()(const sparql::Join& join) const {
    std::vector<Figures> parts;
    for (const sparql::NodePtr& part : join.parts) {
      WEFT_TRY(Figures figures, self(*part));
      parts.push_back(std::move(figures));
    }
    return join_all(std::move(parts));
  }
  Result<Figures> operator()(const sparql::LeftJoin& join) const {
    WEFT_TRY(const Figures left, self(*join.left));
    WEFT_TRY(const Figures right, self(*join.right));
    Figures both = join_all({left, right});
    both.rows = std::max(both.rows, left.rows);
    return both;
  }
  Result<Figures> operator()(const sparql::Filter& filter) const {
    WEFT_TRY(Figures figures, self(*filter.input));
    for (const Expression& condition : filter.conditions) {
      figures.rows *= selectivity(condition);
    }
    return figures;
  }
  Result<Figures> operator()(const sparql::Union& alternatives) const {
    Figures sum;
    sum.seeks = 0;
    for (const sparql::NodePtr& part : alternatives.parts) {
      WEFT_TRY(const Figures figures, self(*part));
      sum.rows += figures.rows;
      sum.cost += figures.cost;
      sum.seeks += figures.seeks;
      for (const auto& [variable, distinct] : figures.distinct) {
        sum.distinct[variable] += distinct;
      }
    }
    return sum;
  }
  Result<Figures> operator()(const sparql::Minus& minus) const {
    WEFT_TRY(Figures left, self(*minus.left));
    WEFT_TRY(const Figures right, self(*minus.right));
    left.cost += right.cost + right.rows * kCostBuild;
    left.seeks += right.seeks;
    return left;
  }
  Result<Figures> operator()(const sparql::Extend& extend) const { return self(*extend.input); }
  Result<Figures> operator()(const sparql::Project& project) const { return self(*project.input); }
  Result<Figures> operator()(const sparql::Distinct& node) const { return self(*node.input); }
  Result<Figures> operator()(const sparql::Reduced& node) const { return self(*node.input); }
  Result<Figures> operator()(const sparql::OrderBy& node) const { return self(*node.input); }
  Result<Figures> operator()(const sparql::Slice& slice) const {
    WEFT_TRY(Figures figures, self(*slice.input));
    if (slice.limit) {
      figures.rows = std::min(figures.rows, static_cast<double>(*slice.limit));
    }
    return figures;
  }
  Result<Figures> operator()(const sparql::Values& values) const {
    Figures figures;
    figures.rows = static_cast<double>(values.rows.size());
    figures.cost = figures.rows;
    figures.seeks = 0;
    return figures;
  }
  template <typename Other>
  Result<Figures> operator()(const Other& /*other*/) const {
    return one_row();
  }
};

}  // namespace

Result<Figures> Estimator::group_figures(const sparql::Group& group, const GraphChoice& graph) {
  WEFT_TRY(const Figures input, node_figures(*group.input, graph));
  Figures figures = input;
  figures.distinct.clear();
  figures.rows = 1;
  for (const sparql::GroupKey& key : group.keys) {
    const auto* variable = std::get_if<Expression::Variable>(&key.expression.form);
    figures.rows *= variable != nullptr ? input.distinct_of(variable->variable)
                                        : at_least_one(std::sqrt(input.rows));
  }
  figures.rows = group.keys.empty() ? 1 : std::min(figures.rows, input.rows);
  return figures;
}

Result<Figures> Estimator::compute(const sparql::Node& node, const GraphChoice& graph) {
  if (const auto* bgp = std::get_if<sparql::Bgp>(&node.operation)) {
    std::vector<Figures> parts;
    for (const sparql::TriplePattern& triple : bgp->triples) {
      WEFT_TRY(const Scan scan, make_scan(triple, graph));
      WEFT_TRY(Figures figures, scan_figures(scan));
      parts.push_back(std::move(figures));
    }
    return parts.empty() ? one_row() : join_all(std::move(parts));
  }
  if (const auto* path = std::get_if<sparql::Path>(&node.operation)) {
    WEFT_TRY(const PathScan scan, make_path(*path, graph));
    return path_figures(scan);
  }
  if (const auto* pattern = std::get_if<sparql::GraphPattern>(&node.operation)) {
    WEFT_TRY(const GraphChoice inner, graph_choice(pattern->graph));
    return node_figures(*pattern->input, inner);
  }
  if (const auto* group = std::get_if<sparql::Group>(&node.operation)) {
    return group_figures(*group, graph);
  }
  return std::visit(
      FiguresOf{[&](const sparql::Node& child) { return node_figures(child, graph); }},
      node.operation);
}

}  // namespace weft::plan
