// A fixed number of threads with a bounded queue in front: what is too much is refused at once, not
// kept waiting.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace weft::server {

// Thread-safe.
class WorkerPool {
 public:
  // Starts `thread_count` threads; `queue_max` tasks may wait beside those that run.
  WorkerPool(size_t thread_count, size_t queue_max);
  // As drain().
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False if too many wait, or after drain(). `task` must not throw.
  bool submit(std::function<void()> task);
  // Runs what waits, then ends the threads.
  void drain();

  size_t running() const;
  size_t waiting() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::server
