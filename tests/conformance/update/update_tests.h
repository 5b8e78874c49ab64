// The update evaluation tests of one W3C manifest.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/sparql/manifest.h"

#include "weft/base/result.h"

namespace weft::conformance {

struct GraphFiles {
  std::vector<std::string> data;      // paths, of the default graph or of data sets
  std::vector<NamedFile> named_data;  // paths and graphs
};

struct UpdateTest {
  std::string id;    // "sparql11/add/add01"
  std::string type;  // "UpdateEvaluationTest", "PositiveUpdateSyntaxTest11", …
  std::string request;
  GraphFiles before;
  GraphFiles after;
};

// All tests of updates in `folder`/manifest.ttl.
Result<std::vector<UpdateTest>> read_update_tests(const std::string& folder,
                                                  const std::string& group);

}  // namespace weft::conformance
