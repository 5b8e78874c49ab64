#include "weft/graph/authority.h"

namespace weft::graph {

std::string_view action_name(Action action) {
  switch (action) {
    case Action::kInit:
      return "init";
    case Action::kLoad:
      return "load";
    case Action::kMutate:
      return "mutate";
    case Action::kBranchCreate:
      return "branch-create";
    case Action::kBranchDelete:
      return "branch-delete";
    case Action::kAdopt:
      return "adopt";
    case Action::kDiscard:
      return "discard";
    case Action::kRepairPaths:
      return "repair-paths";
    case Action::kCleanup:
      return "cleanup";
    case Action::kKeep:
      return "keep";
  }
  return "";
}

Status check_authority(const Authority& authority, Action action, std::string_view branch,
                       std::string_view message) {
  if (authority.actor.empty() || authority.actor.size() > kActorBytesMax) {
    return Error(ErrorKind::kInvalid, "a change of a graph needs an actor")
        .with("bytes", authority.actor.size())
        .with("bytes_max", kActorBytesMax);
  }
  if (message.size() > kMessageBytesMax) {
    return Error(ErrorKind::kLimit, "the message of a commit is too long")
        .with("bytes", message.size())
        .with("bytes_max", kMessageBytesMax);
  }
  return authority.policy.allow({authority.actor, action, branch});
}

}  // namespace weft::graph
