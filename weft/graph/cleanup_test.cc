// What a cleanup of a graph takes, and what it leaves.
#include "weft/graph/cleanup.h"

#include <gmock/gmock.h>

#include "weft/catalog/branches.h"
#include "weft/catalog/pinned_table.h"
#include "weft/codec/stream.h"
#include "weft/graph/branch.h"
#include "weft/graph/create.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"
#include "weft/graph/repair.h"
#include "weft/graph/testing/sleeping_machine.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/table/refs.h"
#include "weft/storage/memory_store.h"
#include "weft/storage/testing/ends_before_sync.h"

namespace weft::graph {
namespace {

using testing::_;
using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;
using testing::StartsWith;

constexpr int64_t kHourUs = int64_t{3600} * 1'000'000;
constexpr int64_t kDayUs = 24 * kHourUs;

class CleanupTest : public testing::Test {
 protected:
  static constexpr std::string_view kSchema = R"(
node Person { name: String @key age: I32? mail: String? @unique }
edge Knows: Person -> Person
)";
  void SetUp() override {
    ASSERT_TRUE(create_graph(place(), ana(), {.schema_text = kSchema}).ok());
    load_rows(person("Ada", 1) + person("Ben", 2));
  }
  catalog::CatalogPlace place(storage::ObjectStore* store = nullptr) {
    return {.store = store == nullptr ? store_ : *store,
            .clock = clock_,
            .random = random_,
            .executor = executor_,
            .life = {}};
  }
  Authority ana() { return {"ana", everything_}; }
  static std::string person(const std::string& name, int age) {
    return R"({"type":"Person","data":{"name":")" + name + R"(","age":)" + std::to_string(age) +
           "}}\n";
  }
  void load_rows(const std::string& lines, const std::string& branch = "main",
                 LoadMode mode = LoadMode::kAppend, uint64_t waiting_rows_max = UINT64_MAX) {
    codec::MemoryInputView input(lines);
    const auto loaded =
        load(place(), ana(), {.mode = mode, .branch = branch, .waiting_rows_max = waiting_rows_max},
             input, {});
    ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
  }
  std::string exported(const GraphPoint& point = {}) {
    const auto graph = open_snapshot(place(), point);
    EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().to_string());
    codec::StringOutput out;
    const Status done = graph.ok() ? export_graph(**graph, {}, out, {}) : ok_status();
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().to_string());
    return std::move(out).text();
  }
  // Every commit of the branch, as it is read.
  std::vector<std::string> history(const std::string& branch = "main") {
    std::vector<std::string> all;
    const auto newest = open_snapshot(place(), {.branch = branch, .at = Newest()});
    EXPECT_TRUE(newest.ok());
    const std::vector<catalog::CommitRecord> commits = *(*newest)->view().commits(1000);
    for (const catalog::CommitRecord& commit : commits) {
      all.push_back(exported({.branch = branch, .at = commit.id}));
    }
    return all;
  }
  std::set<std::string> names() {
    std::set<std::string> found;
    const std::vector<storage::ObjectInfo> objects = *store_.list("", true);
    for (const storage::ObjectInfo& object : objects) {
      found.insert(object.name);
    }
    return found;
  }
  CleanupReport clean(CleanupRequest request = {}) {
    auto report = clean_graph(place(), ana(), request, {});
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().to_string());
    return report.ok() ? *std::move(report) : CleanupReport();
  }
  void pass(int64_t duration_us) { clock_.sleep_microseconds(duration_us); }
  lance::Snapshot head(std::string_view type = "Person") {
    const auto graph = open_snapshot(place());
    const TypeTable* const node = (*graph)->find_node(type);
    return *lance::open_latest(catalog::location_of(
        place(), node != nullptr ? node->entry() : (*graph)->find_edge(type)->entry()));
  }
  lance::RowOptions foreign() {
    lance::RowOptions options;
    options.stage.operation = "foreign";
    options.stage.clock = &clock_;
    options.stage.random = &random_;
    options.write.executor = &executor_;
    return options;
  }
  lance::Snapshot commit(Result<lance::StagedTransaction> staged) {
    EXPECT_TRUE(staged.ok()) << (staged.ok() ? "" : staged.error().to_string());
    const auto result = lance::commit(*staged, {foreign().stage, 10, true});
    EXPECT_TRUE(result.ok() && result->outcome == lance::CommitOutcome::kCommitted);
    return *result->snapshot;
  }

  SteppedClock clock_;
  base::Random random_{17};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
  AllowEverything everything_;
};

