// The points inside storage operations at which a process can be stopped, overtaken or cut off from
// its answer. Stores of tests announce them; a fault plan, a tracer or the baton listens.
#pragma once

#include <string>
#include <string_view>

#include "weft/base/result.h"

namespace weft::storage {

struct Step {
  std::string_view action;  // "show", "sync", …: what comes next
  std::string_view name;    // the object
};

// Thread-safe.
class StepListener {
 public:
  StepListener() = default;
  StepListener(const StepListener&) = delete;
  StepListener& operator=(const StepListener&) = delete;
  virtual ~StepListener() = default;
  // An error ends the operation here: what it did so far stays, nothing more is done.
  virtual Status before(const Step& step) = 0;
};

}  // namespace weft::storage
