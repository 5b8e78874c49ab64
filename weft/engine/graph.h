// One immutable state of a graph, whatever it is kept in: a segment or the fold of a manifest.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "weft/base/result.h"
#include "weft/engine/environment.h"
#include "weft/exec/quad_source.h"
#include "weft/manifest/document.h"
#include "weft/quads/fold.h"

namespace weft::engine {

// Thread-safe. What it shows never changes; open the target again to see later changes.
class Graph {
 public:
  // Opens a `.rete` file, a manifest, or a URL of either; which of them its first bytes tell. A
  // journal beside a manifest is folded in. `environment` must outlive the graph. Errors: kNotFound
  // and kCorrupt name the object; kInvalid if it is neither.
  static Result<std::unique_ptr<Graph>> open(Environment& environment, const std::string& target);
  ~Graph();

  const std::string& target() const { return target_; }
  quads::Fold& fold() { return *fold_; }
  // The same as query execution reads it.
  exec::QuadSource& source() { return *source_; }
  // nullopt for a segment.
  const std::optional<manifest::Manifest>& manifest() const { return manifest_; }

 private:
  Graph() = default;

  std::string target_;
  std::unique_ptr<manifest::ObjectOpener> opener_;
  std::optional<manifest::Manifest> manifest_;
  std::shared_ptr<quads::Fold> fold_;
  std::unique_ptr<exec::QuadSource> source_;
};

// What a target is, told by its first bytes: true for a segment, false for what may be a manifest.
// Errors: kInvalid if it is neither; those of reading.
Result<bool> is_segment(storage::ObjectReader& reader);

// `source` over `fold`, which must outlive it.
std::unique_ptr<exec::QuadSource> source_of_fold(quads::Fold& fold);

}  // namespace weft::engine
