// A manifest on the local disk, with everything that changing it needs.
#pragma once

#include <memory>
#include <string>

#include "cli/progress.h"
#include "cli/segment_output.h"
#include "cli/session.h"

#include "weft/engine/environment.h"
#include "weft/quads/graph_log.h"

namespace weft::cli {

// Owns what a GraphLog borrows. Not thread-safe.
class ManifestTarget {
 public:
  // `path` names the manifest, which need not exist; its folder must. `session` must outlive the
  // target. Errors: kUnsupported for a URL, which can only be read; those of storage.
  static Result<std::unique_ptr<ManifestTarget>> open(const std::string& path,
                                                      const SegmentContentOptions& content,
                                                      const quads::IngestOptions& ingest,
                                                      const std::string& scratch_directory,
                                                      Session& session);
  ~ManifestTarget();
  quads::GraphLog& log();

 private:
  struct Parts;
  explicit ManifestTarget(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::cli
