// Where threads come from. Code is synchronous; what can run side by side is handed to an Executor:
// one bounded pool for the process, the caller's own thread in small tools, and a baton (baton.h)
// in simulation.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

#include "weft/base/result.h"

namespace weft::base {

// Thread-safe.
class Executor {
 public:
  virtual ~Executor() = default;

  // How many tasks run at once, at least 1.
  virtual size_t width() const = 0;

  // Runs task(0) … task(count-1), at most width() at once and in no promised order, and returns
  // when all that started have ended. The calling thread works too, so nested calls cannot
  // deadlock. After a failure no further task starts; the error of the lowest failed index is
  // returned. kCancelled if `stop` is requested before all were started.
  virtual Status for_each(size_t count, const std::function<Status(size_t)>& task,
                          std::stop_token stop = {}) = 0;
};

// Runs everything on the calling thread, in order.
class InlineExecutor final : public Executor {
 public:
  size_t width() const override { return 1; }
  Status for_each(size_t count, const std::function<Status(size_t)>& task,
                  std::stop_token stop = {}) override;
};

// `width` - 1 worker threads (and the caller), started when there first is work for them. Joins
// them when destroyed; no for_each may be running then.
class ThreadPool final : public Executor {
 public:
  explicit ThreadPool(size_t width);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  size_t width() const override;
  Status for_each(size_t count, const std::function<Status(size_t)>& task,
                  std::stop_token stop = {}) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Hardware threads, at least 1.
size_t hardware_width();

}  // namespace weft::base