TEST_F(CleanupTest, NothingIsTakenFromWhatWasPublishedHoweverOldItIs) {
  for (int i = 0; i < 70; ++i) {
    load_rows(person("p" + std::to_string(i), i));
  }
  load_rows(person("Ada", 99), "main", LoadMode::kMerge);
  ASSERT_TRUE(create_branch(place(), ana(), "review").ok());
  load_rows(person("Cem", 3), "review");
  const auto before = names();
  const auto main = history();
  const auto review = history("review");
  pass(1000 * kDayUs);
  const CleanupReport report = clean();
  EXPECT_EQ(report.commits_kept, 74U);
  EXPECT_THAT(report.native_branches, IsEmpty());
  EXPECT_EQ(history(), main);
  EXPECT_EQ(history("review"), review);
  // Runs of the key index that only older heads name stay with them.
  EXPECT_EQ(names(), before);
  EXPECT_THAT(report.removed, IsEmpty());
}

TEST_F(CleanupTest, IndicesOverValuesStay) {
  const auto people = [](int from, int count) {
    std::string lines;
    for (int i = from; i < from + count; ++i) {
      lines += R"({"type":"Person","data":{"name":"p)" + std::to_string(i) + R"(","mail":"m)" +
               std::to_string(i) + "\"}}\n";
    }
    return lines;
  };
  load_rows(people(0, 100));
  load_rows(people(100, 100));
  clock_.sleep_microseconds(30 * kDayUs);
  const auto done = clean_graph(place(), ana(), {}, {});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  const std::string again = R"({"type":"Person","data":{"name":"new","mail":"m150"}})";
  codec::MemoryInputView input(again);
  const auto refused = load(place(), ana(), {}, input, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalid) << refused.error().to_string();
  load_rows(people(200, 1));
}

TEST_F(CleanupTest, WhatWasNeverPublishedGoesOnceItIsOldEnough) {
  const auto before = names();
  // A writer that was killed behind its staging: everything but the next version of the catalog.
  const auto graph = open_snapshot(place());
  txn::Capture capture(place(), (*graph)->view(), base::Ulid::make(clock_.now(), random_), 1);
  const auto base = capture.table("node:Person");
  ASSERT_TRUE(base.ok());
  const auto staged = lance::stage_delete(*base, {lance::row_address(0, 0)}, capture.row_options());
  ASSERT_TRUE(staged.ok()) << staged.error().to_string();
  ASSERT_TRUE(lance::put_staged(store_, staged->objects_detached()).ok());
  const std::string root = base->location().root;
  for (const std::string& name :
       {root + "/data/lost-1.weft", root + "/_weft/keys-lost-1.run",
        std::string("_schema/lost.json"), std::string("_probe/lost"),
        std::string(
            "Gone-01ARZ3NDEKTSV4RRFFQ69G5FAV-01ARZ3NDEKTSV4RRFFQ69G5FAW.lance/data/x.weft")}) {
    ASSERT_TRUE(store_.put_if_absent(name, as_bytes("x")).ok()) << name;
  }
  // Nobody knows whose these are.
  for (const std::string& name :
       {std::string("notes.txt"), std::string("Person.lance/data/x.lance")}) {
    ASSERT_TRUE(store_.put_if_absent(name, as_bytes("x")).ok()) << name;
  }
  auto left = before;
  left.insert("notes.txt");
  left.insert("Person.lance/data/x.lance");
  const auto littered = names();
  EXPECT_GT(littered.size(), left.size() + 5);
  pass(kCleanupGraceUs - kHourUs);
  EXPECT_THAT(clean().removed, IsEmpty());
  EXPECT_EQ(names(), littered);
  pass(2 * kHourUs);
  const CleanupReport would = clean({.dry_run = true});
  EXPECT_EQ(names(), littered);
  const CleanupReport report = clean();
  EXPECT_EQ(names(), left);
  EXPECT_EQ(report.removed, would.removed);
  EXPECT_EQ(report.removed_bytes, would.removed_bytes);
  EXPECT_EQ(report.removed.size(), littered.size() - left.size());
  EXPECT_THAT(clean().removed, IsEmpty());
}

