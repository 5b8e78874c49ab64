// What changes a graph that is kept as a manifest and segments in one folder, and what tells of it.
//
// G1  Everything that a manifest names is complete and durable before the manifest names it.
// G2  A change is one replacement of the manifest: after a crash at any instant it is there or not.
// G3  Changes of several processes all arrive, one after the other; a compaction keeps what others
//     add while it runs.
// G4  Names of new segments never replace a file and never leave the folder they are for.
// G5  Only gc removes files; never one that a manifest in the folder names, nor a young one.
//
// Not thread-safe; any number of these may work on one manifest. Guide: docs/guide/manifest.md
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/manifest/manifest_store.h"
#include "weft/quads/fold.h"
#include "weft/quads/ingest.h"
#include "weft/rete/build/options.h"
#include "weft/rete/verify.h"
#include "weft/storage/scratch.h"

namespace weft::quads {

// Where a manifest is. All must outlive the GraphLog.
struct GraphPlace {
  storage::ObjectStore& store;  // the manifest's folder
  std::string name;             // the manifest in it
  std::string address;          // the manifest's path as messages and openers know it
  // The folder as an absolute path without symbolic links; what relative URLs are computed from.
  std::string folder;
  // Absolute; where paths that the user types are looked up next to the manifest's folder.
  std::string working_folder;
};

// Takes part in everything below. All must outlive the GraphLog.
struct GraphTools {
  manifest::ObjectOpener& opener;
  base::Executor& executor;
  storage::ScratchSpace& scratch;
  const base::Clock& clock;
  base::Random& random;
  FoldResources fold;
  rete::BuildOptions build;  // of segments that are built
  IngestOptions ingest;      // of RDF files; blank nodes in `adds` files
  manifest::RetryPolicy retry;
};

struct AddRequest {
  // A `.rete` file or an RDF file each: a URL, or a path, looked up in the manifest's folder, then
  // in the working folder.
  std::optional<std::string> adds;
  std::optional<std::string> dels;
  bool dry_run = false;
};

// A segment of a new entry, and how it came about.
struct NewSegment {
  manifest::Role role = manifest::Role::kAdds;
  manifest::SegmentPin pin;
  uint64_t quad_count = 0;
  std::optional<IngestReport> built;  // from RDF
};

struct ChangeReport {
  uint64_t generation = 0;
  size_t log_entries = 0;
  std::vector<NewSegment> segments;
  std::vector<std::string> warnings;
};

struct InitRequest {
  std::optional<std::string> base;  // as AddRequest::adds
  std::optional<std::string> name;  // of the graph; default: from the manifest's
  bool dry_run = false;
};

struct CompactRequest {
  // Absolute or relative to the working folder; at most one. Default: the manifest's folder.
  std::optional<std::string> output_file;
  std::optional<std::string> output_folder;
  bool dry_run = false;
  std::stop_token stop;
};

struct SegmentStatus {
  size_t entry = 0;
  manifest::Role role = manifest::Role::kAdds;
  manifest::SegmentPin pin;
  std::string address;
  // Of the pin, and of the whole content if that was verified.
  std::optional<Error> error;
  // Every byte that a query uses is checked.
  bool is_checked = false;
  uint64_t quad_count = 0;
  bool has_pyramid = false;
  uint8_t permutation_mask = 0;
};

struct StatusRequest {
  bool count = false;
  bool verify = false;  // reads every byte of every segment
  std::stop_token stop;
};

struct StatusReport {
  std::string name;
  uint64_t generation = 0;
  size_t log_entries = 0;
  std::vector<SegmentStatus> segments;
  // The journal beside the manifest.
  std::optional<std::string> journal_address;
  std::optional<journal::JournalReport> journal;
  std::optional<Error> journal_error;
  std::optional<uint64_t> visible_quads;
  // All segments are in order, and so is the journal.
  bool verified() const;
};

struct GcRequest {
  int64_t grace_ms = int64_t{24} * 3'600'000;
  bool dry_run = true;
};

struct GcReport {
  struct Leftover {
    std::string name;
    uint64_t size_bytes = 0;
    int64_t age_ms = 0;
    bool removed = false;
  };
  std::vector<Leftover> leftovers;
  uint64_t young = 0;  // left alone for now
};

class GraphLog {
 public:
  GraphLog(GraphPlace place, GraphTools tools);
  ~GraphLog();

  // Errors of all: those of ManifestStore; those of reading and building segments.
  // kAlreadyExists if the manifest is there.
  Result<ChangeReport> init(const InitRequest& request);
  // kInvalid if it names nothing.
  Result<ChangeReport> add(const AddRequest& request);
  // Streams the fold through the builder. kConflict if others compacted meanwhile; kAlreadyExists
  // if the output file is there.
  Result<ChangeReport> compact(const CompactRequest& request);
  Result<StatusReport> status(const StatusRequest& request);
  // Calls `take` for each quad that became visible (true) or invisible between two generations.
  Status diff(uint64_t from, uint64_t to,
              const std::function<Status(bool added, const rdf::QuadView& quad)>& take,
              std::stop_token stop);
  // kCorrupt if a manifest in the folder cannot be read: it may name anything.
  Result<GcReport> gc(const GcRequest& request);

 private:
  Result<NewSegment> segment_of(manifest::Role role, const std::string& typed,
                                const manifest::Manifest& current, bool dry_run);
  Result<NewSegment> existing_segment(manifest::Role role, const std::string& url,
                                      const std::string& address,
                                      std::unique_ptr<storage::ObjectReader> reader, bool dry_run);
  Status make_durable(const std::string& url, const std::string& address);

  struct Output;
  Result<Output> output_of(const CompactRequest& request);
  Status fill_with_fold(const std::vector<manifest::LogEntry>& log, rete::SegmentBuilder& builder,
                        std::stop_token stop);
  Status publish_compacted(const std::vector<manifest::LogEntry>& compacted,
                           const manifest::SegmentPin& pin, ChangeReport& report);

  Result<SegmentStatus> status_of(size_t entry, manifest::Role role,
                                  const manifest::SegmentPin& pin, const StatusRequest& request);
  void add_journal(const manifest::Manifest& current, StatusReport& report);
  // File names that manifests in the folder name.
  Result<std::vector<std::string>> named_files(const std::vector<storage::ObjectInfo>& files);

  GraphPlace place_;
  GraphTools tools_;
  manifest::ManifestStore manifests_;
};

}  // namespace weft::quads
