#include "weft/storage/scratch.h"

#include <string>

#include <gtest/gtest.h>

namespace weft::storage {
namespace {

std::string read_text(const ScratchFile& file, uint64_t offset, size_t size) {
  std::string text(size, '\0');
  const Status status = file.read(offset, std::as_writable_bytes(std::span<char>(text)));
  return status.ok() ? text : status.error().to_string();
}

void expect_round_trip(ScratchSpace& space) {
  auto file = space.create();
  ASSERT_TRUE(file.ok()) << file.error().to_string();
  EXPECT_EQ(*(*file)->append(as_bytes("hello ")), 0U);
  EXPECT_EQ(*(*file)->append(as_bytes("world")), 6U);
  EXPECT_EQ((*file)->size(), 11U);
  EXPECT_EQ(read_text(**file, 0, 11), "hello world");
  EXPECT_EQ(read_text(**file, 6, 5), "world");
  std::string beyond(6, '\0');
  const Status status = (*file)->read(6, std::as_writable_bytes(std::span<char>(beyond)));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kInternal);
}

TEST(Scratch, LocalFilesGiveBackWhatWasAppended) {
  const auto space = local_scratch(::testing::TempDir());
  expect_round_trip(*space);
}

TEST(Scratch, MemoryFilesGiveBackWhatWasAppended) {
  const auto space = memory_scratch();
  expect_round_trip(*space);
}

TEST(Scratch, AMissingDirectoryIsNamed) {
  const auto space = local_scratch(::testing::TempDir() + "/weft-no-such-directory");
  const auto file = space->create();
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind(), ErrorKind::kNotFound);
  EXPECT_NE(file.error().fact("directory").find("no-such-directory"), std::string_view::npos);
}

TEST(Scratch, MemoryIsFullAtItsLimitAndFreeAgainWhenAFileGoes) {
  const auto space = memory_scratch(10);
  auto first = space->create();
  auto second = space->create();
  ASSERT_TRUE((*first)->append(as_bytes("0123456789")).ok());
  const auto beyond = (*second)->append(as_bytes("x"));
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(beyond.error().fact("reason"), "no-space");
  first->reset();
  EXPECT_TRUE((*second)->append(as_bytes("x")).ok());
}

}  // namespace
}  // namespace weft::storage
