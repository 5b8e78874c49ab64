#include "weft/storage/object_memory.h"

#include <string>

#include <gmock/gmock.h>

#include "weft/storage/counting_store.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/which_exist.h"

namespace weft::storage {
namespace {

using testing::ElementsAre;

std::string pattern(size_t size) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>(i * 7 + i / 251);
  }
  return text;
}

class ObjectMemoryTest : public testing::Test {
 protected:
  // Objects below "fixed/" never change.
  void open(uint64_t bytes_max) {
    memory_ = std::make_unique<ObjectMemory>(bytes_max);
    store_ = remembering_store(*counted_, *memory_, [](std::string_view name, uint64_t) {
      return name.starts_with("fixed/");
    });
  }
  void SetUp() override { open(1U << 20U); }
  uint64_t calls() {
    const uint64_t calls = counter_.counts().calls();
    counter_.reset();
    return calls;
  }

  MemoryDisk disk_;
  MemoryStore inner_{disk_};
  StoreCounter counter_;
  std::unique_ptr<ObjectStore> counted_ = counting_store(inner_, counter_);
  std::unique_ptr<ObjectMemory> memory_;
  std::unique_ptr<ObjectStore> store_;
};

TEST_F(ObjectMemoryTest, WhatIsForgottenTakesNoMemory) {
  const std::string text = pattern(20'000);
  ASSERT_TRUE(store_->put_if_absent("fixed/a", as_bytes(text)).ok());
  EXPECT_EQ(memory_->used_bytes(), text.size());
  memory_->forget("fixed/a");
  memory_->forget("fixed/b");
  EXPECT_EQ(memory_->used_bytes(), 0U);
  calls();
  EXPECT_EQ(as_text(store_->get("fixed/a", text.size())->bytes.view()), text);
  EXPECT_EQ(calls(), 1U);
}

TEST_F(ObjectMemoryTest, WhatWasPutIsNotReadAgain) {
  const std::string text = pattern(20'000);
  ASSERT_TRUE(
      store_->put_many_if_absent({{"fixed/a", as_bytes(text)}, {"b", as_bytes(text)}}).ok());
  calls();
  EXPECT_EQ(as_text(store_->get("fixed/a", text.size())->bytes.view()), text);
  const auto reader = store_->open("fixed/a").value();
  EXPECT_EQ(reader->size(), text.size());
  const auto parts = reader->read_many({{0, 0}, {8'190, 5}, {19'999, 1}, {1, 19'000}}).value();
  EXPECT_EQ(as_text(parts[1].view()), text.substr(8'190, 5));
  EXPECT_EQ(as_text(parts[2].view()), text.substr(19'999));
  EXPECT_EQ(as_text(parts[3].view()), text.substr(1, 19'000));
  EXPECT_EQ(calls(), 0U);
  EXPECT_TRUE(store_->get("b", text.size()).ok());
  EXPECT_EQ(calls(), 1U);
}

TEST_F(ObjectMemoryTest, BlocksThatWereReadAreNotReadAgain) {
  const std::string text = pattern(3U << 20U);
  open(8U << 20U);
  ASSERT_TRUE(inner_.put_if_absent("fixed/run", as_bytes(text)).ok());
  calls();
  for (int round = 0; round < 2; ++round) {
    const auto reader = store_->open("fixed/run").value();
    const auto parts = reader->read_many({{100, 10}, {2'000'000, 100'000}}).value();
    EXPECT_EQ(as_text(parts[0].view()), text.substr(100, 10));
    EXPECT_EQ(as_text(parts[1].view()), text.substr(2'000'000, 100'000));
    EXPECT_EQ(calls(), round == 0 ? 2U : 0U);
  }
  const auto reader = store_->open("fixed/run").value();
  EXPECT_EQ(as_text(reader->read({0, text.size()})->view()), text);
}

TEST_F(ObjectMemoryTest, ASmallObjectIsReadWholeWhenItIsAskedForAgain) {
  const std::string text = pattern(200'000);
  ASSERT_TRUE(inner_.put_if_absent("fixed/run", as_bytes(text)).ok());
  for (const uint64_t offset : {uint64_t{0}, uint64_t{50'000}, uint64_t{150'000}}) {
    counter_.reset();
    const auto reader = store_->open("fixed/run").value();
    EXPECT_EQ(as_text(reader->read({offset, 10})->view()), text.substr(offset, 10));
    EXPECT_EQ(counter_.counts()[Operation::kRead].bytes, offset == 0 ? kRememberedBlockBytes
                                                         : offset == 50'000
                                                             ? 200'000 - kRememberedBlockBytes
                                                             : 0U);
  }
}

TEST_F(ObjectMemoryTest, TheBudgetHolds) {
  open(64U << 10U);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(
        store_->put_if_absent("fixed/" + std::to_string(i), as_bytes(pattern(20'000))).ok());
    EXPECT_LE(memory_->used_bytes(), 64U << 10U);
  }
  EXPECT_EQ(as_text(store_->get("fixed/0", 20'000)->bytes.view()), pattern(20'000));
}

TEST_F(ObjectMemoryTest, WhetherAnObjectIsThereIsAskedOfTheStore) {
  ASSERT_TRUE(store_->put_if_absent("fixed/a", as_bytes("1")).ok());
  EXPECT_THAT(*which_exist(*store_, {"fixed/a", "fixed/b"}), ElementsAre(true, false));
  ASSERT_TRUE(inner_.remove("fixed/a").ok());
  EXPECT_THAT(*which_exist(*store_, {"fixed/a"}), ElementsAre(false));
  ASSERT_TRUE(store_->remove("fixed/a").ok());
  EXPECT_EQ(store_->get("fixed/a", 9).error().kind(), ErrorKind::kNotFound);
}

TEST_F(ObjectMemoryTest, WhatIsHeldIsFoundBeforeItIsPut) {
  open(0);
  memory_->hold("data/x", Buffer::from(std::string("abc")));
  EXPECT_EQ(as_text(store_->get("data/x", 9)->bytes.view()), "abc");
  EXPECT_EQ(as_text(store_->open("data/x").value()->read({1, 2})->view()), "bc");
  memory_->release("data/x");
  EXPECT_EQ(store_->open("data/x").error().kind(), ErrorKind::kNotFound);
}

TEST_F(ObjectMemoryTest, AnObjectOfAnotherSizeIsRefused) {
  ASSERT_TRUE(inner_.put_if_absent("fixed/a", as_bytes(pattern(100'000))).ok());
  open(1U << 20U);
  ASSERT_TRUE(store_->open("fixed/a").ok());
  ASSERT_TRUE(inner_.remove("fixed/a").ok());
  ASSERT_TRUE(inner_.put_if_absent("fixed/a", as_bytes("short")).ok());
  const auto reader = store_->open("fixed/a").value();
  EXPECT_EQ(reader->read({0, 10}).error().kind(), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace weft::storage
