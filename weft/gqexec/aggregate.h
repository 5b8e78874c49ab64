// Aggregates of groups.
//
//   count  of nodes: rows; of values: those that are not null
//   sum    exact for integers (any number of them); of floats by their widest type. null: no value
//   avg    a float. null: no value
//   min, max  a value as it is stored; strings by their bytes
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "weft/gqexec/rows.h"

namespace weft::gqexec {

inline constexpr uint64_t kBytesPerAggregate = 32;  // of one group, at most

// One column of all groups. Not thread-safe.
class Aggregate {
 public:
  virtual ~Aggregate() = default;
  virtual void add_group() = 0;
  // Row i of the batch belongs to group groups[i].
  virtual Status add(RunState& state, const RowBatch& batch, std::span<const uint32_t> groups) = 0;
  // An element for each group. Errors: kLimit for a sum beyond 38 digits.
  virtual Result<columns::ArrayPtr> finish(RunState& state, const OutputColumn& column) = 0;
};
std::unique_ptr<Aggregate> make_aggregate(const OutputColumn& column);

}  // namespace weft::gqexec
