// The local store on real file systems: writers that are killed, disks that are full, folders that
// may not be read or written, processes that race.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <optional>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/base/random.h"
#include "weft/storage/local_file.h"
#include "weft/storage/local_store.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::crash {
namespace {

using storage::ObjectInfo;
using storage::ObjectStore;
using storage::open_local_store;
using storage::PutOutcome;
using storage::TestFolder;
using storage::VersionedObject;

// Runs `body` in a process of its own, which ends with its answer.
pid_t start_process(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(body());
  }
  return child;
}

int exit_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Content that tells whether it is whole: "<number> xxxx…x <number>".
std::string content_of(int number) {
  const std::string text = std::to_string(number);
  return text + " " + std::string(static_cast<size_t>(number % 7) * 5'000, 'x') + " " + text;
}

std::optional<int> number_of(const std::string& content) {
  const int number = std::atoi(content.c_str());
  return content == content_of(number) ? std::optional(number) : std::nullopt;
}

// Replaces "m" and puts segments, one after the other, and reports each acknowledgement to `pipe`.
int write_until_killed(const std::string& folder, int pipe) {
  const auto store = open_local_store(folder).value();
  while (true) {
    const VersionedObject current = store->get("m", 1'000'000).value();
    const int next = *number_of(to_text(current.bytes.view())) + 1;
    const std::string content = content_of(next);
    const std::string segment = "s/" + std::to_string(next);
    auto writer = store->create(segment).value();
    if (!writer->append(as_bytes(content)).ok() || !writer->publish().ok()) {
      return 1;
    }
    const auto put = store->put_if_match("m", as_bytes(content), current.etag);
    if (!put.ok() || *put != PutOutcome::kDone) {
      return 2;
    }
    if (::write(pipe, &next, sizeof next) != sizeof next) {
      return 3;
    }
  }
}

TEST(LocalCrash, AWriterKilledAtAnyMomentLeavesTheStateBeforeOrAfter) {
  const TestFolder folder;
  const auto store = open_local_store(folder.path()).value();
  ASSERT_TRUE(store->put_if_absent("m", as_bytes(content_of(0))).ok());
  base::Random random(20'260'101);
  int acknowledged = 0;
  size_t temporaries = 0;
  constexpr int kKills = 100;
  uint64_t window_microseconds = 12'000;
  for (int kill_count = 0; kill_count < kKills; ++kill_count) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = start_process([&] { return write_until_killed(folder.path(), ends[1]); });
    ::close(ends[1]);
    ::usleep(static_cast<useconds_t>(random.below(window_microseconds)));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    EXPECT_EQ(exit_of(child), -SIGKILL);
    const int before = acknowledged;
    for (int number = 0; ::read(ends[0], &number, sizeof number) == sizeof number;) {
      acknowledged = number;
    }
    ::close(ends[0]);
    // On a busy machine a writer needs longer to get anywhere.
    window_microseconds =
        acknowledged > before ? 12'000 : std::min<uint64_t>(window_microseconds * 2, 500'000);

    const std::string text = to_text(store->get("m", 1'000'000).value().bytes.view());
    const std::optional<int> current = number_of(text);
    ASSERT_TRUE(current.has_value()) << text.substr(0, 20) << " of " << text.size();
    ASSERT_GE(*current, acknowledged);
    ASSERT_LE(*current, acknowledged + 1);
    for (const ObjectInfo& info : store->list("s/").value()) {
      ASSERT_LT(info.size, 40'000U);
    }
    // What the killed writer was about to make may be there, whole; the next one takes its place.
    const std::string ahead = "s/" + std::to_string(*current + 1);
    if (const auto got = store->get(ahead, 1'000'000); got.ok()) {
      ASSERT_EQ(number_of(to_text(got->bytes.view())), *current + 1);
      ASSERT_TRUE(store->remove(ahead).ok());
    }
    acknowledged = *current;
  }
  EXPECT_GT(acknowledged, 20);
  for (int number = 1; number <= acknowledged; ++number) {
    const auto got = store->get("s/" + std::to_string(number), 1'000'000);
    ASSERT_TRUE(got.ok());
    ASSERT_EQ(number_of(to_text(got->bytes.view())), number);
  }
  for (const ObjectInfo& info : store->list("", true).value()) {
    if (info.name.find(".weft-tmp-") != std::string::npos) {
      ++temporaries;
      ASSERT_TRUE(store->remove(info.name).ok());
    }
  }
  EXPECT_LE(temporaries, static_cast<size_t>(kKills));
}

