// The inside of Evaluator: expressions with variables resolved to inputs and constants read.
// Included by its own source files only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weft/exec/evaluator.h"

namespace weft::exec {

struct Evaluator::Node {
  enum class Kind : uint8_t { kConstant, kVariable, kCall, kExists };
  Kind kind = Kind::kConstant;
  sparql::Function function = sparql::Function::kOr;
  std::vector<Node> arguments;
  size_t input = 0;              // kVariable: index into inputs_; kExists: into exists_
  rdf::Value constant;           // kConstant
  std::string raw;               // its token, if the value would be written differently
  std::string token;             // kConstant
  std::unique_ptr<Regex> regex;  // REGEX and REPLACE with constant pattern and flags
};

}  // namespace weft::exec
