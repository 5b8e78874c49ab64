// Conditions that the token of one variable decides: text filters such as CONTAINS(?x, "a") and
// LANG(?x) = "en", alone or joined by && || !. They are read off the token where it lies, without a
// value of it, and once for each different term.
//
// T1  The same truth as Evaluator's of the same condition, errors included.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/exec/regex.h"
#include "weft/plan/plan.h"
#include "weft/sparql/expression.h"

namespace weft::exec {

// Not thread-safe.
class TextCondition {
 public:
  // Null if `condition` is of another form. Errors: those of a constant regular expression.
  static Result<std::unique_ptr<TextCondition>> make(const sparql::Expression& condition);
  ~TextCondition();
  TextCondition(const TextCondition&) = delete;
  TextCondition& operator=(const TextCondition&) = delete;

  // The one variable that it is about.
  plan::Variable variable() const { return variable_; }
  // Of a canonical token, "" for none; nullopt is an error.
  std::optional<bool> truth(std::string_view token);

 private:
  struct Node;
  class Builder;

  TextCondition();
  std::optional<bool> truth(const Node& node, std::string_view token);
  std::optional<bool> compare(const Node& node, std::string_view token);
  // The text that a node takes, as it is written; nullopt is an error. Valid until the next call.
  std::optional<std::string_view> text(const Node& node, std::string_view token);

  std::unique_ptr<Node> root_;
  plan::Variable variable_ = 0;
  std::string unescaped_;
  std::string other_case_;
};

}  // namespace weft::exec