TEST(LocalCrash, ProcessesThatRaceLoseNoIncrement) {
  const TestFolder folder;
  const auto store = open_local_store(folder.path()).value();
  ASSERT_TRUE(store->put_if_absent("m", as_bytes("0")).ok());
  constexpr int kProcesses = 8;
  constexpr int kEach = 25;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(start_process([&] {
      const auto own = open_local_store(folder.path()).value();
      for (int done = 0; done < kEach;) {
        const VersionedObject current = own->get("m", 100).value();
        const int next = std::atoi(to_text(current.bytes.view()).c_str()) + 1;
        const auto put = own->put_if_match("m", as_bytes(std::to_string(next)), current.etag);
        if (!put.ok()) {
          return 1;
        }
        done += *put == PutOutcome::kDone ? 1 : 0;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) {
    EXPECT_EQ(exit_of(child), 0);
  }
  EXPECT_EQ(to_text(store->get("m", 100).value().bytes.view()), "200");
}

TEST(LocalCrash, ReadersAlwaysFindAVersionWhileOthersReplaceIt) {
  const TestFolder folder;
  const auto store = open_local_store(folder.path()).value();
  ASSERT_TRUE(store->put_if_absent("m", as_bytes(content_of(0))).ok());
  const pid_t writer = start_process([&] {
    const auto own = open_local_store(folder.path()).value();
    for (int number = 1; number <= 150; ++number) {
      const VersionedObject current = own->get("m", 1'000'000).value();
      if (!own->put_if_match("m", as_bytes(content_of(number)), current.etag).ok()) {
        return 1;
      }
    }
    return 0;
  });
  int seen = 0;
  int reads = 0;
  for (; seen < 150; ++reads) {
    const auto got = store->get("m", 1'000'000);
    ASSERT_TRUE(got.ok()) << got.error().to_string();
    const auto number = number_of(to_text(got->bytes.view()));
    ASSERT_TRUE(number.has_value());
    ASSERT_GE(*number, seen);
    seen = *number;
  }
  EXPECT_EQ(exit_of(writer), 0);
  EXPECT_GT(reads, 150);
}

// A small file system of its own, for as long as the test runs.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& options)
      : mounted_(::mount("weft-test", folder_.path().c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
                         options.c_str()) == 0) {}
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) {
      ::umount2(folder_.path().c_str(), MNT_DETACH);
    }
  }
  bool is_mounted() const { return mounted_; }
  const std::string& path() const { return folder_.path(); }

 private:
  TestFolder folder_;
  bool mounted_;
};

