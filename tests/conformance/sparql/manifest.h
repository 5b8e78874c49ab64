// The W3C test manifests of one group of SPARQL tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "weft/base/result.h"

namespace weft::conformance {

struct NamedFile {
  std::string path;
  std::string graph;  // IRI token
};

struct TestCase {
  std::string group;  // "sparql11/aggregates"
  std::string name;   // the local name of the test's IRI
  std::string type;   // "QueryEvaluationTest", …
  std::string query;  // path
  std::string base_iri;
  std::vector<std::string> data;  // paths of the default graph
  std::vector<NamedFile> named_data;
  std::vector<NamedFile> services;       // the data behind each endpoint; `graph` is its IRI
  std::string result;                    // path, or ""
  std::vector<std::string> result_data;  // of an update: what is in the store afterwards
  std::vector<NamedFile> result_named_data;
  bool lax_cardinality = false;
  // Entailment regimes, one of which is wanted: "RDFS", "OWL-Direct", …; empty: none.
  std::vector<std::string> regimes;
};

// `folder` holds manifest.ttl. Everything the manifest lists, in its order.
Result<std::vector<TestCase>> read_manifest(const std::string& folder, const std::string& group);

// The IRI that stands for a file in tests, and the file it stands for ("" if it is none).
std::string file_iri(const std::string& path);
std::string file_path(std::string_view iri);

}  // namespace weft::conformance
