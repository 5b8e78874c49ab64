#include "tests/conformance/update/update_tests.h"

#include "tests/conformance/sparql/test_graph.h"

#include "weft/rdf/term.h"

namespace weft::conformance {
namespace {

constexpr std::string_view kManifest = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
constexpr std::string_view kUpdate = "http://www.w3.org/2009/sparql/tests/test-update#";
constexpr std::string_view kRdfType = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
constexpr std::string_view kLabel = "<http://www.w3.org/2000/01/rdf-schema#label>";

std::string iri(std::string_view space, std::string_view name) {
  return "<" + std::string(space) + std::string(name) + ">";
}

std::string inner(std::string_view token) {
  return std::string(token.substr(1, token.size() - 2));
}

std::string path_of(const std::string& token) {
  return token.starts_with('<') ? file_path(inner(token)) : std::string();
}

GraphFiles read_files(const TestGraph& graph, const std::string& node) {
  GraphFiles files;
  for (const std::string& data : graph.objects(node, iri(kUpdate, "data"))) {
    files.data.push_back(path_of(data));
  }
  for (const std::string& data : graph.objects(node, iri(kUpdate, "graphData"))) {
    const std::string file = graph.object(data, iri(kUpdate, "graph"));
    const std::string label = literal_text(graph.object(data, kLabel));
    files.named_data.push_back({path_of(file), label.empty() ? file : "<" + label + ">"});
  }
  return files;
}

}  // namespace

Result<std::vector<UpdateTest>> read_update_tests(const std::string& folder,
                                                  const std::string& group) {
  const std::string path = folder + "/manifest.ttl";
  TestGraph graph;
  WEFT_TRY_STATUS(read_rdf(path, file_iri(path), graph));
  std::vector<UpdateTest> tests;
  for (const std::string& manifest : graph.subjects(kRdfType, iri(kManifest, "Manifest"))) {
    for (const std::string& entry : graph.list(graph.object(manifest, iri(kManifest, "entries")))) {
      UpdateTest test;
      const std::string name = inner(entry);
      test.id = group + "/" + name.substr(name.find_last_of("#/") + 1);
      const std::string type = inner(graph.object(entry, kRdfType));
      test.type = type.substr(type.find_last_of("#/") + 1);
      const std::string action = graph.object(entry, iri(kManifest, "action"));
      if (test.type.find("Update") == std::string::npos) {
        continue;
      }
      test.request = action.starts_with('<')
                         ? path_of(action)
                         : path_of(graph.object(action, iri(kUpdate, "request")));
      test.before = read_files(graph, action);
      test.after = read_files(graph, graph.object(entry, iri(kManifest, "result")));
      tests.push_back(std::move(test));
    }
  }
  return tests;
}

}  // namespace weft::conformance
