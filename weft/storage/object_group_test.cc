#include "weft/storage/object_group.h"

#include <string>

#include <gmock/gmock.h>

#include "weft/storage/counting_store.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/object_memory.h"

namespace weft::storage {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20U;

std::string pattern(size_t size, size_t seed) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>(i * 7 + i / 251 + seed);
  }
  return text;
}

class ObjectGroupTest : public testing::Test {
 protected:
  void put(const std::string& name, size_t size) {
    ASSERT_TRUE(inner_.put_if_absent(name, as_bytes(pattern(size, name.size()))).ok());
  }
  void remember(uint64_t bytes_max) {
    memory_ = std::make_unique<ObjectMemory>(bytes_max);
    remembering_ = remembering_store(*counted_, *memory_, [](std::string_view name, uint64_t) {
      return !name.starts_with("passed");
    });
  }
  // Bytes read by a group that reads `range` of an object, half of which is asked for often.
  uint64_t read_of(const std::string& name, size_t size, const Range& range) {
    counter_.reset();
    const auto group = open_group(*remembering_, {{name, size, {size / 2, size - size / 2}}});
    const auto read = group->read({{0, range}});
    EXPECT_TRUE(read.ok());
    if (read.ok()) {
      EXPECT_EQ(as_text(read->front().view()),
                pattern(size, name.size()).substr(range.offset, range.size));
    }
    return counter_.counts()[Operation::kRead].bytes;
  }

  MemoryDisk disk_;
  MemoryStore inner_{disk_};
  StoreCounter counter_;
  std::unique_ptr<ObjectStore> counted_ = counting_store(inner_, counter_);
  std::unique_ptr<ObjectMemory> memory_;
  std::unique_ptr<ObjectStore> remembering_;
};

