#include "weft/exec/parallel/share.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "weft/exec/operators/join_table.h"
#include "weft/exec/operators/pattern.h"

namespace weft::exec {
namespace {

// The rows of a batch by the two positions that follow the bound ones.
class Keys {
 public:
  Keys(const rdf::IdPattern& pattern, rdf::Permutation permutation, const rdf::IdBatch& batch) {
    size_t found = 0;
    for (const rdf::Position position : rdf::positions(permutation)) {
      if (pattern.at(position) == rdf::kNoTerm && found < 2) {
        columns_[found++] = &id_column(batch, static_cast<size_t>(position));
      }
    }
  }

  bool is_before(size_t row, const ScanCut& cut) const {
    const rdf::TermId key0 = columns_[0] != nullptr ? (*columns_[0])[row] : rdf::kNoTerm;
    if (key0 != cut.key0 || cut.key1 == rdf::kNoTerm || columns_[1] == nullptr) {
      return key0 < cut.key0;
    }
    return (*columns_[1])[row] < cut.key1;
  }

  // How many of `count` rows are before `cut`.
  size_t rows_before(size_t count, const ScanCut& cut) const {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
      const size_t middle = std::midpoint(low, high);
      if (is_before(middle, cut)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  const Column* columns_[2] = {nullptr, nullptr};
};

}  // namespace

JoinTable* Share::table(const plan::PlanNode& join) const {
  const auto found = tables->find(join.number);
  return found == tables->end() ? nullptr : found->second.get();
}

Status Share::begin(QuadCursor& cursor) const {
  if (high) {
    WEFT_TRY_STATUS(cursor.stop_before(high->key0, high->key1));
  }
  return low ? cursor.seek(low->key0, low->key1) : ok_status();
}

bool Share::keep(const rdf::IdPattern& pattern, rdf::Permutation permutation,
                 rdf::IdBatch& batch) const {
  const size_t count = batch.size();
  if (count == 0) {
    return false;
  }
  const Keys keys(pattern, permutation, batch);
  const size_t begin = low && keys.is_before(0, *low) ? keys.rows_before(count, *low) : 0;
  const size_t end =
      high && !keys.is_before(count - 1, *high) ? keys.rows_before(count, *high) : count;
  if (begin == 0 && end == count) {
    return true;
  }
  for (size_t c = 0; c <= kGraphColumn; ++c) {
    Column& column = id_column(batch, c);
    if (!column.empty()) {
      column.resize(std::max(begin, end));
      column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(begin));
    }
  }
  return end == count;
}

}  // namespace weft::exec
