// What the local store does on a real file system, and what it does when the system refuses.
#include "weft/storage/local_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weft/storage/foreseen_files.h"
#include "weft/storage/local_file.h"
#include "weft/storage/testing/scripted_calls.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::storage {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

void write_raw(const std::string& path, std::string_view text) {
  const FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

std::string read_raw(const std::string& path) {
  const auto reader = open_local_file(path);
  if (!reader.ok()) {
    return reader.error().to_string();
  }
  return to_text(reader.value()->read({0, reader.value()->size()}).value().view());
}

mode_t mode_of(const std::string& path) {
  struct stat found{};
  EXPECT_EQ(::lstat(path.c_str(), &found), 0);
  return found.st_mode & 07777U;
}

class LocalStoreTest : public testing::Test {
 protected:
  std::unique_ptr<ObjectStore> open() {
    LocalStoreOptions options;
    options.calls = &calls_;
    return open_local_store(folder_.path(), options).value();
  }
  std::vector<std::string> names(bool with_temporaries = true) {
    std::vector<std::string> found;
    for (const ObjectInfo& info :
         open_local_store(folder_.path()).value()->list("", with_temporaries).value()) {
      found.push_back(info.name);
    }
    return found;
  }

  TestFolder folder_;
  ScriptedCalls calls_{folder_.path()};
};

TEST_F(LocalStoreTest, PutIfAbsentSyncsContentThenLinksThenSyncsTheFolder) {
  const auto store = open();
  ASSERT_EQ(store->put_if_absent("a", as_bytes("x")).value(), PutOutcome::kDone);
  EXPECT_THAT(calls_.trace(), ElementsAre("sync ..", "create TMP", "write TMP", "sync TMP",
                                          "link TMP a", "unlink TMP", "sync ."));
  calls_.forget();
  ASSERT_EQ(store->put_if_absent("a", as_bytes("x")).value(), PutOutcome::kLost);
  EXPECT_THAT(calls_.trace(), IsEmpty());
}

TEST_F(LocalStoreTest, FoldersOnTheWayAreSyncedOnceEach) {
  const auto store = open();
  ASSERT_EQ(store->put_if_absent("b/c/d", as_bytes("x")).value(), PutOutcome::kDone);
  EXPECT_THAT(calls_.trace(),
              ElementsAre("sync ..", "mkdir b", "sync .", "mkdir c", "sync b", "create TMP",
                          "write TMP", "sync TMP", "link TMP d", "unlink TMP", "sync b/c"));
  calls_.forget();
  ASSERT_EQ(store->put_if_absent("b/c/e", as_bytes("x")).value(), PutOutcome::kDone);
  EXPECT_THAT(calls_.trace(), ElementsAre("create TMP", "write TMP", "sync TMP", "link TMP e",
                                          "unlink TMP", "sync b/c"));
}

TEST_F(LocalStoreTest, FoldersThatAnotherMadeAreSyncedToo) {
  ASSERT_EQ(::mkdir((folder_ / "b").c_str(), 0777), 0);
  ASSERT_EQ(open()->put_if_absent("b/d", as_bytes("x")).value(), PutOutcome::kDone);
  EXPECT_THAT(calls_.trace(), Contains("sync ."));
}

TEST_F(LocalStoreTest, PutIfMatchSyncsWhatItFoundThenReplaces) {
  const auto store = open();
  write_raw(folder_ / "m", "one");
  const Etag etag = store->get("m", 10).value().etag;
  ASSERT_EQ(store->put_if_match("m", as_bytes("two"), etag).value(), PutOutcome::kDone);
  EXPECT_THAT(calls_.trace(),
              ElementsAre("sync ..", "create .weft-lock-m", "sync m", "sync .", "create TMP",
                          "write TMP", "sync TMP", "rename TMP m", "sync ."));
}

TEST_F(LocalStoreTest, PutManySyncsEachFolderOnce) {
  const auto store = open();
  ASSERT_TRUE(store->put_many_if_absent({{"a", as_bytes("1")}, {"b", as_bytes("2")}}).ok());
  EXPECT_THAT(calls_.trace(), ElementsAre("sync ..", "create TMP", "write TMP", "create TMP",
                                          "write TMP", "sync TMP", "sync TMP", "link TMP a",
                                          "unlink TMP", "link TMP b", "unlink TMP", "sync ."));
}

TEST_F(LocalStoreTest, SyncExistingSyncsFilesThenTheirFolders) {
  write_raw(folder_ / "a", "1");
  write_raw(folder_ / "b", "2");
  ASSERT_TRUE(open()->sync_existing({"a", "b"}).ok());
  EXPECT_THAT(calls_.trace(), ElementsAre("sync ..", "sync a", "sync b", "sync ."));
}

TEST_F(LocalStoreTest, WithoutHardLinksItRenamesWithoutReplacing) {
  for (const int answer : {-EPERM, -EOPNOTSUPP, -ENOSYS, -EMLINK}) {
    calls_.deny_always("link", answer);
    const std::string name = "n" + std::to_string(-answer);
    EXPECT_EQ(open()->put_if_absent(name, as_bytes("x")).value(), PutOutcome::kDone);
    EXPECT_THAT(calls_.trace(), Contains("rename-if-absent TMP " + name));
    auto writer = open()->create(name).value();
    ASSERT_TRUE(writer->append(as_bytes("y")).ok());
    EXPECT_EQ(writer->publish().value(), PutOutcome::kLost);
    EXPECT_EQ(read_raw(folder_ / name), "x");
  }
  EXPECT_THAT(names(), SizeIs(4));
}

TEST_F(LocalStoreTest, WithNeitherLinkNorRenameItSaysSo) {
  for (const int answer : {-EINVAL, -ENOSYS, -EOPNOTSUPP}) {
    calls_.deny([answer](const std::string& call, size_t) {
      if (call.starts_with("link")) {
        return -EPERM;
      }
      return call.starts_with("rename-if-absent") ? answer : 0;
    });
    const Error error = open()->put_if_absent("a", as_bytes("x")).error();
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.message(), HasSubstr("neither link nor rename"));
  }
  EXPECT_THAT(names(), IsEmpty());
}

