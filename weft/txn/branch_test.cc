// Branches of a graph under the write protocol.
#include <thread>

#include <gmock/gmock.h>

#include "weft/catalog/branches.h"
#include "weft/lance/table/refs.h"
#include "weft/storage/counting_store.h"
#include "weft/storage/memory_store.h"
#include "weft/txn/testing/graph_fixture.h"

namespace weft::txn {
namespace {

using catalog::BranchLife;
using catalog::CatalogPlace;
using catalog::CatalogView;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using Ids = std::multiset<int64_t>;

class BranchTest : public testing::Test {
 protected:
  CatalogPlace main() {
    return {.store = store_, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  CatalogPlace branch(std::string_view name) {
    auto place = catalog::open_branch(main(), name);
    EXPECT_TRUE(place.ok()) << name;
    return place.ok() ? *place : main();
  }
  Result<BranchLife> create(std::string_view name, std::string_view from = "main") {
    WEFT_TRY(const CatalogPlace parent, catalog::open_branch(main(), from));
    WEFT_TRY(const CatalogView view, catalog::open_latest(parent));
    return catalog::create_branch(parent, view, name,
                                  {.actor = "ana", .parent_branch = std::string(from)});
  }
  Result<Receipt> remove(std::string_view name) {
    return delete_branch(branch(name), {.actor = "ana"});
  }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    const auto branches = catalog::list_branches(main());
    EXPECT_TRUE(branches.ok());
    for (const catalog::BranchEntry& entry : *branches) {
      names.push_back(entry.life.branch);
    }
    return names;
  }
  void expect_rows(const CatalogPlace& place, const Ids& rows) {
    EXPECT_EQ(published(place, "node:A"), rows);
    EXPECT_EQ(ids_of(*head_of(place, "node:A")), rows);
  }

  base::SystemClock clock_;
  base::Random random_{31};
  base::ThreadPool executor_{1};
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
};

TEST_F(BranchTest, ABranchSeesWhatItsParentSawAndGoesOnByItself) {
  ASSERT_TRUE(insert(main(), {{"node:A", {1, 2}}, {"node:B", {7}}}).ok());
  const auto life = create("review");
  ASSERT_TRUE(life.ok()) << life.error().to_string();
  EXPECT_THAT(life->life, StartsWith("review."));
  EXPECT_THAT(life->lineage, ElementsAre(catalog::ForkPoint{"", 1}));
  ASSERT_TRUE(insert(main(), {{"node:A", {3}}}).ok());
  EXPECT_EQ(published(branch("review"), "node:A"), (Ids{1, 2}));
  EXPECT_TRUE(catalog::open_latest(branch("review"))->is_inherited());

  const auto first = insert(branch("review"), {{"node:A", {10}}});
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  EXPECT_TRUE(first->has_followed);
  EXPECT_EQ(first->commit.catalog_version, 2U);
  EXPECT_EQ(first->commit.parent, life->parent_commit);
  ASSERT_TRUE(insert(branch("review"), {{"node:A", {11}}}).ok());
  expect_rows(branch("review"), {1, 2, 10, 11});
  expect_rows(main(), {1, 2, 3});
  // What it has not written it still inherits.
  EXPECT_EQ(published(branch("review"), "node:B"), (Ids{7}));
  EXPECT_EQ(catalog::open_latest(branch("review"))->state().find("node:B")->pin.ref, "");
  // Other readers of Lance tables find it as a native branch.
  const auto table = head_of(branch("review"), "node:A")->location();
  EXPECT_EQ(table.branch, life->life);
  const auto native = lance::list_branches({table.store, table.root, ""});
  ASSERT_THAT(*native, SizeIs(1));
  EXPECT_EQ(native->front().name, life->life);
  EXPECT_EQ(native->front().parent_version, 1U);
  EXPECT_THAT(*lance::list_branches(main().location()), SizeIs(1));
}

TEST_F(BranchTest, TheHistoryOfABranchBeginsWithThatOfItsParent) {
  ASSERT_TRUE(insert(main(), {{"node:A", {1}}}).ok());
  ASSERT_TRUE(insert(main(), {{"node:A", {2}}}).ok());
  ASSERT_TRUE(create("b").ok());
  ASSERT_TRUE(insert(main(), {{"node:A", {3}}}).ok());
  ASSERT_TRUE(insert(branch("b"), {{"node:A", {4}}}).ok());
  const auto view = catalog::open_latest(branch("b"));
  EXPECT_THAT(*view->commits(10), SizeIs(3));
  for (const auto& [version, rows] :
       std::map<uint64_t, Ids>{{1, {1}}, {2, {1, 2}}, {3, {1, 2, 4}}}) {
    const auto then = catalog::open_version(branch("b"), version);
    ASSERT_TRUE(then.ok()) << version;
    EXPECT_EQ(ids_of(*catalog::open_pinned(branch("b"), *then->state().find("node:A"))), rows);
  }
}

TEST_F(BranchTest, BranchesOfBranchesWrittenOrNot) {
  ASSERT_TRUE(insert(main(), {{"node:A", {1}}}).ok());
  ASSERT_TRUE(create("b").ok());
  const auto unwritten = create("c", "b");
  ASSERT_TRUE(unwritten.ok());
  EXPECT_THAT(unwritten->lineage, ElementsAre(catalog::ForkPoint{"", 1}));
  ASSERT_TRUE(insert(branch("b"), {{"node:A", {2}}}).ok());
  const auto written = create("d", "b");
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->lineage.size(), 2U);
  ASSERT_TRUE(insert(branch("b"), {{"node:A", {3}}}).ok());
  ASSERT_TRUE(insert(branch("c"), {{"node:A", {4}}}).ok());
  ASSERT_TRUE(insert(branch("d"), {{"node:A", {5}}}).ok());
  ASSERT_TRUE(insert(branch("d"), {{"node:A", {6}}}).ok());
  expect_rows(main(), {1});
  expect_rows(branch("b"), {1, 2, 3});
  expect_rows(branch("c"), {1, 4});
  expect_rows(branch("d"), {1, 2, 5, 6});
  EXPECT_THAT(names(), ElementsAre("b", "c", "d"));
  const auto then = catalog::open_version(branch("d"), 1);
  EXPECT_EQ(ids_of(*catalog::open_pinned(branch("d"), *then->state().find("node:A"))), (Ids{1}));
}

TEST_F(BranchTest, NamesAreTakenOnceAndSomeNever) {
  ASSERT_TRUE(insert(main(), {{"node:A", {1}}}).ok());
  ASSERT_TRUE(create("feature/x").ok());
  EXPECT_EQ(create("feature/x").error().kind(), ErrorKind::kAlreadyExists);
  for (const std::string_view name : {"main", "", "a b", "../x", "x.01ARZ3NDEKTSV4RRFFQ69G5FAV",
                                      "x/y.01ARZ3NDEKTSV4RRFFQ69G5FAV"}) {
    EXPECT_EQ(create(name).error().kind(), ErrorKind::kInvalid) << name;
  }
  EXPECT_EQ(create("y", "absent").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(catalog::open_branch(main(), "feature").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(catalog::open_branch(main(), "../x").error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(names(), ElementsAre("feature/x"));
}

TEST_F(BranchTest, ADeletedBranchEndsAndItsNameBeginsAnotherLife) {
  ASSERT_TRUE(insert(main(), {{"node:A", {1}}}).ok());
  ASSERT_TRUE(create("b").ok());
  ASSERT_TRUE(insert(branch("b"), {{"node:A", {2}}}).ok());
  const CatalogPlace late = branch("b");
  ASSERT_TRUE(remove("b").ok());
  EXPECT_THAT(names(), IsEmpty());
  const auto refused = insert(late, {{"node:A", {666}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(refused.error().fact("branch"), "b");
  EXPECT_EQ(remove("b").error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(create("c", "b").error().kind(), ErrorKind::kNotFound);

  const auto again = create("b");
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_EQ(again->number, 2U);
  EXPECT_NE(again->life, late.life);
  EXPECT_EQ(published(branch("b"), "node:A"), (Ids{1}));
  ASSERT_TRUE(insert(branch("b"), {{"node:A", {3}}}).ok());
  expect_rows(branch("b"), {1, 3});
  EXPECT_FALSE(insert(late, {{"node:A", {666}}}).ok());
  EXPECT_EQ(delete_branch(main(), {.actor = "ana"}).error().kind(), ErrorKind::kInvalid);
  // One that was never written ends as well.
  ASSERT_TRUE(create("e").ok());
  ASSERT_TRUE(remove("e").ok());
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(BranchTest, AWriterWhoIsOvertakenByTheDeletionLoses) {
  ASSERT_TRUE(insert(main(), {{"node:A", {1}}}).ok());
  ASSERT_TRUE(create("b").ok());
  const CatalogPlace place = branch("b");
  const auto ours = write(place, {.kind = "mutate", .actor = "ben"}, [&](Capture& capture) {
    if (catalog::check_goes_on(*catalog::open_latest(place)).ok()) {
      EXPECT_TRUE(remove("b").ok());
    }
    return stage_inserts(capture, {{"node:A", {2}}});
  });
  ASSERT_FALSE(ours.ok());
  EXPECT_EQ(ours.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(published(main(), "node:A"), (Ids{1}));
}

TEST_F(BranchTest, MakingABranchIsOneCreationAndCopiesNothing) {
  ASSERT_TRUE(insert(main(), {{"node:A", {1}}, {"node:B", {2}}}).ok());
  storage::StoreCounter counter;
  const auto counted = storage::counting_store(store_, counter);
  const CatalogPlace at{
      .store = *counted, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  const auto view = catalog::open_latest(at);
  counter.reset();
  ASSERT_TRUE(catalog::create_branch(at, *view, "b", {.actor = "ana"}).ok());
  const storage::StoreCounts counts = counter.counts();
  EXPECT_EQ(counts[storage::Operation::kPutIfAbsent].calls, 1U);
  EXPECT_LE(counts.calls(), 4U);
}

TEST_F(BranchTest, AHeadOfABranchIsBroughtByWhoeverWritesNext) {
  ASSERT_TRUE(insert(main(), {{"node:A", {1}}}).ok());
  ASSERT_TRUE(create("b").ok());
  ASSERT_TRUE(insert(branch("b"), {{"node:A", {2}}}).ok());
  const auto head = head_of(branch("b"), "node:A");
  ASSERT_TRUE(store_.remove(head->location().object(lance::manifest_name(head->version()))).ok());
  ASSERT_TRUE(insert(branch("b"), {{"node:A", {3}}}).ok());
  expect_rows(branch("b"), {1, 2, 3});
  EXPECT_TRUE(lance::open_version(head->location(), head->version()).ok());
}

class BranchThreads : public BranchTest {};

TEST_F(BranchThreads, OfManyWhoMakeOneNameOneWinsAndAllFirstWritesArrive) {
  ASSERT_TRUE(insert(main(), {{"node:A", {1}}}).ok());
  constexpr int kThreads = 4;
  std::atomic<int> made = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      base::Random random(static_cast<uint64_t>(100 + i));
      const CatalogPlace own{
          .store = store_, .clock = clock_, .random = random, .executor = executor_, .life = {}};
      const auto created = catalog::create_branch(own, *catalog::open_latest(own), "b", {"ana"});
      made += created.ok() ? 1 : 0;
      EXPECT_TRUE(created.ok() || created.error().kind() == ErrorKind::kAlreadyExists);
      const auto receipt = insert(*catalog::open_branch(own, "b"), {{"node:A", {10 + i}}});
      EXPECT_TRUE(receipt.ok()) << (receipt.ok() ? "" : receipt.error().to_string());
    });
  }
  threads.clear();
  EXPECT_EQ(made, 1);
  expect_rows(branch("b"), {1, 10, 11, 12, 13});
  expect_rows(main(), {1});
}

}  // namespace
}  // namespace weft::txn
