// Who does something to a graph, and who says whether they may. Nothing that changes a graph is
// called without one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/result.h"

namespace weft::graph {

enum class Action : uint8_t {
  kInit,
  kLoad,
  kMutate,
  kBranchCreate,
  kBranchDelete,
  kAdopt,
  kDiscard,
  kRepairPaths,
  kCleanup,
  kKeep
};
// "init", "load", "mutate", "branch-create", "branch-delete", "adopt", "discard",
// "repair-paths", "cleanup", "keep": kinds of commits too, where they make one.
std::string_view action_name(Action action);

struct PolicyRequest {
  std::string_view actor;
  Action action = Action::kLoad;
  std::string_view branch;
};

// Thread-safe.
class Policy {
 public:
  virtual ~Policy() = default;
  // Errors: kDenied.
  virtual Status allow(const PolicyRequest& request) const = 0;
};

class AllowEverything final : public Policy {
 public:
  Status allow(const PolicyRequest& /*request*/) const override { return ok_status(); }
};

inline constexpr size_t kActorBytesMax = 256;
inline constexpr size_t kMessageBytesMax = 65'536;

struct Authority {
  std::string actor;
  const Policy& policy;
};
// Errors: kInvalid: no actor, or a too long one; kLimit: more than kMessageBytesMax; kDenied.
Status check_authority(const Authority& authority, Action action, std::string_view branch,
                       std::string_view message = {});

}  // namespace weft::graph
