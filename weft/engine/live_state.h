// One state of a live graph: what a snapshot hands out.
#pragma once

#include <memory>
#include <string>

#include "weft/engine/live_graph.h"
#include "weft/journal/journal.h"
#include "weft/manifest/document.h"

namespace weft::engine {

class LiveState final : public Snapshot {
 public:
  // `owner` keeps alive what `fold` needs. `manifest` is null for a single segment.
  LiveState(std::shared_ptr<void> owner, std::shared_ptr<quads::Fold> fold,
            const manifest::Manifest* manifest, const journal::JournalPosition& position);

  exec::QuadSource& source() override { return *source_; }
  quads::Fold& fold() override { return *fold_; }
  uint64_t generation() const override { return generation_; }
  uint64_t sequence() const override { return position_.sequence; }
  const std::string& tag() const override { return tag_; }
  Result<uint64_t> quad_count(std::stop_token stop) override {
    return fold_->quad_count(std::move(stop));
  }
  const journal::JournalPosition& position() const { return position_; }

 private:
  std::shared_ptr<void> owner_;
  std::shared_ptr<quads::Fold> fold_;
  std::unique_ptr<exec::QuadSource> source_;
  uint64_t generation_ = 0;
  journal::JournalPosition position_;
  std::string tag_;
};

}  // namespace weft::engine
