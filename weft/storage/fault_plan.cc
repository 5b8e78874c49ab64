#include "weft/storage/fault_plan.h"

#include <algorithm>

namespace weft::storage {
namespace {

constexpr size_t kLogEntriesMax = 100'000;
constexpr uint64_t kRateOf = 1'000;

}  // namespace

std::string_view fault_name(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "none";
    case Fault::kFail:
      return "fail";
    case Fault::kDoneUnanswered:
      return "done-unanswered";
    case Fault::kUndoneUnanswered:
      return "undone-unanswered";
    case Fault::kTear:
      return "tear";
    case Fault::kAnswerLate:
      return "answer-late";
    case Fault::kActLate:
      return "act-late";
    case Fault::kFull:
      return "full";
    case Fault::kStop:
      return "stop";
  }
  return "";
}

Error fault_error(Fault fault, std::string_view asked, std::string_view name) {
  const auto error = [&](ErrorKind kind, std::string_view message, std::string_view reason) {
    return Error(kind, std::string(message))
        .with("operation", asked)
        .with("object", name)
        .with("reason", reason);
  };
  switch (fault) {
    case Fault::kDoneUnanswered:
    case Fault::kUndoneUnanswered:
    case Fault::kTear:
      return error(ErrorKind::kRecoveryRequired, "the store gave no answer", "injected");
    case Fault::kFull:
      return error(ErrorKind::kUnavailable, "no space left", "no-space");
    case Fault::kStop:
      return error(ErrorKind::kUnavailable, "the process has ended", "stopped");
    case Fault::kNone:
    case Fault::kFail:
    case Fault::kAnswerLate:
    case Fault::kActLate:
      break;
  }
  return error(ErrorKind::kUnavailable, "the store does not answer", "injected");
}

void FaultPlan::at(uint64_t point, Fault fault) {
  const base::MutexLock lock(mutex_);
  by_point_[point] = fault;
}

void FaultPlan::at_action(std::string action, Fault fault, uint64_t skip) {
  const base::MutexLock lock(mutex_);
  by_action_.push_back({std::move(action), fault, skip});
}

void FaultPlan::space(uint64_t bytes) {
  const base::MutexLock lock(mutex_);
  space_bytes_ = bytes;
}

Fault FaultPlan::by_chance() {
  const std::pair<uint32_t, Fault> rates[] = {{rates_.fail, Fault::kFail},
                                              {rates_.done_unanswered, Fault::kDoneUnanswered},
                                              {rates_.undone_unanswered, Fault::kUndoneUnanswered},
                                              {rates_.answer_late, Fault::kAnswerLate},
                                              {rates_.act_late, Fault::kActLate},
                                              {rates_.stop, Fault::kStop}};
  uint64_t draw = random_.below(kRateOf);
  for (const auto& [rate, fault] : rates) {
    if (draw < rate) {
      return fault;
    }
    draw -= rate;
  }
  return Fault::kNone;
}

Fault FaultPlan::choose(const Step& step, uint64_t bytes) {
  if (stopped_) {
    return Fault::kStop;
  }
  const uint64_t point = points_++;
  if (const auto at = by_point_.find(point); at != by_point_.end()) {
    return at->second;
  }
  for (auto at = by_action_.begin(); at != by_action_.end(); ++at) {
    if (at->action == step.action) {
      if (at->skip == 0) {
        const Fault fault = at->fault;
        by_action_.erase(at);
        return fault;
      }
      --at->skip;
    }
  }
  if (bytes > space_bytes_) {
    return Fault::kFull;
  }
  return by_chance();
}

Fault FaultPlan::decide(const Step& step, uint64_t bytes) {
  const base::MutexLock lock(mutex_);
  const Fault fault = choose(step, bytes);
  stopped_ = stopped_ || fault == Fault::kStop;
  const bool written = fault != Fault::kFail && fault != Fault::kFull && fault != Fault::kStop &&
                       fault != Fault::kUndoneUnanswered;
  if (written && space_bytes_ != UINT64_MAX) {
    space_bytes_ -= std::min(bytes, space_bytes_);
  }
  if (log_.size() < kLogEntriesMax) {
    std::string entry(step.action);
    entry += ' ';
    entry += step.name;
    if (fault != Fault::kNone) {
      entry += " !";
      entry += fault_name(fault);
    }
    log_.push_back(std::move(entry));
  }
  return fault;
}

Status FaultPlan::before(const Step& step) {
  const Fault fault = decide(step);
  if (fault == Fault::kFail || fault == Fault::kFull || fault == Fault::kStop) {
    return fault_error(fault, step.action, step.name);
  }
  return ok_status();
}

bool FaultPlan::is_stopped() const {
  const base::MutexLock lock(mutex_);
  return stopped_;
}

uint64_t FaultPlan::point_count() const {
  const base::MutexLock lock(mutex_);
  return points_;
}

std::vector<std::string> FaultPlan::log() const {
  const base::MutexLock lock(mutex_);
  return log_;
}

}  // namespace weft::storage