// A network file system may lose the answer of a call that was done.
TEST_F(LocalStoreTest, ALinkThatWasDoneThoughItAnsweredWithAnErrorIsDone) {
  calls_.deny([this](const std::string& call, size_t) {
    if (!call.starts_with("link")) {
      return 0;
    }
    for (const std::string& name : names()) {
      EXPECT_EQ(::link((folder_ / name).c_str(), (folder_ / "a").c_str()), 0);
    }
    return -EEXIST;
  });
  EXPECT_EQ(open()->put_if_absent("a", as_bytes("x")).value(), PutOutcome::kDone);
  EXPECT_THAT(names(), ElementsAre("a"));
}

struct Refusal {
  int error_number;
  ErrorKind kind;
  const char* reason;
};

TEST_F(LocalStoreTest, RefusalsAreNamedAndLeaveNothing) {
  const Refusal refusals[] = {{ENOSPC, ErrorKind::kUnavailable, "no-space"},
                              {EDQUOT, ErrorKind::kUnavailable, "quota"},
                              {EIO, ErrorKind::kUnavailable, "device"},
                              {EROFS, ErrorKind::kDenied, "read-only"},
                              {EACCES, ErrorKind::kDenied, "permission"},
                              {EMFILE, ErrorKind::kUnavailable, "open-files"},
                              {EFBIG, ErrorKind::kLimit, "file-size"}};
  write_raw(folder_ / "m", "one");
  const Etag etag = open()->get("m", 10).value().etag;
  for (const Refusal& refusal : refusals) {
    for (const char* call : {"create TMP", "write", "sync TMP", "link", "rename"}) {
      SCOPED_TRACE(std::string(call) + " " + refusal.reason);
      calls_.deny_always(call, -refusal.error_number);
      const auto store = open();
      const auto put = std::string_view(call) == "rename"
                           ? store->put_if_match("m", as_bytes("two"), etag)
                           : store->put_if_absent("a", as_bytes("x"));
      ASSERT_FALSE(put.ok());
      EXPECT_EQ(put.error().kind(), refusal.kind);
      EXPECT_EQ(put.error().fact("reason"), refusal.reason);
      calls_.deny({});
      EXPECT_THAT(names(), ElementsAre("m"));
      EXPECT_EQ(read_raw(folder_ / "m"), "one");
    }
  }
}

