// A physical plan: what is done in which order, ready for exec to build operators from.
//
// L1  Every column is a variable, and a node has each at most once. Numbers from
//     Query::variables.size() on are columns of the plan's own (key numbers of bind joins).
// L2  `certain` columns are bound in every row; others may be kNoTerm.
// L3  `sorted_by` is a column by which the rows ascend by id (never a column of predicates only).
// L4  A node that is named as reading incoming rows does so only below the right side of a
//     BindJoin.
// Plain data. Expressions are borrowed from the Query that was planned, or owned by the Plan.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/rdf/ids.h"
#include "weft/rdf/text_need.h"
#include "weft/sparql/algebra.h"

namespace weft::plan {

using Variable = sparql::VariableIndex;
using VariableList = std::vector<Variable>;  // ascending unless said otherwise

struct PlanNode;
using PlanPtr = std::unique_ptr<PlanNode>;

// A place in a pattern: a variable or a term of the graph.
struct PatternSlot {
  std::optional<Variable> variable;
  rdf::TermId id = rdf::kNoTerm;  // if no variable; kNoTerm: a term that the graph does not hold
  std::string text;               // of the constant, for explain
};

// Which graph a pattern looks into.
struct GraphChoice {
  enum class Kind : uint8_t {
    kDefault,
    kConstant,  // the named graph `id`
    kVariable,  // every named graph; `variable` is a column
    kLoop,      // the one that the enclosing GraphLoop is at
  };
  Kind kind = Kind::kDefault;
  rdf::TermId id = rdf::kNoTerm;
  Variable variable = 0;
  std::string text;
};

// --- Leaves
struct OneRow {};  // one row, no column
struct NoRows {
  std::string reason;
};
struct OuterRow {};      // the row that an EXISTS is asked for
struct IncomingRows {};  // the distinct keys that the enclosing BindJoin is at
struct Scan {
  std::array<PatternSlot, 3> slots;  // subject, predicate, object
  GraphChoice graph;
  rdf::Permutation permutation = rdf::Permutation::kSpo;
  bool exact = false;  // `rows` is exact
};

// One kind of edge of a path program: triples of `predicate`, or, if that is kNoTerm, of every
// predicate that is not excluded; walked from subject to object, or back.
struct PathLabel {
  rdf::TermId predicate = rdf::kNoTerm;
  std::vector<rdf::TermId> excluded;
  bool backwards = false;
};
struct PathState {
  struct Step {
    uint32_t label = 0;
    uint32_t state = 0;
  };
  bool accepts = false;
  std::vector<Step> steps;
};
// A property path as an automaton over edges. State 0 is the start; it accepts if the path matches
// without any edge.
struct PathProgram {
  std::vector<PathLabel> labels;
  std::vector<PathState> states;

