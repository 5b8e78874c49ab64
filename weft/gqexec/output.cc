#include "weft/gqexec/output.h"

#include <algorithm>
#include <utility>

#include "weft/columns/builder.h"

namespace weft::gqexec {
namespace {

class StreamOutput final : public RowSink {
 public:
  StreamOutput(RunState& state, AnswerSink& answer)
      : state_(state), answer_(answer), schema_(answer_schema(state.plan)) {
    state_.done = state.plan.limit == uint64_t{0};
  }

  Status accept(const RowBatch& batch) override {
    WEFT_TRY_STATUS(state_.check());
    // Rows that stand for several are that many.
    std::vector<uint32_t> rows;
    for (size_t row = 0; row < batch.row_count && !state_.done; ++row) {
      for (uint64_t copy = 0; copy < batch.weight(row) && !state_.done; ++copy) {
        rows.push_back(static_cast<uint32_t>(row));
        ++given_;
        state_.done = state_.plan.limit.has_value() && given_ >= *state_.plan.limit;
        if (rows.size() == kBatchRows) {
          WEFT_TRY_STATUS(give(batch, rows));
          rows.clear();
        }
      }
    }
    return give(batch, rows);
  }

  Status finish() override { return ok_status(); }

 private:
  Status give(const RowBatch& batch, const std::vector<uint32_t>& rows) {
    if (rows.empty()) {
      return ok_status();
    }
    std::vector<size_t> live;
    for (const OutputColumn& column : state_.plan.columns) {
      if (column.term.kind == Term::Kind::kProperty) {
        live.push_back(column.term.slot);
      }
    }
    gather_rows(batch, rows, live, out_);
    std::vector<columns::ArrayPtr> arrays;
    for (const OutputColumn& column : state_.plan.columns) {
      WEFT_TRY(columns::ArrayPtr array, project_term(state_, column.term, column.type, out_));
      arrays.push_back(std::move(array));
    }
    WEFT_TRY(const columns::Batch batch_out,
             columns::Batch::make(schema_, std::move(arrays), out_.row_count));
    return answer_.accept(batch_out);
  }

  RunState& state_;
  AnswerSink& answer_;
  columns::SchemaPtr schema_;
  uint64_t given_ = 0;
  RowBatch out_;
};

}  // namespace

columns::SchemaPtr answer_schema(const Plan& plan) {
  auto schema = std::make_shared<columns::Schema>();
  for (const OutputColumn& column : plan.columns) {
    schema->fields.push_back({column.name, column.type, true, {}});
  }
  return schema;
}

Result<columns::ArrayPtr> project_term(RunState& state, const Term& term,
                                       const columns::TypePtr& type, const RowBatch& batch) {
  if (term.kind == Term::Kind::kConstant || batch.row_count == 0) {
    columns::ArrayBuilder builder(type);
    for (size_t row = 0; row < batch.row_count; ++row) {
      builder.append_from(*term.constant, 0);
    }
    return builder.finish();
  }
  const std::vector<RowNumber>& rows = batch.slots[term.slot];
  WEFT_TRY(const RowValues values,
           state.plan.slots[term.slot].data->values(term.property, rows, state.stop));
  if (values.by_batch && values.column->pieces().size() == 1) {
    return values.column->pieces().front();
  }
  return values.column->gather(rows);
}

int compare_rows(const std::vector<SortKey>& keys, size_t a, size_t b) {
  for (const SortKey& key : keys) {
    const bool a_valid = key.operand.is_valid(a);
    const bool b_valid = key.operand.is_valid(b);
    int order = a_valid && b_valid ? compare_values(key.operand, a, key.operand, b)
                                   : static_cast<int>(a_valid) - static_cast<int>(b_valid);
    if (order != 0) {
      return key.descending ? -order : order;
    }
  }
  return 0;
}

std::unique_ptr<RowSink> make_stream_output(RunState& state, AnswerSink& answer) {
  return std::make_unique<StreamOutput>(state, answer);
}

}  // namespace weft::gqexec
