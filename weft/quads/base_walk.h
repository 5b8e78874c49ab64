// Steps through the base beside ascending places of a delta, in the order SPO.
#pragma once

#include "weft/base/result.h"
#include "weft/quads/base_scan.h"
#include "weft/quads/delta.h"

namespace weft::quads {

// A place as a cursor's key; ids that the base does not have stand behind all it has.
rete::RowKey key_of(const RowPlace& place);

// Not thread-safe. `base` must outlive it.
class BaseWalk {
 public:
  BaseWalk(BaseStream& base, uint64_t node_count) : base_(base), node_count_(node_count) {}

  Status start() { return base_.next(); }
  bool at_end() const { return base_.batch().size() == 0; }
  RowPlace place() const;
  Status step();
  // To the first row at or behind `wanted`; jumps over what it can.
  Status advance_to(const RowPlace& wanted);

 private:
  BaseStream& base_;
  uint64_t node_count_;
  ScanOrder order_{rdf::Permutation::kSpo};
  size_t row_ = 0;
};

}  // namespace weft::quads
