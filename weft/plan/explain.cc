#include <algorithm>
#include <cmath>
#include <string>

#include "weft/plan/plan.h"
#include "weft/rdf/term.h"

namespace weft::plan {
namespace {

// 1234567 as "1,234,567"; small fractions as one digit.
std::string number_text(double value) {
  if (value < 10 && value != std::floor(value)) {
    const std::string text = std::to_string(std::round(value * 10) / 10);
    return text.substr(0, text.find('.') + 2);
  }
  std::string digits = std::to_string(static_cast<uint64_t>(std::min(std::round(value), 1e18)));
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  rdf::append_escaped(result, text);
  return result + "\"";
}

class Explainer {
 public:
  Explainer(const sparql::VariableTable& variables, const std::vector<NodeRun>& runs)
      : variables_(variables), runs_(runs) {}

  void add(const PlanNode& node, const std::string& indent) {
    text_ += indent;
    std::visit(*this, node.operation);
    const auto* scan = std::get_if<Scan>(&node.operation);
    add_text(node);
    text_ += scan != nullptr && scan->exact ? "  rows " : "  rows ~";
    text_ += number_text(node.rows);
    if (node.is_shared_out()) {
      text_ += ", shared out to workers";
    }
    if (node.number < runs_.size()) {
      text_ += ", came " + number_text(static_cast<double>(runs_[node.number].rows));
      add_time(node);
      add_text_run(runs_[node.number]);
      if (const NodeRun& run = runs_[node.number]; run.workers != 0) {
        text_ += ", by " + std::to_string(run.workers) + " workers in " +
                 std::to_string(run.pieces) + " pieces";
      }
    }
    text_ += '\n';
    for (const PlanPtr& input : node.inputs) {
      add(*input, indent + "  ");
    }
  }

  void add_line(std::string_view line) {
    text_ += line;
    text_ += '\n';
  }
  std::string take() { return std::move(text_); }

  void operator()(const OneRow& /*leaf*/) { text_ += "one row"; }
  void operator()(const NoRows& leaf) { text_ += "no rows (" + leaf.reason + ")"; }
  void operator()(const OuterRow& /*leaf*/) { text_ += "the row outside"; }
  void operator()(const IncomingRows& /*leaf*/) { text_ += "incoming rows"; }
  void operator()(const Scan& scan) {
    text_ += "scan ";
    add_pattern(scan);
    text_ += "  order ";
    text_ += rdf::permutation_name(scan.permutation);
  }
  void operator()(const GraphNames& leaf) { text_ += "graphs " + name(leaf.graph); }
  void operator()(const GraphPresent& leaf) { text_ += "is there a graph " + leaf.text; }
  void operator()(const ValueRows& leaf) { text_ += "values" + names(leaf.variables); }
  void operator()(const CountRows& leaf) {
    text_ += "count from the index of ";
    add_pattern(leaf.scan);
  }
  void operator()(const MergeJoin& join) {
    text_ += "merge join on " + name(join.key) + names(join.others);
  }
  void operator()(const HashJoin& join) {
    text_ += "hash " + kind(join.kind) + on(join.keys);
    if (!join.loose.empty()) {
      text_ += "  if bound" + names(join.loose);
    }
    add_conditions(join.conditions);
  }
  void operator()(const IndexJoin& join) {
    text_ += "index join" + on(join.keys) + "  with ";
    add_pattern(join.scan);
    text_ += "  order ";
    text_ += rdf::permutation_name(join.scan.permutation);
  }
  void operator()(const PathJoin& join) {
    text_ += join.keys.empty() ? "walk" : "walk from" + names(join.keys);
    text_ +=
        "  along " + slot(join.path.subject) + " " + join.path.text + " " + slot(join.path.object);
    add_graph(join.path.graph);
  }
  void operator()(const ServiceJoin& join) {
    text_ += "ask " + slot(join.service.endpoint) + " for" + names(join.service.variables);
  }
  void operator()(const BindJoin& join) {
    text_ += "bind " + kind(join.kind) + on(join.keys);
    add_conditions(join.conditions);
  }
  void operator()(const FilterRows& filter) {
    text_ += "filter";
    add_conditions(filter.conditions);
  }
  void operator()(const ExtendRows& extend) {
    text_ += "bind";
    for (const ExtendRows::Step& step : extend.steps) {
      text_ += " " + name(step.variable) + " := " + dump(*step.expression, variables_);
      if (step.resolve) {
        text_ += " (looked up)";
      }
    }
  }
  void operator()(const ProjectRows& /*node*/) { text_ += "project"; }
  void operator()(const DistinctRows& /*node*/) { text_ += "distinct"; }
  void operator()(const SortRows& sort) {
    text_ += sort.top ? "top " + std::to_string(*sort.top) + " by" : std::string("sort by");
    for (const SortRows::Key& key : sort.keys) {
      text_ += (key.descending ? " desc " : " ") + dump(*key.expression, variables_);
    }
  }
  void operator()(const SliceRows& slice) {
    text_ += "slice";
    if (slice.offset != 0) {
      text_ += " offset " + std::to_string(slice.offset);
    }
    if (slice.limit) {
      text_ += " limit " + std::to_string(*slice.limit);
    }
  }
  void operator()(const GroupRows& group) {
    text_ += "group";
    for (const GroupRows::Key& key : group.keys) {
      text_ += " " + name(key.variable);
    }
    if (!group.aggregates.empty()) {
      text_ += "  aggregates " + std::to_string(group.aggregates.size());
    }
  }
  void operator()(const GraphLoop& loop) { text_ += "for each graph " + name(loop.graph); }
  void operator()(const UnionRows& /*node*/) { text_ += "union"; }