TEST_F(CleanupTest, ABranchThatEndedLongAgoLeavesOnlyThatItEnded) {
  const auto before = names();
  ASSERT_TRUE(create_branch(place(), ana(), "review").ok());
  for (int i = 0; i < 5; ++i) {
    load_rows(person("r" + std::to_string(i), i), "review");
  }
  ASSERT_TRUE(delete_branch(place(), ana(), "review").ok());
  const auto whole = names();
  pass(kCleanupKeepUs - kHourUs);
  EXPECT_THAT(clean().ended, IsEmpty());
  EXPECT_EQ(names(), whole);
  pass(2 * kHourUs);
  const CleanupReport report = clean();
  EXPECT_THAT(report.ended, ElementsAre(StartsWith("review.")));
  EXPECT_THAT(report.native_branches, ElementsAre(HasSubstr("@review.")));
  for (const std::string& name : names()) {
    EXPECT_TRUE(before.contains(name) || name.starts_with("_refs/review/") ||
                name.starts_with("__manifest/"))
        << name;
  }
  // The name may be used again, and nobody takes the old life for one that goes on.
  EXPECT_EQ(open_snapshot(place(), {.branch = "review", .at = Newest()}).error().kind(),
            ErrorKind::kNotFound);
  EXPECT_THAT(*catalog::list_branches(place()), IsEmpty());
  EXPECT_THAT(clean().removed, IsEmpty());
  ASSERT_TRUE(create_branch(place(), ana(), "review").ok());
  load_rows(person("again", 1), "review");
  EXPECT_THAT(exported({.branch = "review", .at = Newest()}), HasSubstr("again"));
}

TEST_F(CleanupTest, ABranchOfADeletedBranchKeepsWhatItStandsUpon) {
  ASSERT_TRUE(create_branch(place(), ana(), "a").ok());
  load_rows(person("in-a", 1), "a");
  ASSERT_TRUE(create_branch(place(), ana(), "b", {.branch = "a", .at = Newest()}).ok());
  load_rows(person("late-in-a", 1), "a");
  load_rows(person("in-b", 1), "b");
  ASSERT_TRUE(delete_branch(place(), ana(), "a").ok());
  const auto history_of_b = history("b");
  pass(100 * kDayUs);
  EXPECT_THAT(clean().ended, IsEmpty());
  EXPECT_EQ(history("b"), history_of_b);
  load_rows(person("more", 2), "b");
  ASSERT_TRUE(delete_branch(place(), ana(), "b").ok());
  pass(100 * kDayUs);
  EXPECT_THAT(clean().ended, SizeIs(2));
  EXPECT_THAT(clean().removed, IsEmpty());
  EXPECT_THAT(exported(), HasSubstr("Ada"));
}

TEST_F(CleanupTest, AGuardStaysAsLongAsSomethingPublishedNeedsIt) {
  load_rows(person("Cem", 3));
  auto compaction = lance::stage_compaction(head(), {}, foreign());
  ASSERT_TRUE(compaction.ok() && compaction->has_value());
  commit(std::move(**compaction));
  load_rows(person("Dee", 4));
  const auto branches = lance::list_branches({&store_, head().location().root, ""});
  ASSERT_THAT(*branches, SizeIs(1));
  pass(100 * kDayUs);
  const auto whole = history();
  const CleanupReport report = clean();
  // Our own compaction wrote files that no engine removes.
  EXPECT_THAT(report.native_branches, ElementsAre(HasSubstr("@weft-keep.")));
  EXPECT_EQ(history(), whole);
  load_rows(person("Eve", 5));
}

// One that a writer left days ago is taken, and by nobody else for his own.
TEST_F(CleanupTest, AGuardIsNotBuiltUponWhileACleanupTakesIt) {
  load_rows(person("Cem", 3));
  lance::RowOptions engine = foreign();
  engine.stage.data_ending = lance::kEngineDataEnding;
  auto compaction = lance::stage_compaction(head(), {}, engine);
  ASSERT_TRUE(compaction.ok() && compaction->has_value());
  commit(std::move(**compaction));
  const std::string table = head().location().root;
  storage::EndsBeforeSync ends("__manifest/data/");
  storage::MemoryStore dying(disk_, &ends);
  const std::string line = person("Dee", 4);
  codec::MemoryInputView input(line);
  EXPECT_FALSE(load(place(&dying), ana(), {}, input, {}).ok());
  ASSERT_THAT(*lance::list_branches({&store_, table, ""}), SizeIs(1));
  pass(3 * kDayUs);
  SleepsBefore taken("remove", table + "/_refs/branches/weft-keep.", [&] {
    load_rows(line);
    return ok_status();
  });
  storage::MemoryStore cleaning(disk_, &taken);
  const auto cleaned = clean_graph(place(&cleaning), ana(), {}, {});
  ASSERT_TRUE(cleaned.ok()) << cleaned.error().to_string();
  ASSERT_TRUE(taken.has_slept());
  const auto branches = lance::list_branches({&store_, table, ""});
  ASSERT_THAT(*branches, SizeIs(1));
  EXPECT_THAT(branches->front().name, StartsWith("weft-keep."));
  EXPECT_TRUE(lance::open_latest({&store_, table, branches->front().name}).ok());
}

