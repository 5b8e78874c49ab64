// Where each column of a join's output comes from, and writing joined rows.
#pragma once

#include <vector>

#include "weft/exec/operators/operator.h"
#include "weft/exec/row_batch.h"

namespace weft::exec {

class OutputMap {
 public:
  // Columns of `node` out of those of the two sides; where both have one, the left one's value
  // counts unless it is unbound.
  OutputMap(const plan::VariableList& out, const plan::VariableList& left,
            const plan::VariableList& left_certain, const plan::VariableList& right) {
    for (const plan::Variable variable : out) {
      Source source{column_of(left, variable), column_of(right, variable)};
      if (source.left != kNoColumn && column_of(left_certain, variable) != kNoColumn) {
        source.right = kNoColumn;
      }
      sources_.push_back(source);
    }
  }

  // One output row for each pair (left_rows[i], right_rows[i]); a right row of kNone is unbound.
  static constexpr uint32_t kNone = UINT32_MAX;
  void append(RowBatch& out, const RowBatch& left, const std::vector<uint32_t>& left_rows,
              const RowBatch& right, const std::vector<uint32_t>& right_rows) const {
    const size_t count = left_rows.size();
    for (size_t c = 0; c < sources_.size(); ++c) {
      const Source& source = sources_[c];
      Column& column = out.columns[c];
      const size_t base = column.size();
      column.resize(base + count);
      rdf::TermId* target = column.data() + base;
      if (source.left != kNoColumn) {
        const rdf::TermId* ids = left.columns[source.left].data();
        for (size_t i = 0; i < count; ++i) {
          target[i] = ids[left_rows[i]];
        }
      }
      if (source.right != kNoColumn) {
        const rdf::TermId* ids = right.columns[source.right].data();
        for (size_t i = 0; i < count; ++i) {
          if (target[i] == rdf::kNoTerm && right_rows[i] != kNone) {
            target[i] = ids[right_rows[i]];
          }
        }
      }
    }
    out.rows += count;
  }

 private:
  struct Source {
    size_t left;
    size_t right;
  };
  std::vector<Source> sources_;
};

}  // namespace weft::exec