 private:
  std::string name(Variable variable) const {
    if (variable >= variables_.size()) {
      return "#" + std::to_string(variable);
    }
    return "?" + variables_[variable].name;
  }
  std::string names(const VariableList& list) const {
    std::string result;
    for (const Variable variable : list) {
      result += " " + name(variable);
    }
    return result;
  }
  // Without the time of the inputs, which have lines of their own.
  void add_time(const PlanNode& node) {
    int64_t own = runs_[node.number].microseconds;
    if (own == 0) {
      return;
    }
    for (const PlanPtr& input : node.inputs) {
      own -= runs_[input->number].microseconds;
    }
    text_ += ", " + number_text(static_cast<double>(std::max<int64_t>(own, 0)) / 1000) + " ms";
  }
  void add_text(const PlanNode& node) {
    if (node.text == nullptr) {
      return;
    }
    text_ += "  text index for";
    for (const rdf::TextNeed& need : node.text->needs) {
      text_ += " " + quoted(need.text);
    }
  }
  void add_text_run(const NodeRun& run) {
    if (run.text_index == NodeRun::TextIndex::kUsed) {
      text_ += ", " + number_text(static_cast<double>(run.text_subjects)) +
               " subjects by the text index";
    } else if (run.text_index == NodeRun::TextIndex::kNotUsed) {
      text_ += ", text index not used";
    }
  }
  std::string on(const VariableList& keys) const {
    return keys.empty() ? " (all with all)" : " on" + names(keys);
  }
  static std::string kind(JoinKind join) {
    switch (join) {
      case JoinKind::kInner:
        return "join";
      case JoinKind::kLeft:
        return "left join";
      case JoinKind::kSemi:
        return "join for existence";
      case JoinKind::kAnti:
        return "minus";
    }
    return "";
  }
  void add_conditions(const std::vector<const sparql::Expression*>& conditions) {
    for (const sparql::Expression* condition : conditions) {
      text_ += " [" + dump(*condition, variables_) + "]";
    }
  }
  std::string slot(const PatternSlot& slot) const {
    return slot.variable ? name(*slot.variable) : slot.text;
  }
  void add_pattern(const Scan& scan) {
    text_ += slot(scan.slots[0]) + " " + slot(scan.slots[1]) + " " + slot(scan.slots[2]);
    add_graph(scan.graph);
  }
  void add_graph(const GraphChoice& graph) {
    switch (graph.kind) {
      case GraphChoice::Kind::kDefault:
        break;
      case GraphChoice::Kind::kConstant:
        text_ += " in " + graph.text;
        break;
      case GraphChoice::Kind::kVariable:
        text_ += " in " + name(graph.variable);
        break;
      case GraphChoice::Kind::kLoop:
        text_ += " in this graph";
        break;
    }
  }

  const sparql::VariableTable& variables_;
  const std::vector<NodeRun>& runs_;
  std::string text_;
};

}  // namespace

std::string explain(const Plan& plan, const sparql::VariableTable& variables,
                    const std::vector<NodeRun>& runs) {
  Explainer explainer(variables, runs);
  explainer.add(*plan.root, "");
  for (const auto& [pattern, exists] : plan.exists) {
    explainer.add_line("exists, by row:");
    explainer.add(*exists.root, "  ");
  }
  return explainer.take();
}

}  // namespace weft::plan
