// A store that does to its users what stores do at their worst, as a FaultPlan says. Each operation
// is one point of the plan. To lose what was not synced, put it over a MemoryStore and crash the
// MemoryDisk; to stop inside an operation, give the plan to the MemoryStore, too.
#pragma once

#include <memory>

#include "weft/base/clock.h"
#include "weft/storage/fault_plan.h"
#include "weft/storage/object_store.h"

namespace weft::storage {

inline constexpr int64_t kLateMicroseconds = 5'000'000;

// All three must outlive the store, its readers and writers. `clock` is slept on for late answers.
std::unique_ptr<ObjectStore> fault_store(ObjectStore& inner, FaultPlan& plan, base::Clock& clock);

}  // namespace weft::storage
