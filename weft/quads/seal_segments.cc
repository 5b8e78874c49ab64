#include "weft/quads/seal_segments.h"

#include <utility>

#include "weft/quads/dump_fold.h"
#include "weft/quads/graph_paths.h"
#include "weft/quads/seal_mark.h"
#include "weft/quads/segment_maker.h"
#include "weft/rete/format.h"
#include "weft/storage/local_store.h"

namespace weft::quads {
namespace {

// One role of the changes into a builder, in batches.
Status fill(Fold& state, bool inserted, rdf::QuadSink& sink, uint64_t& count,
            const std::stop_token& stop) {
  return state.changes_on_top([&](bool insert, const rdf::QuadView& quad) -> Status {
    if (insert != inserted) {
      return ok_status();
    }
    if (++count % 1'024 == 0 && stop.stop_requested()) {
      return Error(ErrorKind::kCancelled, "stopped on request");
    }
    return sink.accept(std::span(&quad, 1));
  });
}

Result<bool> has_change(Fold& state, bool inserted) {
  bool found = false;
  WEFT_TRY_STATUS(state.changes_on_top([&](bool insert, const rdf::QuadView& /*quad*/) {
    found = found || insert == inserted;
    return ok_status();
  }));
  return found;
}

// A graph that was built with three orders stays one.
bool wants_six_orders(Fold& state) {
  const SegmentSet& segments = state.segments();
  return !state.facts().base.has_value() ||
         segments.facts(*state.facts().base).permutation_mask == rete::kPermutationsSix;
}

}  // namespace

Result<SealedSegments> make_sealed_segments(const GraphPlace& place, const GraphTools& tools,
                                            Fold& state, const manifest::Manifest& current,
                                            const journal::JournalPosition& sealed, bool dry_run,
                                            const std::optional<std::string>& folder,
                                            std::stop_token stop) {
  std::unique_ptr<storage::ObjectStore> own_store;
  std::string own_folder;
  if (folder.has_value()) {
    own_folder = absolute_path(place.working_folder, *folder);
    if (own_folder != place.folder) {
      WEFT_TRY(own_store, storage::open_local_store(own_folder, {.create_folder = !dry_run}));
    }
  }
  SealedSegments result;
  manifest::LogEntry entry;
  for (const manifest::Role role : {manifest::Role::kAdds, manifest::Role::kDels}) {
    const bool inserted = role == manifest::Role::kAdds;
    WEFT_TRY(const bool wanted, has_change(state, inserted));
    if (!wanted) {
      continue;
    }
    rete::BuildOptions options = tools.build;
    options.record_members = seal_record_members(sealed);
    options.six_permutations = wants_six_orders(state);
    options.stop = stop;
    uint64_t& count = inserted ? result.added_quads : result.deleted_quads;
    const SegmentTarget target{.store = own_store != nullptr ? own_store.get() : &place.store,
                               .file_name = {},
                               .graph_name = current.name(),
                               .generation = current.generation() + 1,
                               .role = role};
    WEFT_TRY(MadeSegment made, make_segment(target, options, tools.executor, tools.scratch, dry_run,
                                            [&](rete::SegmentBuilder& builder) {
                                              count = 0;
                                              return fill(state, inserted, builder.sink(0), count,
                                                          stop);
                                            }));
    const std::string path = own_folder + "/" + made.file_name;
    std::string url =
        own_store == nullptr ? made.file_name : manifest::relative_url(place.folder, path);
    if (own_store != nullptr && !dry_run &&
        !tools.opener.open(manifest::resolve(place.address, url)).ok()) {
      url = path;  // symbolic links stand between the two folders
    }
    (inserted ? entry.adds : entry.dels) = manifest::SegmentPin{
        .url = std::move(url), .size_bytes = made.size_bytes, .hash = made.hash};
    result.files.push_back(std::move(made.file_name));
  }
  if (entry.adds.has_value() || entry.dels.has_value()) {
    result.entry = std::move(entry);
  }
  return result;
}

Result<std::optional<manifest::SegmentPin>> make_whole_segment(
    const GraphPlace& place, const GraphTools& tools, Fold& state,
    const manifest::Manifest& current, const journal::JournalPosition& sealed,
    std::stop_token stop) {
  WEFT_TRY(const uint64_t quads, state.quad_count(stop));
  std::optional<manifest::SegmentPin> pin;
  if (quads == 0) {
    return pin;
  }
  rete::BuildOptions options = tools.build;
  options.record_members = seal_record_members(sealed);
  options.six_permutations = wants_six_orders(state);
  options.stop = stop;
  WEFT_TRY(MadeSegment made, make_segment({.store = &place.store,
                                           .file_name = {},
                                           .graph_name = current.name(),
                                           .generation = current.generation() + 1,
                                           .role = manifest::Role::kAdds},
                                          options, tools.executor, tools.scratch, false,
                                          [&](rete::SegmentBuilder& builder) {
                                            return dump_fold(state, builder.sink(0), {}, stop);
                                          }));
  pin = {.url = std::move(made.file_name), .size_bytes = made.size_bytes, .hash = made.hash};
  return pin;
}

}  // namespace weft::quads
