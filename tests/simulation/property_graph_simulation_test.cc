// The write protocol of property graphs under simulation: many writers, readers, a foreigner,
// faults, crashes, power cuts (property_graph_world.h), over seeds; and runs that replay.
#include <chrono>

#include "tests/simulation/property_graph_runs.h"
#include "tests/simulation/seeds.h"
#include <gmock/gmock.h>

namespace weft::simulation {
namespace {

// All seeds of this test, in parts that may run side by side.
constexpr uint64_t kSeeds = 2'000;
constexpr uint64_t kParts = 8;

class PropertyGraphSimulationThreads : public testing::TestWithParam<uint64_t> {};

TEST_P(PropertyGraphSimulationThreads, WhatThePromisesSayHolds) {
  const Seeds all = seeds(kSeeds);
  const uint64_t first = all.first + all.count * GetParam() / kParts;
  const uint64_t end = all.first + all.count * (GetParam() + 1) / kParts;
  World::Counts sum;
  stay_on_this_processor();
  const auto begun = std::chrono::steady_clock::now();
  for (uint64_t seed = first; seed < end; ++seed) {
    const RunResult run = run_seed(seed);
    ASSERT_EQ(run.violations, "")
        << "seed " << seed << "; to replay it:\n  WEFT_SEED=" << seed
        << " WEFT_SEEDS=1 simulation_property_graph_tests --gtest_filter='Seeds/*/7'";
    sum.acknowledged += run.counts.acknowledged;
    sum.unknown += run.counts.unknown;
    sum.readings += run.counts.readings;
    sum.versions += run.counts.versions;
    sum.rebases += run.counts.rebases;
    sum.shared += run.counts.shared;
    sum.foreign_versions += run.counts.foreign_versions;
    sum.late_requests += run.counts.late_requests;
    sum.branches += run.counts.branches;
    sum.adopted += run.counts.adopted;
    sum.discarded += run.counts.discarded;
    sum.removed += run.counts.removed;
    sum.struck += run.counts.struck;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
  std::printf(
      "%llu seeds in %.1f s: %llu versions, %llu operations acknowledged, %llu without an answer, "
      "%llu readings, %llu branches, %llu rebases, %llu commits that share a version, %llu foreign "
      "versions, %llu late requests, %llu adoptions, %llu discards, %llu objects and %llu ended "
      "branches cleaned away\n",
      static_cast<unsigned long long>(end - first), seconds.count(),
      static_cast<unsigned long long>(sum.versions),
      static_cast<unsigned long long>(sum.acknowledged),
      static_cast<unsigned long long>(sum.unknown), static_cast<unsigned long long>(sum.readings),
      static_cast<unsigned long long>(sum.branches), static_cast<unsigned long long>(sum.rebases),
      static_cast<unsigned long long>(sum.shared),
      static_cast<unsigned long long>(sum.foreign_versions),
      static_cast<unsigned long long>(sum.late_requests),
      static_cast<unsigned long long>(sum.adopted), static_cast<unsigned long long>(sum.discarded),
      static_cast<unsigned long long>(sum.removed), static_cast<unsigned long long>(sum.struck));
  if (end - first >= kSeeds / kParts) {
    // Else the simulation has become too tame to say anything.
    EXPECT_GT(sum.acknowledged, 4 * (end - first));
    EXPECT_GT(sum.unknown, 0U);
    EXPECT_GT(sum.readings, 2 * (end - first));
    EXPECT_GT(sum.branches, 0U);
    EXPECT_GT(sum.rebases, 0U);
    EXPECT_GT(sum.shared, 0U);
    EXPECT_GT(sum.foreign_versions, 0U);
    EXPECT_GT(sum.late_requests, 0U);
    EXPECT_GT(sum.adopted, 0U);
    EXPECT_GT(sum.discarded, 0U);
    EXPECT_GT(sum.removed, end - first);
    EXPECT_GT(sum.struck, 0U);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, PropertyGraphSimulationThreads,
                         testing::Range<uint64_t>(0, kParts));

TEST(PropertyGraphReplayThreads, ARunReplaysFromItsSeed) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const RunResult first = run_seed(seed);
    const RunResult second = run_seed(seed);
    EXPECT_EQ(first.counts.trace_hash, second.counts.trace_hash) << seed;
    EXPECT_EQ(first.counts.versions, second.counts.versions) << seed;
  }
}

}  // namespace
}  // namespace weft::simulation
