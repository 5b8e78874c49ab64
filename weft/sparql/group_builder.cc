#include "weft/sparql/group_builder.h"

#include <algorithm>
#include <utility>

namespace weft::sparql {
namespace {

bool is_unit(const Node& node) {
  const auto* bgp = std::get_if<Bgp>(&node.operation);
  return bgp != nullptr && bgp->triples.empty();
}

Expression as_expression(const PatternTerm& term) {
  if (const auto* variable = std::get_if<VariableIndex>(&term)) {
    return make_variable(*variable);
  }
  return make_constant(std::get<std::string>(term));
}

Expression call(Function function, Expression argument) {
  std::vector<Expression> arguments;
  arguments.push_back(std::move(argument));
  return make_call(function, std::move(arguments));
}

Expression same_term(Expression a, Expression b) {
  std::vector<Expression> arguments;
  arguments.push_back(std::move(a));
  arguments.push_back(std::move(b));
  return make_call(Function::kSameTerm, std::move(arguments));
}

NodePtr filter(NodePtr input, Expression condition) {
  Filter result{std::move(input), {}};
  result.conditions.push_back(std::move(condition));
  return make_node(std::move(result));
}

}  // namespace

NodePtr join_nodes(std::vector<NodePtr> nodes, Place place) {
  std::erase_if(nodes, [](const NodePtr& node) { return is_unit(*node); });
  if (nodes.empty()) {
    return make_node(Bgp{}, place);
  }
  if (nodes.size() == 1) {
    return std::move(nodes.front());
  }
  return make_node(Join{std::move(nodes)}, place);
}

// A term of a pattern; a triple term with variables becomes a hidden variable whose parts are
// compared later.
PatternTerm GroupBuilder::flatten(const TemplateTerm& term) {
  if (const auto* variable = std::get_if<VariableIndex>(&term.form)) {
    return *variable;
  }
  if (const auto* token = std::get_if<std::string>(&term.form)) {
    return *token;
  }
  const auto& triple = std::get<TemplateTerm::Triple>(term.form);
  const VariableIndex whole = variables_.add_hidden();
  constexpr Function kComponents[] = {Function::kSubject, Function::kPredicate, Function::kObject};
  wholes_.push_back(whole);
  for (size_t i = 0; i < 3; ++i) {
    const TemplateTerm& part = triple.parts[i];
    const bool nested = std::holds_alternative<TemplateTerm::Triple>(part.form);
    const size_t at = parts_.size();
    PatternTerm flat = flatten(part);
    parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(at),
                  {whole, kComponents[i], std::move(flat), nested});
  }
  return whole;
}

void GroupBuilder::add_triple(PatternTerm subject, PatternTerm predicate, PatternTerm object) {
  triples_.push_back({std::move(subject), std::move(predicate), std::move(object)});
}

void GroupBuilder::add_triples(const std::vector<ParsedTriple>& triples, Place place) {
  if (triples_.empty() && paths_.empty()) {
    place_ = place;
  }
  for (const ParsedTriple& triple : triples) {
    PatternTerm subject = flatten(triple.subject);
    PatternTerm object = flatten(triple.object);
    if (const auto* path = std::get_if<PathExpression>(&triple.verb)) {
      add_path(std::move(subject), *path, std::move(object));
    } else {
      PatternTerm predicate = flatten(std::get<TemplateTerm>(triple.verb));
      add_triple(std::move(subject), std::move(predicate), std::move(object));
    }
  }
}

// §18.2.2.4: sequences and inverses become triples, alternatives unions; the rest stays a path.
void GroupBuilder::add_path(PatternTerm subject, const PathExpression& path, PatternTerm object) {
  using Kind = PathExpression::Kind;
  switch (path.kind) {
    case Kind::kIri:
      add_triple(std::move(subject), path.iri, std::move(object));
      return;
    case Kind::kInverse:
      add_path(std::move(object), path.parts.front(), std::move(subject));
      return;
    case Kind::kSequence:
      for (size_t i = 0; i + 1 < path.parts.size(); ++i) {
        const VariableIndex middle = variables_.add_hidden();
        add_path(std::exchange(subject, middle), path.parts[i], middle);
      }
      add_path(std::move(subject), path.parts.back(), std::move(object));
      return;
    case Kind::kAlternative: {
      Union result;
      for (const PathExpression& part : path.parts) {
        result.parts.push_back(alternative(subject, part, object));
      }
      paths_.push_back(make_node(std::move(result), place_));
      return;
    }
    case Kind::kNegatedSet:
      add_negated_set(subject, path, object);
      return;
    case Kind::kZeroOrMore:
    case Kind::kOneOrMore:
    case Kind::kZeroOrOne:
      paths_.push_back(make_node(Path{std::move(subject), path, std::move(object)}, place_));
      return;
  }
}

