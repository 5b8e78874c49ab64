// A mutex that clang's thread annotations know. Shared state says which mutex guards it:
//
//     base::Mutex mutex_;
//     Map entries_ WEFT_GUARDED_BY(mutex_);
#pragma once

#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define WEFT_ANNOTATE(x) __attribute__((x))
#else
#define WEFT_ANNOTATE(x)
#endif
#define WEFT_GUARDED_BY(x) WEFT_ANNOTATE(guarded_by(x))
#define WEFT_REQUIRES(x) WEFT_ANNOTATE(requires_capability(x))
#define WEFT_EXCLUDES(x) WEFT_ANNOTATE(locks_excluded(x))

namespace weft::base {

class WEFT_ANNOTATE(capability("mutex")) Mutex {
 public:
  void lock() WEFT_ANNOTATE(acquire_capability()) { mutex_.lock(); }
  void unlock() WEFT_ANNOTATE(release_capability()) { mutex_.unlock(); }
  bool try_lock() WEFT_ANNOTATE(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  std::mutex mutex_;
};

class WEFT_ANNOTATE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) WEFT_ANNOTATE(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() WEFT_ANNOTATE(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits with a Mutex held. Spurious wake-ups happen: always wait in a loop over the condition.
class Condition {
 public:
  void wait(Mutex& mutex) WEFT_REQUIRES(mutex) { condition_.wait(mutex); }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable_any condition_;
};

}  // namespace weft::base
