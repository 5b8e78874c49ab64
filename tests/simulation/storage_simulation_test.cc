// Actors that read, change and write one object, under a baton: with put_if_match no increment is
// lost, whatever the interleaving, the faults and the crashes; without it the simulation finds the
// loss.
#include <set>

#include "tests/simulation/seeds.h"
#include <gmock/gmock.h>

#include "weft/base/baton.h"
#include "weft/storage/baton_store.h"
#include "weft/storage/fault_store.h"
#include "weft/storage/memory_store.h"

namespace weft::simulation {
namespace {

using base::Baton;
using storage::FaultPlan;
using storage::FaultRates;
using storage::MemoryDisk;
using storage::MemoryStore;
using storage::ObjectStore;
using storage::PutOutcome;
using storage::VersionedObject;

constexpr int kActors = 3;
constexpr int kIncrements = 4;

struct Outcome {
  uint64_t trace_hash = 0;
  int acknowledged = 0;
  int unknown = 0;  // increments without an answer
  int final_value = 0;
  std::vector<std::string> trace;
};

enum class Change : uint8_t { kIfMatch, kBlindly };

int value_of(const VersionedObject& object) {
  return std::stoi(to_text(object.bytes.view()));
}

// The object is replaced without asking whether it is still the one that was read: the planted bug.
Result<PutOutcome> overwrite_blindly(ObjectStore& store, ByteView bytes) {
  while (true) {
    WEFT_TRY(const VersionedObject current, store.get("counter", 100));
    WEFT_TRY(const PutOutcome outcome, store.put_if_match("counter", bytes, current.etag));
    if (outcome == PutOutcome::kDone) {
      return outcome;
    }
  }
}

void increment(ObjectStore& store, Change change, Outcome& run) {
  for (int done = 0; done < kIncrements;) {
    const Result<VersionedObject> current = store.get("counter", 100);
    if (!current.ok()) {
      if (current.error().fact("reason") == "stopped") {
        return;
      }
      continue;
    }
    const std::string next = std::to_string(value_of(*current) + 1);
    const Result<PutOutcome> put =
        change == Change::kIfMatch ? store.put_if_match("counter", as_bytes(next), current->etag)
                                   : overwrite_blindly(store, as_bytes(next));
    if (put.ok() && *put == PutOutcome::kDone) {
      ++run.acknowledged;
      ++done;
    } else if (!put.ok() && put.error().fact("reason") == "stopped") {
      return;
    } else if (!put.ok() && put.error().kind() == ErrorKind::kRecoveryRequired) {
      ++run.unknown;
      ++done;
    }
  }
}

Outcome simulate(uint64_t seed, Change change, FaultRates rates, bool crash_afterwards = false) {
  Baton baton(seed);
  MemoryDisk disk(&baton.clock());
  MemoryStore plain(disk);
  EXPECT_TRUE(plain.put_if_absent("counter", as_bytes("0")).ok());
  Outcome run;
  // Each actor is a process of its own, with its own faults.
  struct Process {
    Process(MemoryDisk& disk, Baton& baton, uint64_t seed, FaultRates rates)
        : plan(seed, rates),
          steps(baton, &plan),
          memory(disk, &steps),
          turns(storage::baton_store(memory, baton)),
          store(storage::fault_store(*turns, plan, baton.clock())) {}
    FaultPlan plan;
    storage::BatonSteps steps;
    MemoryStore memory;
    std::unique_ptr<ObjectStore> turns;
    std::unique_ptr<ObjectStore> store;
  };
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < kActors; ++i) {
    processes.push_back(
        std::make_unique<Process>(disk, baton, seed * kActors + static_cast<uint64_t>(i), rates));
    baton.add("process" + std::to_string(i), [&run, change, store = processes.back()->store.get()] {
      increment(*store, change, run);
    });
  }
  const Status status = baton.run();
  EXPECT_TRUE(status.ok()) << "seed " << seed << ": " << status.error().to_string();
  if (crash_afterwards) {
    disk.lose_unsynced();
  }
  run.trace_hash = baton.trace_hash();
  run.trace = baton.trace();
  run.final_value = value_of(plain.get("counter", 100).value());
  return run;
}

TEST(StorageSimulationThreads, NoIncrementIsLostWithPutIfMatch) {
  const Seeds range = seeds(300);
  std::set<uint64_t> traces;
  for (uint64_t seed = range.first; seed < range.first + range.count; ++seed) {
    const Outcome run = simulate(seed, Change::kIfMatch, {});
    ASSERT_EQ(run.final_value, kActors * kIncrements) << "seed " << seed;
    ASSERT_EQ(run.acknowledged, kActors * kIncrements) << "seed " << seed;
    traces.insert(run.trace_hash);
  }
  EXPECT_EQ(traces.size(), range.count);
}

TEST(StorageSimulationThreads, NoAcknowledgedIncrementIsLostWithFaultsAndCrashes) {
  const Seeds range = seeds(300);
  const FaultRates rates = {.fail = 40,
                            .done_unanswered = 40,
                            .undone_unanswered = 40,
                            .answer_late = 40,
                            .act_late = 40,
                            .stop = 15};
  int unknown = 0;
  int stopped = 0;
  for (uint64_t seed = range.first; seed < range.first + range.count; ++seed) {
    const Outcome run = simulate(seed, Change::kIfMatch, rates, true);
    ASSERT_GE(run.final_value, run.acknowledged) << "seed " << seed;
    // A stop may leave one more behind in each process.
    ASSERT_LE(run.final_value, run.acknowledged + run.unknown + kActors) << "seed " << seed;
    unknown += run.unknown;
    stopped += run.acknowledged + run.unknown < kActors * kIncrements ? 1 : 0;
  }
  EXPECT_GT(unknown, 0);
  EXPECT_GT(stopped, 0);
}

TEST(StorageSimulationThreads, TheSimulationFindsABlindOverwrite) {
  int found = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    found += simulate(seed, Change::kBlindly, {}).final_value < kActors * kIncrements ? 1 : 0;
  }
  EXPECT_GE(found, 40);
}

TEST(StorageSimulationThreads, ARunReplaysFromItsSeed) {
  const FaultRates rates = {.fail = 50, .done_unanswered = 50, .act_late = 50, .stop = 10};
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Outcome first = simulate(seed, Change::kIfMatch, rates);
    const Outcome second = simulate(seed, Change::kIfMatch, rates);
    ASSERT_EQ(first.trace_hash, second.trace_hash);
    ASSERT_EQ(first.trace, second.trace);
    ASSERT_EQ(first.final_value, second.final_value);
  }
}

}  // namespace
}  // namespace weft::simulation
