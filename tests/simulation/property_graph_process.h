// The processes of the simulation of property graphs: each has its own faults, clock, random
// numbers and memory, and ends when its plan says so. A program runs in one of them at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tests/simulation/late_store.h"

#include "weft/base/baton.h"
#include "weft/graph/authority.h"
#include "weft/graph/open_graph.h"
#include "weft/storage/baton_store.h"
#include "weft/storage/fault_store.h"
#include "weft/storage/memory_store.h"

namespace weft::simulation {

class World;

// A clock of one machine beside the others'. `time` is of the run that goes on.
class MachineClock final : public base::Clock {
 public:
  explicit MachineClock(int64_t skew = 0) : skew_(skew) {}
  void follow(base::Clock* time) { time_ = time; }
  void go_on(int64_t duration) { skew_ += duration; }
  base::WallTime now() const override { return {time_->now().microseconds + skew_}; }
  int64_t monotonic_microseconds() const override { return time_->monotonic_microseconds(); }
  void sleep_microseconds(int64_t duration) const override { time_->sleep_microseconds(duration); }

 private:
  base::Clock* time_ = nullptr;
  int64_t skew_;
};

// What a process keeps of the graph between its operations.
enum class Memory : uint8_t {
  kNone,  // it opens the graph anew each time
  kOpen,  // it holds the graph open; its threads share publications
};

// One process. For actors of one baton, which are its threads.
class Process {
 public:
  Process(World& world, base::Baton& baton, uint64_t seed, const storage::FaultRates& rates,
          Memory memory);

  // `random` is of the thread that asks.
  catalog::CatalogPlace place(base::Random& random) {
    return graph_ ? graph_->place(random)
                  : catalog::CatalogPlace{.store = *store_,
                                          .clock = clock_,
                                          .random = random,
                                          .executor = executor_,
                                          .life = {}};
  }
  graph::Authority ana() { return {"ana", policy_}; }
  bool is_stopped() const { return plan_.is_stopped(); }
  void stop() { plan_.at(plan_.point_count(), storage::Fault::kStop); }

 private:
  // Announces each step to the world before the plan decides about it.
  class Steps final : public storage::StepListener {
   public:
    Steps(World& world, storage::FaultPlan& plan, bool is_mortal, uint64_t number)
        : world_(world), plan_(plan), is_mortal_(is_mortal), number_(number) {}
    Status before(const storage::Step& step) override;

   private:
    World& world_;
    storage::FaultPlan& plan_;
    bool is_mortal_;
    uint64_t number_;
  };

  base::Random random_;
  MachineClock clock_;
  storage::FaultPlan plan_;
  Steps steps_;
  storage::BatonSteps turns_;
  storage::MemoryStore memory_;
  std::unique_ptr<storage::ObjectStore> faults_;
  std::unique_ptr<storage::ObjectStore> store_;
  base::InlineExecutor executor_;
  graph::AllowEverything policy_;
  std::optional<graph::OpenGraph> graph_;
};

// A program of one thread or several, which is started again after its process has ended.
class Program {
 public:
  Program(World& world, base::Baton& baton, const storage::FaultRates& rates, Memory memory);

  // The process that runs, or the last one. One thread does not notice that another has started it
  // anew, so that what needs one process should ask once.
  Process& process() { return *process_; }
  void start_again_if_stopped();

 private:
  World& world_;
  base::Baton& baton_;
  storage::FaultRates rates_;
  Memory memory_;
  Process* process_;
};

}  // namespace weft::simulation
