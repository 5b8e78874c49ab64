// SERVICE (SPARQL 1.1 Federated Query): which endpoints are asked for what, and how answers join.
#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/testing/query_fixture.h"

namespace weft::exec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Endpoints that run queries over graphs in memory.
class Endpoints final : public ServiceClient {
 public:
  void add(const std::string& endpoint, std::string_view statements) {
    sources_[endpoint] = make_source(statements);
  }

  Result<ServiceAnswer> select(std::string_view endpoint, const std::string& query,
                               base::MemoryBudget& /*budget*/, std::stop_token /*stop*/) override {
    asked.push_back(query);
    const auto found = sources_.find(std::string(endpoint));
    if (found == sources_.end()) {
      return Error(ErrorKind::kUnavailable, "nobody is there").with("endpoint", endpoint);
    }
    QueryRunner runner(*found->second);
    WEFT_TRY(const auto prepared, runner.prepare(query));
    WEFT_TRY(const auto solutions, prepared->select());
    ServiceAnswer answer;
    answer.variables = solutions->variables();
    for (RowBatch batch;;) {
      WEFT_TRY_STATUS(solutions->next(batch));
      if (batch.empty()) {
        return answer;
      }
      for (size_t row = 0; row < batch.rows; ++row) {
        auto& cells = answer.rows.emplace_back();
        for (const Column& column : batch.columns) {
          std::vector<std::string> token;
          WEFT_TRY_STATUS(solutions->tokens({&column[row], 1}, token));
          cells.push_back(token[0].empty() ? std::nullopt : std::optional(token[0]));
        }
      }
    }
  }

  std::vector<std::string> asked;

 private:
  std::map<std::string, std::unique_ptr<VectorSource>> sources_;
};

class ServiceTest : public testing::Test {
 protected:
  ServiceTest()
      : source_(make_source(":a :knows :b .  :a :knows :c .  :d :knows :e .  :one :at :there .")),
        run_(*source_) {
    endpoints_.add("http://e/there",
                   ":b :name \"B\" .  :c :name \"C\" .  :x :name \"X\" . "
                   "_:n :likes _:m .");
    run_.services = &endpoints_;
  }

  std::unique_ptr<VectorSource> source_;
  Endpoints endpoints_;
  QueryRunner run_;
};

TEST_F(ServiceTest, RowsJoinWithThoseOfTheEndpoint) {
  EXPECT_THAT(run_.rows("SELECT ?y ?n { :a :knows ?y SERVICE :there { ?y :name ?n } }"),
              ElementsAre(":b \"B\"", ":c \"C\""));
  ASSERT_THAT(endpoints_.asked, SizeIs(1));
  EXPECT_THAT(endpoints_.asked[0], HasSubstr("VALUES ( ?y )"));
  EXPECT_THAT(endpoints_.asked[0], HasSubstr("<http://e/b>"));
  EXPECT_THAT(run_.rows("SELECT ?n { SERVICE :there { ?y :name ?n } }"),
              ElementsAre("\"B\"", "\"C\"", "\"X\""));
  EXPECT_THAT(
      run_.rows("SELECT ?y ?n { ?x :knows ?y OPTIONAL { SERVICE :there { ?y :name ?n } } }"),
      ElementsAre(":b \"B\"", ":c \"C\"", ":e -"));
}

TEST_F(ServiceTest, AVariableEndpointIsBoundElsewhere) {
  EXPECT_THAT(run_.rows("SELECT ?s ?n { SERVICE ?s { :b :name ?n } :one :at ?s }"),
              ElementsAre(":there \"B\""));
  EXPECT_THAT(run_.rows("SELECT ?n { SERVICE ?s { :b :name ?n } }"),
              ElementsAre(HasSubstr("SERVICE needs the IRI")));
}

TEST_F(ServiceTest, SilentFailuresBindNothing) {
  EXPECT_THAT(run_.rows("SELECT ?y ?n { :a :knows ?y SERVICE :nobody { ?y :name ?n } }"),
              ElementsAre(HasSubstr("nobody is there")));
  EXPECT_THAT(run_.rows("SELECT ?y ?n { :a :knows ?y SERVICE SILENT :nobody { ?y :name ?n } }"),
              ElementsAre(":b -", ":c -"));
}

TEST_F(ServiceTest, WithoutAClientNobodyIsAsked) {
  run_.services = nullptr;
  EXPECT_THAT(run_.rows("SELECT ?n { SERVICE :there { ?y :name ?n } }"),
              ElementsAre(HasSubstr("SERVICE may ask no endpoint")));
}

TEST_F(ServiceTest, BlankNodesOfAnAnswerAreItsOwn) {
  EXPECT_THAT(run_.rows("SELECT (COUNT(DISTINCT ?x) AS ?n) "
                        "{ { SERVICE :there { ?x :likes ?y } } UNION "
                        "{ SERVICE :there { ?x :likes ?y } } }"),
              ElementsAre("2"));
  // One that is bound here means nothing there, so it is not sent.
  EXPECT_THAT(run_.rows("SELECT ?y { BIND(BNODE() AS ?x) SERVICE :there { ?x :likes ?y } }"),
              testing::IsEmpty());
  EXPECT_THAT(endpoints_.asked.back(), Not(HasSubstr("VALUES")));
}

}  // namespace
}  // namespace weft::exec
