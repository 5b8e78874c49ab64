// Makes the plan of one query: first clauses become conditions, joins and negations over slots,
// then these become steps in a good order.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "weft/gqexec/plan.h"

namespace weft::gqexec {

// What is to be done in one scope, in no order yet.
struct Pending {
  struct Negated {
    std::unique_ptr<Pending> inner;
    std::set<size_t> outer;  // slots that are bound outside
  };
  std::set<size_t> nodes;  // slots to be bound
  std::vector<Condition> conditions;
  std::vector<ExpandStep> joins;  // from: left, to: right
  std::vector<Negated> negations;
  bool never = false;
};

// One run per planner. All arguments must outlive it.
class Planner {
 public:
  Planner(const gq::CheckedQuery& query, GraphData& graph, const ParameterValues& parameters,
          base::WallTime now)
      : query_(query), graph_(graph), parameters_(parameters), now_(now) {}
  Result<Plan> run();

 private:
  using Scope = std::map<std::string, size_t, std::less<>>;

  // planner.cc: what is meant
  Result<size_t> add_slot(const std::string& name, const std::string& type, bool is_edge);
  Result<size_t> node_slot(const std::string& name, const std::string& type, Pending& out);
  Status lower(const std::vector<gq::Clause>& clauses, Pending& out);
  Status lower_binding(const gq::Binding& binding, Pending& out);
  Status lower_traversal(const gq::Traversal& traversal, Pending& out);
  Status lower_filter(const gq::Filter& filter, Pending& out);
  Status lower_negation(const gq::Negation& negation, Pending& out);
  Status add_condition(Condition condition, Pending& out);
  Result<Term> term_of(const gq::Expression& expression);
  Status lower_columns();
  Status lower_orders();
  columns::TypePtr term_type(const Term& term) const;
  columns::TypePtr column_type(const OutputColumn& column) const;

  // plan_order.cc: in which order
  std::vector<Step> order(const Pending& pending, std::set<size_t> bound, bool& never);
  void take_conditions(std::vector<Condition>& conditions, const std::set<size_t>& bound,
                       std::vector<Step>& steps);
  void take_negations(std::vector<const Pending::Negated*>& negations,
                      const std::set<size_t>& bound, std::vector<Step>& steps);
  bool take_join(std::vector<const ExpandStep*>& joins, std::set<size_t>& bound,
                 std::vector<Step>& steps);
  ScanStep make_scan(size_t slot, std::vector<Condition>& conditions,
                     const std::set<size_t>& bound) const;
  double scan_rows(size_t slot, const std::vector<Condition>& conditions) const;
  double fan_out(const ExpandStep& join, bool from_left) const;
  void mark_live(std::vector<Step>& steps, std::set<size_t> needed);
  void collapse(std::vector<Step>& steps);

  const gq::CheckedQuery& query_;
  GraphData& graph_;
  const ParameterValues& parameters_;
  const base::WallTime now_;
  Plan plan_;
  Scope scope_;
  double rows_ = 1;  // estimated, at the step being added
  std::map<std::string, double, std::less<>> edge_counts_;
};

// Slots that a condition names.
std::set<size_t> slots_of(const Condition& condition);
bool is_about(const Condition& condition, size_t slot);  // this one and no other

}  // namespace weft::gqexec
