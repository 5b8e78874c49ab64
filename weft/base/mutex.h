// A mutex that clang's thread annotations know. Shared state says which mutex guards it:
//
//     base::Mutex mutex_;
//     Map entries_ WEFT_GUARDED_BY(mutex_);
//
// On a thread of a simulation (baton.h) nobody waits in the operating system: the baton decides who
// runs, and finds out when nobody can.
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
#define WEFT_NO_ANALYSIS WEFT_ANNOTATE(no_thread_safety_analysis)

namespace weft::base {

class Mutex;

// Who takes turns in place of waiting. Implemented by the baton.
class Turns {
 public:
  virtual ~Turns() = default;
  virtual void lock(std::mutex& mutex) = 0;
  virtual void unlock(std::mutex& mutex) = 0;
  virtual void wait(const void* condition, Mutex& mutex) = 0;
  virtual void notify(const void* condition, bool all) = 0;
};

// Of this thread; null on all threads but those of a simulation.
extern constinit thread_local Turns* current_turns;

class WEFT_ANNOTATE(capability("mutex")) Mutex {
 public:
  void lock() WEFT_ANNOTATE(acquire_capability()) {
    if (current_turns != nullptr) [[unlikely]] {
      current_turns->lock(mutex_);
    } else {
      mutex_.lock();
    }
  }
  void unlock() WEFT_ANNOTATE(release_capability()) {
    if (current_turns != nullptr) [[unlikely]] {
      current_turns->unlock(mutex_);
    } else {
      mutex_.unlock();
    }
  }
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
  void wait(Mutex& mutex) WEFT_REQUIRES(mutex) {
    if (current_turns != nullptr) [[unlikely]] {
      current_turns->wait(this, mutex);
    } else {
      condition_.wait(mutex);
    }
  }
  void notify_one() {
    if (current_turns != nullptr) [[unlikely]] {
      current_turns->notify(this, false);
    } else {
      condition_.notify_one();
    }
  }
  void notify_all() {
    if (current_turns != nullptr) [[unlikely]] {
      current_turns->notify(this, true);
    } else {
      condition_.notify_all();
    }
  }

 private:
  std::condition_variable_any condition_;
};

}  // namespace weft::base
