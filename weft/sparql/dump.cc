#include <utility>

#include "weft/sparql/algebra.h"

namespace weft::sparql {
namespace {

std::string variable_text(VariableIndex variable, const VariableTable& variables) {
  return "?" + variables[variable].name;
}

std::string term_text(const PatternTerm& term, const VariableTable& variables) {
  if (const auto* variable = std::get_if<VariableIndex>(&term)) {
    return variable_text(*variable, variables);
  }
  return std::get<std::string>(term);
}

std::string list_text(const std::vector<VariableIndex>& list, const VariableTable& variables) {
  std::string out = "(";
  for (const VariableIndex variable : list) {
    out += (out.size() > 1 ? " " : "") + variable_text(variable, variables);
  }
  return out + ")";
}

std::string path_text(const PathExpression& path) {
  using Kind = PathExpression::Kind;
  const auto all = [&](std::string_view name) {
    std::string out = "(" + std::string(name);
    for (const PathExpression& part : path.parts) {
      out += " " + path_text(part);
    }
    return out + ")";
  };
  switch (path.kind) {
    case Kind::kIri:
      return path.iri;
    case Kind::kInverse:
      return all("inverse");
    case Kind::kSequence:
      return all("sequence");
    case Kind::kAlternative:
      return all("alternative");
    case Kind::kZeroOrMore:
      return all("zero-or-more");
    case Kind::kOneOrMore:
      return all("one-or-more");
    case Kind::kZeroOrOne:
      return all("zero-or-one");
    case Kind::kNegatedSet:
      return all("none-of");
  }
  return {};
}

std::string_view aggregate_name(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCount:
      return "count";
    case AggregateFunction::kSum:
      return "sum";
    case AggregateFunction::kMin:
      return "min";
    case AggregateFunction::kMax:
      return "max";
    case AggregateFunction::kAvg:
      return "avg";
    case AggregateFunction::kSample:
      return "sample";
    case AggregateFunction::kGroupConcat:
      return "group_concat";
  }
  return {};
}

std::string aggregate_text(const Aggregate& aggregate, const VariableTable& variables) {
  std::string out = "(" + std::string(aggregate_name(aggregate.function));
  out += aggregate.distinct ? " distinct" : "";
  out += aggregate.argument.has_value() ? " " + dump(*aggregate.argument, variables) : " *";
  if (aggregate.function == AggregateFunction::kGroupConcat && aggregate.separator != " ") {
    out += " separator " + std::to_string(aggregate.separator.size()) + ":" + aggregate.separator;
  }
  return out + ")";
}

// One line per node, its inputs below and further in.
class Dumper {
 public:
  Dumper(const VariableTable& variables, int indent, std::string& out)
      : variables_(variables), indent_(indent), out_(out) {}

  void node(const Node& node) { std::visit(*this, node.operation); }

  void operator()(const Bgp& bgp) {
    if (bgp.triples.empty()) {
      line("unit");
      return;
    }
    line("bgp");
    ++indent_;
    for (const TriplePattern& triple : bgp.triples) {
      line("triple " + term(triple.subject) + " " + term(triple.predicate) + " " +
           term(triple.object));
    }
    --indent_;
  }
  void operator()(const Path& path) {
    line("path " + term(path.subject) + " " + path_text(path.path) + " " + term(path.object));
  }
  void operator()(const Join& join) { inner("join", join.parts); }
  void operator()(const LeftJoin& join) {
    line("leftjoin" + conditions(join.conditions));
    below(*join.left);
    below(*join.right);
  }
  void operator()(const Filter& filter) {
    inner("filter" + conditions(filter.conditions), *filter.input);
  }
  void operator()(const Union& alternatives) { inner("union", alternatives.parts); }
  void operator()(const Minus& minus) {
    line("minus");
    below(*minus.left);
    below(*minus.right);
  }
  void operator()(const Extend& extend) {
    inner("extend " + name(extend.variable) + " = " + dump(extend.expression, variables_),
          *extend.input);
  }
  void operator()(const GraphPattern& graph) { inner("graph " + term(graph.graph), *graph.input); }
  void operator()(const Service& service) {
    inner(std::string("service ") + (service.silent ? "silent " : "") + term(service.endpoint),
          *service.input);
  }
  void operator()(const Values& values) {
    line("values " + list_text(values.variables, variables_));
    ++indent_;
    for (const auto& row : values.rows) {
      std::string text = "row";
      for (const auto& cell : row) {
        text += " " + cell.value_or("undef");
      }
      line(text);
    }
    --indent_;
  }
  void operator()(const Group& group) {
    std::string text = "group";
    for (const GroupKey& key : group.keys) {
      text += " " + name(key.variable) + " = " + dump(key.expression, variables_);
    }
    for (const Aggregate& aggregate : group.aggregates) {
      text += " " + name(aggregate.result) + " = " + aggregate_text(aggregate, variables_);
    }
    inner(text, *group.input);
  }
  void operator()(const Project& project) {
    inner("project " + list_text(project.variables, variables_), *project.input);
  }
  void operator()(const Distinct& distinct) { inner("distinct", *distinct.input); }
  void operator()(const Reduced& reduced) { inner("reduced", *reduced.input); }
  void operator()(const OrderBy& order) {
    std::string text = "orderby";
    for (const OrderCondition& condition : order.conditions) {
      text += condition.descending ? " desc " : " asc ";
      text += dump(condition.expression, variables_);
    }
    inner(text, *order.input);
  }
  void operator()(const Slice& slice) {
    std::string text = "slice offset " + std::to_string(slice.offset);
    if (slice.limit.has_value()) {
      text += " limit " + std::to_string(*slice.limit);
    }
    inner(text, *slice.input);
  }

