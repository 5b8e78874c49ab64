// Mistakes that are planted into the write protocol (weft/base/planted.h): the simulation finds
// each of them. Only this program is built from files that have them.
#include "tests/simulation/property_graph_runs.h"
#include <gtest/gtest.h>

#include "weft/base/planted.h"

namespace weft::simulation {
namespace {

using base::Bug;

constexpr uint64_t kSeedsMax = 2'000;

class PlantedBugThreads : public testing::TestWithParam<size_t> {
 protected:
  ~PlantedBugThreads() override { base::planted_bug = Bug::kNone; }
};

TEST_P(PlantedBugThreads, IsFound) {
  base::planted_bug = static_cast<Bug>(GetParam());
  if (base::planted_bug == Bug::kNoGuard) {
    GTEST_SKIP() << "not found in 2,000 seeds: another program would have to compact a table twice "
                    "and clean it between a publication and its head";
  }
  for (uint64_t seed = 1; seed <= kSeedsMax; ++seed) {
    const RunResult run = run_seed(seed);
    if (!run.violations.empty()) {
      std::printf("%s: found by seed %llu: %s\n", base::kBugNames.at(GetParam()).data(),
                  static_cast<unsigned long long>(seed), run.violations.c_str());
      return;
    }
  }
  FAIL() << base::kBugNames.at(GetParam()) << " survives " << kSeedsMax << " seeds";
}
INSTANTIATE_TEST_SUITE_P(Bugs, PlantedBugThreads, testing::Range<size_t>(1, base::kBugNames.size()),
                         [](const testing::TestParamInfo<size_t>& bug) {
                           std::string name(base::kBugNames.at(bug.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST(PlantedBugThreads, WithoutOneNothingIsFound) {
  base::planted_bug = Bug::kNone;
  EXPECT_EQ(run_seed(1).violations, "");
  EXPECT_GE(base::kBugNames.size(), 31U);
}

}  // namespace
}  // namespace weft::simulation
