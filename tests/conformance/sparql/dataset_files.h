// Reads the files of a test's dataset.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/sparql/manifest.h"

#include "weft/base/result.h"
#include "weft/rdf/quad.h"

namespace weft::conformance {

// Hands the quads of all files to `sink`; blank nodes of different files are told apart.
Status read_dataset(const std::vector<std::string>& data, const std::vector<NamedFile>& named_data,
                    rdf::QuadSink& sink);

}  // namespace weft::conformance
