// Runs one query evaluation test over a graph in memory.
#pragma once

#include "tests/conformance/sparql/answers.h"
#include "tests/conformance/sparql/manifest.h"

#include "weft/base/result.h"

namespace weft::conformance {

// What the engine answers, through weft's own writers and the readers of this folder: results of
// CSV and TSV tests through those formats, others through JSON. `ordered` is set if the query asks
// for an order.
Result<Answers> evaluate(const TestCase& test);

// What is in the store after an update, and what the suite says that should be.
Result<Answers> evaluate_update(const TestCase& test);
Result<Answers> expected_store(const TestCase& test);

}  // namespace weft::conformance