TEST(LocalCrash, AFullDiskIsNamedAndChangesNothing) {
  const SmallDisk disk("size=1m");
  if (!disk.is_mounted()) {
    GTEST_SKIP() << "cannot mount a tmpfs here (not root?): the full disk was not tested";
  }
  const auto store = open_local_store(disk.path()).value();
  const std::string half(600'000, 'x');
  ASSERT_EQ(store->put_if_absent("m", as_bytes(half)).value(), PutOutcome::kDone);
  const VersionedObject current = store->get("m", 1'000'000).value();

  const auto expect_full = [](const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnavailable) << error.to_string();
    EXPECT_EQ(error.fact("reason"), "no-space");
  };
  expect_full(store->put_if_absent("a", as_bytes(half)).error());
  expect_full(store->put_if_match("m", as_bytes(half), current.etag).error());
  expect_full(store->put_many_if_absent({{"a", as_bytes("x")}, {"b", as_bytes(half)}}).error());
  auto writer = store->create("w").value();
  Status status = ok_status();
  for (int i = 0; i < 10 && status.ok(); ++i) {
    status = writer->append(as_bytes(std::string(100'000, 'y')));
  }
  if (status.ok()) {
    const auto published = writer->publish();
    ASSERT_FALSE(published.ok());
    expect_full(published.error());
  } else {
    expect_full(status.error());
  }
  writer.reset();

  // Nothing is left behind, and the room is there again.
  const auto listed = store->list("", true).value();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(store->get("m", 1'000'000).value().etag, current.etag);
  EXPECT_EQ(store->put_if_absent("a", as_bytes(std::string(300'000, 'z'))).value(),
            PutOutcome::kDone);
}

TEST(LocalCrash, WithoutInodesAFileCannotBeMade) {
  const SmallDisk disk("size=1m,nr_inodes=4");
  if (!disk.is_mounted()) {
    GTEST_SKIP() << "cannot mount a tmpfs here (not root?): running out of inodes was not tested";
  }
  const auto store = open_local_store(disk.path()).value();
  Result<PutOutcome> put = PutOutcome::kDone;
  int count = 0;
  for (; put.ok() && count < 10; ++count) {
    put = store->put_if_absent(std::to_string(count), as_bytes("x"));
  }
  ASSERT_FALSE(put.ok());
  EXPECT_EQ(put.error().fact("reason"), "no-space");
  EXPECT_EQ(store->list("", true).value().size(), static_cast<size_t>(count - 1));
}

TEST(LocalCrash, AReadOnlyDiskIsNamed) {
  const SmallDisk disk("size=1m");
  if (!disk.is_mounted()) {
    GTEST_SKIP() << "cannot mount a tmpfs here (not root?): the read-only disk was not tested";
  }
  const auto store = open_local_store(disk.path()).value();
  ASSERT_TRUE(store->put_if_absent("m", as_bytes("one")).ok());
  ASSERT_EQ(::mount(nullptr, disk.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  const Error error = store->put_if_absent("a", {}).error();
  EXPECT_EQ(error.kind(), ErrorKind::kDenied);
  EXPECT_EQ(error.fact("reason"), "read-only");
  EXPECT_EQ(store->put_if_match("m", {}, store->get("m", 9)->etag).error().kind(),
            ErrorKind::kDenied);
  EXPECT_FALSE(store->capabilities().writable);
}

// The superuser may do everything, so another user tries.
constexpr uid_t kNobody = 65'534;

TEST(LocalCrash, FoldersThatMayNotBeReadOrWrittenAreNamed) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "not root: cannot become another user";
  }
  const TestFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::mkdir((folder / "secret").c_str(), 0700), 0);
  ASSERT_EQ(::mkdir((folder / "open").c_str(), 0755), 0);
  ASSERT_TRUE(open_local_store(folder / "open").value()->put_if_absent("m", as_bytes("x")).ok());
  ASSERT_TRUE(open_local_store(folder / "secret").value()->put_if_absent("m", {}).ok());
  const int exit = exit_of(start_process([&] {
    if (::setresuid(kNobody, kNobody, kNobody) != 0) {
      return 100;
    }
    const auto is_denied = [](const auto& result) {
      return !result.ok() && result.error().kind() == ErrorKind::kDenied &&
             result.error().fact("reason") == "permission";
    };
    if (!is_denied(open_local_store(folder / "secret"))) {
      return 1;
    }
    const auto all = open_local_store(folder.path()).value();
    if (!is_denied(all->list("")) || !is_denied(all->open("secret/m"))) {
      return 2;
    }
    const auto readable = open_local_store(folder / "open").value();
    if (!readable->get("m", 9).ok() || readable->capabilities().writable) {
      return 3;
    }
    if (!is_denied(readable->put_if_absent("a", {})) || !is_denied(readable->create("a")) ||
        !is_denied(readable->put_if_match("m", {}, readable->get("m", 9)->etag)) ||
        !is_denied(readable->remove("m"))) {
      return 4;
    }
    return is_denied(storage::create_local_file(folder / "open/b", storage::IfExists::kRefuse)) ? 0
                                                                                                : 5;
  }));
  EXPECT_EQ(exit, 0);
}

}  // namespace
}  // namespace weft::crash
