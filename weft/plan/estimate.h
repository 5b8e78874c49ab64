// How many rows, and how many different terms in a column: what the planner decides by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weft/base/result.h"
#include "weft/plan/plan.h"
#include "weft/plan/planner.h"
#include "weft/sparql/algebra.h"

namespace weft::plan {

// What things cost, in rows that are touched in passing.
inline constexpr double kCostScan = 1.0;
inline constexpr double kCostBuild = 3.0;     // a row into a hash table
inline constexpr double kCostProbe = 1.5;     // a row looked up in one
inline constexpr double kCostOutput = 0.5;    // a row that a join makes
inline constexpr double kCostSeek = 40.0;     // a scan opened for one key
inline constexpr double kCostExists = 120.0;  // an EXISTS asked for one row
inline constexpr double kCostSkip = 20.0;     // a merge join's jump to the next key
inline constexpr double kCostSort = 4.0;
// Guessed of a property path: nodes reached from one, scans opened for that.
inline constexpr double kPathReach = 8.0;
inline constexpr double kPathSeeks = 3.0;
// Guessed of a SERVICE: what a request costs, and the rows of an answer to everything.
inline constexpr double kCostRequest = 20'000;
inline constexpr double kServiceRows = 10'000;
inline constexpr double kRowsPerRequest = 200;

// Different terms by variable: a map as one ascending vector, as there are few and it is copied for
// every set of patterns that the search for an order looks at.
class DistinctCounts {
 public:
  using Entry = std::pair<Variable, double>;
  using Iterator = std::vector<Entry>::const_iterator;

  Iterator begin() const { return entries_.begin(); }
  Iterator end() const { return entries_.end(); }
  Iterator find(Variable variable) const {
    const Iterator at = place(variable);
    return at != end() && at->first == variable ? at : end();
  }
  bool contains(Variable variable) const { return find(variable) != end(); }
  double& operator[](Variable variable) { return try_emplace(variable, 0).first->second; }
  std::pair<std::vector<Entry>::iterator, bool> try_emplace(Variable variable, double count) {
    const auto at = entries_.begin() + (place(variable) - begin());
    if (at != entries_.end() && at->first == variable) {
      return {at, false};
    }
    return {entries_.insert(at, {variable, count}), true};
  }
  // Behind all others.
  void append(const Entry& entry) { entries_.push_back(entry); }
  void clear() { entries_.clear(); }
  void reserve(size_t count) { entries_.reserve(count); }

 private:
  Iterator place(Variable variable) const {
    return std::ranges::lower_bound(entries_, variable, {}, &Entry::first);
  }

  std::vector<Entry> entries_;
};

// Of a set of rows. Distinct terms are kept for every variable in scope.
struct Figures {
  double rows = 0;
  double cost = 0;   // of making the rows all at once
  double seeks = 1;  // scans to open per outer row, if evaluated by a bind join
  bool exact = false;
  DistinctCounts distinct;

  double distinct_of(Variable variable) const;
};

// Of the join of `a` and `b` on the variables that both have.
Figures joined(const Figures& a, const Figures& b);
// How much of the rows passes.
double selectivity(const sparql::Expression& condition);

// Keeps what the statistics answered; each pattern is asked once. Not thread-safe.
class Estimator {
 public:
  Estimator(const sparql::Query& query, const Environment& environment)
      : query_(query), environment_(environment) {}

  // Asks for all patterns of the query; of a remote graph several at once.
  Status load(const sparql::Node& root, const GraphChoice& graph);

  PatternSlot slot(const sparql::PatternTerm& term) const;
  rdf::IdPattern id_pattern(const Scan& scan) const;
  Result<Scan> make_scan(const sparql::TriplePattern& triple, const GraphChoice& graph) const;
  Result<GraphChoice> graph_choice(const sparql::PatternTerm& graph) const;
  Result<Figures> scan_figures(const Scan& scan);
  // Of all pairs of ends; the path's own keys are looked up as it is asked.
  Result<PathScan> make_path(const sparql::Path& path, const GraphChoice& graph) const;
  Result<Figures> path_figures(const PathScan& path);
  // Nothing is known: a guess.
  static Figures service_figures(const ServiceScan& service);
  // Linear in the size of the tree.
  Result<Figures> node_figures(const sparql::Node& node, const GraphChoice& graph);
  // Quads of a named graph.
  Result<rdf::Cardinality> graph_size(rdf::TermId graph) const;

  const sparql::Query& query() const { return query_; }
  const Environment& environment() const { return environment_; }

 private:
  struct Key {
    rdf::IdPattern pattern;
    bool operator<(const Key& other) const;
  };
  struct Known {
    rdf::Cardinality rows;
    double distinct[3] = {0, 0, 0};
    bool joins[3] = {false, false, false};
  };
  rdf::TermId constant(const std::string& token) const;
  Status collect(const sparql::Node& node, const GraphChoice& graph, std::vector<Scan>& scans);
  Status ask(const rdf::IdPattern& pattern, Known& known) const;
  Result<Figures> compute(const sparql::Node& node, const GraphChoice& graph);
  Result<Figures> group_figures(const sparql::Group& group, const GraphChoice& graph);

  const sparql::Query& query_;
  const Environment& environment_;
  std::map<Key, Known> known_;
  std::map<Variable, uint32_t> mentions_;  // in patterns and VALUES
  std::map<std::pair<const sparql::Node*, int>, Figures> nodes_;
};

}  // namespace weft::plan
