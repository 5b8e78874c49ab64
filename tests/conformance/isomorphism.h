// Whether two sets of quads are the same but for the labels of blank nodes (RDF 1.2 Concepts,
// "Graph Isomorphism"), blank nodes inside triple terms included.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace weft::conformance {

// Canonical tokens: subject, predicate, object, graph ("" for the default graph).
using Quad = std::array<std::string, 4>;

// Exact: an answer of true comes with a checked mapping. Searches at most kSearchStepsMax steps;
// false beyond, which no set in the suites comes near.
bool are_isomorphic(std::vector<Quad> left, std::vector<Quad> right);

inline constexpr int kSearchStepsMax = 100'000;

}  // namespace weft::conformance