// A triple with any predicate, and a filter over it; the union of two such if some are inverse.
void GroupBuilder::add_negated_set(const PatternTerm& subject, const PathExpression& path,
                                   const PatternTerm& object) {
  std::vector<Expression> forwards;
  std::vector<Expression> backwards;
  for (const PathExpression& part : path.parts) {
    if (part.kind == PathExpression::Kind::kInverse) {
      backwards.push_back(make_constant(part.parts.front().iri, place_));
    } else {
      forwards.push_back(make_constant(part.iri, place_));
    }
  }
  std::vector<NodePtr> ways;
  const auto add = [&](const PatternTerm& from, std::vector<Expression> excluded,
                       const PatternTerm& to) {
    const VariableIndex predicate = variables_.add_hidden();
    Bgp one;
    one.triples.push_back({from, predicate, to});
    NodePtr triple = make_node(std::move(one), place_);
    if (excluded.empty()) {
      ways.push_back(std::move(triple));
      return;
    }
    excluded.insert(excluded.begin(), make_variable(predicate, place_));
    ways.push_back(
        filter(std::move(triple), make_call(Function::kNotIn, std::move(excluded), place_)));
  };
  if (!forwards.empty() || backwards.empty()) {
    add(subject, std::move(forwards), object);
  }
  if (!backwards.empty()) {
    add(object, std::move(backwards), subject);
  }
  paths_.push_back(ways.size() == 1 ? std::move(ways.front())
                                    : make_node(Union{std::move(ways)}, place_));
}

NodePtr GroupBuilder::alternative(const PatternTerm& subject, const PathExpression& path,
                                  const PatternTerm& object) const {
  GroupBuilder inner(variables_);
  inner.place_ = place_;
  inner.add_path(subject, path, object);
  return inner.finish().pattern;
}

// What is pending becomes one member of the join.
void GroupBuilder::flush() {
  if (triples_.empty() && paths_.empty()) {
    return;
  }
  std::vector<NodePtr> nodes;
  nodes.push_back(make_node(Bgp{std::exchange(triples_, {})}, place_));
  for (NodePtr& path : std::exchange(paths_, {})) {
    nodes.push_back(std::move(path));
  }
  const bool apart = !wholes_.empty();
  NodePtr node = join_nodes(std::move(nodes), place_);
  add_join(apart ? take_apart(std::move(node)) : std::move(node));
}

NodePtr GroupBuilder::take_apart(NodePtr node) {
  for (const VariableIndex whole : std::exchange(wholes_, {})) {
    // The hidden variable of a nested triple term is bound by its own part first, below.
    const auto inner = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
      return part.is_triple && std::get<VariableIndex>(part.term) == whole;
    });
    if (inner == parts_.end()) {
      node = filter(std::move(node), call(Function::kIsTriple, make_variable(whole)));
    }
  }
  for (Part& part : std::exchange(parts_, {})) {
    Expression component = call(part.component, make_variable(part.whole));
    const auto* variable = std::get_if<VariableIndex>(&part.term);
    const bool bound = variable == nullptr ||
                       std::binary_search(node->scope.begin(), node->scope.end(), *variable);
    if (bound) {
      node = filter(std::move(node), same_term(std::move(component), as_expression(part.term)));
      continue;
    }
    node = make_node(Extend{std::move(node), *variable, std::move(component)});
    if (part.is_triple) {
      node = filter(std::move(node), call(Function::kIsTriple, make_variable(*variable)));
    }
  }
  return node;
}

void GroupBuilder::add_join(NodePtr node) {
  if (!triples_.empty() || !paths_.empty()) {
    flush();
  }
  if (!is_unit(*node)) {
    joined_.push_back(std::move(node));
  }
}

NodePtr GroupBuilder::seal() {
  flush();
  return join_nodes(std::exchange(joined_, {}), place_);
}

void GroupBuilder::add_optional(ParsedGroup group, Place place) {
  NodePtr left = seal();
  joined_.push_back(make_node(
      LeftJoin{std::move(left), std::move(group.pattern), std::move(group.filters)}, place));
}

void GroupBuilder::add_minus(NodePtr node, Place place) {
  NodePtr left = seal();
  joined_.push_back(make_node(Minus{std::move(left), std::move(node)}, place));
}

void GroupBuilder::add_bind(VariableIndex variable, Expression expression, Place place) {
  NodePtr input = seal();
  joined_.push_back(make_node(Extend{std::move(input), variable, std::move(expression)}, place));
}

bool GroupBuilder::in_scope(VariableIndex variable) {
  flush();
  return std::any_of(joined_.begin(), joined_.end(), [variable](const NodePtr& node) {
    return std::binary_search(node->scope.begin(), node->scope.end(), variable);
  });
}

uint32_t GroupBuilder::height() const {
  uint32_t result = 0;
  for (const NodePtr& node : joined_) {
    result = std::max(result, node->height);
  }
  return result;
}

ParsedGroup GroupBuilder::finish() {
  ParsedGroup result;
  result.pattern = seal();
  result.filters = std::move(filters_);
  return result;
}

}  // namespace weft::sparql
