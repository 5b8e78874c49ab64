// A plan's Scan as a pattern of ids, and the rows of a source as columns of a plan node.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "weft/exec/operators/operator.h"
#include "weft/plan/plan.h"
#include "weft/rdf/ids.h"

namespace weft::exec {

// Columns of IdBatch.
inline constexpr size_t kGraphColumn = 3;

const Column& id_column(const rdf::IdBatch& batch, size_t column);
Column& id_column(rdf::IdBatch& batch, size_t column);

// Takes rows of a source: which column each variable comes from, and which columns must be equal.
class PatternReader {
 public:
  PatternReader(const plan::Scan& scan, const Frame& frame);

  // False if no row can match: a constant is not in the graph.
  bool is_possible() const { return possible_; }
  // The constants, the graph of the loop included.
  const rdf::IdPattern& pattern() const { return pattern_; }
  // `pattern` with `variable` bound to `id` wherever it stands.
  void bind(rdf::IdPattern& pattern, plan::Variable variable, rdf::TermId id) const;
  // The column that `variable` is read from, or kNoColumn.
  size_t source_of(plan::Variable variable) const;
  // True if drop_unequal may drop any.
  bool drops_rows() const { return !equal_.empty(); }
  // Removes rows in which a variable that stands twice has two values.
  void drop_unequal(rdf::IdBatch& batch);

 private:
  const plan::Scan& scan_;
  rdf::IdPattern pattern_;
  bool possible_ = true;
  std::vector<std::pair<size_t, size_t>> equal_;
  std::vector<uint8_t> keep_;
};

// An order of `source` whose leading positions `pattern` binds, `preferred` if it is one.
rdf::Permutation order_for(const QuadSource& source, const rdf::IdPattern& pattern,
                           rdf::Permutation preferred);

}  // namespace weft::exec
