// Hands the baton on before and after each operation of a store, so that a simulation interleaves
// actors at them; and at the inner steps of a MemoryStore, so that an actor is overtaken between
// what others see and what is durable.
#pragma once

#include <memory>

#include "weft/base/baton.h"
#include "weft/storage/object_store.h"
#include "weft/storage/steps.h"

namespace weft::storage {

// Both must outlive the store, its readers and writers.
std::unique_ptr<ObjectStore> baton_store(ObjectStore& inner, base::Baton& baton);

// Thread-safe. `next` (may be null) is asked after the baton was handed on.
class BatonSteps final : public StepListener {
 public:
  explicit BatonSteps(base::Baton& baton, StepListener* next = nullptr)
      : baton_(baton), next_(next) {}
  Status before(const Step& step) override;

 private:
  base::Baton& baton_;
  StepListener* next_;
};

}  // namespace weft::storage