TEST_F(LocalStoreTest, AFolderThatDoesNotSyncAfterTheNameWasGivenIsAnOpenOutcome) {
  const auto store = open();
  ASSERT_TRUE(store->put_if_absent("first", {}).ok());
  calls_.deny_always("sync .", -EIO);
  const Error error = store->put_if_absent("a", as_bytes("x")).error();
  EXPECT_EQ(error.kind(), ErrorKind::kRecoveryRequired);
  EXPECT_THAT(error.to_string(), HasSubstr("EIO"));
}

TEST_F(LocalStoreTest, WhatIsForeseenIsSyncedWithTheRestAndThenOnlyNamed) {
  const auto store = open();
  const auto put = store->put_many_foreseeing({{"a", as_bytes("1")}},
                                              {{"n", as_bytes("next")}, {"m", as_bytes("more")}});
  ASSERT_THAT(put.value(), ElementsAre(PutOutcome::kDone));
  EXPECT_THAT(calls_.trace(),
              ElementsAre("sync ..", "create TMP", "write TMP", "create TMP", "write TMP",
                          "create TMP", "write TMP", "sync TMP", "sync TMP", "sync TMP",
                          "link TMP a", "unlink TMP", "sync ."));
  EXPECT_THAT(names(false), ElementsAre("a"));
  calls_.forget();
  EXPECT_EQ(store->put_if_absent("n", as_bytes("next")).value(), PutOutcome::kDone);
  EXPECT_EQ(store->put_many_if_absent({{"m", as_bytes("more")}}).value().front(),
            PutOutcome::kDone);
  EXPECT_THAT(calls_.trace(), ElementsAre("link TMP n", "unlink TMP", "sync .", "link TMP m",
                                          "unlink TMP", "sync ."));
  EXPECT_EQ(read_raw(folder_ / "n"), "next");
  EXPECT_THAT(names(), ElementsAre("a", "m", "n"));
}

TEST_F(LocalStoreTest, WhatComesOtherwiseThanForeseenIsWrittenAnew) {
  {
    const auto store = open();
    ASSERT_TRUE(store->put_many_foreseeing({{"a", as_bytes("1")}}, {{"n", as_bytes("next")}}).ok());
    ASSERT_EQ(store->put_if_absent("n", as_bytes("other")).value(), PutOutcome::kDone);
    EXPECT_EQ(read_raw(folder_ / "n"), "other");
    ASSERT_TRUE(store->put_many_foreseeing({}, {{"o", as_bytes("own")}}).ok());
    ASSERT_TRUE(store->put_many_foreseeing({{"b", as_bytes("2")}}, {{"o", as_bytes("own")}}).ok());
    // Another one was faster: what is there stays.
    write_raw(folder_ / "o", "theirs");
    EXPECT_EQ(store->put_if_absent("o", as_bytes("own")).value(), PutOutcome::kLost);
    EXPECT_EQ(read_raw(folder_ / "o"), "theirs");
  }
  EXPECT_THAT(names(), ElementsAre("a", "b", "n", "o"));
}

TEST_F(LocalStoreTest, OfTooMuchThatIsForeseenTheOldestLeaves) {
  const auto store = open();
  for (size_t i = 0; i <= kForeseenMax; ++i) {
    const std::string name = "n" + std::to_string(i);
    ASSERT_TRUE(
        store->put_many_foreseeing({{"a" + name, as_bytes("1")}}, {{name, as_bytes("x")}}).ok());
  }
  EXPECT_THAT(names(), SizeIs(2 * kForeseenMax + 1));
  calls_.forget();
  ASSERT_TRUE(store->put_if_absent("n0", as_bytes("x")).ok());
  EXPECT_THAT(calls_.trace(), Contains("write TMP"));
  calls_.forget();
  ASSERT_TRUE(store->put_if_absent("n1", as_bytes("x")).ok());
  EXPECT_THAT(calls_.trace(), ElementsAre("link TMP n1", "unlink TMP", "sync ."));
}

