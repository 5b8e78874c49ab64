#include "weft/base/baton.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "weft/base/mutex.h"
#include "weft/base/random.h"

namespace weft::base {

constinit thread_local Turns* current_turns = nullptr;

namespace {

enum class Wait : uint8_t { kNothing, kLock, kCondition, kSleep, kTasks, kEnded };

const char* wait_name(Wait wait) {
  switch (wait) {
    case Wait::kNothing:
      return "its turn";
    case Wait::kLock:
      return "a lock";
    case Wait::kCondition:
      return "a condition";
    case Wait::kSleep:
      return "a moment";
    case Wait::kTasks:
      return "its tasks";
    case Wait::kEnded:
      return "nothing";
  }
  return "";
}

struct Actor {
  std::string name;
  std::function<void()> body;
  Wait wait = Wait::kNothing;
  const void* object = nullptr;  // what it waits for
  int64_t wake_microseconds = 0;
  size_t tasks_started = 0;
  std::condition_variable turn;
  std::thread thread;
};

}  // namespace

// Shared with the actors' threads, because stuck ones outlive the Baton.
struct Baton::State : Turns, Clock, Executor, std::enable_shared_from_this<Baton::State> {
  State(uint64_t seed, const BatonOptions& chosen) : options(chosen), random(seed) {}

  const BatonOptions options;
  mutable std::mutex gate;
  Random random;
  std::deque<Actor> actors;  // addresses stay
  Actor* running = nullptr;
  size_t live = 0;
  int64_t elapsed_microseconds = 0;
  uint64_t steps = 0;
  uint64_t hash = 0xCBF29CE484222325U;
  std::deque<std::string> entries;
  std::condition_variable over;
  bool is_over = false;
  std::optional<Error> failure;

  using Gate = std::unique_lock<std::mutex>;

  // Of this thread; null if it is no actor of this baton.
  Actor* self() const { return current_turns == this ? current_actor : nullptr; }
  static constinit thread_local Actor* current_actor;

  void note(std::string_view actor, std::string_view point) {
    std::string entry(actor);
    entry += ": ";
    entry += point;
    for (const char letter : entry) {  // FNV-1a
      hash = (hash ^ static_cast<uint8_t>(letter)) * 0x100000001B3U;
    }
    hash = (hash ^ 0xFFU) * 0x100000001B3U;
    entries.push_back(std::move(entry));
    if (entries.size() > options.trace_entries_max) {
      entries.pop_front();
    }
  }

  Actor& add(std::string name, std::function<void()> body) {
    Actor& actor = actors.emplace_back();
    actor.name = std::move(name);
    actor.body = std::move(body);
    ++live;
    actor.thread = std::thread([state = shared_from_this(), &actor] { state->live_as(actor); });
    return actor;
  }

  void live_as(Actor& actor) {
    {
      Gate lock(gate);
      actor.turn.wait(lock, [&] { return running == &actor; });
    }
    current_turns = this;
    current_actor = &actor;
    actor.body();
    current_actor = nullptr;
    current_turns = nullptr;
    const Gate lock(gate);
    note(actor.name, "ends");
    actor.wait = Wait::kEnded;
    if (--live == 0) {
      finish();
    } else {
      hand_on();
    }
  }

  void finish() {
    running = nullptr;
    is_over = true;
    over.notify_all();
  }

  std::vector<Actor*> ready() {
    std::vector<Actor*> able;
    std::vector<Actor*> sleepers;
    for (Actor& actor : actors) {
      if (actor.wait == Wait::kSleep) {
        sleepers.push_back(&actor);
      } else if (actor.wait == Wait::kNothing) {
        able.push_back(&actor);
      }
    }
    constexpr uint64_t kEarlySleeperOneIn = 8;
    if (!sleepers.empty() && (able.empty() || random.chance(1, kEarlySleeperOneIn))) {
      const int64_t next =
          (*std::ranges::min_element(sleepers, {}, &Actor::wake_microseconds))->wake_microseconds;
      elapsed_microseconds = std::max(elapsed_microseconds, next);
    }
    for (Actor* actor : sleepers) {
      if (actor->wake_microseconds <= elapsed_microseconds) {
        actor->wait = Wait::kNothing;
        able.push_back(actor);
      }
    }
    return able;
  }

