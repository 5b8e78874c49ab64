#include "weft/gqexec/run.h"

#include <algorithm>
#include <utility>

namespace weft::gqexec {
namespace {

std::unique_ptr<RowSink> make_output(RunState& state, AnswerSink& answer) {
  if (state.plan.aggregates) {
    return make_grouped_output(state, answer);
  }
  return state.plan.orders.empty() ? make_stream_output(state, answer)
                                   : make_sorted_output(state, answer);
}

class Collector final : public AnswerSink {
 public:
  Collector(Answer& answer, base::MemoryBudget& budget) : answer_(answer), budget_(budget) {}
  Status accept(const columns::Batch& rows) override {
    uint64_t bytes = 0;
    for (const columns::ArrayPtr& array : rows.columns()) {
      bytes += Column(array->type(), {array}).memory_bytes();
    }
    WEFT_TRY(base::Reservation memory, budget_.reserve(bytes));
    answer_.memory.push_back(std::move(memory));
    answer_.row_count += rows.row_count();
    answer_.batches.push_back(rows);
    return ok_status();
  }

 private:
  Answer& answer_;
  base::MemoryBudget& budget_;
};

void append_number(std::string& out, double number) {
  out += std::to_string(static_cast<uint64_t>(std::clamp(number, 0.0, 1e18)));
}

std::string slot_text(const Plan& plan, size_t slot) {
  return "$" + plan.slots[slot].name;
}

std::string scan_text(const Plan& plan, const ScanStep& scan) {
  std::string text = scan.join.has_value() ? "join " : "scan ";
  text += slot_text(plan, scan.slot) + ": " + plan.slots[scan.slot].type;
  for (size_t i = 0; i < scan.conditions.size(); ++i) {
    text += (i == 0 ? " where " : " and ") + scan.conditions[i].text;
    text += scan.key_condition == i ? " (by key)" : "";
  }
  return text + (scan.join.has_value() ? " on " + scan.join->text : "");
}

std::string expand_text(const Plan& plan, const ExpandStep& expand) {
  std::string text = expand.is_bound ? "check " : "expand ";
  text += slot_text(plan, expand.from);
  const bool in = expand.way == gq::Direction::kIn;
  const bool out = expand.way == gq::Direction::kOut;
  text += out ? " -" : " <-";
  if (expand.edge_slot.has_value()) {
    text += slot_text(plan, *expand.edge_slot) + ":";
  }
  text += expand.edge_type;
  if (expand.hops_max > 1) {
    text += "{" + std::to_string(expand.hops_min) + "," + std::to_string(expand.hops_max) + "}";
  }
  return text + (in ? "- " : "-> ") + slot_text(plan, expand.to) + ": " +
         plan.slots[expand.to].type;
}

class Explainer {
 public:
  Explainer(const Plan& plan, const RunStatistics* statistics)
      : plan_(plan), statistics_(statistics) {}

  void steps(const std::vector<Step>& steps, size_t depth) {
    for (const Step& step : steps) {
      this->step(step, depth);
    }
  }
  void tail() {
    for (const OutputColumn& column : plan_.columns) {
      out_ += "column " + column.name + ": " + column.type->to_string();
      if (column.aggregate.has_value()) {
        out_ += " = " + std::string(gq::function_name(*column.aggregate));
      }
      out_ += "\n";
    }
    if (!plan_.orders.empty()) {
      out_ += "order by " + std::to_string(plan_.orders.size()) +
              (plan_.orders.size() == 1 ? " key" : " keys") +
              (plan_.aggregates ? ", then columns\n" : ", then ids\n");
    }
    if (plan_.limit.has_value()) {
      out_ += "limit " + std::to_string(*plan_.limit) + "\n";
    }
  }
  std::string take() { return std::move(out_); }
  void line(std::string_view text) { out_ += std::string(text) + "\n"; }

 private:
  void step(const Step& step, size_t depth) {
    out_.append(depth * 2, ' ');
    if (const auto* const scan = std::get_if<ScanStep>(&step.action)) {
      out_ += scan_text(plan_, *scan);
    } else if (const auto* const filter = std::get_if<FilterStep>(&step.action)) {
      out_ += "filter " + filter->condition.text;
    } else if (const auto* const expand = std::get_if<ExpandStep>(&step.action)) {
      out_ += expand_text(plan_, *expand);
    } else if (const auto* const collapse = std::get_if<CollapseStep>(&step.action)) {
      out_ += "collapse to " + slot_text(plan_, collapse->slot);
    } else {
      out_ += "not";
    }
    out_ += "  (about ";
    append_number(out_, step.estimated_rows);
    out_ += " rows";
    if (statistics_ != nullptr) {
      for (const auto& [known, rows] : statistics_->rows_given) {
        if (known == &step) {
          out_ += ", really " + std::to_string(rows);
        }
      }
    }
    out_ += ")\n";
    if (const auto* const negation = std::get_if<NegationStep>(&step.action)) {
      steps(negation->steps, depth + 1);
    }
  }

  const Plan& plan_;
  const RunStatistics* statistics_;
  std::string out_;
};

}  // namespace

Result<RunStatistics> run(const Plan& plan, GraphData& graph, AnswerSink& answer,
                          const RunOptions& options) {
  RunState state{graph, plan, graph.budget(), options.stop, nullptr, 0, false, {}};
  if (options.clock != nullptr && options.timeout_ms > 0) {
    constexpr int64_t kMicrosPerMilli = 1'000;
    state.clock = options.clock;
    state.deadline_microseconds = options.clock->monotonic_microseconds() +
                                  static_cast<int64_t>(options.timeout_ms) * kMicrosPerMilli;
  }
  const std::unique_ptr<RowSink> output = make_output(state, answer);
  Pipeline pipeline(state, plan.steps, *output);
  RowBatch first;
  first.row_count = 1;
  first.slots.resize(plan.slots.size());
  WEFT_TRY_STATUS(state.check());
  if (!plan.never && !state.done) {
    WEFT_TRY_STATUS(pipeline.first().accept(first));
  }
  WEFT_TRY_STATUS(pipeline.first().finish());
  return RunStatistics{std::move(state.rows_given)};
}

Result<Answer> run_to_answer(const Plan& plan, GraphData& graph, const RunOptions& options) {
  Answer answer;
  answer.schema = answer_schema(plan);
  Collector collector(answer, graph.budget());
  WEFT_TRY(answer.statistics, run(plan, graph, collector, options));
  return answer;
}

std::string explain(const Plan& plan, const RunStatistics* statistics) {
  Explainer explainer(plan, statistics);
  if (plan.never) {
    explainer.line("no rows: a condition without variables does not hold");
  }
  explainer.steps(plan.steps, 0);
  explainer.tail();
  return explainer.take();
}

}  // namespace weft::gqexec
