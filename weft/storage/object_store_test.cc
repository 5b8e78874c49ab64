// What every writable store promises, asked of each of them.
#include "weft/storage/object_store.h"

#include <atomic>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <unistd.h>

#include "weft/storage/local_store.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/names.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AnyStore {
 public:
  virtual ~AnyStore() = default;
  virtual ObjectStore& store() = 0;
};

class AnyLocalStore final : public AnyStore {
 public:
  AnyLocalStore() : store_(open_local_store(folder_.path()).value()) {}
  ObjectStore& store() override { return *store_; }

 private:
  TestFolder folder_;
  std::unique_ptr<ObjectStore> store_;
};

class AnyMemoryStore final : public AnyStore {
 public:
  ObjectStore& store() override { return store_; }

 private:
  MemoryDisk disk_;
  MemoryStore store_{disk_};
};

struct Kind {
  const char* name;
  std::function<std::unique_ptr<AnyStore>()> make;
};

const Kind kKinds[] = {{"Local", [] { return std::make_unique<AnyLocalStore>(); }},
                       {"Memory", [] { return std::make_unique<AnyMemoryStore>(); }}};

class WritableStore : public testing::TestWithParam<Kind> {
 protected:
  ObjectStore& store() { return any_->store(); }
  std::string text(const std::string& name) {
    Result<VersionedObject> got = store().get(name, 1'000'000);
    return got.ok() ? to_text(got->bytes.view()) : got.error().to_string();
  }
  Etag etag(const std::string& name) { return store().get(name, 1'000'000).value().etag; }
  std::vector<std::string> names(const std::string& prefix, bool with_temporaries = false) {
    std::vector<std::string> found;
    for (const ObjectInfo& info : store().list(prefix, with_temporaries).value()) {
      found.push_back(info.name);
    }
    return found;
  }
  PutOutcome put(const std::string& name, std::string_view content) {
    return store().put_if_absent(name, as_bytes(content)).value();
  }

 private:
  std::unique_ptr<AnyStore> any_ = GetParam().make();
};

using WritableStoreThreads = WritableStore;

TEST_P(WritableStore, WhatWasPutIsRead) {
  EXPECT_EQ(put("a", "one"), PutOutcome::kDone);
  EXPECT_EQ(text("a"), "one");
  const auto reader = store().open("a").value();
  EXPECT_EQ(reader->size(), 3U);
  EXPECT_EQ(to_text(reader->read({1, 2}).value().view()), "ne");
}

TEST_P(WritableStore, PutIfAbsentNeverReplaces) {
  EXPECT_EQ(put("a", "one"), PutOutcome::kDone);
  EXPECT_EQ(put("a", "two"), PutOutcome::kLost);
  EXPECT_EQ(text("a"), "one");
  EXPECT_THAT(names("", true), ElementsAre("a"));
}

TEST_P(WritableStore, PutIfMatchReplacesOnlyTheExpectedVersion) {
  put("a", "one");
  const Etag first = etag("a");
  EXPECT_EQ(store().put_if_match("a", as_bytes("two"), first).value(), PutOutcome::kDone);
  EXPECT_EQ(store().put_if_match("a", as_bytes("three"), first).value(), PutOutcome::kLost);
  EXPECT_EQ(text("a"), "two");
  EXPECT_EQ(store().put_if_match("a", as_bytes(""), etag("a")).value(), PutOutcome::kDone);
  EXPECT_EQ(store().put_if_match("a", as_bytes("x"), etag("a")).value(), PutOutcome::kDone);
  EXPECT_THAT(names("", true), ElementsAre("a"));
}

TEST_P(WritableStore, PutIfMatchOfAnAbsentObjectIsLost) {
  put("a", "one");
  EXPECT_EQ(store().put_if_match("b", as_bytes("x"), etag("a")).value(), PutOutcome::kLost);
  EXPECT_EQ(store().put_if_match("a", as_bytes("x"), Etag{"nonsense"}).value(), PutOutcome::kLost);
  EXPECT_THAT(names(""), ElementsAre("a"));
}

TEST_P(WritableStore, PutManyAnswersForEach) {
  put("s/2", "old");
  std::vector<std::string> wanted;
  wanted.reserve(150);  // views point into it
  std::vector<std::pair<std::string, ByteView>> objects;
  for (int i = 0; i < 150; ++i) {  // more than go together
    wanted.push_back("s/" + std::to_string(i));
    objects.emplace_back(wanted.back(), as_bytes(wanted.back()));
  }
  const auto outcomes = store().put_many_if_absent(objects).value();
  ASSERT_EQ(outcomes.size(), 150U);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT_EQ(outcomes[i], i == 2 ? PutOutcome::kLost : PutOutcome::kDone);
    EXPECT_EQ(text(wanted[i]), i == 2 ? "old" : wanted[i]);
  }
}

