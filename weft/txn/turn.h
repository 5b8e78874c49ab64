// Writers of several processes take turns where the store lets them: a courtesy that saves attempts
// which would be lost, and nothing else. Whoever does not get the turn in time, or whose store has
// none, writes all the same, so that nobody depends on it and a holder that hangs costs each write
// kTurnWaitMs. docs/protocols/write.md, "Turns".
#pragma once

#include <cstdint>
#include <memory>

#include "weft/catalog/catalog.h"
#include "weft/storage/append_file.h"

namespace weft::txn {

// Several small writes fit in it.
inline constexpr uint64_t kTurnWaitMs = 200;

// The turn among all who write this graph, until it is destroyed. Null: it was not to be had.
std::unique_ptr<storage::HeldRight> take_turn(const catalog::CatalogPlace& place);

}  // namespace weft::txn
