#include "weft/exec/key_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/random.h"

namespace weft::exec {
namespace {

using testing::ElementsAre;

TEST(KeyTable, EqualKeysGetOneNumberInOrderOfAppearance) {
  base::MemoryBudget budget("memory", 1 << 20);
  KeyTable table(2, &budget);
  const Column a = {7, 7, 8, 7};
  const Column b = {1, 2, 1, 1};
  const Column* keys[] = {&a, &b};
  std::vector<uint32_t> numbers;
  ASSERT_TRUE(table.insert(keys, 4, numbers).ok());
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(table.column(0), ElementsAre(7, 7, 8));
  const Column c = {8, 9};
  const Column d = {1, 1};
  const Column* wanted[] = {&c, &d};
  table.find(wanted, 2, numbers);
  EXPECT_THAT(numbers, ElementsAre(2, KeyTable::kAbsent));
}

TEST(KeyTable, WithoutColumnsThereIsOneKey) {
  base::MemoryBudget budget("memory", 1 << 20);
  KeyTable table(0, &budget);
  std::vector<uint32_t> numbers;
  ASSERT_TRUE(table.insert({}, 3, numbers).ok());
  EXPECT_THAT(numbers, ElementsAre(0, 0, 0));
  EXPECT_EQ(table.size(), 1);
}

TEST(KeyTable, ManyKeysSurviveGrowth) {
  base::MemoryBudget budget("memory", 64 << 20);
  KeyTable table(1, &budget);
  Column keys(100'000);
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i] = i * 4096 + 1;  // equal low bits
  }
  const Column* columns[] = {&keys};
  std::vector<uint32_t> numbers;
  ASSERT_TRUE(table.insert(columns, keys.size(), numbers).ok());
  EXPECT_EQ(table.size(), keys.size());
  table.find(columns, keys.size(), numbers);
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(numbers[i], i);
  }
}

TEST(KeyTable, BeyondTheBudgetIsALimitThatNamesIt) {
  base::MemoryBudget budget("query memory", 100'000);
  {
    KeyTable table(1, &budget);
    Column keys(100'000);
    for (size_t i = 0; i < keys.size(); ++i) {
      keys[i] = i + 1;
    }
    const Column* columns[] = {&keys};
    std::vector<uint32_t> numbers;
    const Status status = table.insert(columns, keys.size(), numbers);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().kind(), ErrorKind::kLimit);
    EXPECT_EQ(status.error().fact("budget"), "query memory");
  }
  EXPECT_EQ(budget.used_bytes(), 0);
}

}  // namespace
}  // namespace weft::exec