TEST_F(LocalStoreTest, AForeseenContentThatCannotBeSyncedIsNotUsed) {
  const auto store = open();
  calls_.deny([](const std::string& call, size_t index) {
    return call == "sync TMP" && index > 5 ? -EIO : 0;  // the second file's
  });
  const auto put = store->put_many_foreseeing({{"a", as_bytes("1")}}, {{"n", as_bytes("next")}});
  ASSERT_TRUE(put.ok()) << put.error().to_string();
  calls_.deny({});
  calls_.forget();
  ASSERT_TRUE(store->put_if_absent("n", as_bytes("next")).ok());
  EXPECT_THAT(calls_.trace(), Contains("sync TMP"));
}

TEST(LocalStoreThreads, FilesOfOneCallAreSyncedAtOnceAndAllAreThere) {
  const TestFolder folder;
  const auto store = open_local_store(folder.path()).value();
  std::vector<std::pair<std::string, ByteView>> objects;
  for (const char* const name : {"a/1", "a/2", "b/1", "c/1", "d/1", "d/2", "e"}) {
    objects.emplace_back(name, as_bytes("x"));
  }
  const auto outcomes = store->put_many_foreseeing(objects, {{"f", as_bytes("y")}}).value();
  EXPECT_THAT(outcomes, testing::Each(PutOutcome::kDone));
  EXPECT_THAT(store->list("").value(), SizeIs(objects.size()));
  EXPECT_EQ(store->put_if_absent("f", as_bytes("y")).value(), PutOutcome::kDone);
}

// Stopped before every single system call in turn: what is seen afterwards is the old state or the
// new one, and the next writer is not held up.
TEST_F(LocalStoreTest, StoppedAnywhereItShowsTheOldOrTheNewState) {
  size_t stops = 0;
  for (size_t stop = 0;; ++stop) {
    const TestFolder folder;
    ScriptedCalls calls(folder.path());
    write_raw(folder / "m", "old");
    LocalStoreOptions options;
    options.calls = &calls;
    calls.deny([stop](const std::string&, size_t index) { return index >= stop ? -EIO : 0; });
    const auto store = open_local_store(folder.path(), options).value();
    const Etag etag = store->get("m", 10).value().etag;
    const bool put = store->put_if_absent("x/a", as_bytes("A")).ok();
    const bool matched = store->put_if_match("m", as_bytes("new"), etag).ok();

    const auto after = open_local_store(folder.path()).value();
    const std::string m = read_raw(folder / "m");
    EXPECT_TRUE(m == "new" || (m == "old" && !matched)) << m;
    const Result<VersionedObject> a = after->get("x/a", 10);
    if (put) {
      EXPECT_TRUE(a.ok());
    }
    if (a.ok()) {
      EXPECT_EQ(to_text(a->bytes.view()), "A");
    }
    for (const ObjectInfo& info : after->list("").value()) {
      EXPECT_TRUE(info.name == "m" || info.name == "x/a") << info.name;
    }
    EXPECT_EQ(after->put_if_match("m", as_bytes("next"), after->get("m", 10).value().etag).value(),
              PutOutcome::kDone);
    if (put && matched) {
      break;
    }
    ++stops;
  }
  EXPECT_GT(stops, 14U);
}

