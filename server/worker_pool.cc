#include "server/worker_pool.h"

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include "weft/base/mutex.h"

namespace weft::server {

struct WorkerPool::State {
  mutable base::Mutex mutex;
  base::Condition changed;
  std::deque<std::function<void()>> queue WEFT_GUARDED_BY(mutex);
  size_t queue_max = 0;
  size_t running WEFT_GUARDED_BY(mutex) = 0;
  bool closing WEFT_GUARDED_BY(mutex) = false;
  std::vector<std::thread> threads;

  void run() {
    for (;;) {
      std::function<void()> task;
      {
        const base::MutexLock lock(mutex);
        while (queue.empty() && !closing) {
          changed.wait(mutex);
        }
        if (queue.empty()) {
          return;
        }
        task = std::move(queue.front());
        queue.pop_front();
        ++running;
      }
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
    state_->threads.emplace_back([state = state_.get()] { state->run(); });
  }
}

WorkerPool::~WorkerPool() {
  drain();
}

bool WorkerPool::submit(std::function<void()> task) {
  const base::MutexLock lock(state_->mutex);
  const size_t free_threads =
      state_->threads.size() - std::min(state_->running, state_->threads.size());
  if (state_->closing || state_->queue.size() >= state_->queue_max + free_threads) {
    return false;
  }
  state_->queue.push_back(std::move(task));
  state_->changed.notify_one();
  return true;
}

void WorkerPool::drain() {
  {
    const base::MutexLock lock(state_->mutex);
    state_->closing = true;
    state_->changed.notify_all();
  }
  for (std::thread& thread : state_->threads) {
    if (thread.joinable()) {
      thread.join();
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
