#include <gmock/gmock.h>

#include "weft/base/budget.h"
#include "weft/base/random.h"
#include "weft/base/result.h"

namespace weft {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) {
    return Error(ErrorKind::kInvalid, "cannot halve an odd number")
        .with("value", std::to_string(value));
  }
  return value / 2;
}

Result<int> quarter(int value) {
  WEFT_TRY(const int first, half(value));
  WEFT_TRY(const int second, half(first));
  return second;
}

TEST(Result, TryHandsValuesOnAndErrorsUp) {
  EXPECT_EQ(quarter(12).value(), 3);
  const Result<int> failed = quarter(6);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().to_string(), "cannot halve an odd number: value=3");
}

TEST(Error, EveryKindHasAnExitCodeAboveOne) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::kInternal); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    EXPECT_GE(exit_code(kind), 2);
    EXPECT_FALSE(error_kind_name(kind).empty());
  }
}

TEST(MemoryBudget, TakesExactlyTheLimitAndRefusesOneMore) {
  base::MemoryBudget budget("--memory", 100);
  {
    Result<base::Reservation> all = budget.reserve(100);
    ASSERT_TRUE(all.ok());
    const Result<base::Reservation> more = budget.reserve(1);
    ASSERT_FALSE(more.ok());
    EXPECT_EQ(more.error().kind(), ErrorKind::kLimit);
    EXPECT_EQ(more.error().fact("budget"), "--memory");
  }
  EXPECT_EQ(budget.used_bytes(), 0U);
  EXPECT_EQ(budget.peak_bytes(), 100U);
}

TEST(Random, SameSeedSameSequence) {
  base::Random first(7);
  base::Random second(7);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(first.next(), second.next());
    EXPECT_LT(first.below(3), 3U);
    EXPECT_LT(second.below(3), 3U);
  }
}

}  // namespace
}  // namespace weft
