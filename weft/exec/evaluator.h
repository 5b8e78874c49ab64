// Expressions over the rows of a batch.
//
//     WEFT_TRY(auto evaluator, Evaluator::make({&expression}, columns, execution));
//     evaluator->load(batch);          // one call to the source for all tokens that are missing
//     evaluator->test(0, row);         // three-valued
//
// E1  An error of an expression is a value (undefined, nullopt), as SPARQL wants it; a Status is
//     a limit or a failure of the source.
// E2  What is handed on unchanged (a variable, IF, COALESCE) keeps its id and lexical form.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/exec/execution.h"
#include "weft/exec/regex.h"
#include "weft/exec/row_batch.h"
#include "weft/exec/text_filter.h"
#include "weft/plan/plan.h"
#include "weft/sparql/expression.h"

namespace weft::exec {

// What is asked of the expressions: with kIds only id(), and what is handed on unchanged needs no
// value; with kFilter only filter(), and text filters are read off tokens (text_condition.h).
enum class EvaluatorUse : uint8_t { kValues, kIds, kFilter };

class Evaluator {
 public:
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // For rows with these columns; variables that are not among them are unbound. The expressions and
  // `execution` must outlive it. Errors: kInvalid and kUnsupported for a constant regular
  // expression, kUnsupported for what is out of scope.
  static Result<std::unique_ptr<Evaluator>> make(
      std::span<const sparql::Expression* const> expressions, const plan::VariableList& columns,
      Execution& execution, EvaluatorUse use = EvaluatorUse::kValues);

  // Makes the values of all variables of `batch` that expressions use available. `batch` must stay
  // as it is until the next load.
  Status load(const RowBatch& batch);
  // The effective boolean value; nullopt is an error.
  std::optional<bool> test(size_t expression, size_t row);
  // The value; valid until the next call.
  Cell value(size_t expression, size_t row);
  // The id of the value, kNoTerm on an error. A computed one is interned.
  Result<rdf::TermId> id(size_t expression, size_t row);

  // All test() of these rows: keep[row] is 1 where every expression is true.
  Status filter(const RowBatch& batch, std::vector<uint8_t>& keep);

  // A limit that was passed while evaluating.
  Status status() const { return failure_; }
  // For BNODE("label"): row 0 of the batch is this solution.
  void number_solutions(uint64_t first) { first_solution_ = first; }

 private:
  struct Node;
  class Builder;

  explicit Evaluator(Execution& execution);
  Cell eval(const Node& node, size_t row, rdf::Value& scratch);
  std::optional<bool> truth(const Node& node, size_t row);
  std::optional<bool> truth_of_call(const Node& node, size_t row);
  std::optional<bool> compare(const Node& node, size_t row);
  std::optional<bool> same_term(const Node& node, size_t row);
  std::optional<bool> is_in(const Node& node, size_t row);
  Cell eval_call(const Node& node, size_t row, rdf::Value& scratch);
  rdf::Value apply(const Node& node, size_t row);
  bool concat_fits(std::span<const Cell> arguments);
  rdf::Value regex(const Node& node, std::span<const Cell> arguments);
  rdf::Value blank_node(const Node& node, size_t row, std::span<const Cell> arguments);
  Result<rdf::TermId> id_of(const Node& node, size_t row);
  const Regex* dynamic_regex(std::string_view pattern, std::string_view flags);
  void fail(Status status);

  class ExistsCondition;
  // Answers every EXISTS for the rows of `batch` with keep[row] != 0, or all if `keep` is null.
  // Values that were loaded are lost.
  Status answer_exists(const RowBatch& batch, const std::vector<uint8_t>* keep);
  Status load_values(const RowBatch& batch);

  // A variable that some expression looks into.
  struct Input {
    plan::Variable variable = 0;
    size_t column = SIZE_MAX;  // none: unbound
    bool by_value = false;     // BOUND and sameTerm need none
    std::vector<Cell> cells;   // by row, if by_value
  };

  Execution& execution_;
  std::vector<std::unique_ptr<Node>> roots_;
  std::vector<Input> inputs_;
  std::vector<std::unique_ptr<ExistsCondition>> exists_;
  // Conditions that no root stands for.
  std::vector<std::unique_ptr<TextFilter>> text_filters_;
  std::vector<size_t> text_columns_;
  std::vector<uint8_t> root_has_exists_;
  const RowBatch* batch_ = nullptr;
  uint64_t first_solution_ = 0;
  rdf::Value undefined_;
  rdf::Value result_;
  Status failure_ = ok_status();
  std::string regex_pattern_;
  std::string regex_flags_;
  std::unique_ptr<Regex> regex_;
};

}  // namespace weft::exec