  bool matches_nothing_walked() const { return states.front().accepts; }
};
struct PathScan {
  PatternSlot subject;
  PatternSlot object;
  GraphChoice graph;  // never kVariable
  PathProgram forwards;
  PathProgram backwards;  // of the inverse path
  // Inside an EXISTS, the row outside replaces these variables where it binds them: they are ends
  // that the path names.
  bool subject_is_replaced = false;
  bool object_is_replaced = false;
  std::string text;
};

struct ServiceScan {
  PatternSlot endpoint;
  bool silent = false;
  std::string query;
  VariableList variables;          // of the answer
  std::vector<std::string> names;  // theirs, in that order
};

struct GraphNames {  // the named graphs, as a column
  Variable graph = 0;
};
// One row, without columns, if the named graph `graph` has a quad; else none.
struct GraphPresent {
  rdf::TermId graph = rdf::kNoTerm;
  std::string text;
};
struct ValueRows {
  VariableList variables;                         // in the order of `columns`
  std::vector<std::vector<rdf::TermId>> columns;  // kNoTerm: UNDEF
  size_t row_count = 0;
};
// One row: how many rows a pattern has. From the index, if that knows exactly.
struct CountRows {
  Scan scan;
  VariableList results;  // every one gets the count
};

// --- Joins. Inputs: left, right.
enum class JoinKind : uint8_t {
  kInner,
  kLeft,  // OPTIONAL
  kSemi,  // EXISTS: left rows with a partner, each once; hash joins only
  kAnti,  // MINUS and NOT EXISTS
};
constexpr bool keeps_left_only(JoinKind kind) {
  return kind == JoinKind::kSemi || kind == JoinKind::kAnti;
}
// Both sides ascend by `key`; `others` are further shared columns, certain on both sides.
struct MergeJoin {
  Variable key = 0;
  VariableList others;
};
// The right side is built. `keys` are shared and certain on both sides, `loose` shared but perhaps
// unbound: unbound is compatible with everything.
struct HashJoin {
  JoinKind kind = JoinKind::kInner;
  VariableList keys;
  VariableList loose;
  // kAnti inside of an EXISTS: those of keys and loose that the row outside binds do not count as
  // shared, as they are no variables there.
  // kAnti: shared columns that must be equal but do not count as a shared variable (the GRAPH
  // variable that the engine itself adds).
  VariableList scope_keys;
  std::vector<const sparql::Expression*> conditions;  // of kLeft
};
// Looks up the rows of `scan` for the distinct keys of a batch of left rows. One input.
struct IndexJoin {
  Scan scan;
  VariableList keys;  // shared
};
// Walks `path` from the different keys of a batch of left rows; from everywhere if there is none.
// Different pairs of ends, each once per left row. One input.
struct PathJoin {
  PathScan path;
  VariableList keys;  // shared
};
// Asks an endpoint for the rows that fit a few left rows, again and again. One input.
struct ServiceJoin {
  ServiceScan service;
};
// Evaluates the right side for the distinct keys of a batch of left rows (IncomingRows). The right
// side's rows carry `number`, the key's number.
struct BindJoin {
  JoinKind kind = JoinKind::kInner;
  VariableList keys;                                  // shared
  Variable number = 0;                                // a column of the plan's own
  std::vector<const sparql::Expression*> conditions;  // of kLeft
};

// --- One input
struct FilterRows {
  std::vector<const sparql::Expression*> conditions;
};
struct ExtendRows {
  struct Step {
    Variable variable = 0;
    const sparql::Expression* expression = nullptr;
    bool resolve = false;  // the value may meet stored ids: look it up
  };
  std::vector<Step> steps;  // in order; a step sees the variables of the steps before
};
struct ProjectRows {};  // keeps `columns`
struct DistinctRows {};
struct SortRows {
  struct Key {
    const sparql::Expression* expression = nullptr;
    bool descending = false;
  };
  std::vector<Key> keys;
  std::optional<uint64_t> top;  // only so many first rows are wanted
};
struct SliceRows {
  uint64_t offset = 0;
  std::optional<uint64_t> limit;
};
struct GroupRows {
  struct Key {
    Variable variable = 0;
    const sparql::Expression* expression = nullptr;
    bool resolve = false;
  };
  struct Aggregate {
    const sparql::Aggregate* definition = nullptr;
    VariableList counted;  // COUNT(DISTINCT *): the columns that make a solution
    bool resolve = false;
  };
  std::vector<Key> keys;
  std::vector<Aggregate> aggregates;
};
// Its input once for every named graph; `graph` is added as a column.
struct GraphLoop {
  Variable graph = 0;
};

// --- Any number of inputs
struct UnionRows {};

using PlanOperation =
    std::variant<OneRow, NoRows, OuterRow, IncomingRows, Scan, GraphNames, GraphPresent, ValueRows,
                 CountRows, MergeJoin, HashJoin, IndexJoin, PathJoin, ServiceJoin, BindJoin,
                 FilterRows, ExtendRows, ProjectRows, DistinctRows, SortRows, SliceRows, GroupRows,
                 GraphLoop, UnionRows>;

struct PlanNode {
  PlanOperation operation;
  std::vector<PlanPtr> inputs;
  VariableList columns;
  VariableList certain;
  std::optional<Variable> sorted_by;
  double rows = 0;      // estimated
  double cost = 0;      // estimated, inputs included; one is about one row touched
  uint32_t number = 0;  // preorder, from 0
  // Of a Scan: what its rows' objects must meet for the filter above to keep them. An index of
  // words may leave out others; the filter stays.
  std::unique_ptr<rdf::TextDemand> text;
  bool stops_early = false;  // a LIMIT or ASK above may stop it: do not work ahead
  // Top of a fragment (fragments.h): the scan below whose rows workers share out; null: no top.
  const PlanNode* shared_scan = nullptr;
  bool keeps_order = false;    // of a top
  bool workers_do_it = false;  // a group, sort or DISTINCT over a top, done by the workers as well

  bool is_shared_out() const { return shared_scan != nullptr; }
};

// Whether the pattern of an EXISTS matches, for a row of `keys` (OuterRow): whether `root` has
// rows.
struct ExistsPlan {
  PlanPtr root;
  VariableList keys;
};

struct Plan {
  PlanPtr root;
  std::map<const sparql::Node*, ExistsPlan> exists;  // by pattern
  uint32_t node_count = 0;
  Variable variable_count = 0;  // the query's and the plan's own
  std::vector<std::unique_ptr<sparql::Expression>> expressions;
};

// Marks the nodes that hand rows straight up to a LIMIT; with `first_row_only`, to the root.
void mark_early_stops(PlanNode& root, bool first_row_only);

// What a node did when the plan ran.
struct NodeRun {
  uint64_t rows = 0;
  int64_t microseconds = 0;  // in it and in what it is made from; 0: not measured
  // Of a Scan with a text demand that was read: the subjects that the index named, or that it could
  // name none.
  enum class TextIndex : uint8_t { kNotAsked, kUsed, kNotUsed } text_index = TextIndex::kNotAsked;
  uint64_t text_subjects = 0;
  // Workers that took part, and pieces they shared out; 0: one thread did it all.
  uint32_t workers = 0;
  uint32_t pieces = 0;
};

// The plan as an indented tree, one node a line: what, on which keys, in which permutation, rows
// expected. `runs` (by node number, or empty) adds the rows that came and, where it was measured,
// the time spent in the node itself, summed over workers.
std::string explain(const Plan& plan, const sparql::VariableTable& variables,
                    const std::vector<NodeRun>& runs);

}  // namespace weft::plan
