// Runs the W3C test suites of SPARQL Update from their manifests, each on a live graph of its own
// on disk: what is there after the request, and after opening the graph again.
//
// usage: update_conformance SUITES [GROUP/TEST …]
//
// Exit 0: all passed; 1: one failed; 77: no suites there.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "tests/conformance/isomorphism.h"
#include "tests/conformance/sparql/test_graph.h"
#include "tests/conformance/update/update_tests.h"

#include "weft/engine/document_loader.h"
#include "weft/engine/live_graph.h"
#include "weft/manifest/manifest_store.h"
#include "weft/quads/dump_fold.h"
#include "weft/rdfio/input.h"
#include "weft/sparql/update.h"
#include "weft/storage/local_store.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::conformance {
namespace {

constexpr const char* kGroups[] = {
    "sparql11/add",
    "sparql11/basic-update",
    "sparql11/clear",
    "sparql11/copy",
    "sparql11/delete",
    "sparql11/delete-data",
    "sparql11/delete-insert",
    "sparql11/delete-where",
    "sparql11/drop",
    "sparql11/move",
    "sparql11/syntax-update-1",
    "sparql11/syntax-update-2",
    "sparql11/update-silent",
    "sparql12/eval-triple-terms",
    "sparql12/syntax-triple-terms-positive",
    "sparql12/syntax-triple-terms-negative",
};

// "" if it passed, else why not.
std::string syntax_outcome(const UpdateTest& test) {
  const auto text = read_text(test.request);
  if (!text.ok()) {
    return text.error().to_string();
  }
  sparql::ParseOptions options;
  options.base_iri = file_iri(test.request);
  const auto parsed = sparql::parse_update(*text, options);
  if (test.type.starts_with("Positive")) {
    return parsed.ok() ? "" : parsed.error().to_string();
  }
  if (parsed.ok()) {
    return "was accepted";
  }
  return parsed.error().kind() == ErrorKind::kInvalid ? "" : parsed.error().to_string();
}

struct Quads final : rdf::QuadSink {
  std::vector<Quad> quads;
  Status accept(std::span<const rdf::QuadView> views) override {
    for (const rdf::QuadView& view : views) {
      quads.push_back({std::string(view.subject), std::string(view.predicate),
                       std::string(view.object), std::string(view.graph)});
    }
    return ok_status();
  }
};

Result<std::vector<Quad>> expected_quads(const GraphFiles& files) {
  Quads all;
  for (const std::string& path : files.data) {
    WEFT_TRY_STATUS(read_rdf(path, file_iri(path), all));
  }
  for (const NamedFile& file : files.named_data) {
    Quads named;
    WEFT_TRY_STATUS(read_rdf(file.path, file_iri(file.path), named));
    for (Quad& quad : named.quads) {
      quad[3] = file.graph;
      all.quads.push_back(std::move(quad));
    }
  }
  return std::move(all.quads);
}

Status load_file(engine::LiveGraph& graph, const std::string& path,
                 const std::optional<std::string>& name) {
  WEFT_TRY(const auto input, rdfio::open_input(path));
  engine::LoadRequest request;
  request.input = input.get();
  request.format = rdfio::format_by_file_name(path).value_or(rdfio::Format::kTurtle);
  request.base_iri = file_iri(path);
  request.document_name = path;
  request.graph = name;
  const auto loaded = graph.load(request, {});
  return loaded.ok() ? ok_status() : Status(loaded.error());
}

class Runner {
 public:
  Runner() : environment_(executor_, clock_, {}) {}

  std::string evaluate(const UpdateTest& test) {
    const storage::TestFolder folder;
    Result<std::string> outcome = try_evaluate(test, folder.path());
    return outcome.ok() ? *outcome : outcome.error().to_string();
  }

 private:
  Result<std::string> try_evaluate(const UpdateTest& test, const std::string& folder) {
    WEFT_TRY(const auto store, storage::open_local_store(folder));
    manifest::ManifestStore manifests(*store, "m.json", clock_);
    WEFT_TRY_STATUS(manifests.create(manifest::Manifest::create("m", {})));
    const std::string target = folder + "/m.json";
    WEFT_TRY(auto graph, engine::LiveGraph::open(environment_, target, {}));
    for (const std::string& path : test.before.data) {
      WEFT_TRY_STATUS(load_file(*graph, path, std::nullopt));
    }
    for (const NamedFile& file : test.before.named_data) {
      WEFT_TRY_STATUS(load_file(*graph, file.path, file.graph.substr(1, file.graph.size() - 2)));
    }
    WEFT_TRY(const std::string text, read_text(test.request));
    engine::UpdateOptions options;
    options.base_iri = file_iri(test.request);
    options.loader = engine::any_document_loader(environment_);
    WEFT_TRY(const engine::UpdateReceipt receipt, graph->update(text, options));
    static_cast<void>(receipt);
    WEFT_TRY(std::vector<Quad> expected, expected_quads(test.after));
    if (std::string reason = difference(*graph, expected); !reason.empty()) {
      return reason;
    }
    graph.reset();
    WEFT_TRY(graph, engine::LiveGraph::open(environment_, target, {}));
    const std::string reason = difference(*graph, expected);
    return reason.empty() ? reason : "after opening it again: " + reason;
  }

  static std::string difference(engine::LiveGraph& graph, const std::vector<Quad>& expected) {
    Quads found;
    const Status dumped = quads::dump_fold(graph.snapshot()->fold(), found, {}, {});
    if (!dumped.ok()) {
      return dumped.error().to_string();
    }
    if (are_isomorphic(found.quads, expected)) {
      return "";
    }
    std::string reason = "expected " + std::to_string(expected.size()) + " quads, found:";
    for (const Quad& quad : found.quads) {
      reason += "\n    " + quad[0] + " " + quad[1] + " " + quad[2] + " " + quad[3];
    }
    return reason;
  }

  base::InlineExecutor executor_;
  base::SystemClock clock_;
  engine::Environment environment_;
};

int run_all(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: update_conformance SUITES [GROUP/TEST …]\n");
    return 2;
  }
  const std::string suites = argv[1];
  if (!read_text(suites + "/sparql11/manifest-all.ttl").ok()) {
    std::printf("SKIPPED: no W3C SPARQL test suites in %s (set WEFT_TESTDATA)\n", suites.c_str());
    return 77;
  }
  const std::set<std::string> only(argv + 2, argv + argc);
  Runner runner;
  size_t passed = 0;
  size_t failed = 0;
  for (const std::string group : kGroups) {
    const auto tests = read_update_tests(suites + "/" + group, group);
    if (!tests.ok()) {
      std::printf("FAILED %s: %s\n", group.c_str(), tests.error().to_string().c_str());
      ++failed;
      continue;
    }
    size_t group_passed = 0;
    for (const UpdateTest& test : *tests) {
      if (!only.empty() && !only.contains(test.id)) {
        continue;
      }
      const std::string reason = test.type.find("SyntaxTest") != std::string::npos
                                     ? syntax_outcome(test)
                                     : runner.evaluate(test);
      if (reason.empty()) {
        ++group_passed;
      } else {
        ++failed;
        std::printf("FAILED %s: %s\n", test.id.c_str(), reason.c_str());
      }
    }
    std::printf("%-40s %4zu passed of %zu\n", group.c_str(), group_passed, tests->size());
    passed += group_passed;
  }
  std::printf("total %zu passed, %zu failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::conformance

int main(int argc, char** argv) {
  return weft::conformance::run_all(argc, argv);
}
