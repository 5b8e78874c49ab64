#include "weft/journal/repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/storage/memory_store.h"

namespace weft::journal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Objects : ChangeSink {
  std::vector<std::string> objects;
  Status change(bool /*insert*/, const rdf::QuadView& quad) override {
    objects.emplace_back(quad.object);
    return ok_status();
  }
};

std::string commit(uint64_t sequence) {
  std::string lines;
  append_line(lines, true,
              {.subject = "<s>",
               .predicate = "<p>",
               .object = "<" + std::to_string(sequence) + ">",
               .graph = {}});
  return mark_line(make_mark("j1", sequence, lines)) + lines;
}

class RepairTest : public testing::Test {
 protected:
  Result<RepairReport> repair(std::string_view text, const RepairRequest& request) {
    EXPECT_TRUE(store_.put_if_absent("j", as_bytes(text)).ok());
    return repair_journal(store_, "j", request, random_);
  }
  std::vector<std::string> left() {
    Objects objects;
    const auto bytes = store_.get("j", 10'000).value();
    const auto report = read_journal(as_text(bytes.bytes.view()), "j", objects);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report->cut_bytes, 0U);
    return objects.objects;
  }
  storage::MemoryDisk disk_;
  storage::MemoryStore store_{disk_};
  base::Random random_{1};
};

std::string damaged() {
  std::string text = commit(1) + commit(2) + commit(3);
  text[text.find("<2>") + 1] = '9';
  return text;
}

TEST_F(RepairTest, KeepsWhatStandsInFrontOfTheDamage) {
  const auto report = repair(damaged(), {});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(left(), ElementsAre("<1>"));
  ASSERT_THAT(report->lost, SizeIs(1));
  EXPECT_EQ(report->lost[0].offset, commit(1).size());
  EXPECT_EQ(report->lost[0].line, 3U);
  EXPECT_EQ(report->kept_commits, 1U);
  EXPECT_EQ(to_text(store_.get(report->kept_as, 10'000)->bytes.view()), damaged());
}

TEST_F(RepairTest, KeepsLaterCommitsOnRequest) {
  const auto report = repair(damaged(), {.keep_later = true, .dry_run = false, .sealed = {}});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(left(), ElementsAre("<1>", "<3>"));
  EXPECT_EQ(report->lost[0].size, commit(2).size());
}

TEST_F(RepairTest, ADryRunChangesNothing) {
  const auto report = repair(damaged(), {.keep_later = false, .dry_run = true, .sealed = {}});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->lost, SizeIs(1));
  EXPECT_EQ(to_text(store_.get("j", 10'000)->bytes.view()), damaged());
}

TEST_F(RepairTest, ASoundJournalIsLeftAsItIs) {
  const auto report = repair(commit(1) + commit(2), {});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->lost, IsEmpty());
  EXPECT_EQ(report->kept_as, "");
  EXPECT_EQ(to_text(store_.get("j", 10'000)->bytes.view()), commit(1) + commit(2));
}

TEST_F(RepairTest, WhatIsSealedIsNotBroughtBack) {
  const auto report =
      repair(damaged(), {.keep_later = true, .dry_run = false, .sealed = JournalPosition{"j1", 1}});
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(left(), ElementsAre("<3>"));
}

}  // namespace
}  // namespace weft::journal
