// The inside of the planner: one pass over the algebra, by recursion. Included by its own source
// files only; planner.h is the face.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "weft/plan/estimate.h"
#include "weft/plan/join_group.h"
#include "weft/plan/join_order.h"
#include "weft/plan/plan.h"
#include "weft/plan/planner.h"
#include "weft/plan/term_flow.h"
#include "weft/sparql/algebra.h"

namespace weft::plan {

// Rows that a bind join hands in.
struct Incoming {
  VariableList keys;
  VariableList certain_keys;
  Variable number = 0;
  Figures figures;
};

// Not thread-safe. What is given must outlive it.
class Compiler final : public PartCompiler {
 public:
  Compiler(const sparql::Query& query, const Environment& environment)
      : query_(query),
        environment_(environment),
        estimator_(query, environment),
        resolve_(variables_to_resolve(query)),
        next_variable_(static_cast<Variable>(query.variables.size())) {}
  Result<Plan> run();
  Result<PlanPtr> compile_alone(const Element::Part& part) override;
  Result<PlanPtr> compile_bound(const Element::Part& part, const VariableList& keys,
                                const VariableList& certain_keys, Variable number,
                                const Figures& incoming) override;
  Variable new_variable() override { return next_variable_++; }

 private:
  Result<PlanPtr> compile(const sparql::Node& node, const GraphChoice& graph,
                          const Incoming* incoming);
  // Null if `node` is none and belongs into a group.
  Result<PlanPtr> compile_modifier(const sparql::Node& node, const GraphChoice& graph);
  Result<PlanPtr> compile_union(const sparql::Union& alternatives, const GraphChoice& graph,
                                const Incoming* incoming);
  Result<PlanPtr> compile_project(const sparql::Project& project, const GraphChoice& graph);
  Result<PlanPtr> compile_order(const sparql::OrderBy& order, const GraphChoice& graph);
  Result<PlanPtr> compile_slice(const sparql::Slice& slice, const GraphChoice& graph);
  Result<PlanPtr> compile_graph_loop(const sparql::Node& body, Variable variable);

  // --- EXISTS (compiler_exists.cc)
  struct Surroundings {
    VariableList keys;
    VariableList certain;
  };
  // Plans the patterns of EXISTS in the expressions of `node` and below.
  Status plan_exists(const sparql::Node& node, const GraphChoice& graph);
  Status plan_one_exists(const sparql::Node& pattern, const GraphChoice& graph,
                         const Surroundings& around);
  PlanPtr outer_leaf(VariableList columns) const;
  // Inside an EXISTS, the row outside is an element of each group that mentions it.
  void add_outer_row(Flattener& flattener, const sparql::Node& node) const;

  // --- GROUP BY
  Result<PlanPtr> compile_aggregation(const sparql::Group& group, const GraphChoice& graph);
  Result<Figures> group_figures(const sparql::Group& group, const GraphChoice& graph);
  // COUNT of the rows of one pattern needs no row. Null if that is not what `group` is.
  Result<PlanPtr> count_from_index(const sparql::Group& group, const GraphChoice& graph);

  // --- Groups
  Result<PlanPtr> compile_group(const sparql::Node& node, const GraphChoice& graph,
                                const Incoming* incoming);
  static PlanPtr hopeless(const JoinGroup& group, const VariableList& scope,
                          const Incoming* incoming);
  static Figures one_row_figures();
  static Figures incoming_figures(const Incoming& incoming);
  static PlanPtr incoming_leaf(const Incoming& incoming);
  // In GRAPH ?g every part binds ?g.
  void add_graph_names(Flattener& flattener, const JoinGroup& group, Variable graph) const;
  // Filters that must come before step `next`, and those that may because all they see is settled.
  static PlanPtr apply_filters(PlanPtr plan, JoinGroup& group, size_t next);
  Result<PlanPtr> add_step(PlanPtr plan, JoinGroup& group, size_t index);
  PlanPtr add_extend(PlanPtr plan, const sparql::Extend& extend) const;
  // True if reaching into `right` for each row of `plan` is cheaper than computing all of it.
  bool binding_pays(const PlanNode& plan, const sparql::Node& right, const Figures& figures,
                    const VariableList& shared) const;
  Figures figures_of(const PlanNode& plan) const;
  Result<PlanPtr> add_optional(PlanPtr plan, GroupStep& step);
  Result<PlanPtr> add_exists(PlanPtr plan, const GroupStep& step);
  Result<PlanPtr> add_minus(PlanPtr plan, GroupStep& step);

  const sparql::Query& query_;
  const Environment& environment_;
  Estimator estimator_;
  std::vector<bool> resolve_;
  Variable next_variable_;
  std::vector<std::unique_ptr<sparql::Expression>> expressions_;
  std::optional<double> row_goal_;  // so many rows of what is compiled next are wanted
  Surroundings outer_;              // of the EXISTS whose pattern is being planned
  std::map<const sparql::Node*, ExistsPlan> exists_;
};

}  // namespace weft::plan
