#include "weft/engine/federation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "weft/quads/ingest.h"
#include "weft/rdfio/format.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/scratch.h"

namespace weft::engine {
namespace {

constexpr const char* kSegmentName = "text.rete";

}  // namespace

struct FederatedGraph::TextSegment {
  storage::MemoryDisk disk;
  std::unique_ptr<storage::ObjectStore> store;
  std::shared_ptr<quads::Fold> fold;
  std::unique_ptr<exec::QuadSource> source;

  Status build(Environment& environment, const std::string& target) {
    store = std::make_unique<storage::MemoryStore>(disk);
    const auto scratch = storage::memory_scratch(kFederatedTextBytesMax);
    const std::array<std::string, 1> documents = {target};
    auto built = quads::build_segment_of(documents, {}, {}, environment.executor(), *scratch,
                                         *store, kSegmentName);
    if (!built.ok()) {
      if (built.error().fact("reason") == "no-space") {
        return Error(ErrorKind::kLimit,
                     "RDF text is too long to be asked as it is; `weft build` it")
            .with("object", target)
            .with("federated_text_bytes_max", std::to_string(kFederatedTextBytesMax));
      }
      return std::move(built).error();
    }
    WEFT_TRY(auto reader, store->open(kSegmentName));
    WEFT_TRY(auto segment, rete::Segment::open(std::move(reader), environment.segment_options()));
    WEFT_TRY(fold, quads::Fold::of_segment(std::move(segment), environment.fold_resources()));
    source = source_of_fold(*fold);
    return ok_status();
  }
};

FederatedGraph::FederatedGraph() = default;
FederatedGraph::~FederatedGraph() = default;

Result<std::unique_ptr<FederatedGraph>> FederatedGraph::open(Environment& environment,
                                                             const std::string& target) {
  std::unique_ptr<FederatedGraph> graph(new FederatedGraph());
  graph->target_ = target;
  if (!is_url(target) && rdfio::format_by_file_name(target).has_value()) {
    graph->text_ = std::make_unique<TextSegment>();
    WEFT_TRY_STATUS(graph->text_->build(environment, target));
    graph->source_ = graph->text_->source.get();
    return graph;
  }
  WEFT_TRY(graph->graph_, Graph::open(environment, target));
  graph->source_ = &graph->graph_->source();
  return graph;
}

Result<std::unique_ptr<Federation>> Federation::open(Environment& environment,
                                                     std::span<const std::string> targets,
                                                     exec::Interrupt interrupt) {
  if (targets.empty()) {
    return Error(ErrorKind::kInvalid, "name one source or more");
  }
  std::unique_ptr<Federation> federation(new Federation());
  std::vector<exec::QuadSource*> sources;
  environment.prefetch({targets.begin(), targets.end()});
  for (size_t i = 0; i < targets.size(); ++i) {
    if (std::find(targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(i), targets[i]) !=
        targets.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    WEFT_TRY(auto graph, FederatedGraph::open(environment, targets[i]));
    sources.push_back(&graph->source());
    federation->graphs_.push_back(std::move(graph));
  }
  WEFT_TRY(federation->union_,
           exec::UnionSource::create(std::move(sources), &environment.query_budget(),
                                     std::move(interrupt)));
  return federation;
}

}  // namespace weft::engine
