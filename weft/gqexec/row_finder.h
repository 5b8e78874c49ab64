// Finds the rows of a type that meet conditions about it alone: by the index of ids, in columns
// that are in memory, or by a scan of the table that reads what the conditions need and keeps
// nothing.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/gqexec/rows.h"

namespace weft::gqexec {

// Not thread-safe. One per step; may run several times.
class RowFinder {
 public:
  // Takes numbers of rows, ascending over all calls.
  using Take = std::function<Status(std::span<const RowNumber>)>;

  // Both must outlive the finder.
  RowFinder(RunState& state, const ScanStep& scan)
      : state_(state), scan_(scan), data_(*state.plan.slots[scan.slot].data) {}

  // Stops early when the run is done.
  Status each(const Take& take);

 private:
  // The columns that conditions read.
  struct Scanned {
    std::vector<std::string> names;
    std::vector<std::shared_ptr<const Column>> columns;
    const Column& find(const std::string& name) const;
  };

  Status find_by_key(const KeyIndex& keys, const Take& take);
  Status filter_loaded(const std::vector<std::string>& names, const Take& take);
  Status filter_scanned(const std::vector<std::string>& names, const Take& take);
  // Leaves in rows_ what meets all conditions; row r is element r - `from` of the columns.
  void filter(const Scanned& scanned, uint64_t from);

  RunState& state_;
  const ScanStep& scan_;
  TypeData& data_;
  std::vector<RowNumber> rows_;
  std::vector<RowNumber> local_;
  std::vector<uint32_t> selected_;
};

}  // namespace weft::gqexec
