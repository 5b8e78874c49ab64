#include "weft/engine/graph.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "weft/exec/query.h"
#include "weft/manifest/manifest_store.h"
#include "weft/quads/ingest.h"
#include "weft/sparql/parser.h"
#include "weft/storage/local_store.h"

namespace weft::engine {
namespace {

class GraphTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/weft-engine-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    store_ = storage::open_local_store(folder_).value();
  }
  void TearDown() override {
    for (const storage::ObjectInfo& object : store_->list("", true).value()) {
      EXPECT_TRUE(store_->remove(object.name).ok());
    }
    rmdir(folder_.c_str());
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  void write_file(const std::string& name, std::string_view text) {
    ASSERT_EQ(store_->put_if_absent(name, as_bytes(text)).value(), storage::PutOutcome::kDone);
  }

  manifest::SegmentPin build(const std::string& name, std::string_view nquads) {
    write_file(name + ".nq", nquads);
    const std::vector<std::string> inputs = {path(name + ".nq")};
    const auto scratch = storage::memory_scratch();
    const auto report = quads::build_segment_of(inputs, {}, {}, executor_, *scratch, *store_, name);
    EXPECT_TRUE(report.ok());
    return {name, report->build.file_bytes, report->build.content_hash};
  }

  // Rows of one variable, as tokens.
  std::vector<std::string> ask_rows(Graph& graph, std::string_view text) {
    base::MemoryBudget budget("test", uint64_t{64} << 20U);
    base::Random random(1);
    exec::QueryOptions options;
    options.budget = &budget;
    options.executor = &executor_;
    options.clock = &clock_;
    options.random = &random;
    auto query = sparql::parse_query(text);
    EXPECT_TRUE(query.ok());
    auto prepared = exec::prepare(std::move(query).value(), graph.source(), options);
    EXPECT_TRUE(prepared.ok());
    const auto solutions = prepared.value()->select();
    EXPECT_TRUE(solutions.ok());
    std::vector<std::string> tokens;
    exec::RowBatch batch;
    while (true) {
      EXPECT_TRUE(solutions.value()->next(batch).ok());
      if (batch.empty()) {
        return tokens;
      }
      EXPECT_TRUE(solutions.value()->tokens(batch.columns[0], tokens).ok());
    }
  }

  base::InlineExecutor executor_;
  base::SystemClock clock_;
  std::string folder_;
  std::unique_ptr<storage::ObjectStore> store_;
  Environment environment_{executor_, clock_, {}};
};

constexpr std::string_view kKnows = "SELECT ?o WHERE { <http://ex/a> <http://ex/knows> ?o }";

TEST_F(GraphTest, ASegmentAnswersQueries) {
  build("a.rete", "<http://ex/a> <http://ex/knows> <http://ex/b> .\n");
  const auto graph = Graph::open(environment_, path("a.rete"));
  ASSERT_TRUE(graph.ok()) << graph.error().to_string();
  EXPECT_FALSE(graph.value()->manifest().has_value());
  EXPECT_THAT(ask_rows(**graph, kKnows), testing::ElementsAre("<http://ex/b>"));
}

TEST_F(GraphTest, AManifestAnswersOverItsFoldAndJournal) {
  manifest::LogEntry second;
  manifest::Manifest log = manifest::Manifest::create(
      "g", build("a.rete", "<http://ex/a> <http://ex/knows> <http://ex/b> .\n"));
  second.adds = build("b.rete", "<http://ex/a> <http://ex/knows> <http://ex/c> .\n");
  second.dels = build("c.rete", "<http://ex/a> <http://ex/knows> <http://ex/b> .\n");
  ASSERT_TRUE(log.append(second).ok());
  write_file("g.rete-manifest.json", log.text());
  write_file("g.rete-manifest.json.changes", "+ <http://ex/a> <http://ex/knows> <http://ex/d> .\n");
  const auto graph = Graph::open(environment_, path("g.rete-manifest.json"));
  ASSERT_TRUE(graph.ok()) << graph.error().to_string();
  EXPECT_EQ(graph.value()->manifest()->generation(), 2U);
  EXPECT_THAT(ask_rows(**graph, kKnows),
              testing::UnorderedElementsAre("<http://ex/c>", "<http://ex/d>"));
}

TEST_F(GraphTest, WhatIsNeitherIsRefusedByName) {
  write_file("text.nt", "<http://ex/a> <http://ex/knows> <http://ex/b> .\n");
  write_file("empty", "");
  for (const std::string name : {"text.nt", "empty"}) {
    const auto graph = Graph::open(environment_, path(name));
    ASSERT_FALSE(graph.ok());
    EXPECT_EQ(graph.error().kind(), ErrorKind::kInvalid);
    EXPECT_THAT(graph.error().to_string(), testing::HasSubstr(name));
  }
  EXPECT_EQ(Graph::open(environment_, path("absent")).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace weft::engine
