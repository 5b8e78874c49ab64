// One RDF document into a live graph: as an update if it is small, else as a segment of its own.

#include <algorithm>
#include <utility>

#include "weft/engine/live_store.h"
#include "weft/quads/seal_segments.h"
#include "weft/quads/segment_maker.h"

namespace weft::engine {
namespace {

constexpr int kAttemptsMax = 4;
// What a document may hold that goes through the journal, where there is no log.
constexpr uint64_t kQuadsInJournalMax = 2'000'000;

// Keeps quads in memory as long as they are few, and gives them all to a segment builder when they
// are not.
class KeptQuads final : public rdf::QuadSink {
 public:
  using MakeBuilder = std::function<Result<std::unique_ptr<rete::SegmentBuilder>>()>;
  // No builder is made if `make` is empty: more quads are then kLimit.
  KeptQuads(uint64_t quads_max, MakeBuilder make) : quads_max_(quads_max), make_(std::move(make)) {}

  // Null as long as the quads are kept.
  rete::SegmentBuilder* builder() { return builder_.get(); }

  Status accept(std::span<const rdf::QuadView> quads) override {
    if (builder_ != nullptr) {
      return builder_->sink(0).accept(quads);
    }
    if (count_ + quads.size() > quads_max_) {
      if (!make_) {
        return Error(ErrorKind::kLimit, "the document is too large for a graph without a manifest")
            .with("quads_max", quads_max_);
      }
      WEFT_TRY(builder_, make_());
      WEFT_TRY_STATUS(give_to(
          [this](std::span<const rdf::QuadView> kept) { return builder_->sink(0).accept(kept); }));
      text_ = {};
      ends_ = {};
      return builder_->sink(0).accept(quads);
    }
    count_ += quads.size();
    for (const rdf::QuadView& quad : quads) {
      for (const std::string_view token : {quad.subject, quad.predicate, quad.object, quad.graph}) {
        text_ += token;
        ends_.push_back(text_.size());
      }
    }
    return ok_status();
  }
  Status give_to(const std::function<Status(std::span<const rdf::QuadView>)>& take) const {
    std::vector<rdf::QuadView> quads;
    size_t begin = 0;
    const auto token = [&](size_t i) {
      const std::string_view view = std::string_view(text_).substr(begin, ends_[i] - begin);
      begin = ends_[i];
      return view;
    };
    for (size_t i = 0; i < ends_.size(); i += 4) {
      rdf::QuadView quad;
      quad.subject = token(i);
      quad.predicate = token(i + 1);
      quad.object = token(i + 2);
      quad.graph = token(i + 3);
      quads.push_back(quad);
      if (quads.size() == 4'096 || i + 4 >= ends_.size()) {
        WEFT_TRY_STATUS(take(quads));
        quads.clear();
      }
    }
    return ok_status();
  }

 private:
  uint64_t quads_max_;
  MakeBuilder make_;
  std::unique_ptr<rete::SegmentBuilder> builder_;
  uint64_t count_ = 0;
  std::string text_;
  std::vector<size_t> ends_;
};

// Quads of a document that a graph has already: those of `graph` in `fold` that `document` holds.
class CommonQuads final : public rdf::QuadSink {
 public:
  using OpenDocument = std::function<Result<std::shared_ptr<quads::Fold>>()>;
  CommonQuads(OpenDocument open, std::stop_token stop)
      : open_(std::move(open)), stop_(std::move(stop)) {}

  Status accept(std::span<const rdf::QuadView> quads) override {
    total_ += quads.size();
    if (draft_ == nullptr) {
      // A new one now and then: it remembers the terms it was asked for.
      WEFT_TRY(const std::shared_ptr<quads::Fold> document, open_());
      draft_ = document->draft();
    }
    WEFT_TRY_STATUS(draft_->remove(quads));
    asked_ += quads.size();
    return asked_ >= kAskedMax ? finish() : ok_status();
  }
  Status finish() {
    if (draft_ != nullptr) {
      WEFT_TRY_STATUS(draft_->apply(stop_));
      common_ += draft_->removed();
      draft_.reset();
      asked_ = 0;
    }
    return ok_status();
  }
  uint64_t total() const { return total_; }
  uint64_t common() const { return common_; }

