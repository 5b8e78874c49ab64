// EXISTS and NOT EXISTS (SPARQL 1.1 Query §8.1, §18.6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/testing/query_fixture.h"

namespace weft::exec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kPeople = R"(
  :ann :knows :bob .  :ann :knows :cat .  :bob :knows :cat .
  :ann :age 30 .  :bob :age 25 .  :cat :age 40 .
  :ann :age 30 :g1 .  :bob :age 1 :g1 .  :cat :age 2 :g2 .
)";

class ExistenceTest : public testing::Test {
 protected:
  ExistenceTest() : source_(make_source(kPeople)), run_(*source_) {}
  std::vector<std::string> rows(std::string_view query) { return run_.rows(query); }

  std::unique_ptr<VectorSource> source_;
  QueryRunner run_;
};

TEST_F(ExistenceTest, ChoosesRowsByWhatMatches) {
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER EXISTS { ?x :knows ?y } }"),
              ElementsAre(":ann", ":bob"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER NOT EXISTS { ?x :knows ?y } }"),
              ElementsAre(":cat"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER EXISTS { :nobody :knows ?z } }"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER NOT EXISTS { } }"), IsEmpty());
  EXPECT_EQ(run_.ask("ASK { FILTER NOT EXISTS { :cat :knows ?y } }"), "true");
}

TEST_F(ExistenceTest, FiltersInsideSeeTheRowOutside) {
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a "
                   "FILTER NOT EXISTS { ?x :knows ?y . ?y :age ?b FILTER(?b > ?a) } }"),
              ElementsAre(":cat"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER EXISTS { ?x :knows ?y "
                   "{ ?y :age ?b FILTER(?b > ?a) } } }"),
              ElementsAre(":ann", ":bob"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER EXISTS { { ?x :knows :bob } UNION "
                   "{ FILTER(?a = 40) } } }"),
              ElementsAre(":ann", ":cat"));
}

TEST_F(ExistenceTest, IsAnExpressionLikeOthers) {
  EXPECT_THAT(rows("SELECT ?x ?e { ?x :age ?a BIND(EXISTS { ?x :knows :cat } AS ?e) }"),
              ElementsAre(":ann true", ":bob true", ":cat false"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER(?a = 40 || EXISTS { ?x :knows :bob }) }"),
              ElementsAre(":ann", ":cat"));
  EXPECT_THAT(rows("SELECT ?x ?y { ?x :age ?a OPTIONAL { ?x :knows ?y "
                   "FILTER EXISTS { ?y :knows ?z } } }"),
              ElementsAre(":ann :bob", ":bob -", ":cat -"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a } GROUP BY ?x "
                   "HAVING(NOT EXISTS { ?x :knows ?y })"),
              ElementsAre(":cat"));
}

TEST_F(ExistenceTest, StandsInsideAnother) {
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER EXISTS { ?x :knows ?y "
                   "FILTER NOT EXISTS { ?y :knows ?z } } }"),
              ElementsAre(":ann", ":bob"));
  EXPECT_THAT(rows("SELECT ?x { ?x :age ?a FILTER NOT EXISTS { ?x :knows ?y "
                   "FILTER EXISTS { ?z :age ?b FILTER(?b < ?a) } } }"),
              ElementsAre(":bob", ":cat"));
}

TEST_F(ExistenceTest, LooksIntoTheGraphAroundIt) {
  EXPECT_THAT(rows("SELECT ?x { GRAPH :g1 { ?x :age ?a FILTER EXISTS { ?x :age 30 } } }"),
              ElementsAre(":ann"));
  EXPECT_THAT(rows("SELECT ?g ?x { GRAPH ?g { ?x :age ?a FILTER NOT EXISTS { ?y :age 1 } } }"),
              ElementsAre(":g2 :cat"));
  EXPECT_THAT(rows("SELECT ?x { ?x :knows ?y FILTER EXISTS { GRAPH :g1 { ?y :age ?a } } }"),
              ElementsAre(":ann"));
}

// Many rows outside: one hash join. Few: a look-up for each.
TEST(ExistencePlans, ManyRowsAreJoinedFewAreLookedUp) {
  VectorSource::Builder builder;
  for (int i = 0; i < 20'000; ++i) {
    const std::string person = "<http://e/p" + std::to_string(i) + ">";
    builder.add(person, "<http://e/name>", "\"n" + std::to_string(i) + "\"");
    if (i % 4 == 0) {
      builder.add(person, "<http://e/mail>", "\"m" + std::to_string(i) + "\"");
    }
  }
  const auto source = std::move(builder).build();
  QueryRunner run(*source);
  EXPECT_EQ(run.rows("SELECT ?x { ?x :name ?n FILTER EXISTS { ?x :mail ?m } }").size(), 5'000);
  EXPECT_THAT(run.last_explanation(), HasSubstr("join for existence on ?x"));
  EXPECT_EQ(run.rows("SELECT ?x { ?x :name ?n FILTER NOT EXISTS { ?x :mail ?m } }").size(), 15'000);
  EXPECT_THAT(run.last_explanation(), HasSubstr("minus on ?x"));
  source->reset_counts();
  EXPECT_EQ(run.rows("SELECT ?x { ?x :name \"n4\" FILTER EXISTS { ?x :mail ?m } }").size(), 1);
  EXPECT_LT(source->counts().rows, 10) << run.last_explanation();
}

}  // namespace
}  // namespace weft::exec