TEST_F(LocalStoreTest, ALockThatIsHeldIsWaitedForAndThenNamed) {
  write_raw(folder_ / "m", "one");
  const FileHandle other(
      ::open((folder_ / ".weft-lock-m").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  LocalStoreOptions options;
  options.lock_wait_ms = 20;
  const auto store = open_local_store(folder_.path(), options).value();
  const Etag etag = store->get("m", 10).value().etag;
  const Error error = store->put_if_match("m", as_bytes("two"), etag).error();
  EXPECT_EQ(error.kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(error.fact("reason"), "locked");
  ASSERT_EQ(::flock(other.get(), LOCK_UN), 0);
  EXPECT_EQ(store->put_if_match("m", as_bytes("two"), etag).value(), PutOutcome::kDone);
}

TEST_F(LocalStoreTest, LockFilesAreNeitherListedNorRemoved) {
  write_raw(folder_ / "m", "one");
  const auto store = open();
  ASSERT_TRUE(store->put_if_match("m", as_bytes("two"), store->get("m", 10)->etag).ok());
  EXPECT_THAT(names(true), ElementsAre("m"));
  EXPECT_EQ(store->remove(".weft-lock-m").error().kind(), ErrorKind::kInvalid);
}

TEST_F(LocalStoreTest, TheUmaskRulesAndReplacingKeepsPermissions) {
  const mode_t old = ::umask(027);
  const auto store = open();
  ASSERT_TRUE(store->put_if_absent("a/b", as_bytes("x")).ok());
  EXPECT_EQ(mode_of(folder_ / "a"), 0750U);
  EXPECT_EQ(mode_of(folder_ / "a/b"), 0640U);
  ASSERT_EQ(::chmod((folder_ / "a/b").c_str(), 0604), 0);
  ASSERT_TRUE(store->put_if_match("a/b", as_bytes("y"), store->get("a/b", 9)->etag).ok());
  EXPECT_EQ(mode_of(folder_ / "a/b"), 0604U);
  ::umask(old);
}

TEST_F(LocalStoreTest, PutIfMatchFollowsASymbolicLink) {
  ASSERT_EQ(::mkdir((folder_ / "real").c_str(), 0777), 0);
  write_raw(folder_ / "real/m", "one");
  ASSERT_EQ(::symlink("real/m", (folder_ / "m").c_str()), 0);
  const auto store = open();
  ASSERT_EQ(store->put_if_match("m", as_bytes("two"), store->get("m", 9)->etag).value(),
            PutOutcome::kDone);
  EXPECT_EQ(read_raw(folder_ / "real/m"), "two");
  EXPECT_EQ(read_raw(folder_ / "real/.weft-lock-m"), "");
  struct stat found{};
  ASSERT_EQ(::lstat((folder_ / "m").c_str(), &found), 0);
  EXPECT_TRUE(S_ISLNK(found.st_mode));
}

TEST_F(LocalStoreTest, ListingDoesNotFollowLinksToFoldersAndIsBounded) {
  write_raw(folder_ / "a", "1");
  ASSERT_EQ(::symlink(".", (folder_ / "loop").c_str()), 0);
  ASSERT_EQ(::symlink("a", (folder_ / "b").c_str()), 0);
  ASSERT_EQ(::symlink("gone", (folder_ / "c").c_str()), 0);
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  LocalStoreOptions options;
  options.list_entries_max = 6;  // "." and ".." count
  EXPECT_TRUE(open_local_store(folder_.path(), options).value()->list("").ok());
  options.list_entries_max = 5;
  const auto listed = open_local_store(folder_.path(), options).value()->list("");
  EXPECT_EQ(listed.error().kind(), ErrorKind::kLimit);
}

TEST_F(LocalStoreTest, ListingStaysInsideTheStore) {
  EXPECT_EQ(open()->list("../").error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(open()->list("/").error().kind(), ErrorKind::kInvalid);
}

TEST_F(LocalStoreTest, OpeningMakesFoldersOnlyIfAsked) {
  EXPECT_EQ(open_local_store(folder_ / "x/y").error().kind(), ErrorKind::kNotFound);
  const auto store = open_local_store(folder_ / "x/y/", {.create_folder = true}).value();
  ASSERT_TRUE(store->put_if_absent("a", as_bytes("x")).ok());
  EXPECT_EQ(read_raw(folder_ / "x/y/a"), "x");
  EXPECT_EQ(open_local_store(folder_ / "x/y/a", {.create_folder = true}).error().kind(),
            ErrorKind::kNotFound);
}

TEST_F(LocalStoreTest, AFolderThatIsReplacedWhileTheStoreIsOpenIsStillTheOldOne) {
  ASSERT_EQ(::mkdir((folder_ / "s").c_str(), 0777), 0);
  const auto store = open_local_store(folder_ / "s").value();
  ASSERT_EQ(::rename((folder_ / "s").c_str(), (folder_ / "t").c_str()), 0);
  ASSERT_TRUE(store->put_if_absent("a", as_bytes("x")).ok());
  EXPECT_EQ(read_raw(folder_ / "t/a"), "x");
}

TEST_F(LocalStoreTest, WithoutDescriptorsItSaysSo) {
  write_raw(folder_ / "a", "1");
  const auto store = open();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto opened = store->open("a");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(opened.error().fact("reason"), "open-files");
}

}  // namespace
}  // namespace weft::storage
