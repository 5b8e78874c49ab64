#include "server/worker_pool.h"

#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "weft/base/mutex.h"

namespace weft::server {

struct WorkerPool::State {
  struct Worker {
    base::Condition wake;
    std::function<void()> task;  // of the pool's mutex until it runs
    std::thread thread;
  };

  mutable base::Mutex mutex;
  std::deque<std::function<void()>> queue WEFT_GUARDED_BY(mutex);
  size_t queue_max = 0;
  size_t running WEFT_GUARDED_BY(mutex) = 0;
  bool closing WEFT_GUARDED_BY(mutex) = false;
  // Those that wait; the last to have worked is the first to work again: its memory is warm.
  std::vector<Worker*> idle WEFT_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<Worker>> workers;

  // Nothing: the pool is closed, and all is done.
  std::function<void()> next(Worker& worker) {
    const base::MutexLock lock(mutex);
    if (!queue.empty()) {
      worker.task = std::move(queue.front());
      queue.pop_front();
      ++running;
    } else if (!closing) {
      idle.push_back(&worker);
      while (worker.task == nullptr && !closing) {
        worker.wake.wait(mutex);
      }
    }
    return std::exchange(worker.task, nullptr);
  }

  void run(Worker& worker) {
    while (std::function<void()> task = next(worker)) {
      task();
      task = nullptr;
      const base::MutexLock lock(mutex);
      --running;
    }
  }
};

WorkerPool::WorkerPool(size_t thread_count, size_t queue_max) : state_(std::make_unique<State>()) {
  state_->queue_max = queue_max;
  for (size_t i = 0; i < thread_count; ++i) {
    State::Worker& worker = *state_->workers.emplace_back(std::make_unique<State::Worker>());
    worker.thread = std::thread([state = state_.get(), &worker] { state->run(worker); });
  }
}

WorkerPool::~WorkerPool() {
  drain();
}

bool WorkerPool::submit(std::function<void()> task) {
  const base::MutexLock lock(state_->mutex);
  if (state_->closing) {
    return false;
  }
  if (!state_->idle.empty()) {
    State::Worker& worker = *state_->idle.back();
    state_->idle.pop_back();
    worker.task = std::move(task);
    ++state_->running;
    worker.wake.notify_one();
    return true;
  }
  // A thread that has just been started, or has just ended its task, counts as one that waits.
  const size_t free_threads = state_->workers.size() - state_->running;
  if (state_->queue.size() >= state_->queue_max + free_threads) {
    return false;
  }
  state_->queue.push_back(std::move(task));
  return true;
}

void WorkerPool::drain() {
  {
    const base::MutexLock lock(state_->mutex);
    state_->closing = true;
    for (const auto& worker : state_->workers) {
      worker->wake.notify_all();
    }
  }
  for (const auto& worker : state_->workers) {
    if (worker->thread.joinable()) {
      worker->thread.join();
    }
  }
}

size_t WorkerPool::running() const {
  const base::MutexLock lock(state_->mutex);
  return state_->running;
}

size_t WorkerPool::waiting() const {
  const base::MutexLock lock(state_->mutex);
  return state_->queue.size();
}

}  // namespace weft::server
