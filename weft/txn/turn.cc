#include "weft/txn/turn.h"

#include <string>
#include <utility>

namespace weft::txn {

std::unique_ptr<storage::HeldRight> take_turn(const catalog::CatalogPlace& place) {
  auto held = place.store.hold(std::string(catalog::kCatalogFolder),
                               {.holder = "a write", .wait_ms = kTurnWaitMs});
  return held.ok() ? std::move(held).value() : nullptr;
}

}  // namespace weft::txn