TEST_P(WritableStore, AWriterShowsNothingBeforeItPublishes) {
  auto writer = store().create("deep/er/a").value();
  ASSERT_TRUE(writer->append(as_bytes("hello ")).ok());
  ASSERT_TRUE(writer->append(as_bytes("world")).ok());
  ASSERT_TRUE(writer->overwrite(0, as_bytes("H")).ok());
  ASSERT_TRUE(writer->overwrite(10, as_bytes("D")).ok());
  EXPECT_EQ(writer->size(), 11U);
  EXPECT_THAT(names(""), IsEmpty());
  EXPECT_EQ(names("", true).size(), 1U);
  EXPECT_EQ(writer->publish().value(), PutOutcome::kDone);
  EXPECT_EQ(text("deep/er/a"), "Hello worlD");
  EXPECT_THAT(names("", true), ElementsAre("deep/er/a"));
}

TEST_P(WritableStore, AWriterThatIsDroppedLeavesNothing) {
  {
    auto writer = store().create("a").value();
    ASSERT_TRUE(writer->append(as_bytes("hello")).ok());
  }
  EXPECT_THAT(names("", true), IsEmpty());
}

TEST_P(WritableStore, AWriterLosesToWhoWasFaster) {
  auto writer = store().create("a").value();
  ASSERT_TRUE(writer->append(as_bytes("slow")).ok());
  put("a", "fast");
  EXPECT_EQ(writer->publish().value(), PutOutcome::kLost);
  writer.reset();
  EXPECT_EQ(text("a"), "fast");
  EXPECT_THAT(names("", true), ElementsAre("a"));
}

TEST_P(WritableStore, AWriterRefusesToOverwriteWhatWasNotWritten) {
  auto writer = store().create("a").value();
  ASSERT_TRUE(writer->append(as_bytes("1234")).ok());
  EXPECT_EQ(writer->overwrite(3, as_bytes("ab")).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(writer->publish().error().kind(), ErrorKind::kInvalid);
}

TEST_P(WritableStore, LongObjectsSurviveInPieces) {
  std::string expected;
  auto writer = store().create("a").value();
  for (size_t piece = 1; expected.size() < 5'000'000; piece = piece * 3 + 1) {
    const std::string bytes(std::min<size_t>(piece, 2'000'000),
                            static_cast<char>('a' + piece % 26));
    ASSERT_TRUE(writer->append(as_bytes(bytes)).ok());
    expected += bytes;
  }
  for (const size_t at : {size_t{0}, size_t{1'048'570}, expected.size() - 20}) {
    ASSERT_TRUE(writer->overwrite(at, as_bytes("0123456789ABCDEFGHIJ")).ok());
    expected.replace(at, 20, "0123456789ABCDEFGHIJ");
  }
  EXPECT_EQ(writer->publish().value(), PutOutcome::kDone);
  EXPECT_TRUE(to_text(store().get("a", 10'000'000).value().bytes.view()) == expected);
}

TEST_P(WritableStore, ListingIsByPrefixAndAscending) {
  for (const char* name : {"b/2", "b/1", "b", "a", "ba/x", "b-", "c/d/e"}) {
    if (std::string_view(name) != "b") {  // a file cannot be a folder
      put(name, name);
    }
  }
  EXPECT_THAT(names(""), ElementsAre("a", "b-", "b/1", "b/2", "ba/x", "c/d/e"));
  EXPECT_THAT(names("b"), ElementsAre("b-", "b/1", "b/2", "ba/x"));
  EXPECT_THAT(names("b/"), ElementsAre("b/1", "b/2"));
  EXPECT_THAT(names("c/d"), ElementsAre("c/d/e"));
  EXPECT_THAT(names("d/"), IsEmpty());
  EXPECT_EQ(store().list("a")->front().size, 1U);
  EXPECT_GT(store().list("a")->front().modified.microseconds, 1'600'000'000'000'000);
}

TEST_P(WritableStore, RemovingWhatIsAbsentIsNoError) {
  put("a", "one");
  EXPECT_TRUE(store().remove("a").ok());
  EXPECT_TRUE(store().remove("a").ok());
  EXPECT_TRUE(store().remove("x/y").ok());
  EXPECT_THAT(names(""), IsEmpty());
  EXPECT_EQ(put("a", "two"), PutOutcome::kDone);
}

TEST_P(WritableStore, AReaderKeepsWhatItOpened) {
  put("a", "one");
  const auto reader = store().open("a").value();
  ASSERT_EQ(store().put_if_match("a", as_bytes("another"), etag("a")).value(), PutOutcome::kDone);
  EXPECT_EQ(to_text(reader->read({0, 3}).value().view()), "one");
  ASSERT_TRUE(store().remove("a").ok());
  EXPECT_EQ(to_text(reader->read({0, 3}).value().view()), "one");
}

TEST_P(WritableStore, AbsentObjectsAreNamed) {
  EXPECT_EQ(store().open("x/y").error().kind(), ErrorKind::kNotFound);
  const Error error = store().get("nothing", 10).error();
  EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
  EXPECT_THAT(error.to_string(), testing::HasSubstr("nothing"));
  EXPECT_EQ(store().sync_existing({"nothing"}).error().kind(), ErrorKind::kNotFound);
}

TEST_P(WritableStore, GetRefusesWhatIsTooLong) {
  put("a", "12345");
  EXPECT_EQ(store().get("a", 5).value().bytes.size(), 5U);
  EXPECT_EQ(store().get("a", 4).error().kind(), ErrorKind::kLimit);
}

TEST_P(WritableStore, RangesMustLieInTheObject) {
  put("a", "12345");
  const auto reader = store().open("a").value();
  EXPECT_EQ(reader->read({5, 0}).value().size(), 0U);
  EXPECT_EQ(reader->read({0, 5}).value().size(), 5U);
  EXPECT_EQ(reader->read({5, 1}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(reader->read({6, 0}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(reader->read({1, UINT64_MAX}).error().kind(), ErrorKind::kInvalid);
}

TEST_P(WritableStore, AReaderStopsOnRequest) {
  put("a", "12345");
  const auto reader = store().open("a").value();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(reader->read({0, 1}, stop.get_token()).error().kind(), ErrorKind::kCancelled);
}

TEST_P(WritableStore, BadNamesAndReservedNamesAreRefused) {
  for (const char* name : {"", "/a", "a/", "a//b", "../a", "a/./b", "a/..", "\xff"}) {
    EXPECT_EQ(store().put_if_absent(name, {}).error().kind(), ErrorKind::kInvalid) << name;
    EXPECT_EQ(store().open(name).error().kind(), ErrorKind::kInvalid) << name;
    EXPECT_EQ(store().remove(name).error().kind(), ErrorKind::kInvalid) << name;
    EXPECT_EQ(store().create(name).error().kind(), ErrorKind::kInvalid) << name;
  }
  for (const char* name : {".weft-tmp-1", "a/.weft-lock-x", ".weft-tmp-x/y"}) {
    EXPECT_EQ(store().put_if_absent(name, {}).error().kind(), ErrorKind::kInvalid) << name;
  }
}

TEST_P(WritableStoreThreads, OfManyThatRaceOneWins) {
  for (int round = 0; round < 20; ++round) {
    const std::string name = "r" + std::to_string(round);
    std::atomic<int> won = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
          const std::string content(100, static_cast<char>('a' + i));
          won += put(name, content) == PutOutcome::kDone ? 1 : 0;
        });
      }
    }
    EXPECT_EQ(won, 1);
    EXPECT_EQ(text(name).size(), 100U);
  }
}

TEST_P(WritableStoreThreads, NoIncrementIsLost) {
  put("counter", "0");
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int done = 0; done < 25;) {
          const VersionedObject old = store().get("counter", 100).value();
          const std::string next = std::to_string(std::stoi(to_text(old.bytes.view())) + 1);
          done +=
              store().put_if_match("counter", as_bytes(next), old.etag).value() == PutOutcome::kDone
                  ? 1
                  : 0;
        }
      });
    }
  }
  EXPECT_EQ(text("counter"), "100");
}

