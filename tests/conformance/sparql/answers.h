// Answers to compare: what the suites expect, in any of their formats, and what came.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"

namespace weft::conformance {

struct Answers {
  enum class Kind { kBoolean, kSolutions, kGraph };
  Kind kind = Kind::kSolutions;
  bool boolean = false;
  std::vector<std::string> variables;
  // Solutions: one token per variable, "" for unbound. Graph: subject, predicate, object.
  std::vector<std::vector<std::string>> rows;
  bool ordered = false;       // solutions: the order of rows matters
  bool strings_only = false;  // from CSV: cells are bare strings
};

// By extension: srx, srj, csv, tsv, or RDF (a result set or a graph).
Result<Answers> read_answers(const std::string& path);
Result<Answers> parse_srx(std::string_view text);
Result<Answers> parse_srj(std::string_view text);
Result<Answers> parse_csv(std::string_view text);
Result<Answers> parse_tsv(std::string_view text);

// Whether both say the same, up to the names of blank nodes and the spelling of numbers, dates and
// booleans (each literal is brought to its canonical form). "" if so; else why not.
std::string difference(const Answers& expected, const Answers& actual, bool lax_cardinality);

}  // namespace weft::conformance
