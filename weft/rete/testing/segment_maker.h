// Small segments for tests, built by the builder of this layer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/rete/build/options.h"

namespace weft::rete {

// Subject, predicate, object, graph ("" for the default graph).
using QuadText = std::array<std::string, 4>;

// The bytes of a segment; stops the process if it cannot be built.
std::string make_segment(const std::vector<QuadText>& quads, const BuildOptions& options = {});

// `count` quads over few subjects, predicates and objects, a part of them in `graphs` named graphs;
// the same for the same seed.
std::vector<QuadText> random_quads(uint64_t seed, size_t count, size_t graphs);

}  // namespace weft::rete
