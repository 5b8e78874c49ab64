#include "weft/graph/repair_paths.h"

#include <filesystem>
#include <memory>

#include <gmock/gmock.h>

#include "weft/catalog/branches.h"
#include "weft/codec/stream.h"
#include "weft/graph/branch.h"
#include "weft/graph/create.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"
#include "weft/storage/local_store.h"
#include "weft/storage/testing/test_folder.h"

namespace weft::graph {
namespace {

using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class RepairPathsTest : public testing::Test {
 protected:
  void SetUp() override {
    open("original");
    ASSERT_TRUE(
        create_graph(place(), ana(), {.schema_text = "node Person { name: String @key }"}).ok());
    insert("Ada", "main");
    ASSERT_TRUE(create_branch(place(), ana(), "review", {}).ok());
    insert("Ben", "review");
    ASSERT_TRUE(create_branch(place(), ana(), "deep", {.branch = "review", .at = Newest()}).ok());
    insert("Eve", "deep");
    ASSERT_TRUE(create_branch(place(), ana(), "unwritten", {}).ok());
  }

  std::string folder(const std::string& name) const { return folder_.path() + "/" + name; }
  void open(const std::string& name) {
    store_ = storage::open_local_store(folder(name), {.create_folder = true}).value();
  }
  catalog::CatalogPlace place() {
    return {
        .store = *store_, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  Authority ana() { return {"ana", everything_}; }
  void insert(const std::string& name, const std::string& branch) {
    const std::string line = R"({"type":"Person","data":{"name":")" + name + "\"}}\n";
    codec::MemoryInputView input(line);
    const auto done =
        load(place(), ana(), {.mode = LoadMode::kAppend, .branch = branch}, input, {});
    ASSERT_TRUE(done.ok()) << done.error().to_string();
  }
  std::string exported(const std::string& branch) {
    const auto graph = open_snapshot(place(), {.branch = branch, .at = Newest()});
    codec::StringOutput out;
    EXPECT_TRUE(graph.ok() && export_graph(**graph, {}, out, {}).ok());
    return std::move(out).text();
  }

  const storage::TestFolder folder_;
  base::SystemClock clock_;
  base::Random random_{17};
  base::ThreadPool executor_{1};
  AllowEverything everything_;
  std::unique_ptr<storage::ObjectStore> store_;
};

TEST_F(RepairPathsTest, WhatHasNotMovedIsLeftAlone) {
  EXPECT_THAT(plan_repair_paths(place(), {}).value(), IsEmpty());
  EXPECT_THAT(repair_paths(place(), ana(), "", {}).value(), IsEmpty());
  const auto review = catalog::open_branch(place(), "review").value();
  EXPECT_NE(catalog::open_latest(review)->state().head.kind, txn::kRebaseKind);
}

TEST_F(RepairPathsTest, BranchesOfACopySayWhereTheyLie) {
  std::filesystem::copy(folder("original"), folder("copy"),
                        std::filesystem::copy_options::recursive);
  std::filesystem::rename(folder("original"), folder("away"));
  open("copy");
  const std::string review = exported("review");
  const std::string deep = exported("deep");
  const auto moved = repair_paths(place(), ana(), "moved", {}).value();
  ASSERT_THAT(moved, SizeIs(2));
  EXPECT_EQ(moved[0].branch, "deep");
  EXPECT_EQ(moved[1].branch, "review");
  for (const MovedBranch& branch : moved) {
    ASSERT_TRUE(branch.receipt.has_value());
    EXPECT_TRUE(branch.receipt->has_followed);
    EXPECT_EQ(branch.receipt->commit.kind, txn::kRebaseKind);
    EXPECT_EQ(branch.receipt->commit.message, "moved");
    ASSERT_THAT(branch.tables, SizeIs(1));
    EXPECT_EQ(branch.tables[0].type, "Person");
    EXPECT_THAT(branch.tables[0].named, testing::Each(StartsWith(folder("original") + "/")));
    EXPECT_THAT(branch.tables[0].here, testing::Each(StartsWith(folder("copy") + "/")));
  }
  EXPECT_THAT(moved[0].tables[0].here, SizeIs(2));
  EXPECT_THAT(moved[1].tables[0].here[0], EndsWith("/" + moved[1].tables[0].path));
  for (const std::string branch : {"review", "deep"}) {
    const auto graph = open_snapshot(place(), {.branch = branch, .at = Newest()}).value();
    for (const lance::BasePath& base :
         graph->find_node("Person")->reader().value()->snapshot().manifest().base_paths) {
      EXPECT_TRUE(std::filesystem::is_directory(base.path)) << base.path;
    }
  }
  EXPECT_EQ(exported("review"), review);
  EXPECT_EQ(exported("deep"), deep);
  EXPECT_THAT(plan_repair_paths(place(), {}).value(), IsEmpty());
  insert("Ivy", "deep");
}

}  // namespace
}  // namespace weft::graph
