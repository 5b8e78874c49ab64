// How a read query is answered: slots for its variables, and steps that fill them, one after
// another.
//
//     slot   a variable; in rows of execution it is the number of a row of its type's table
//     step   takes rows, gives rows: with one slot more, or fewer of them
//
// The order of steps is chosen by estimates: the most selective variable first, then along the
// edges to what is bound already; conditions as soon as all they need is there. It does not change
// what the answer is (docs/formats/gq-execution.md).
//
// Values. A plan is made for given parameters and one moment `now`, and runs any number of times.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/columns/array.h"
#include "weft/gq/check.h"
#include "weft/gqexec/graph_data.h"
#include "weft/gqexec/parameters.h"

namespace weft::gqexec {

struct Slot {
  std::string name;  // of the variable; "_" for what has none
  std::string type;
  bool is_edge = false;
  TypeData* data = nullptr;  // null: a tag of rows (of a negation)
};

// What a condition compares, or a column shows.
struct Term {
  enum class Kind : uint8_t { kConstant, kProperty };
  Kind kind = Kind::kConstant;
  columns::ArrayPtr constant;  // one element
  size_t slot = 0;
  std::string property;  // "id" for a whole node
};

struct Condition {
  Term left;
  gq::Operator op = gq::Operator::kEqual;
  Term right;
  std::string text;  // as --explain shows it
};

// Every row of a type that meets the conditions, with every row so far.
struct ScanStep {
  size_t slot = 0;
  std::vector<Condition> conditions;  // about this slot alone
  // Rows are found by this one, an equality with the whole id, if there is one.
  std::optional<size_t> key_condition;
  // Instead of every row: those whose property equals a term of the rows so far.
  std::optional<Condition> join;  // left: of this slot; right: of a slot that is bound
};
struct FilterStep {
  Condition condition;
};
// Along edges, from a bound slot.
struct ExpandStep {
  size_t from = 0;
  size_t to = 0;
  bool is_bound = false;            // `to` too: the rows that are joined stay
  std::optional<size_t> edge_slot;  // each edge is a row of its own
  std::string edge_type;
  gq::Direction way = gq::Direction::kOut;  // kOut: `from` is where edges begin
  bool one_type = true;                     // edges begin and end at one type
  uint32_t hops_min = 1;
  uint32_t hops_max = 1;
};
// Equal rows become one, with a count. Only the slot is left.
struct CollapseStep {
  size_t slot = 0;
};
struct Step;
// Rows for which the steps find nothing. `tag` numbers the rows while the steps look.
struct NegationStep {
  std::vector<Step> steps;
  std::vector<size_t> outer_slots;
  size_t tag = 0;
  bool never = false;  // the steps find nothing at all
};
struct Step {
  std::variant<FilterStep, ScanStep, ExpandStep, CollapseStep, NegationStep> action;
  double estimated_rows = 0;
  // Slots that are needed behind this step.
  std::vector<size_t> live;
};

// What a column shows: a term, or an aggregate of one.
struct OutputColumn {
  std::string name;
  columns::TypePtr type;
  std::optional<gq::ExpressionKind> aggregate;
  Term term;
  bool counts_rows = false;  // count of a whole node
  bool sums_reals = false;   // sum or avg of F32 or F64
};

struct OrderKey {
  bool descending = false;
  std::optional<size_t> column;  // the value of a column; else the term
  Term term;
};

struct Plan {
  std::vector<Slot> slots;
  std::vector<Step> steps;
  bool never = false;  // some condition without variables does not hold
  std::vector<OutputColumn> columns;
  std::vector<OrderKey> orders;
  std::optional<uint64_t> limit;
  bool aggregates = false;
  // What decides between rows that the order leaves equal: the ids of these slots, in this order.
  std::vector<size_t> tie_slots;
};

// Errors: kUnsupported names a search function; kLimit for too many variables; those of tables.
Result<Plan> make_plan(const gq::CheckedQuery& query, GraphData& graph,
                       const ParameterValues& parameters, base::WallTime now);

}  // namespace weft::gqexec
