#include "weft/base/executor.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "weft/base/mutex.h"

namespace weft::base {
namespace {

Error cancelled() {
  return {ErrorKind::kCancelled, "stopped on request"};
}

// One for_each in progress. Lives on the caller's stack until no thread is inside.
struct Batch {
  size_t count = 0;
  const std::function<Status(size_t)>* task = nullptr;
  std::stop_token stop;
  size_t next = 0;
  size_t running = 0;
  bool failed = false;
  bool stopped = false;
  size_t error_index = 0;
  std::optional<Error> error;

  bool has_work() const { return next < count && !failed && !stopped; }
  bool finished() const { return running == 0 && !has_work(); }
  void record(size_t index, Error failure) {
    if (!failed || index < error_index) {
      error_index = index;
      error = std::move(failure);
    }
    failed = true;
  }
};

}  // namespace

Status InlineExecutor::for_each(size_t count, const std::function<Status(size_t)>& task,
                                std::stop_token stop) {
  for (size_t index = 0; index < count; ++index) {
    if (stop.stop_requested()) {
      return cancelled();
    }
    WEFT_TRY_STATUS(task(index));
  }
  return ok_status();
}

struct ThreadPool::State {
  Mutex mutex;
  Condition changed;
  std::deque<Batch*> batches WEFT_GUARDED_BY(mutex);
  bool closing WEFT_GUARDED_BY(mutex) = false;
  size_t width = 1;
  std::vector<std::jthread> workers WEFT_GUARDED_BY(mutex);

  // Takes one index of `batch` and runs it. The mutex is held on entry and on return.
  void step(Batch& batch) WEFT_REQUIRES(mutex) {
    if (batch.stop.stop_requested()) {
      batch.stopped = true;
      changed.notify_all();
      return;
    }
    const size_t index = batch.next++;
    ++batch.running;
    mutex.unlock();
    Status status = (*batch.task)(index);
    mutex.lock();
    --batch.running;
    if (!status.ok()) {
      batch.record(index, std::move(status).error());
    }
    if (batch.finished()) {
      changed.notify_all();
    }
  }

  Batch* pick() WEFT_REQUIRES(mutex) {
    for (Batch* batch : batches) {
      if (batch->has_work()) {
        return batch;
      }
    }
    return nullptr;
  }

  void start_workers() WEFT_REQUIRES(mutex) {
    while (workers.size() + 1 < width) {
      workers.emplace_back([this] { work(); });
    }
  }

  void work() {
    MutexLock lock(mutex);
    while (true) {
      if (Batch* batch = pick(); batch != nullptr) {
        step(*batch);
      } else if (closing) {
        return;
      } else {
        changed.wait(mutex);
      }
    }
  }
};

ThreadPool::ThreadPool(size_t width) : state_(std::make_unique<State>()) {
  state_->width = std::max<size_t>(width, 1);
}

ThreadPool::~ThreadPool() {
  {
    const MutexLock lock(state_->mutex);
    state_->closing = true;
  }
  state_->changed.notify_all();
  std::vector<std::jthread> workers;
  {
    const MutexLock lock(state_->mutex);
    workers = std::move(state_->workers);
  }
  workers.clear();
}

size_t ThreadPool::width() const {
  return state_->width;
}

Status ThreadPool::for_each(size_t count, const std::function<Status(size_t)>& task,
                            std::stop_token stop) {
  if (count <= 1) {
    return InlineExecutor().for_each(count, task, std::move(stop));
  }
  Batch batch;
  batch.count = count;
  batch.task = &task;
  batch.stop = std::move(stop);
  MutexLock lock(state_->mutex);
  state_->batches.push_back(&batch);
  state_->start_workers();
  state_->changed.notify_all();
  while (!batch.finished()) {
    if (batch.has_work()) {
      state_->step(batch);
    } else {
      state_->changed.wait(state_->mutex);
    }
  }
  std::erase(state_->batches, &batch);
  if (batch.error.has_value()) {
    return std::move(*batch.error);
  }
  if (batch.stopped && batch.next < batch.count) {
    return cancelled();
  }
  return ok_status();
}

size_t hardware_width() {
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace weft::base
