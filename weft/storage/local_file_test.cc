#include "weft/storage/local_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weft/storage/testing/scripted_calls.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::storage {
namespace {

using testing::HasSubstr;

void write_raw(const std::string& path, std::string_view text, int flags = O_TRUNC) {
  const FileHandle file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644));
  ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

std::string read_raw(const std::string& path) {
  const auto reader = open_local_file(path);
  return reader.ok() ? to_text(reader.value()->read({0, reader.value()->size()}).value().view())
                     : reader.error().to_string();
}

bool exists(const std::string& path) {
  struct stat found{};
  return ::lstat(path.c_str(), &found) == 0;
}

TEST(LocalReader, AFileThatGotShorterIsCorrupt) {
  const TestFolder folder;
  write_raw(folder / "a", "0123456789");
  const auto reader = open_local_file(folder / "a").value();
  ASSERT_EQ(::truncate((folder / "a").c_str(), 5), 0);
  const Error error = reader->read({0, 10}).error();
  EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(error.to_string(), HasSubstr("shorter"));
  EXPECT_EQ(reader->read({0, 5}).error().kind(), ErrorKind::kCorrupt);
}

TEST(LocalReader, AFileThatWasWrittenInPlaceIsCorrupt) {
  const TestFolder folder;
  write_raw(folder / "a", "0123456789");
  const auto reader = open_local_file(folder / "a").value();
  EXPECT_TRUE(reader->read({0, 10}).ok());
  ::usleep(20'000);  // the file system's clock ticks every few milliseconds
  write_raw(folder / "a", "X", 0);
  EXPECT_EQ(reader->read({5, 1}).error().kind(), ErrorKind::kCorrupt);
}

TEST(LocalReader, ItsIdentityFollowsTheContent) {
  const TestFolder folder;
  write_raw(folder / "a", "0123456789");
  const std::string first = open_local_file(folder / "a").value()->identity();
  EXPECT_EQ(open_local_file(folder / "a").value()->identity(), first);
  ::usleep(20'000);
  write_raw(folder / "a", "X", 0);
  EXPECT_NE(open_local_file(folder / "a").value()->identity(), first);
}

TEST(LocalReader, WhatIsNoFileIsNamed) {
  const TestFolder folder;
  EXPECT_EQ(open_local_file(folder / "none").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(open_local_file(folder.path()).error().kind(), ErrorKind::kInvalid);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0666), 0);
  EXPECT_EQ(open_local_file(folder / "pipe").error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(open_local_file("/dev/null").error().kind(), ErrorKind::kUnsupported);
}

TEST(LocalWriter, RefusesToReplaceUnlessAsked) {
  const TestFolder folder;
  write_raw(folder / "a", "old");
  EXPECT_EQ(create_local_file(folder / "a", IfExists::kRefuse).error().kind(),
            ErrorKind::kAlreadyExists);
  auto writer = create_local_file(folder / "b", IfExists::kRefuse).value();
  ASSERT_TRUE(writer->append(as_bytes("new")).ok());
  write_raw(folder / "b", "faster");
  EXPECT_EQ(writer->publish().value(), PutOutcome::kLost);
  EXPECT_EQ(read_raw(folder / "b"), "faster");
}

TEST(LocalWriter, ReplacesAtOnceAndKeepsPermissions) {
  const TestFolder folder;
  write_raw(folder / "a", "old");
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0600), 0);
  auto writer = create_local_file(folder / "a", IfExists::kReplace).value();
  ASSERT_TRUE(writer->append(as_bytes("new")).ok());
  EXPECT_EQ(read_raw(folder / "a"), "old");
  EXPECT_EQ(writer->publish().value(), PutOutcome::kDone);
  EXPECT_EQ(read_raw(folder / "a"), "new");
  struct stat found{};
  ASSERT_EQ(::stat((folder / "a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST(LocalWriter, FollowsALinkAndLeavesItInPlace) {
  const TestFolder folder;
  ASSERT_EQ(::mkdir((folder / "real").c_str(), 0777), 0);
  ASSERT_EQ(::symlink("real/x", (folder / "a").c_str()), 0);
  auto writer = create_local_file(folder / "a", IfExists::kReplace).value();
  ASSERT_TRUE(writer->append(as_bytes("new")).ok());
  EXPECT_EQ(writer->publish().value(), PutOutcome::kDone);
  EXPECT_EQ(read_raw(folder / "real/x"), "new");
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  EXPECT_EQ(create_local_file(folder / "loop", IfExists::kReplace).error().kind(),
            ErrorKind::kInvalid);
}

TEST(LocalWriter, NeverReplacesADeviceOrAFolder) {
  const TestFolder folder;
  EXPECT_EQ(create_local_file("/dev/null", IfExists::kReplace).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(create_local_file(folder.path(), IfExists::kReplace).error().kind(),
            ErrorKind::kInvalid);
  for (const char* path : {"", "/", ".", "..", "x/"}) {
    EXPECT_FALSE(create_local_file(path, IfExists::kReplace).ok()) << path;
  }
  EXPECT_EQ(create_local_file(folder / "no/a", IfExists::kRefuse).error().kind(),
            ErrorKind::kNotFound);
}

TEST(LocalWriter, DroppedOrFailedItLeavesNothing) {
  const TestFolder folder;
  ScriptedCalls calls(folder.path());
  {
    auto writer = create_local_file(folder / "a", IfExists::kRefuse, calls).value();
    calls.deny_always("write", -ENOSPC);
    const Bytes much(3'000'000);
    const Error error = writer->append(much).error();
    EXPECT_EQ(error.fact("reason"), "no-space");
    calls.deny({});
    EXPECT_EQ(writer->publish().error().kind(), ErrorKind::kInvalid);
  }
  EXPECT_FALSE(exists(folder / "a"));
  ASSERT_EQ(::rmdir(folder.path().c_str()), 0);  // empty
  ASSERT_EQ(::mkdir(folder.path().c_str(), 0777), 0);
}

}  // namespace
}  // namespace weft::storage
