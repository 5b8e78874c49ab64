#include "weft/quads/graph_log.h"

#include <algorithm>
#include <utility>

#include "weft/quads/dump_fold.h"
#include "weft/quads/graph_paths.h"
#include "weft/quads/segment_maker.h"
#include "weft/rete/format.h"
#include "weft/storage/local_store.h"

namespace weft::quads {
namespace {

// A typed file, found.
struct Found {
  std::string url;      // to be stored
  std::string address;  // to be opened
  std::unique_ptr<storage::ObjectReader> reader;
};

Result<Found> find_typed(const GraphPlace& place, manifest::ObjectOpener& opener,
                         const std::string& typed) {
  Found found{.url = typed, .address = manifest::resolve(place.address, typed), .reader = {}};
  Result<std::unique_ptr<storage::ObjectReader>> reader = opener.open(found.address);
  if (reader.ok() || reader.error().kind() != ErrorKind::kNotFound || manifest::is_remote(typed) ||
      typed.starts_with('/')) {
    WEFT_TRY(found.reader, std::move(reader));
    return found;
  }
  const std::string path = absolute_path(place.working_folder, typed);
  Result<std::unique_ptr<storage::ObjectReader>> second = opener.open(path);
  if (!second.ok()) {
    // Both places were tried; the first is the one that the manifest would mean.
    Error error = std::move(reader).error();
    error.add("also_tried", path);
    return error;
  }
  found.url = manifest::relative_url(place.folder, path);
  found.address = path;
  found.reader = std::move(second).value();
  return found;
}

Result<bool> is_segment(storage::ObjectReader& reader) {
  if (reader.size() < rete::kMagic.size()) {
    return false;
  }
  WEFT_TRY(const storage::Buffer head, reader.read({.offset = 0, .size = rete::kMagic.size()}));
  return as_text(head.view()) == rete::kMagic;
}

}  // namespace

GraphLog::GraphLog(GraphPlace place, GraphTools tools)
    : place_(std::move(place)),
      tools_(std::move(tools)),
      manifests_(place_.store, place_.name, tools_.clock) {}

GraphLog::~GraphLog() = default;

// Makes the name and content of a file that was found in place survive a crash.
Status GraphLog::make_durable(const std::string& url, const std::string& address) {
  if (manifest::is_remote(address)) {
    return ok_status();
  }
  if (storage::check_object_name(url).ok()) {
    return place_.store.sync_existing({url});
  }
  const std::string path = absolute_path(place_.working_folder, address);
  const size_t slash = path.rfind('/');
  WEFT_TRY(const std::unique_ptr<storage::ObjectStore> store,
           storage::open_local_store(slash == 0 ? "/" : path.substr(0, slash)));
  return store->sync_existing({path.substr(slash + 1)});
}

Result<NewSegment> GraphLog::existing_segment(manifest::Role role, const std::string& url,
                                              const std::string& address,
                                              std::unique_ptr<storage::ObjectReader> reader,
                                              bool dry_run) {
  NewSegment segment;
  segment.role = role;
  rete::SegmentOptions options;
  options.cache = tools_.fold.cache;
  options.executor = tools_.fold.executor;
  options.verdicts = tools_.fold.verdicts;
  options.verify = tools_.fold.verify;
  WEFT_TRY(const std::shared_ptr<rete::Segment> opened,
           rete::Segment::open(std::move(reader), options));
  segment.pin = {
      .url = url, .size_bytes = opened->facts().file_size, .hash = opened->facts().content_hash};
  segment.quad_count = opened->facts().quad_count;
  WEFT_TRY_STATUS(dry_run ? ok_status() : make_durable(url, address));
  return segment;
}

Result<NewSegment> GraphLog::segment_of(manifest::Role role, const std::string& typed,
                                        const manifest::Manifest& current, bool dry_run) {
  WEFT_TRY(Found found, find_typed(place_, tools_.opener, typed));
  WEFT_TRY(const bool is_built, is_segment(*found.reader));
  const std::string path =
      manifest::is_remote(found.address) ? "" : absolute_path(place_.working_folder, found.address);
  const bool is_rdf =
      tools_.ingest.format.has_value() || rdfio::format_by_file_name(typed).has_value();
  if (is_built || !is_rdf) {
    // What is neither gets the reader's error, which says what a segment would be.
    return existing_segment(role, found.url, found.address, std::move(found.reader), dry_run);
  }
  if (path.empty()) {
    return Error(ErrorKind::kUnsupported, "RDF text at a URL: fetch it first")
        .with("url", found.address);
  }
  IngestOptions options = tools_.ingest;
  if (role == manifest::Role::kDels) {
    // What is to be deleted is named by the labels that the graph has.
    options.blank_nodes = BlankNodeScope::kKeep;
  }
  NewSegment segment;
  segment.role = role;
  IngestReport report;
  const SegmentTarget target{.store = &place_.store,
                             .file_name = {},
                             .graph_name = current.name(),
                             .generation = current.generation() + 1,
                             .role = role};
  WEFT_TRY(MadeSegment made,
           make_segment(target, tools_.build, tools_.executor, tools_.scratch, dry_run,
                        [&](rete::SegmentBuilder& builder) -> Status {
                          WEFT_TRY(report, ingest(std::span(&path, 1), options, tools_.executor,
                                                  tools_.scratch, builder, tools_.build.stop));
                          return ok_status();
                        }));
  segment.pin = {.url = made.file_name, .size_bytes = made.size_bytes, .hash = made.hash};
  segment.quad_count = made.report.default_triples + made.report.named_quads;
  report.build = std::move(made.report);
  segment.built = std::move(report);
  return segment;
}

Result<ChangeReport> GraphLog::init(const InitRequest& request) {
  const std::string name =
      request.name.has_value()
          ? *request.name
          : manifest::default_name(place_.name.substr(place_.name.rfind('/') + 1));
  // Before anything is built: the name must be fit for file names, and the manifest must be new.
  WEFT_TRY(const std::string probe,
           manifest::segment_name(name, 1, codec::Digest16{}, manifest::Role::kAdds));
  static_cast<void>(probe);
  Result<storage::VersionedObject> present =
      place_.store.get(place_.name, manifest::kManifestSizeMaxBytes);
  if (present.ok() || present.error().kind() == ErrorKind::kLimit) {
    return Error(ErrorKind::kAlreadyExists,
                 "the manifest already exists; `add` appends to an existing manifest")
        .with("manifest", place_.address);
  }
  if (present.error().kind() != ErrorKind::kNotFound) {
    return std::move(present).error();
  }
  ChangeReport report;
  std::optional<manifest::SegmentPin> base;
  if (request.base.has_value()) {
    const manifest::Manifest before = manifest::Manifest::before_first(name);
    WEFT_TRY(NewSegment segment,
             segment_of(manifest::Role::kAdds, *request.base, before, request.dry_run));
    base = segment.pin;
    report.segments.push_back(std::move(segment));
  }
  const manifest::Manifest first = manifest::Manifest::create(name, base);
  report.generation = first.generation();
  report.log_entries = first.log().size();
  WEFT_TRY_STATUS(request.dry_run ? ok_status() : manifests_.create(first));
  return report;
}

Result<ChangeReport> GraphLog::add(const AddRequest& request) {
  if (!request.adds.has_value() && !request.dels.has_value()) {
    return Error(ErrorKind::kInvalid, "nothing to add: pass --adds and/or --dels");
  }
  WEFT_TRY(const manifest::LoadedManifest loaded, manifests_.load());
  // Refuses what cannot be published before anything is built.
  manifest::Manifest probe = loaded.manifest;
  WEFT_TRY_STATUS(probe.append({.adds = manifest::SegmentPin{}, .dels = {}}));
  ChangeReport report;
  manifest::LogEntry entry;
  for (const manifest::Role role : {manifest::Role::kAdds, manifest::Role::kDels}) {
    const bool is_adds = role == manifest::Role::kAdds;
    const std::optional<std::string>& typed = is_adds ? request.adds : request.dels;
    if (typed.has_value()) {
      WEFT_TRY(NewSegment segment, segment_of(role, *typed, loaded.manifest, request.dry_run));
      (is_adds ? entry.adds : entry.dels) = segment.pin;
      report.segments.push_back(std::move(segment));
    }
  }
  manifest::Manifest next = loaded.manifest;
  if (request.dry_run) {
    WEFT_TRY_STATUS(next.append(entry));
  } else {
    WEFT_TRY(next,
             manifests_.update([&](manifest::Manifest& current) { return current.append(entry); },
                               tools_.random, tools_.retry));
  }
  report.generation = next.generation();
  report.log_entries = next.log().size();
  return report;
}

Status GraphLog::diff(uint64_t from, uint64_t to,
                      const std::function<Status(bool, const rdf::QuadView&)>& take,
                      std::stop_token stop) {
  WEFT_TRY(const manifest::LoadedManifest loaded, manifests_.load());
  WEFT_TRY(const manifest::Manifest::History history, loaded.manifest.history(from, to));
  WEFT_TRY(const std::shared_ptr<Fold> fold,
           Fold::open(history.log, place_.address, false, tools_.opener, tools_.fold));
  TokenRows names(*fold);
  std::vector<TokenRows::Row> rows;
  return fold->changes_since(
      history.from_entries,
      [&](std::span<const Fold::Change> changes) -> Status {
        rows.clear();
        for (const Fold::Change& change : changes) {
          rows.push_back({.subject = change.subject,
                          .predicate = change.predicate,
                          .object = change.object,
                          .graph = change.graph});
        }
        WEFT_TRY(const std::span<const rdf::QuadView> quads, names.name(rows, stop));
        for (size_t i = 0; i < quads.size(); ++i) {
          WEFT_TRY_STATUS(take(changes[i].added, quads[i]));
        }
        return ok_status();
      },
      stop);
}

}  // namespace weft::quads
