// What operations of SPARQL Update delete and insert.
#include "weft/exec/update.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/exec/testing/query_fixture.h"

namespace weft::exec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr std::string_view kStatements = R"(
  :ann :age 30 .  :bob :age 25 .  :ann :knows :bob .
  :ann :age 31 :g1 .  :cat :age 9 :g1 .  :ann :age 32 :g2 .
)";

class QuadLines final : public rdf::QuadSink {
 public:
  Status accept(std::span<const rdf::QuadView> quads) override {
    for (const rdf::QuadView& quad : quads) {
      std::string line = abbreviate(quad.subject) + " " + abbreviate(quad.predicate) + " " +
                         abbreviate(quad.object);
      line += quad.graph.empty() ? "" : " " + abbreviate(quad.graph);
      lines.push_back(std::move(line));
    }
    std::sort(lines.begin(), lines.end());
    return ok_status();
  }
  std::vector<std::string> lines;
};

class UpdateTest : public testing::Test {
 protected:
  UpdateTest() : source_(make_source(kStatements)), runner_(*source_) {}

  // Runs each operation on the state before all of them.
  void run(const std::string& text) {
    deletes_.lines.clear();
    inserts_.lines.clear();
    sparql::ParseOptions options;
    options.prefixes = {{"", "http://e/"}};
    auto update = sparql::parse_update(text, options);
    ASSERT_TRUE(update.ok()) << update.error().to_string();
    base::Random random(5);
    for (sparql::UpdateOperation& operation : update->operations) {
      Status status = ok_status();
      if (auto* modify = std::get_if<sparql::Modify>(&operation)) {
        status = run_modify(std::move(*modify), *source_, runner_.options(), deletes_, inserts_);
      } else if (const auto* inserted = std::get_if<sparql::InsertData>(&operation)) {
        status = instantiate(*inserted, random, inserts_);
      } else if (const auto* deleted = std::get_if<sparql::DeleteData>(&operation)) {
        status = instantiate(*deleted, deletes_);
      }
      ASSERT_TRUE(status.ok()) << status.error().to_string();
    }
  }

  std::unique_ptr<VectorSource> source_;
  QueryRunner runner_;
  QuadLines deletes_;
  QuadLines inserts_;
};

TEST_F(UpdateTest, DataIsTakenAsItStands) {
  run("INSERT DATA { :a :p 1, 'x'@en . GRAPH :g { :b :q <<( :s :p :o )>> } :c :r 2 }");
  EXPECT_THAT(inserts_.lines,
              ElementsAre(":a :p \"x\"@en", ":a :p 1",
                          ":b :q <<<http://e/s> <http://e/p> <http://e/o>>> :g", ":c :r 2"));
  run("DELETE DATA { :a :p 1 . GRAPH :g { :b :q 2 } }");
  EXPECT_THAT(deletes_.lines, ElementsAre(":a :p 1", ":b :q 2 :g"));
  EXPECT_THAT(inserts_.lines, IsEmpty());
}

TEST_F(UpdateTest, BlankNodesOfDataAreNewForTheOperation) {
  run("INSERT DATA { _:x :p _:x . _:y :p 1 } ; INSERT DATA { _:z :p 2 }");
  ASSERT_EQ(inserts_.lines.size(), 3);
  std::vector<std::string> subjects;
  for (const std::string& line : inserts_.lines) {
    subjects.push_back(line.substr(0, line.find(' ')));
    EXPECT_THAT(subjects.back(), MatchesRegex("_:q[0-9a-z]+_[0-9]+"));
    if (line.ends_with(subjects.back())) {
      EXPECT_EQ(line, subjects.back() + " :p " + subjects.back());
    }
  }
  std::sort(subjects.begin(), subjects.end());
  EXPECT_EQ(std::unique(subjects.begin(), subjects.end()), subjects.end());
}

TEST_F(UpdateTest, DeleteAndInsertAreFilledFromTheSameSolutions) {
  run("DELETE { ?x :age ?a } INSERT { ?x :age ?b . ?x :was ?a } "
      "WHERE { ?x :age ?a BIND(?a + 1 AS ?b) }");
  EXPECT_THAT(deletes_.lines, ElementsAre(":ann :age 30", ":bob :age 25"));
  EXPECT_THAT(inserts_.lines,
              ElementsAre(":ann :age 31", ":ann :was 30", ":bob :age 26", ":bob :was 25"));
}

TEST_F(UpdateTest, DeleteWhereIsItsOwnTemplate) {
  run("DELETE WHERE { ?x :age ?a . GRAPH ?g { ?x :age ?b } }");
  EXPECT_THAT(deletes_.lines,
              ElementsAre(":ann :age 30", ":ann :age 30", ":ann :age 31 :g1", ":ann :age 32 :g2"));
}

TEST_F(UpdateTest, WithNamesTheGraphOfTemplatesAndPattern) {
  run("WITH :g1 DELETE { ?x :age ?a } INSERT { ?x :old ?a . GRAPH :g2 { ?x :seen 1 } } "
      "WHERE { ?x :age ?a }");
  EXPECT_THAT(deletes_.lines, ElementsAre(":ann :age 31 :g1", ":cat :age 9 :g1"));
  EXPECT_THAT(inserts_.lines, ElementsAre(":ann :old 31 :g1", ":ann :seen 1 :g2", ":cat :old 9 :g1",
                                          ":cat :seen 1 :g2"));
  // The store's named graphs stay; a graph that is not there is empty and not an error.
  run("WITH :g1 INSERT { ?x :pair ?b } WHERE { ?x :age ?a . GRAPH :g2 { ?x :age ?b } }");
  EXPECT_THAT(inserts_.lines, ElementsAre(":ann :pair 32 :g1"));
  run("WITH :new INSERT { :a :p ?v } WHERE { BIND(1 AS ?v) }");
  EXPECT_THAT(inserts_.lines, ElementsAre(":a :p 1 :new"));
  run("WITH :new INSERT { ?x :p 1 } WHERE { ?x ?p ?o }");
  EXPECT_THAT(inserts_.lines, IsEmpty());
}

TEST_F(UpdateTest, UsingNamesTheDatasetOfThePatternAlone) {
  run("WITH :g1 INSERT { ?x :copied ?a } USING :g2 WHERE { ?x :age ?a }");
  EXPECT_THAT(inserts_.lines, ElementsAre(":ann :copied 32 :g1"));
  run("INSERT { ?x :in ?g } USING NAMED :g2 WHERE { GRAPH ?g { ?x :age ?a } }");
  EXPECT_THAT(inserts_.lines, ElementsAre(":ann :in :g2"));
}

TEST_F(UpdateTest, WhatWouldBeNoQuadIsLeftOut) {
  run("INSERT { ?x :p ?nothing . ?a :q ?x . ?x ?a 1 . GRAPH ?a { ?x :r 1 } ?x :ok [] } "
      "WHERE { ?x :age ?a }");
  ASSERT_EQ(inserts_.lines.size(), 2);
  EXPECT_THAT(inserts_.lines[0], MatchesRegex(":ann :ok _:q[0-9a-z]+_[0-9]+"));
  EXPECT_THAT(inserts_.lines[1], MatchesRegex(":bob :ok _:q[0-9a-z]+_[0-9]+"));
  EXPECT_NE(inserts_.lines[0].substr(5), inserts_.lines[1].substr(5));
}

}  // namespace
}  // namespace weft::exec
