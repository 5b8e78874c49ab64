// A sample of what crashes leave behind, on disk, for other programs to open
// (tests/interop/*_crash_test.py). Nothing is left unless WEFT_CRASH_STATES=FOLDER is set.
#pragma once

#include <string_view>

#include "weft/storage/object_store.h"

namespace weft::crash {

// Copies all objects of `store` to FOLDER/state<N>/, at the first and then every `every`th call in
// this process, with a file `expected` that says what may be found there.
void leave_state(storage::ObjectStore& store, std::string_view expected, uint64_t every);

}  // namespace weft::crash
