#include "tests/conformance/sparql/dataset_files.h"

#include <array>
#include <utility>

#include "tests/conformance/sparql/test_graph.h"

#include "weft/rdf/term.h"

namespace weft::conformance {
namespace {

// Puts what it takes into one graph. Blank nodes are told apart by file.
class GraphLoader final : public rdf::QuadSink {
 public:
  GraphLoader(rdf::QuadSink& sink, std::string graph, std::string scope)
      : sink_(sink), graph_(std::move(graph)), scope_(std::move(scope)) {}

  Status accept(std::span<const rdf::QuadView> quads) override {
    for (const rdf::QuadView& quad : quads) {
      const std::array<std::string, 3> tokens = {scoped(quad.subject), scoped(quad.object),
                                                 quad.graph.empty() ? graph_ : scoped(quad.graph)};
      const rdf::QuadView view{tokens[0], quad.predicate, tokens[1], tokens[2]};
      WEFT_TRY_STATUS(sink_.accept({&view, 1}));
    }
    return ok_status();
  }

 private:
  std::string scoped(std::string_view token) const {
    if (token.starts_with("_:")) {
      return "_:" + scope_ + std::string(token.substr(2));
    }
    if (const auto parts = rdf::split_triple(token); token.starts_with("<<") && parts) {
      return rdf::make_triple(scoped(parts->subject), parts->predicate, scoped(parts->object));
    }
    return std::string(token);
  }

  rdf::QuadSink& sink_;
  std::string graph_;
  std::string scope_;
};

}  // namespace

Status read_dataset(const std::vector<std::string>& data, const std::vector<NamedFile>& named_data,
                    rdf::QuadSink& sink) {
  std::vector<NamedFile> files;
  for (const std::string& path : data) {
    files.push_back({path, ""});
  }
  files.insert(files.end(), named_data.begin(), named_data.end());
  for (size_t i = 0; i < files.size(); ++i) {
    GraphLoader loader(sink, files[i].graph, "f" + std::to_string(i) + "x");
    WEFT_TRY_STATUS(read_rdf(files[i].path, file_iri(files[i].path), loader));
  }
  return ok_status();
}

}  // namespace weft::conformance
