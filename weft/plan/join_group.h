// One group of a query taken apart: what may be joined in any order, the filters over it, and what
// must come after, in order.
//
// Flattening looks through Join, Filter, OPTIONAL, MINUS, BIND and GRAPH as far as that changes no
// answer; what it must not look through stays an element of its own. "Outside" are the variables
// that something else joined with a node may bind:
//
// G1  A filter leaves its group only if all its variables are certain there, or not outside.
// G2  OPTIONAL and MINUS become steps only if what they see of the outside is certain on their
//     left. The same for BIND, whose variable must not be outside at all.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "weft/plan/estimate.h"
#include "weft/plan/plan.h"

namespace weft::plan {

// What may be joined in any order.
struct Element {
  // A triple pattern, a property path, a part of the algebra, or a finished leaf (values, incoming
  // rows, graphs).
  struct Part {
    const sparql::Node* node;
    GraphChoice graph;
  };
  std::variant<Scan, PathScan, ServiceScan, Part, PlanPtr> form;
  VariableList scope;
  VariableList certain;
  Figures figures;
  std::string order_key;  // elements are sorted by it: independent of the text's order
};

struct GroupFilter {
  const sparql::Expression* condition = nullptr;
  VariableList variables;
  size_t before_step = 0;  // must be applied before this step, at the latest
};

// What comes after the join, in this order.
struct GroupStep {
  enum class Kind : uint8_t { kOptional, kMinus, kExtend, kExists };
  Kind kind = Kind::kOptional;
  const sparql::Node* right = nullptr;  // kOptional, kMinus, kExists: the pattern
  GraphChoice graph;                    // of `right`
  std::vector<const sparql::Expression*> conditions;
  const sparql::Extend* extend = nullptr;
  const sparql::Expression* exists = nullptr;  // kExists: the whole condition
  VariableList scope;                          // variables that it may bind
};

struct JoinGroup {
  std::vector<Element> elements;
  std::vector<GroupFilter> filters;
  std::vector<GroupStep> steps;
  bool hopeless = false;  // some part cannot match: no rows
  std::string why_hopeless;
};

// The variables of a node in a graph: the GRAPH variable is one of them.
VariableList scope_in(const VariableList& scope, const GraphChoice& graph);

// True if nothing in `node`, the pattern of a GRAPH with a variable, needs to be evaluated graph by
// graph: the graph can be one more column. (The pattern itself never mentions that variable.)
bool fits_all_graphs(const sparql::Node& node);

// True if a bind join may hand `keys` into `node`: the answer is the same as joining afterwards,
// and the keys narrow what is evaluated.
bool accepts_keys(const sparql::Node& node, const VariableList& keys);

class Flattener {
 public:
  // All must outlive it.
  // `replaced` are the variables that the row outside an EXISTS replaces.
  Flattener(Estimator& estimator, JoinGroup& group, const VariableList& replaced)
      : estimator_(estimator), group_(group), replaced_(replaced) {}

  Status add(const sparql::Node& node, const GraphChoice& graph, const VariableList& outside);
  // The same for a finished leaf.
  void add_leaf(PlanPtr leaf, Figures figures, std::string order_key);

 private:
  Status add_pattern(const sparql::TriplePattern& triple, const GraphChoice& graph);
  Status add_path(const sparql::Path& path, const GraphChoice& graph);
  void add_service(const sparql::Service& service, const sparql::Node& node);
  Status add_part(const sparql::Node& node, const GraphChoice& graph);
  Status add_join(const sparql::Join& join, const GraphChoice& graph, const VariableList& outside);
  Status add_filter(const sparql::Node& node, const sparql::Filter& filter,
                    const GraphChoice& graph, const VariableList& outside);
  Status add_left_join(const sparql::Node& node, const sparql::LeftJoin& join,
                       const GraphChoice& graph, const VariableList& outside);
  Status add_minus(const sparql::Node& node, const sparql::Minus& minus, const GraphChoice& graph,
                   const VariableList& outside);
  Status add_extend(const sparql::Node& node, const sparql::Extend& extend,
                    const GraphChoice& graph, const VariableList& outside);
  Status add_graph(const sparql::GraphPattern& pattern, const VariableList& outside);
  Status add_constant_graph(const sparql::GraphPattern& pattern, const GraphChoice& inner,
                            const VariableList& outside);
  // True if `condition` is an EXISTS that may be a join: it became a step.
  bool add_as_join(const sparql::Expression& condition, const sparql::Node& input,
                   const GraphChoice& graph);
  Status add_values(const sparql::Values& values);
  Result<bool> add_as_values(const sparql::Expression& condition, const VariableList& certain);

  Estimator& estimator_;
  JoinGroup& group_;
  const VariableList& replaced_;
};

}  // namespace weft::plan