TEST_F(ObjectGroupTest, PartsOfSeveralObjectsAreOneStep) {
  put("a", 10'000);
  put("bb", 20'000);
  put("passed", 9'000);
  remember(kMiB);
  for (ObjectStore* const store :
       {counted_.get(), remembering_.get(), remembering_.get(), remembering_.get()}) {
    counter_.reset();
    const auto group = open_group(*store, {{"a", 10'000}, {"bb", 20'000}, {"passed", 9'000}});
    const auto read =
        group->read({{1, {19'990, 10}}, {0, {4'090, 10}}, {2, {5, 5}}, {1, {0, 3}}, {0, {7, 0}}})
            .value();
    EXPECT_EQ(as_text(read[0].view()), pattern(20'000, 2).substr(19'990));
    EXPECT_EQ(as_text(read[1].view()), pattern(10'000, 1).substr(4'090, 10));
    EXPECT_EQ(as_text(read[2].view()), pattern(9'000, 6).substr(5, 5));
    EXPECT_EQ(as_text(read[3].view()), pattern(20'000, 2).substr(0, 3));
    EXPECT_EQ(read[4].size(), 0U);
    EXPECT_EQ(counter_.counts().rounds, 1U);
    EXPECT_EQ(counter_.counts()[Operation::kOpen].calls, 0U);
  }
  // The last time only what is not remembered.
  EXPECT_EQ(counter_.counts()[Operation::kRead].items, 1U);
}

TEST_F(ObjectGroupTest, WhatIsNotAsItShouldBeIsRefused) {
  put("a", 100);
  remember(kMiB);
  for (ObjectStore* const store : {counted_.get(), remembering_.get()}) {
    EXPECT_EQ(open_group(*store, {{"a", 100}})->read({{0, {90, 11}}}).error().kind(),
              ErrorKind::kInvalid);
    const auto other = open_group(*store, {{"a", 90}})->read({{0, {0, 9}}});
    EXPECT_EQ(other.error().kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(other.error().fact("object"), "a");
    const auto gone = open_group(*store, {{"a", 100}, {"b", 9}})->read({{0, {0, 9}}, {1, {0, 9}}});
    EXPECT_EQ(gone.error().kind(), ErrorKind::kNotFound);
    EXPECT_EQ(gone.error().fact("object"), "b");
  }
  // What is known is compared, too, and what was not found is not known.
  ASSERT_TRUE(open_group(*remembering_, {{"a", 100}})->read({{0, {0, 9}}}).ok());
  EXPECT_EQ(open_group(*remembering_, {{"a", 90}})->read({{0, {0, 9}}}).error().kind(),
            ErrorKind::kCorrupt);
  EXPECT_EQ(remembering_->open("b").error().kind(), ErrorKind::kNotFound);
}

TEST_F(ObjectGroupTest, WhatIsHeldIsFoundBeforeItIsPut) {
  remember(kMiB);
  memory_->hold("a", Buffer::from(std::string("abc")));
  EXPECT_EQ(as_text(open_group(*remembering_, {{"a", 3}})->read({{0, {1, 2}}})->front().view()),
            "bc");
  EXPECT_EQ(open_group(*remembering_, {{"a", 4}})->read({{0, {1, 2}}}).error().kind(),
            ErrorKind::kCorrupt);
}

TEST_F(ObjectGroupTest, APartIsReadAsAWholeOnceItWasMissedOftenEnough) {
  constexpr size_t kSize = 6 * kMiB;
  put("large", kSize);
  remember(16 * kMiB);
  // Three MiB are asked for often: the fourth group reads them.
  EXPECT_EQ(read_of("large", kSize, {kSize / 2, 9}), 9U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read_of("large", kSize, {kSize / 2 + i * 10'000, 9}), kRememberedBlockBytes);
    // What lies elsewhere does not count.
    EXPECT_EQ(read_of("large", kSize, {i * 10'000, 9}), kRememberedBlockBytes);
  }
  EXPECT_EQ(memory_->kept_bytes(), 0U);
  EXPECT_EQ(read_of("large", kSize, {kSize - 9, 9}), kSize / 2 - 2 * kRememberedBlockBytes);
  EXPECT_EQ(memory_->kept_bytes(), kSize / 2);
  for (size_t at = kSize / 2; at < kSize - 9; at += 50'000) {
    EXPECT_EQ(read_of("large", kSize, {at, 9}), 0U);
  }
  EXPECT_EQ(read_of("large", kSize, {1'000'000, 9}), kRememberedBlockBytes);
  memory_->forget("large");
  EXPECT_EQ(memory_->kept_bytes(), 0U);
  EXPECT_EQ(memory_->used_bytes(), 0U);
}

TEST_F(ObjectGroupTest, ASmallObjectIsReadAsAWholeWhenItIsAskedForAgain) {
  put("small", 100'000);
  remember(kMiB);
  EXPECT_EQ(read_of("small", 100'000, {60'000, 9}), 9U);
  EXPECT_EQ(read_of("small", 100'000, {70'000, 9}), 100'000U);
  EXPECT_EQ(read_of("small", 100'000, {5, 9}), 0U);
}

TEST_F(ObjectGroupTest, PartsThatAreKeptTakeHalfOfTheBudgetAndThoseInUseStay) {
  constexpr size_t kSize = 6 * kMiB;
  put("one", kSize);
  put("three", kSize);
  remember(10 * kMiB);  // of which one part can be kept
  const auto use = [&](const std::string& name, size_t i) {
    return read_of(name, kSize, {kSize / 2 + (i * 797'003) % (kSize / 2 - 9), 9});
  };
  for (size_t i = 0; i < 4; ++i) {
    use("one", i);
  }
  EXPECT_EQ(memory_->kept_bytes(), kSize / 2);
  // While both are in use, the other one is read a little at a time.
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_LE(use("three", i), 2 * kRememberedBlockBytes);
    EXPECT_EQ(use("one", i), 0U);
  }
  // Then the first one is not used any more.
  for (size_t i = 20; i < 40; ++i) {
    use("three", i);
  }
  EXPECT_EQ(memory_->kept_bytes(), kSize / 2);
  EXPECT_EQ(use("three", 99), 0U);
  EXPECT_LE(memory_->used_bytes(), 10 * kMiB);
}

TEST_F(ObjectGroupTest, ALargeReadIsNotRemembered) {
  constexpr size_t kSize = 3 * kMiB;
  put("large", kSize);
  remember(8 * kMiB);
  read_of("large", kSize, {0, 9});
  counter_.reset();
  const auto group = open_group(*remembering_, {{"large", kSize}});
  const auto read = group->read({{0, {0, kSize}}, {0, {5, 9}}}).value();
  EXPECT_EQ(as_text(read[0].view()), pattern(kSize, 5));
  EXPECT_EQ(as_text(read[1].view()), pattern(kSize, 5).substr(5, 9));
  EXPECT_EQ(memory_->used_bytes(), kRememberedBlockBytes);
  EXPECT_EQ(counter_.counts().rounds, 1U);
}

}  // namespace
}  // namespace weft::storage
