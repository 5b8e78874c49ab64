#include <algorithm>
#include <utility>

#include "weft/quads/dump_fold.h"
#include "weft/quads/graph_log.h"
#include "weft/quads/graph_paths.h"
#include "weft/quads/segment_maker.h"
#include "weft/rete/format.h"
#include "weft/storage/local_store.h"

namespace weft::quads {

// Where the compacted segment goes, and the URL that names it.
struct GraphLog::Output {
  std::unique_ptr<storage::ObjectStore> own_store;  // null: the manifest's
  std::optional<std::string> file_name;
  std::string folder;  // absolute
};

Result<GraphLog::Output> GraphLog::output_of(const CompactRequest& request) {
  Output output;
  if (request.output_file.has_value() && request.output_folder.has_value()) {
    return Error(ErrorKind::kInvalid, "give an output file or an output folder, not both");
  }
  output.folder = place_.folder;
  if (request.output_file.has_value()) {
    const std::string path = absolute_path(place_.working_folder, *request.output_file);
    const size_t slash = path.rfind('/');
    output.folder = slash == 0 ? "/" : path.substr(0, slash);
    output.file_name = path.substr(slash + 1);
  } else if (request.output_folder.has_value()) {
    output.folder = absolute_path(place_.working_folder, *request.output_folder);
  }
  if (output.folder != place_.folder) {
    WEFT_TRY(output.own_store,
             storage::open_local_store(
                 output.folder,
                 {.create_folder = request.output_folder.has_value() && !request.dry_run}));
  }
  storage::ObjectStore& store = output.own_store != nullptr ? *output.own_store : place_.store;
  // Before the work: whatever stands there may be what the graph lives on.
  if (output.file_name.has_value() && store.open(*output.file_name).ok()) {
    return Error(ErrorKind::kAlreadyExists, "the output file exists; compact never replaces a file")
        .with("path", *request.output_file);
  }
  return output;
}

namespace {

double overlay_estimate_bytes(const SegmentSet& segments, std::optional<size_t> base) {
  constexpr double kBytesPerQuad = 100;
  double bytes = 0;
  for (const SegmentUse& use : segments.uses()) {
    if (use.segment != base) {
      const rete::SegmentFacts& facts = segments.facts(use.segment);
      bytes += static_cast<double>(facts.quad_count) * kBytesPerQuad +
               static_cast<double>(facts.file_size) * 4;
    }
  }
  return bytes;
}

}  // namespace

// visible = the fold of the log = for each entry j: adds(j) without all later dels. The whole fold
// at once is fastest; where overlays would not fit, one segment after the other, over which only
// the later deletions lie. The builder makes a set of what comes.
Status GraphLog::fill_with_fold(const std::vector<manifest::LogEntry>& log,
                                rete::SegmentBuilder& builder, std::stop_token stop) {
  rdf::QuadSink& sink = builder.sink(0);
  {
    WEFT_TRY(const std::shared_ptr<Fold> fold,
             Fold::open(log, place_.address, false, tools_.opener, tools_.fold));
    const uint64_t limit =
        tools_.fold.budget != nullptr ? tools_.fold.budget->limit_bytes() : kOverlayBytesDefaultMax;
    if (overlay_estimate_bytes(fold->segments(), fold->facts().base) <=
        static_cast<double>(limit)) {
      return dump_fold(*fold, sink, {}, stop);
    }
  }
  for (size_t j = 0; j < log.size(); ++j) {
    if (!log[j].adds.has_value()) {
      continue;
    }
    std::vector<manifest::LogEntry> one = {{.adds = log[j].adds, .dels = {}}};
    for (size_t later = j + 1; later < log.size(); ++later) {
      if (log[later].dels.has_value()) {
        one.push_back({.adds = {}, .dels = log[later].dels});
      }
    }
    WEFT_TRY(const std::shared_ptr<Fold> fold,
             Fold::open(one, place_.address, false, tools_.opener, tools_.fold));
    WEFT_TRY_STATUS(dump_fold(*fold, sink, {}, stop));
  }
  return ok_status();
}

Status GraphLog::publish_compacted(const std::vector<manifest::LogEntry>& compacted,
                                   const manifest::SegmentPin& pin, ChangeReport& report) {
  const auto change = [&](manifest::Manifest& current) -> Status {
    const bool is_prefix = current.log().size() >= compacted.size() &&
                           std::equal(compacted.begin(), compacted.end(), current.log().begin());
    if (!is_prefix) {
      return Error(ErrorKind::kConflict, "the log was compacted or changed meanwhile")
          .with("manifest", place_.address)
          .with("generation", current.generation());
    }
    return current.compact(compacted.size(), pin);
  };
  WEFT_TRY(const manifest::Manifest next, manifests_.update(change, tools_.random, tools_.retry));
  report.generation = next.generation();
  report.log_entries = next.log().size();
  return ok_status();
}

Result<ChangeReport> GraphLog::compact(const CompactRequest& request) {
  WEFT_TRY(const manifest::LoadedManifest loaded, manifests_.load());
  const std::vector<manifest::LogEntry>& log = loaded.manifest.log();
  manifest::Manifest probe = loaded.manifest;
  WEFT_TRY_STATUS(probe.compact(log.size(), {}));
  WEFT_TRY(Output output, output_of(request));
  if (!output.file_name.has_value()) {
    WEFT_TRY(const std::string name,
             manifest::segment_name(loaded.manifest.name(), 1, {}, manifest::Role::kAdds));
    static_cast<void>(name);
  }
  ChangeReport report;
  WEFT_TRY(StatusReport before, status({.count = false, .verify = false, .stop = request.stop}));
  if (before.journal.has_value() && before.journal->change_count > 0) {
    report.warnings.push_back("the journal " + *before.journal_address + " holds " +
                              std::to_string(before.journal->change_count) +
                              " changes that are not sealed; they are left as they are");
  }
  const SegmentStatus* largest = nullptr;
  for (const SegmentStatus& segment : before.segments) {
    if (segment.error.has_value()) {
      return *segment.error;
    }
    if (segment.role == manifest::Role::kAdds &&
        (largest == nullptr || segment.quad_count > largest->quad_count)) {
      largest = &segment;
    }
    if (segment.has_pyramid) {
      report.warnings.push_back("the pyramid of " + segment.pin.url + " is not carried over");
    }
  }
  storage::ObjectStore& store = output.own_store != nullptr ? *output.own_store : place_.store;
  rete::BuildOptions options = tools_.build;
  if (largest != nullptr) {
    // A graph that was built with three orders stays one.
    options.six_permutations = largest->permutation_mask == rete::kPermutationsSix;
  }
  options.stop = request.stop;
  const SegmentTarget target{.store = &store,
                             .file_name = output.file_name,
                             .graph_name = loaded.manifest.name(),
                             .generation = loaded.manifest.generation() + 1,
                             .role = manifest::Role::kAdds};
  WEFT_TRY(MadeSegment made, make_segment(target, options, tools_.executor, tools_.scratch,
                                          request.dry_run, [&](rete::SegmentBuilder& builder) {
                                            return fill_with_fold(log, builder, request.stop);
                                          }));
  NewSegment segment;
  const std::string path = absolute_path(output.folder, made.file_name);
  segment.pin = {.url = output.own_store == nullptr ? made.file_name
                                                    : manifest::relative_url(place_.folder, path),
                 .size_bytes = made.size_bytes,
                 .hash = made.hash};
  segment.quad_count = made.report.default_triples + made.report.named_quads;
  report.generation = loaded.manifest.generation() + 1;
  report.log_entries = 1;
  if (!request.dry_run) {
    if (output.own_store != nullptr &&
        !tools_.opener.open(manifest::resolve(place_.address, segment.pin.url)).ok()) {
      segment.pin.url = path;  // symbolic links stand between the two folders
    }
    Status published = publish_compacted(log, segment.pin, report);
    if (!published.ok()) {
      if (published.error().kind() == ErrorKind::kConflict) {
        // Nobody can have named it: it is ours alone. What cannot be removed, gc finds.
        static_cast<void>(store.remove(made.file_name).ok());
      }
      return std::move(published).error();
    }
  }
  report.segments.push_back(std::move(segment));
  return report;
}

}  // namespace weft::quads
