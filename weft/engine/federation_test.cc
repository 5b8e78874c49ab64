#include "weft/engine/federation.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "weft/exec/query.h"
#include "weft/sparql/parser.h"
#include "weft/storage/local_store.h"

namespace weft::engine {
namespace {

class FederationTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/weft-federation-XXXXXX";
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
  std::string file(const std::string& name, std::string_view text) {
    EXPECT_EQ(store_->put_if_absent(name, as_bytes(text)).value(), storage::PutOutcome::kDone);
    return folder_ + "/" + name;
  }
  std::vector<std::string> ask_rows(exec::QuadSource& source, std::string_view text) {
    base::MemoryBudget budget("test", uint64_t{64} << 20U);
    base::Random random(1);
    exec::QueryOptions options;
    options.budget = &budget;
    options.executor = &executor_;
    options.clock = &clock_;
    options.random = &random;
    auto prepared = exec::prepare(sparql::parse_query(text).value(), source, options).value();
    const auto solutions = prepared->select().value();
    std::vector<std::string> tokens;
    exec::RowBatch batch;
    while (true) {
      EXPECT_TRUE(solutions->next(batch).ok());
      if (batch.empty()) {
        return tokens;
      }
      EXPECT_TRUE(solutions->tokens(batch.columns[0], tokens).ok());
    }
  }

  base::InlineExecutor executor_;
  base::SystemClock clock_;
  std::string folder_;
  std::unique_ptr<storage::ObjectStore> store_;
  Environment environment_{executor_, clock_, {}};
};

TEST_F(FederationTest, JoinsAcrossFilesOfTextResolve) {
  const std::vector<std::string> targets = {
      file("a.ttl", "<http://ex/a> <http://ex/knows> <http://ex/b> ."),
      file("b.nt", "<http://ex/b> <http://ex/lives> <http://ex/c> .\n"),
      file("c.ttl", "<http://ex/c> <http://ex/name> 'there' .")};
  const auto federation = Federation::open(environment_, targets);
  ASSERT_TRUE(federation.ok()) << federation.error().to_string();
  EXPECT_THAT(ask_rows((*federation)->source(),
                       "SELECT ?n { ?a <http://ex/knows> ?b . ?b <http://ex/lives> ?c . "
                       "?c <http://ex/name> ?n }"),
              testing::ElementsAre("\"there\""));
}

TEST_F(FederationTest, OneFileNamedTwiceCountsOnce) {
  const std::string path = file("a.ttl", "[] <http://ex/p> 1 .");
  const std::vector<std::string> targets = {path, path};
  const auto federation = Federation::open(environment_, targets);
  ASSERT_TRUE(federation.ok());
  EXPECT_EQ((*federation)->graphs().size(), 1U);
  EXPECT_EQ(ask_rows((*federation)->source(), "SELECT ?s { ?s ?p ?o }").size(), 1U);
}

TEST_F(FederationTest, ASourceThatIsMissingIsNamed) {
  const std::vector<std::string> targets = {file("a.ttl", "[] <http://ex/p> 1 ."),
                                            folder_ + "/none.rete"};
  const auto federation = Federation::open(environment_, targets);
  ASSERT_FALSE(federation.ok());
  EXPECT_EQ(federation.error().kind(), ErrorKind::kNotFound);
  EXPECT_NE(federation.error().to_string().find("none.rete"), std::string::npos);
}

TEST_F(FederationTest, BadTextIsAnErrorOfThatFile) {
  const std::vector<std::string> targets = {file("bad.ttl", "<a <b> <c> .")};
  const auto federation = Federation::open(environment_, targets);
  ASSERT_FALSE(federation.ok());
  EXPECT_EQ(federation.error().kind(), ErrorKind::kInvalid);
  EXPECT_NE(federation.error().to_string().find("bad.ttl"), std::string::npos);
}

}  // namespace
}  // namespace weft::engine
