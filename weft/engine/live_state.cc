#include "weft/engine/live_state.h"

#include <utility>

#include "weft/engine/graph.h"

namespace weft::engine {
namespace {

std::string tag_of(const manifest::Manifest* manifest, const journal::JournalPosition& position) {
  std::string tag = "s" + std::to_string(manifest != nullptr ? manifest->state_generation() : 0);
  if (position.sequence > 0) {
    return tag + "-" + position.journal_id + "-" + std::to_string(position.sequence);
  }
  // An empty journal: what was sealed last is the last commit.
  const auto sealed = manifest != nullptr ? manifest->sealed() : std::nullopt;
  if (sealed.has_value()) {
    tag += "-" + sealed->journal_id + "-" + std::to_string(sealed->sequence);
  }
  return tag;
}

}  // namespace

LiveState::LiveState(std::shared_ptr<void> owner, std::shared_ptr<quads::Fold> fold,
                     const manifest::Manifest* manifest, const journal::JournalPosition& position)
    : owner_(std::move(owner)),
      fold_(std::move(fold)),
      source_(source_of_fold(*fold_)),
      generation_(manifest != nullptr ? manifest->generation() : 0),
      position_(position),
      tag_(tag_of(manifest, position)) {}

}  // namespace weft::engine