TEST_F(CleanupTest, WhatWasDiscardedStaysForAWhile) {
  const lance::Snapshot before = head();
  commit(lance::stage_delete(before, {lance::row_address(before.manifest().fragments[0].id, 0)},
                             foreign()));
  const auto repaired = repair(place(), ana(), {.remedy = Remedy::kDiscard}, {});
  ASSERT_TRUE(repaired.ok()) << repaired.error().to_string();
  ASSERT_THAT(repaired->kept, SizeIs(1));
  const lance::TableLocation kept{&store_, before.location().root, repaired->kept[0]};
  pass(kCleanupKeepUs - kHourUs);
  EXPECT_THAT(clean().native_branches, IsEmpty());
  EXPECT_TRUE(lance::open_latest(kept).ok());
  pass(2 * kHourUs);
  EXPECT_THAT(clean().native_branches, SizeIs(1));
  EXPECT_EQ(lance::open_latest(kept).error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(exported(), HasSubstr("Ada"));
  EXPECT_THAT(clean().removed, IsEmpty());
}

TEST_F(CleanupTest, IfAPublishedVersionIsGoneNothingIsRemoved) {
  load_rows(person("Cem", 3));
  const auto graph = open_snapshot(place());
  const catalog::TableEntry entry = (*graph)->find_node("Person")->entry();
  ASSERT_TRUE(store_.put_if_absent("_probe/old", as_bytes("x")).ok());
  ASSERT_TRUE(store_
                  .remove(catalog::location_of(place(), entry)
                              .object(lance::manifest_name(entry.pin.detached_version)))
                  .ok());
  pass(100 * kDayUs);
  const auto before = names();
  const auto refused = clean_graph(place(), ana(), {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(std::string(refused.error().fact("object")), HasSubstr(entry.path));
  EXPECT_EQ(names(), before);
}

TEST_F(CleanupTest, AWriteThatBeganTooLongAgoIsAbandoned) {
  const auto slow = txn::write(
      place(), {.kind = "mutate", .actor = "ana"},
      [&](txn::Capture& capture) -> Result<txn::Change> {
        WEFT_TRY(const lance::Snapshot base, capture.table("node:Person"));
        txn::Change change;
        txn::TableChange& table = change.tables.emplace_back();
        table.key = "node:Person";
        table.identity = capture.view()->state().find("node:Person")->identity;
        WEFT_TRY(table.staged,
                 lance::stage_delete(base, {lance::row_address(0, 0)}, capture.row_options()));
        pass(txn::kWriterLifetimeUs + kHourUs);
        return change;
      });
  ASSERT_FALSE(slow.ok());
  EXPECT_EQ(slow.error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(slow.error().fact("reason"), "writer-lifetime");
  EXPECT_THAT(exported(), AllOf(HasSubstr("Ada"), HasSubstr("Ben")));
}

// A machine may sleep between two requests: what was staged before may be gone.
TEST_F(CleanupTest, AWriteThatSleepsBeforeItsPublicationIsAbandoned) {
  const auto before = exported();
  const std::string line = person("Late", 3);
  {
    // Behind what it stages.
    SleepsBefore sleeps("sync", "__manifest/data/", [&] {
      pass(txn::kWriterLifetimeUs + kHourUs);
      return ok_status();
    });
    storage::MemoryStore store(disk_, &sleeps);
    codec::MemoryInputView input(line);
    const auto slow = load(place(&store), ana(), {}, input, {});
    ASSERT_FALSE(slow.ok());
    EXPECT_EQ(slow.error().fact("reason"), "writer-lifetime");
  }
  EXPECT_EQ(exported(), before);
  {
    // The request was lost on its way, and is not repeated.
    SleepsBefore sleeps("show", "__manifest/_versions/", [&] {
      pass(txn::kWriterLifetimeUs + kHourUs);
      return Error(ErrorKind::kRecoveryRequired, "the store gave no answer");
    });
    storage::MemoryStore store(disk_, &sleeps);
    codec::MemoryInputView input(line);
    const auto slow = load(place(&store), ana(), {}, input, {});
    ASSERT_FALSE(slow.ok());
    EXPECT_EQ(slow.error().kind(), ErrorKind::kRecoveryRequired) << slow.error().to_string();
  }
  EXPECT_EQ(exported(), before);
}

TEST_F(CleanupTest, WhatAFirstWriteOfABranchLeftGoes) {
  const auto life = create_branch(place(), ana(), "team/review");
  ASSERT_TRUE(life.ok()) << life.error().to_string();
  const auto before = names();
  const std::string line = person("Rev", 1);
  for (const std::string& shown : {"__manifest/tree/" + life->life + "/data/pointers",
                                   head().location().root + "/tree/" + life->life + "/data/"}) {
    storage::EndsBeforeSync ends(shown);
    storage::MemoryStore dying(disk_, &ends);
    codec::MemoryInputView input(line);
    EXPECT_FALSE(load(place(&dying), ana(), {.branch = "team/review"}, input, {}).ok());
    EXPECT_TRUE(ends.has_ended()) << shown;
  }
  // Refs may have been lost with the power where what was put with them was not.
  for (const std::string& root : {std::string("__manifest"), head().location().root}) {
    ASSERT_TRUE(store_
                    .remove(root + "/" + std::string(lance::kBranchesFolder) +
                            lance::branch_file_name(life->life) + ".json")
                    .ok());
  }
  EXPECT_GT(names().size(), before.size());
  pass(100 * kDayUs);
  clean();
  // Of what was put only the beginnings of native branches stay, which whoever comes next takes for
  // his: a version under a number, its transaction, the ref.
  std::map<std::string, size_t> left;
  for (const std::string& name : names()) {
    if (!before.contains(name)) {
      EXPECT_THAT(name, Not(HasSubstr("/_versions/d")));
      EXPECT_THAT(name, AnyOf(HasSubstr("/_versions/"), HasSubstr("/_refs/"),
                              HasSubstr("/_transactions/")));
      ++left[name.substr(0, name.rfind('/'))];
    }
  }
  EXPECT_THAT(left, Each(Pair(_, 1)));
  const auto after = names();
  clean();
  EXPECT_EQ(names(), after);
  load_rows(line, "team/review");
  EXPECT_THAT(exported({.branch = "team/review", .at = Newest()}), HasSubstr("Rev"));
}

// Else a crash could bring back a branch without what was taken from it.
TEST_F(CleanupTest, ABranchIsTakenOnceItsEndIsDurable) {
  const auto life = create_branch(place(), ana(), "review");
  ASSERT_TRUE(life.ok()) << life.error().to_string();
  load_rows(person("Rev", 1), "review");
  storage::EndsBeforeSync ends(
      catalog::place_of(place(), *life).location().object(lance::kVersionsFolder));
  storage::MemoryStore dying(disk_, &ends);
  EXPECT_FALSE(delete_branch(place(&dying), ana(), "review").ok());
  ASSERT_TRUE(ends.has_ended());
  pass(100 * kDayUs);
  EXPECT_THAT(clean().ended, SizeIs(1));
  disk_.lose_unsynced();
  EXPECT_EQ(open_snapshot(place(), {.branch = "review", .at = Newest()}).error().kind(),
            ErrorKind::kNotFound);
  EXPECT_THAT(*catalog::list_branches(place()), IsEmpty());
}

TEST_F(CleanupTest, TimesBelowZeroAndGraphsThatAreNotThereAreRefused) {
  EXPECT_EQ(clean_graph(place(), ana(), {.keep_us = -1}, {}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(clean_graph(place(), {"", everything_}, {}, {}).error().kind(), ErrorKind::kInvalid);
  storage::MemoryDisk disk(&clock_);
  storage::MemoryStore empty(disk);
  EXPECT_EQ(clean_graph(place(&empty), ana(), {}, {}).error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(*empty.list("", true), IsEmpty());
}

}  // namespace
}  // namespace weft::graph
