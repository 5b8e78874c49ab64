// What the planner asks of a graph. Implemented beside QuadSource (exec/quad_source.h).
#pragma once

#include "weft/base/result.h"
#include "weft/rdf/ids.h"

namespace weft::plan {

// Thread-safe.
class Statistics {
 public:
  virtual ~Statistics() = default;
  // Rows that match. Cheap: directories and a tile or two at most.
  virtual Result<rdf::Cardinality> cardinality(const rdf::IdPattern& pattern) = 0;
  // Distinct terms at `position` among the rows that match; an estimate.
  virtual Result<double> distinct(const rdf::IdPattern& pattern, rdf::Position position) = 0;
  // True if scans in this order need no sort.
  virtual bool has_order(rdf::Permutation permutation) const = 0;
  // True if an index of words may tell which subjects have a literal with a text.
  virtual bool has_text_index() const { return false; }
  // True if an answer may cost round trips over a network, so that questions are best asked side by
  // side. Handing them to other threads costs more than answering them does where this is false.
  virtual bool is_remote() const { return false; }
};

}  // namespace weft::plan
