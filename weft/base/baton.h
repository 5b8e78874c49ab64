// Simulation of several actors that interleave, each time the same way for the same seed. Actors
// run on threads, but only the one with the baton runs; it is handed on at storage operations
// (storage/baton_store.h), locks, sleeps, executor tasks and wherever yield() is called, to the
// actor that a seeded Random picks. Time is virtual.
//
// B1  One actor runs at a time, so an actor's steps between two points are atomic.
// B2  The same seed and the same actors give the same trace, on every machine.
// B3  If no actor can go on, run() says so and names what each waits for; it never hangs. (An actor
//     that loops without reaching a point is not found out.)
//
// What an actor blocks on must be base::Mutex, base::Condition, the baton's clock or executor.
//
//     Baton baton(seed);
//     baton.add("writer", [&] { … });
//     baton.add("cleaner", [&] { … });
//     ASSERT_TRUE(baton.run().ok());
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/result.h"

namespace weft::base {

struct BatonOptions {
  // More steps in one run are kLimit: somebody goes round in circles.
  uint64_t steps_max = 1'000'000;
  // Tasks of one for_each that run side by side.
  size_t executor_width = 3;
  // Whether the baton is handed on before each lock. Without it a run is several times faster, and
  // finds only what happens between storage operations.
  bool yields_at_locks = true;
  // The trace keeps so many of the newest entries (the hash covers all).
  size_t trace_entries_max = 20'000;
  WallTime start{1'767'225'600'000'000};  // 2026-01-01
};

// add and run are for one thread outside; the rest is for actors. After a failed run the stuck
// actors' threads stay behind for ever, so end the process soon.
class Baton {
 public:
  explicit Baton(uint64_t seed, BatonOptions options = {});
  ~Baton();
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;

  // Before run. The body runs once, on a thread of its own.
  void add(std::string name, std::function<void()> body);

  // Runs all actors to their ends; once. Errors: kInternal ("deadlock") with a fact per actor that
  // waits; kLimit (steps_max).
  Status run();

  // A point where another may go on. `point` appears in the trace. On other threads than actors: no
  // effect.
  void yield(std::string_view point);
  // The name of the actor that runs, tasks of its executor as "name/1"; empty outside.
  std::string actor() const;

  // Virtual time: it goes on by a microsecond a step, and jumps when all sleep, or when the baton
  // likes to see a sleeper early.
  Clock& clock();
  // Tasks run as actors of their own.
  Executor& executor();

  uint64_t step_count() const;
  // Of all (actor, point) so far.
  uint64_t trace_hash() const;
  // "actor: point", oldest first.
  std::vector<std::string> trace() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace weft::base
