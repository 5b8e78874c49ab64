// Several graphs opened as one: what `weft federate` asks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/engine/environment.h"
#include "weft/engine/graph.h"
#include "weft/exec/union_source.h"

namespace weft::engine {

// The working space of building one source out of RDF text, in memory (limit
// "federated_text_bytes_max"): larger documents are built into a segment first.
inline constexpr uint64_t kFederatedTextBytesMax = uint64_t{1} << 30U;

// One source by itself. Thread-safe.
class FederatedGraph {
 public:
  // `target` is what Graph::open takes, or a local file of RDF text, told by the ending of its
  // name, which becomes a segment in memory. `environment` must outlive it. Errors: those of both;
  // kLimit if the text is too long.
  static Result<std::unique_ptr<FederatedGraph>> open(Environment& environment,
                                                      const std::string& target);
  ~FederatedGraph();

  const std::string& target() const { return target_; }
  exec::QuadSource& source() { return *source_; }

 private:
  struct TextSegment;
  FederatedGraph();

  std::string target_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<TextSegment> text_;
  exec::QuadSource* source_ = nullptr;
};

// The merged view: exec/union_source.h says what it is. Thread-safe.
class Federation {
 public:
  // A target that is named twice counts once. `environment` must outlive it; `interrupt` is asked
  // while rows are gathered. Errors: those of
  // FederatedGraph::open, UnionSource::create; kInvalid without any target.
  static Result<std::unique_ptr<Federation>> open(
      Environment& environment, std::span<const std::string> targets,
      exec::Interrupt interrupt = exec::Interrupt({}, nullptr, 0));

  const std::vector<std::unique_ptr<FederatedGraph>>& graphs() const { return graphs_; }
  exec::QuadSource& source() { return *union_; }

 private:
  Federation() = default;

  std::vector<std::unique_ptr<FederatedGraph>> graphs_;
  std::unique_ptr<exec::UnionSource> union_;
};

}  // namespace weft::engine