 private:
  std::string term(const PatternTerm& each) const { return term_text(each, variables_); }
  std::string name(VariableIndex variable) const { return variable_text(variable, variables_); }
  std::string conditions(const std::vector<Expression>& expressions) const {
    std::string text;
    for (const Expression& expression : expressions) {
      text += " " + dump(expression, variables_);
    }
    return text;
  }
  void line(std::string_view text) {
    out_.append(static_cast<size_t>(indent_) * 2, ' ').append(text).push_back('\n');
  }
  void below(const Node& child) {
    ++indent_;
    node(child);
    --indent_;
  }
  void inner(const std::string& text, const Node& child) {
    line(text);
    below(child);
  }
  void inner(const std::string& text, const std::vector<NodePtr>& children) {
    line(text);
    for (const NodePtr& child : children) {
      below(*child);
    }
  }

  const VariableTable& variables_;
  int indent_;
  std::string& out_;
};

struct ExpressionDumper {
  const VariableTable& variables;

  std::string all(std::string text, const std::vector<Expression>& arguments) const {
    for (const Expression& argument : arguments) {
      text += " " + std::visit(*this, argument.form);
    }
    return text + ")";
  }
  std::string operator()(const Expression::Constant& constant) const { return constant.token; }
  std::string operator()(const Expression::Variable& variable) const {
    return variable_text(variable.variable, variables);
  }
  std::string operator()(const Expression::Call& call) const {
    return all("(" + std::string(function_name(call.function)), call.arguments);
  }
  std::string operator()(const Expression::Extension& extension) const {
    return all("(<" + extension.iri + ">" + (extension.distinct ? " distinct" : ""),
               extension.arguments);
  }
  std::string operator()(const Expression::Exists& exists) const {
    std::string text = exists.negated ? "(not-exists\n" : "(exists\n";
    return text + dump(*exists.pattern, variables, 1) + ")";
  }
};

std::string template_text(const TemplateTerm& term, const VariableTable& variables) {
  if (const auto* variable = std::get_if<VariableIndex>(&term.form)) {
    return variable_text(*variable, variables);
  }
  if (const auto* token = std::get_if<std::string>(&term.form)) {
    return *token;
  }
  if (const auto* blank = std::get_if<TemplateTerm::Blank>(&term.form)) {
    return "_:" + std::to_string(blank->number);
  }
  const auto& triple = std::get<TemplateTerm::Triple>(term.form);
  std::string text = "<<(";
  for (const TemplateTerm& part : triple.parts) {
    text += " " + template_text(part, variables);
  }
  return text + " )>>";
}

}  // namespace

std::string dump(const Node& node, const VariableTable& variables, int indent) {
  std::string out;
  Dumper(variables, indent, out).node(node);
  return out;
}

std::string dump(const Expression& expression, const VariableTable& variables) {
  return std::visit(ExpressionDumper{variables}, expression.form);
}

std::string dump(const Query& query) {
  std::string out;
  switch (query.form) {
    case QueryForm::kSelect:
      out = "select " + list_text(query.projection, query.variables);
      break;
    case QueryForm::kAsk:
      out = "ask";
      break;
    case QueryForm::kConstruct:
      out = "construct";
      break;
    case QueryForm::kDescribe:
      out = "describe " + list_text(query.projection, query.variables);
      for (const std::string& token : query.describe_terms) {
        out += " " + token;
      }
      break;
  }
  out += "\n";
  for (const std::string& graph : query.default_graphs) {
    out += "from " + graph + "\n";
  }
  for (const std::string& graph : query.named_graphs) {
    out += "from named " + graph + "\n";
  }
  if (!query.with_graph.empty()) {
    out += "with " + query.with_graph + "\n";
  }
  for (const TripleTemplate& triple : query.construct_template) {
    out += "template " + template_text(triple.subject, query.variables) + " " +
           template_text(triple.predicate, query.variables) + " " +
           template_text(triple.object, query.variables) + "\n";
  }
  return out + dump(*query.pattern, query.variables, 0);
}

}  // namespace weft::sparql