  // Gives the baton to somebody who can go on.
  void hand_on() {
    ++elapsed_microseconds;
    if (++steps > options.steps_max) {
      failure = Error(ErrorKind::kLimit, "a simulation takes too many steps")
                    .with("steps_max", options.steps_max);
      finish();
      return;
    }
    const std::vector<Actor*> able = ready();
    if (able.empty()) {
      failure = Error(ErrorKind::kInternal, "deadlock");
      for (const Actor& actor : actors) {
        if (actor.wait != Wait::kEnded) {
          failure->add(actor.name, std::string("waits for ") + wait_name(actor.wait));
        }
      }
      finish();
      return;
    }
    running = able[random.below(able.size())];
    running->turn.notify_one();
  }

  // Hands the baton on and returns when this actor has it again.
  void pass(Gate& lock, Actor& actor, std::string_view point) {
    note(actor.name, point);
    hand_on();
    actor.turn.wait(lock, [&] { return running == &actor; });
  }

  void block(Gate& lock, Actor& actor, Wait wait, const void* object, std::string_view point) {
    actor.wait = wait;
    actor.object = object;
    pass(lock, actor, point);
  }

  void wake(Wait wait, const void* object) {
    for (Actor& actor : actors) {
      if (actor.wait == wait && actor.object == object) {
        actor.wait = Wait::kNothing;
      }
    }
  }

  // Turns.
  void lock(std::mutex& mutex) override {
    Actor& actor = *self();
    Gate lock(gate);
    if (options.yields_at_locks) {
      pass(lock, actor, "lock");
    }
    while (!mutex.try_lock()) {
      block(lock, actor, Wait::kLock, &mutex, "wait for lock");
    }
  }
  void unlock(std::mutex& mutex) override {
    mutex.unlock();
    const Gate lock(gate);
    wake(Wait::kLock, &mutex);
  }
  void wait(const void* condition, Mutex& mutex) override WEFT_NO_ANALYSIS {
    Actor& actor = *self();
    mutex.unlock();  // no other actor runs before the next line
    {
      Gate lock(gate);
      block(lock, actor, Wait::kCondition, condition, "wait for condition");
    }
    mutex.lock();
  }
  void notify(const void* condition, bool all) override {
    const Gate lock(gate);
    std::vector<Actor*> waiting;
    for (Actor& actor : actors) {
      if (actor.wait == Wait::kCondition && actor.object == condition) {
        waiting.push_back(&actor);
      }
    }
    if (!all && !waiting.empty()) {
      waiting = {waiting[random.below(waiting.size())]};
    }
    for (Actor* actor : waiting) {
      actor->wait = Wait::kNothing;
    }
  }

  // Clock.
  WallTime now() const override {
    const Gate lock(gate);
    return WallTime{options.start.microseconds + elapsed_microseconds};
  }
  int64_t monotonic_microseconds() const override {
    const Gate lock(gate);
    return elapsed_microseconds;
  }
  void sleep_microseconds(int64_t duration) const override {
    if (Actor* actor = self()) {
      auto& state = const_cast<State&>(*this);  // a Clock is const to its users
      Gate lock(gate);
      actor->wake_microseconds = elapsed_microseconds + std::max<int64_t>(duration, 0);
      state.block(lock, *actor, Wait::kSleep, nullptr, "sleep");
    }
  }