constexpr auto kKindName = [](const testing::TestParamInfo<Kind>& info) {
  return std::string(info.param.name);
};
INSTANTIATE_TEST_SUITE_P(Every, WritableStore, testing::ValuesIn(kKinds), kKindName);
INSTANTIATE_TEST_SUITE_P(Every, WritableStoreThreads, testing::ValuesIn(kKinds), kKindName);

TEST(ObjectName, LengthsAreBounded) {
  EXPECT_TRUE(check_object_name(std::string(kNameComponentBytesMax, 'a')).ok());
  EXPECT_FALSE(check_object_name(std::string(kNameComponentBytesMax + 1, 'a')).ok());
  std::string name;
  while (name.size() + 2 <= kObjectNameBytesMax) {
    name += "a/";
  }
  name.back() = 'b';
  EXPECT_EQ(name.size(), kObjectNameBytesMax);
  EXPECT_TRUE(check_object_name(name).ok());
  EXPECT_FALSE(check_object_name(name + "c").ok());
}

TEST(ObjectName, IsUtf8) {
  for (const char* name : {"é", "日本/語", "😀.rete", "...", "a..b", ".hidden"}) {
    EXPECT_TRUE(check_object_name(name).ok()) << name;
  }
  for (const char* name : {"\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                           "\xF0\x9F\x98", "a\xE2\x82"}) {
    EXPECT_FALSE(check_object_name(name).ok()) << name;
  }
  EXPECT_FALSE(check_object_name(std::string("a\0b", 3)).ok());
}

TEST(Buffer, SlicesShareTheOwner) {
  Buffer slice;
  {
    const Buffer whole = Buffer::from(std::string("hello world, long enough to be on the heap"));
    slice = whole.slice(6, 5);
  }
  EXPECT_EQ(to_text(slice.view()), "world");
}

}  // namespace
}  // namespace weft::storage
