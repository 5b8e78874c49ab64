#include "weft/engine/graph.h"

#include <algorithm>

#include "weft/manifest/manifest_store.h"
#include "weft/rete/format.h"

namespace weft::engine {
namespace {

constexpr int kAttemptsMax = 4;

// Null if there is none.
Result<std::unique_ptr<storage::ObjectReader>> open_journal(Environment& environment,
                                                            const std::string& target) {
  if (is_url(target)) {
    return std::unique_ptr<storage::ObjectReader>();
  }
  auto opened = environment.open_growing(journal::journal_of(target));
  if (!opened.ok() && opened.error().kind() == ErrorKind::kNotFound) {
    return std::unique_ptr<storage::ObjectReader>();
  }
  return opened;
}

}  // namespace

Result<bool> is_segment(storage::ObjectReader& reader) {
  const uint64_t size = std::min<uint64_t>(reader.size(), rete::kMagic.size());
  WEFT_TRY(const storage::Buffer head, reader.read({0, size}));
  const std::string_view text = as_text(head.view());
  if (text == rete::kMagic) {
    return true;
  }
  if (text.find_first_of("{ \t\r\n") != 0) {
    return Error(ErrorKind::kInvalid,
                 "neither a .rete segment nor a manifest; build RDF text with `weft build` first")
        .with("object", reader.name());
  }
  return false;
}

Graph::~Graph() = default;

Result<std::unique_ptr<Graph>> Graph::open(Environment& environment, const std::string& target) {
  std::unique_ptr<Graph> graph(new Graph());
  graph->target_ = target;
  graph->opener_ = environment.make_opener();
  const quads::FoldResources resources = environment.fold_resources();
  for (int attempt = 1;; ++attempt) {
    // The journal first: if a seal takes it into the log meanwhile, both are seen, and the mark in
    // the manifest says what not to take twice.
    WEFT_TRY(auto journal, open_journal(environment, target));
    WEFT_TRY(auto reader, environment.open_object(target));
    WEFT_TRY(const bool segment_file, is_segment(*reader));
    if (segment_file) {
      WEFT_TRY(auto segment, rete::Segment::open(std::move(reader), environment.segment_options()));
      WEFT_TRY(graph->fold_,
               quads::Fold::of_segment(std::move(segment), resources, std::move(journal)));
      break;
    }
    WEFT_TRY(graph->manifest_, manifest::read_manifest(*reader));
    Result<std::shared_ptr<quads::Fold>> fold = quads::Fold::open(
        *graph->manifest_, target, std::move(journal), *graph->opener_, resources);
    // A compaction may have removed a segment since the manifest was read: it names others now.
    const bool may_have_moved = !fold.ok() && fold.error().kind() == ErrorKind::kNotFound &&
                                !is_url(target) && attempt < kAttemptsMax;
    if (!may_have_moved) {
      WEFT_TRY(graph->fold_, std::move(fold));
      break;
    }
  }
  graph->source_ = source_of_fold(*graph->fold_);
  return graph;
}

}  // namespace weft::engine
