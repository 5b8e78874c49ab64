#include "weft/exec/union_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/blank_scope.h"
#include "weft/exec/testing/query_fixture.h"

namespace weft::exec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class UnionSourceTest : public testing::Test {
 protected:
  QuadSource& join(std::vector<std::string_view> graphs) {
    std::vector<QuadSource*> sources;
    for (const std::string_view graph : graphs) {
      parts_.push_back(make_source(graph));
      sources.push_back(parts_.back().get());
    }
    union_ = UnionSource::create(sources, &budget_).value();
    return *union_;
  }

  base::MemoryBudget budget_{"union", uint64_t{1} << 20U};
  std::vector<std::unique_ptr<VectorSource>> parts_;
  std::unique_ptr<UnionSource> union_;
};

TEST_F(UnionSourceTest, JoinsOverThreeSourcesResolve) {
  QueryRunner run(join(
      {":a :knows :b . :x :knows :y . :z :knows :z .", ":b :lives :c .", ":c :name \"there\" ."}));
  EXPECT_THAT(run.rows("SELECT ?who ?name { ?who :knows ?p . ?p :lives ?c . ?c :name ?name }"),
              ElementsAre(":a \"there\""));
}

TEST_F(UnionSourceTest, AQuadOfTwoSourcesCountsOnce) {
  QueryRunner run(join({":a :p 1 . :a :p 2 .", ":a :p 2 . :a :p 3 .", ":a :p 3 . :a :p 1 ."}));
  EXPECT_THAT(run.rows("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"), ElementsAre("3"));
  EXPECT_THAT(run.rows("SELECT (COUNT(*) AS ?n) { :a :p ?o }"), ElementsAre("3"));
  EXPECT_THAT(run.rows("SELECT ?o { :a :p ?o }"), ElementsAre("1", "2", "3"));
}

TEST_F(UnionSourceTest, BlankNodesOfOneLabelInTwoSourcesAreTwo) {
  QueryRunner run(join({"_:x :p 1 .", "_:x :p 2 ."}));
  EXPECT_THAT(run.rows("SELECT ?s ?o { ?s :p ?o }"), ElementsAre("_:s0-x 1", "_:s1-x 2"));
  EXPECT_THAT(run.rows("SELECT ?o { ?s :p 1 . ?s :p ?o }"), ElementsAre("1"));
}

TEST_F(UnionSourceTest, NamedGraphsOfTheSameNameAreOne) {
  QueryRunner run(join({":a :p 1 :g . :a :p 1 .", ":a :p 2 :g . :b :p 9 :h .", ":b :p 3 :g ."}));
  EXPECT_THAT(run.rows("SELECT ?s ?o { GRAPH :g { ?s :p ?o } }"),
              ElementsAre(":a 1", ":a 2", ":b 3"));
  EXPECT_THAT(run.rows("SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s :p ?o } } GROUP BY ?g"),
              ElementsAre(":g 3", ":h 1"));
  EXPECT_THAT(run.rows("SELECT ?s ?o { ?s :p ?o }"), ElementsAre(":a 1"));
  EXPECT_THAT(run.rows("SELECT ?o FROM :g FROM :h { ?s ?p ?o }"), ElementsAre("1", "2", "3", "9"));
}

TEST_F(UnionSourceTest, TermsThatNoSourceHasMatchNothing) {
  QueryRunner run(join({":a :p 1 .", ":b :q 2 ."}));
  EXPECT_THAT(run.rows("SELECT ?o { :nowhere ?p ?o }"), IsEmpty());
  EXPECT_THAT(run.rows("SELECT ?s { ?s :q 1 }"), IsEmpty());
}

TEST_F(UnionSourceTest, ASourceThatLacksATermIsNotScanned) {
  QueryRunner run(join({":a :p 1 . :a :p 2 .", ":b :q 2 ."}));
  parts_[1]->reset_counts();
  EXPECT_THAT(run.rows("SELECT ?o { :a :p ?o }"), ElementsAre("1", "2"));
  EXPECT_EQ(parts_[1]->counts().scans, 0U);
}

TEST_F(UnionSourceTest, RowsBeyondTheBudgetAreALimit) {
  std::string first = ":a :q 1 . ";
  std::string second;
  for (int i = 0; i < 20'000; ++i) {
    first += ":a :p " + std::to_string(i) + " . ";
    second += i < 19'999 ? ":b :p " + std::to_string(i) + " . " : "";
  }
  QueryRunner run(join({first, second}));
  // 20,000 rows of 32 bytes and their ids do not fit in a mebibyte.
  EXPECT_THAT(run.rows("SELECT ?s ?o { ?s :p ?o }"), ElementsAre(testing::HasSubstr("error")));
  EXPECT_THAT(run.rows("SELECT ?o { ?s :q ?o }"), ElementsAre("1"));
}

TEST_F(UnionSourceTest, GatheringEndsInTime) {
  FixedClock clock;
  clock.step = 10'000;
  const auto first = make_source(":a :p 1 . :a :p 2 .");
  const auto second = make_source(":b :p 1 .");
  const auto merged =
      UnionSource::create({first.get(), second.get()}, &budget_, Interrupt({}, &clock, 5)).value();
  const auto cursor = merged->scan({}, rdf::Permutation::kSpo, {}).value();
  rdf::IdBatch batch;
  EXPECT_EQ(cursor->next(batch).error().kind(), ErrorKind::kLimit);
}

TEST_F(UnionSourceTest, MoreSourcesThanTheLimitAreRefused) {
  const auto part = make_source(":a :p 1 .");
  std::vector<QuadSource*> sources(kUnionSourcesMax, part.get());
  EXPECT_TRUE(UnionSource::create(sources, &budget_).ok());
  sources.push_back(part.get());
  EXPECT_EQ(UnionSource::create(sources, &budget_).error().kind(), ErrorKind::kLimit);
}

TEST(BlankScope, LabelsAreMarkedAndComeBack) {
  const std::string nested = "<<_:a <p> <<<s> <p> _:b>>>>";
  std::string scoped;
  append_scoped(scoped, nested, 12);
  EXPECT_EQ(scoped, "<<_:s12-a <p> <<<s> <p> _:s12-b>>>>");
  std::string back;
  EXPECT_TRUE(append_unscoped(back, scoped, 12));
  EXPECT_EQ(back, nested);
  EXPECT_FALSE(append_unscoped(back, scoped, 1));
  back.clear();
  EXPECT_TRUE(append_unscoped(back, "\"_:a\"", 1));
  EXPECT_EQ(back, "\"_:a\"");
  EXPECT_FALSE(append_unscoped(back, "_:a", 1));
}

}  // namespace
}  // namespace weft::exec
