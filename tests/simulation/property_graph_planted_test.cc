// Mistakes that are planted into the write protocol (weft/base/planted.h): the simulation finds
// each of them. Only this program is built from files that have them.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/simulation/property_graph_runs.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/base/planted.h"

namespace weft::simulation {
namespace {

using base::Bug;

constexpr uint64_t kSeedsMax = 2'000;

class PlantedBugThreads : public testing::TestWithParam<size_t> {
 protected:
  ~PlantedBugThreads() override { base::planted_bug = Bug::kNone; }
};

// Over the seeds, until one finds it: the text to print. In a process of its own, as a check inside
// the protocol may be what finds it, and ends that process.
bool is_found(const char* name) {
  const pid_t child = fork();
  if (child == 0) {
    stay_on_this_processor();
    for (uint64_t seed = 1; seed <= kSeedsMax; ++seed) {
      const RunResult run = run_seed(seed);
      if (!run.violations.empty()) {
        std::printf("%s: found by seed %llu: %s\n", name, static_cast<unsigned long long>(seed),
                    run.violations.c_str());
        std::fflush(stdout);
        std::_Exit(EXIT_SUCCESS);
      }
    }
    std::_Exit(EXIT_FAILURE);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    ADD_FAILURE() << "no process for the runs";
    return false;
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) {
    std::printf("%s: found by a check inside the protocol\n", name);
    return true;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

// Of those that 2,000 seeds do not find: what it would take, and the test that finds it.
std::string_view why_not_found(Bug bug) {
  switch (bug) {
    case Bug::kNoGuard:
      return "another program would have to compact a table twice and clean it between a "
             "publication and its head";
    case Bug::kSeenIsDurable:
      return "a writer would have to end between the creation of a version and its sync, the next "
             "one to write other tables only, and the power to fail after that: "
             "UnsyncedTest.WhatIsBuiltUponIsDurableBeforeItHasASuccessor";
    case Bug::kEndOfUnsynced:
      return "the end of a branch would have to stay unsynced for twice a writer's lifetime, and "
             "the power to fail after a cleanup: CleanupTest.ABranchIsTakenOnceItsEndIsDurable";
    case Bug::kWriteOfUnsyncedRef:
      return "whoever made a branch would have to end before its sync, another to write it, and "
             "the "
             "power to fail then: UnsyncedTest.TheFirstWriteOfABranchMakesItsRefDurable";
    default:
      return "";
  }
}

TEST_P(PlantedBugThreads, IsFound) {
  base::planted_bug = static_cast<Bug>(GetParam());
  if (const std::string_view why = why_not_found(base::planted_bug); !why.empty()) {
    GTEST_SKIP() << why;
  }
  EXPECT_TRUE(is_found(base::kBugNames.at(GetParam()).data()))
      << base::kBugNames.at(GetParam()) << " survives " << kSeedsMax << " seeds";
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
