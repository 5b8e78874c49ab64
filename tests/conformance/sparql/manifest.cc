#include "tests/conformance/sparql/manifest.h"

#include "tests/conformance/sparql/test_graph.h"

#include "weft/rdf/term.h"

namespace weft::conformance {
namespace {

constexpr std::string_view kManifest = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
constexpr std::string_view kQuery = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
constexpr std::string_view kUpdate = "http://www.w3.org/2009/sparql/tests/test-update#";
constexpr std::string_view kSparql = "http://www.w3.org/ns/sparql#";
constexpr std::string_view kDescription = "http://www.w3.org/ns/sparql-service-description#";

std::string iri(std::string_view space, std::string_view local) {
  return rdf::make_iri(std::string(space).append(local));
}

std::string path_of(std::string_view token) {
  return token.starts_with('<') ? file_path(rdf::iri_of(token)) : std::string();
}

std::string local_name(std::string_view token) {
  const std::string_view name = rdf::iri_of(token);
  return std::string(name.substr(name.find_last_of("#/") + 1));
}

// A dataset in the vocabulary of queries or of updates.
void read_dataset(const TestGraph& graph, const std::string& node, std::string_view space,
                  std::vector<std::string>& files, std::vector<NamedFile>& named) {
  for (const std::string& data : graph.objects(node, iri(space, "data"))) {
    files.push_back(path_of(data));
  }
  for (const std::string& data : graph.objects(node, iri(space, "graphData"))) {
    if (data.starts_with('<')) {
      named.push_back({path_of(data), data});
    } else {
      const std::string file = graph.object(data, iri(space, "graph"));
      const std::string label = literal_text(graph.object(data, iri(rdf::kRdfs, "label")));
      named.push_back({path_of(file), label.empty() ? file : rdf::make_iri(label)});
    }
  }
}

void read_action(const TestGraph& graph, const std::string& action, TestCase& test) {
  if (action.starts_with('<')) {
    test.query = path_of(action);
    return;
  }
  const std::string request = graph.object(action, iri(kUpdate, "request"));
  test.query = path_of(request.empty() ? graph.object(action, iri(kQuery, "query")) : request);
  read_dataset(graph, action, kQuery, test.data, test.named_data);
  read_dataset(graph, action, kUpdate, test.data, test.named_data);
  for (const std::string& service : graph.objects(action, iri(kQuery, "serviceData"))) {
    test.services.push_back({path_of(graph.object(service, iri(kQuery, "data"))),
                             graph.object(service, iri(kQuery, "endpoint"))});
  }
  std::vector<std::string> lists = graph.objects(action, iri(kDescription, "entailmentRegime"));
  for (const std::string& other : graph.objects(action, iri(kSparql, "entailmentRegime"))) {
    lists.push_back(other);
  }
  for (const std::string& head : lists) {
    const std::vector<std::string> members =
        head.starts_with('<') ? std::vector<std::string>{head} : graph.list(head);
    for (const std::string& member : members) {
      const std::string_view name = rdf::iri_of(member);
      test.regimes.emplace_back(name.substr(name.rfind('/') + 1));
    }
  }
}

}  // namespace

std::string file_iri(const std::string& path) {
  return "file://" + path;
}

std::string file_path(std::string_view iri) {
  constexpr std::string_view kScheme = "file://";
  return iri.starts_with(kScheme) ? std::string(iri.substr(kScheme.size())) : std::string();
}

Result<std::vector<TestCase>> read_manifest(const std::string& folder, const std::string& group) {
  const std::string path = folder + "/manifest.ttl";
  TestGraph graph;
  WEFT_TRY_STATUS(read_rdf(path, file_iri(path), graph));
  const std::string type = iri(rdf::kRdf, "type");
  std::vector<TestCase> tests;
  for (const std::string& manifest : graph.subjects(type, iri(kManifest, "Manifest"))) {
    for (const std::string& entry : graph.list(graph.object(manifest, iri(kManifest, "entries")))) {
      TestCase test;
      test.group = group;
      test.name = entry.starts_with('<') ? local_name(entry) : entry;
      test.type = local_name(graph.object(entry, type));
      read_action(graph, graph.object(entry, iri(kManifest, "action")), test);
      test.base_iri = file_iri(test.query);
      const std::string result = graph.object(entry, iri(kManifest, "result"));
      test.result = path_of(result);
      read_dataset(graph, result, kUpdate, test.result_data, test.result_named_data);
      test.lax_cardinality = graph.object(entry, iri(kManifest, "resultCardinality")) ==
                             iri(kManifest, "LaxCardinality");
      tests.push_back(std::move(test));
    }
  }
  return tests;
}

}  // namespace weft::conformance
