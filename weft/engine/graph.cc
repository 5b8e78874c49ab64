#include "weft/engine/graph.h"

#include <algorithm>

#include "weft/manifest/manifest_store.h"

namespace weft::engine {
namespace {

constexpr std::string_view kSegmentMagic = "RETE";

// True for a segment, false for what may be a manifest.
Result<bool> is_segment(storage::ObjectReader& reader) {
  const uint64_t size = std::min<uint64_t>(reader.size(), kSegmentMagic.size());
  WEFT_TRY(const storage::Buffer head, reader.read({0, size}));
  const std::string_view text = as_text(head.view());
  if (text == kSegmentMagic) {
    return true;
  }
  if (text.empty() ||
      (text[0] != '{' && text[0] != ' ' && text[0] != '\n' && text[0] != '\r' && text[0] != '\t')) {
    return Error(ErrorKind::kInvalid,
                 "neither a .rete segment nor a manifest; build RDF text with `weft build` first")
        .with("object", reader.name());
  }
  return false;
}

}  // namespace

Graph::~Graph() = default;

Result<std::unique_ptr<Graph>> Graph::open(Environment& environment, const std::string& target) {
  std::unique_ptr<Graph> graph(new Graph());
  graph->target_ = target;
  graph->opener_ = environment.make_opener();
  WEFT_TRY(auto reader, environment.open_object(target));
  WEFT_TRY(const bool segment_file, is_segment(*reader));
  const quads::FoldResources resources = environment.fold_resources();
  if (segment_file) {
    WEFT_TRY(auto segment, rete::Segment::open(std::move(reader), environment.segment_options()));
    WEFT_TRY(graph->fold_, quads::Fold::of_segment(std::move(segment), resources));
  } else {
    WEFT_TRY(graph->manifest_, manifest::read_manifest(*reader));
    const bool with_journal = !is_url(target);
    WEFT_TRY(graph->fold_, quads::Fold::open(graph->manifest_->log(), target, with_journal,
                                             *graph->opener_, resources));
  }
  graph->source_ = source_of_fold(*graph->fold_);
  return graph;
}

}  // namespace weft::engine