  // Executor.
  size_t width() const override { return options.executor_width; }
  Status for_each(size_t count, const std::function<Status(size_t)>& task,
                  std::stop_token stop) override;
};

constinit thread_local Actor* Baton::State::current_actor = nullptr;

namespace {

// One for_each. Only actors touch it, one at a time.
struct Tasks {
  size_t next = 0;
  size_t open = 0;  // actors that still work
  std::optional<std::pair<size_t, Error>> error;
  bool stopped = false;

  void work(size_t count, const std::function<Status(size_t)>& task, const std::stop_token& stop,
            const std::function<void()>& yield) {
    while (next < count && !error && !stopped) {
      if (stop.stop_requested()) {
        stopped = true;
        break;
      }
      const size_t index = next++;
      yield();
      Status status = task(index);
      if (!status.ok() && (!error || index < error->first)) {
        error.emplace(index, std::move(status).error());
      }
    }
    --open;
  }
};

}  // namespace

Status Baton::State::for_each(size_t count, const std::function<Status(size_t)>& task,
                              std::stop_token stop) {
  Actor* caller = self();
  if (caller == nullptr) {
    return InlineExecutor().for_each(count, task, std::move(stop));
  }
  const size_t workers = std::min(std::max<size_t>(options.executor_width, 1), count);
  Tasks tasks;
  tasks.open = std::max<size_t>(workers, 1);
  const auto yield = [this] {
    Gate lock(gate);
    pass(lock, *self(), "task");
  };
  const auto work = [&] {
    tasks.work(count, task, stop, yield);
    if (tasks.open == 0) {
      const Gate lock(gate);
      wake(Wait::kTasks, &tasks);
    }
  };
  {
    const Gate lock(gate);
    for (size_t i = 1; i < workers; ++i) {
      add(caller->name + "/" + std::to_string(++caller->tasks_started), work);
    }
  }
  work();
  {
    Gate lock(gate);
    while (tasks.open > 0) {
      block(lock, *caller, Wait::kTasks, &tasks, "wait for tasks");
    }
  }
  if (tasks.error) {
    return std::move(tasks.error->second);
  }
  if (tasks.stopped && tasks.next < count) {
    return Error(ErrorKind::kCancelled, "stopped on request");
  }
  return ok_status();
}

Baton::Baton(uint64_t seed, BatonOptions options)
    : state_(std::make_shared<State>(seed, options)) {}

Baton::~Baton() {
  for (Actor& actor : state_->actors) {
    if (actor.thread.joinable()) {
      actor.thread.detach();  // stuck, or never run
    }
  }
}

void Baton::add(std::string name, std::function<void()> body) {
  const State::Gate lock(state_->gate);
  state_->add(std::move(name), std::move(body));
}

Status Baton::run() {
  State::Gate lock(state_->gate);
  WEFT_CHECK(!state_->is_over && state_->running == nullptr);
  if (state_->live > 0) {
    state_->hand_on();
    state_->over.wait(lock, [&] { return state_->is_over; });
  }
  if (const std::optional<Error> failure = state_->failure) {
    return *failure;
  }
  lock.unlock();
  for (Actor& actor : state_->actors) {
    actor.thread.join();
  }
  return ok_status();
}

void Baton::yield(std::string_view point) {
  if (Actor* actor = state_->self()) {
    State::Gate lock(state_->gate);
    state_->pass(lock, *actor, point);
  }
}

std::string Baton::actor() const {
  const Actor* actor = state_->self();
  return actor == nullptr ? std::string() : actor->name;
}

Clock& Baton::clock() {
  return *state_;
}

Executor& Baton::executor() {
  return *state_;
}

uint64_t Baton::step_count() const {
  const State::Gate lock(state_->gate);
  return state_->steps;
}

uint64_t Baton::trace_hash() const {
  const State::Gate lock(state_->gate);
  return state_->hash;
}

std::vector<std::string> Baton::trace() const {
  const State::Gate lock(state_->gate);
  return {state_->entries.begin(), state_->entries.end()};
}

}  // namespace weft::base