 private:
  static constexpr uint64_t kAskedMax = 200'000;
  OpenDocument open_;
  std::stop_token stop_;
  std::unique_ptr<quads::FoldDraft> draft_;
  uint64_t asked_ = 0;
  uint64_t total_ = 0;
  uint64_t common_ = 0;
};

}  // namespace

Result<UpdateReceipt> LiveStore::load(const LoadRequest& request, const UpdateOptions& options) {
  WEFT_CHECK(request.input != nullptr);
  std::optional<std::string> graph;
  if (request.graph.has_value()) {
    graph = request.graph->empty() ? "" : "<" + *request.graph + ">";
  }
  if (request.replace && !graph.has_value()) {
    return Error(ErrorKind::kUnsupported, "only one graph can be replaced");
  }
  make_room();
  // Read before the order is taken: a slow sender keeps nobody waiting.
  base::Random random = base::Random::from_system();
  KeptQuads::MakeBuilder make;
  if (place_.is_manifest) {
    make = [&]() {
      rete::BuildOptions build = place_.tools.build;
      build.stop = options.stop;
      return rete::SegmentBuilder::create(build, place_.tools.executor, place_.tools.scratch);
    };
  }
  KeptQuads kept(place_.is_manifest ? options_.large_update_changes : kQuadsInJournalMax, make);
  WEFT_TRY_STATUS(insert_document(*request.input, request.format, request.base_iri,
                                  request.document_name, graph, random, kept, options.stop));
  if (kept.builder() != nullptr) {
    return load_as_segment(*kept.builder(), request.replace ? graph : std::nullopt, options);
  }
  return change(options, [&](quads::FoldDraft& draft) -> Status {
    if (request.replace) {
      quads::RemovingSink removing(draft);
      WEFT_TRY_STATUS(graph_quads(*draft.state(), *graph, removing, options.stop));
    }
    WEFT_TRY_STATUS(
        kept.give_to([&](std::span<const rdf::QuadView> quads) { return draft.insert(quads); }));
    return draft.apply(options.stop);
  });
}

Result<UpdateReceipt> LiveStore::load_as_segment(rete::SegmentBuilder& builder,
                                                 const std::optional<std::string>& replaced,
                                                 const UpdateOptions& options) {
  uint64_t generation = 0;
  std::string name;
  {
    const base::MutexLock lock(order_);
    WEFT_TRY_STATUS(ready_to_write());
    WEFT_TRY_STATUS(check_tag(options));
    generation = manifest_->manifest.generation() + 1;
    name = manifest_->manifest.name();
  }
  WEFT_TRY(const quads::MadeSegment made,
           quads::publish_segment({.store = &place_.graph.store,
                                   .file_name = {},
                                   .graph_name = name,
                                   .generation = generation,
                                   .role = manifest::Role::kAdds},
                                  builder, place_.tools.scratch, false));
  const manifest::SegmentPin document = {
      .url = made.file_name, .size_bytes = made.size_bytes, .hash = made.hash};
  const base::MutexLock lock(order_);
  for (int attempt = 1;; ++attempt) {
    Result<UpdateReceipt> receipt = publish_document(document, replaced, options);
    const bool has_moved = !receipt.ok() && receipt.error().kind() == ErrorKind::kConflict &&
                           receipt.error().fact("reason") == "moved";
    if (has_moved && attempt < kAttemptsMax) {
      continue;
    }
    // What was not published is swept: whether it was is not always known here.
    return receipt;
  }
}

Result<std::vector<manifest::SegmentPin>> LiveStore::with_others(
    const manifest::SegmentPin& document, const std::string& replaced, quads::Fold& state,
    std::stop_token stop) {
  std::vector<std::string> others;
  WEFT_TRY(const std::vector<rdf::TermId> graphs, state.graphs(stop));
  WEFT_TRY_STATUS(state.tokens(graphs, others, stop));
  others.emplace_back();  // the default graph
  std::erase(others, replaced);
  WEFT_TRY(
      const quads::MadeSegment rest,
      quads::make_segment({.store = &place_.graph.store,
                           .file_name = {},
                           .graph_name = manifest_->manifest.name(),
                           .generation = manifest_->manifest.generation() + 1,
                           .role = manifest::Role::kAdds},
                          place_.tools.build, place_.tools.executor, place_.tools.scratch, false,
                          [&](rete::SegmentBuilder& builder) -> Status {
                            for (const std::string& graph : others) {
                              WEFT_TRY_STATUS(graph_quads(state, graph, builder.sink(0), stop));
                            }
                            return ok_status();
                          }));
  return std::vector<manifest::SegmentPin>{
      document, {.url = rest.file_name, .size_bytes = rest.size_bytes, .hash = rest.hash}};
}

// What the journal holds is sealed first, so that the document stands behind it; then the document
// is published, in place of the old graph if it replaces one, in one step.
Result<UpdateReceipt> LiveStore::publish_document(const manifest::SegmentPin& document,
                                                  const std::optional<std::string>& replaced,
                                                  const UpdateOptions& options) {
  const auto moved = [] {
    return Error(ErrorKind::kConflict, "another program has changed the manifest")
        .with("reason", "moved");
  };
  WEFT_TRY_STATUS(ready_to_write());
  WEFT_TRY_STATUS(check_tag(options));
  WEFT_TRY_STATUS(sync_tip());
  const journal::JournalPosition position = journal_->position();
  WEFT_TRY(const quads::SealedSegments sealed,
           quads::make_sealed_segments(place_.graph, place_.tools, tip_->fold(),
                                       manifest_->manifest, position, false, {}, options.stop));
  if (sealed.entry.has_value()) {
    manifest::Manifest next = manifest_->manifest;
    WEFT_TRY_STATUS(next.append_sealed(
        *sealed.entry, {.journal_id = position.journal_id, .sequence = position.sequence}, true));
    WEFT_TRY(const bool published, publish_and_adopt(next, position));
    if (!published) {
      return moved();
    }
  }
  const StatePtr before = tip_;
  manifest::LogEntry entry{.adds = document, .dels = {}};
  UpdateReceipt receipt;
  WEFT_TRY(const uint64_t count_before, before->quad_count(options.stop));
  std::vector<manifest::SegmentPin> whole;
  if (replaced.has_value()) {
    CommonQuads common(
        [&]() {
          return quads::Fold::open({{.adds = document, .dels = {}}}, place_.graph.address, false,
                                   place_.tools.opener, place_.tools.fold);
        },
        options.stop);
    WEFT_TRY_STATUS(graph_quads(before->fold(), *replaced, common, options.stop));
    WEFT_TRY_STATUS(common.finish());
    receipt.removed = common.total() - common.common();
    // Where what remains is no more than what goes, it is written anew instead of tombstones, and
    // the two are the whole log.
    const bool mostly = common.total() > 0 && count_before <= 2 * common.total();
    if (common.total() > 0 && common.total() == count_before) {
      whole = {document};
    } else if (mostly) {
      WEFT_TRY(whole, with_others(document, *replaced, before->fold(), options.stop));
    } else if (common.total() > 0) {
      WEFT_TRY(const quads::MadeSegment old,
               quads::make_segment({.store = &place_.graph.store,
                                    .file_name = {},
                                    .graph_name = manifest_->manifest.name(),
                                    .generation = manifest_->manifest.generation() + 1,
                                    .role = manifest::Role::kDels},
                                   place_.tools.build, place_.tools.executor, place_.tools.scratch,
                                   false, [&](rete::SegmentBuilder& builder) {
                                     return graph_quads(before->fold(), *replaced, builder.sink(0),
                                                        options.stop);
                                   }));
      entry.dels = manifest::SegmentPin{
          .url = old.file_name, .size_bytes = old.size_bytes, .hash = old.hash};
    }
  }
  manifest::Manifest next = manifest_->manifest;
  WEFT_TRY_STATUS(whole.empty() ? next.append(entry)
                                : next.rewrite(whole, {.journal_id = position.journal_id,
                                                       .sequence = position.sequence}));
  WEFT_TRY(const bool published, publish_and_adopt(next, position));
  if (!published) {
    return moved();
  }
  ++commits_;
  const Result<uint64_t> count_after = tip_->quad_count({});
  if (!count_after.ok()) {
    // It is published: nobody may take it for not done.
    return Error(ErrorKind::kRecoveryRequired, "the document is in the graph, and was not counted")
        .with("manifest", place_.graph.address)
        .with("cause", count_after.error().to_string());
  }
  receipt.inserted = *count_after + receipt.removed - count_before;
  receipt.generation = tip_->generation();
  receipt.sequence = tip_->sequence();
  receipt.tag = tip_->tag();
  return receipt;
}

}  // namespace weft::engine
