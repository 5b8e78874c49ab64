// A process that ends between showing an object and making it durable: others see it already, and
// a crash of the machine may take it from them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "weft/storage/steps.h"

namespace weft::storage {

// Listens to a MemoryStore. Ends at the sync of the first object that was shown under a name with
// `prefix`; nothing is done after that. For one thread.
class EndsBeforeSync final : public StepListener {
 public:
  explicit EndsBeforeSync(std::string prefix) : prefix_(std::move(prefix)) {}

  bool has_ended() const { return has_ended_; }
  Status before(const Step& step) override {
    if (step.action == "show" && shown_.empty() && step.name.starts_with(prefix_)) {
      shown_ = step.name;
    }
    has_ended_ = has_ended_ || (step.action == "sync" && step.name == shown_);
    return has_ended_ ? Status(Error(ErrorKind::kUnavailable, "the process has ended")
                                   .with("reason", "stopped"))
                      : ok_status();
  }

 private:
  const std::string prefix_;
  std::string shown_;
  bool has_ended_ = false;
};

}  // namespace weft::storage
