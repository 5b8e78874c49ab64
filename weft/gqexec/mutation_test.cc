#include "weft/gqexec/mutation.h"

#include <gtest/gtest.h>

#include "weft/codec/stream.h"
#include "weft/gqexec/snapshot_tables.h"
#include "weft/gqexec/testing/graph_in_memory.h"
#include "weft/graph/create.h"
#include "weft/graph/load.h"
#include "weft/graph/testing/graph_place.h"
#include "weft/graph/value_index.h"

namespace weft::gqexec {
namespace {

constexpr const char* kSchema = R"(
node Person {
  name: String @key
  age: I32?
  email: String? @unique
  score: F64?
  born: Date?
  seen: DateTime?
  tags: [String]?
  kind: enum(staff, guest)?
  @range(age, 0..150)
}
node Note { text: String  n: I32? }
node City { name: String @key }
edge Knows: Person -> Person { since: I32? }
edge LivesIn: Person -> City @card(1..2)
)";

constexpr const char* kLines =
    R"({"type":"Person","data":{"name":"ann","age":30,"email":"a@x","born":"1990-01-02"}}
{"type":"Person","data":{"name":"bob","age":25,"seen":"2024-01-02T03:04:05Z"}}
{"type":"Person","data":{"name":"cy","age":30}}
{"type":"City","data":{"name":"Oslo"}}
{"type":"City","data":{"name":"Bern"}}
{"edge":"Knows","from":"ann","to":"bob","data":{"since":2010}}
{"edge":"Knows","from":"bob","to":"cy","data":{"since":2015}}
{"edge":"Knows","from":"cy","to":"cy"}
{"edge":"LivesIn","from":"bob","to":"Oslo"}
)";

class Mutations : public ::testing::Test, protected graph::GraphPlace {
 protected:
  void SetUp() override {
    ASSERT_TRUE(graph::create_graph(place(), ana(), {.schema_text = kSchema}).ok());
    codec::MemoryInputView input(kLines);
    const auto loaded = graph::load(place(), ana(), {.mode = graph::LoadMode::kAppend}, input, {});
    ASSERT_TRUE(loaded.ok()) << loaded.error().to_string();
  }

  Result<MutationResult> run(const std::string& body, const std::string& declared = "",
                             const std::string& parameters = "") {
    const std::string text = "query m(" + declared + ") { " + body + " }";
    return mutate(place(), ana(), {.text = text, .parameters = parameters}, {});
  }
  // "nodes/edges", "none" after them without a commit; or the error.
  std::string outcome(const std::string& body, const std::string& declared = "",
                      const std::string& parameters = "") {
    const auto result = run(body, declared, parameters);
    if (!result.ok()) {
      return result.error().to_string();
    }
    return std::to_string(result->nodes) + "/" + std::to_string(result->edges) +
           (result->receipt.has_value() ? "" : " none");
  }
  std::string ask(const std::string& body) {
    const auto snapshot = graph::open_snapshot(place());
    if (!snapshot.ok()) {
      return snapshot.error().to_string();
    }
    base::MemoryBudget budget("--memory", uint64_t{64} << 20U);
    SnapshotTables tables(*snapshot);
    GraphData data(tables, budget);
    return testing::answer_line(data, body);
  }
};

TEST_F(Mutations, InsertUpdateAndDeleteAreSeenAfterwards) {
  EXPECT_EQ(outcome("insert Person { name: $n, age: $a }", "$n: String, $a: I32",
                    R"({"n":"dee","a":41})"),
            "1/0");
  EXPECT_EQ(outcome("update Person set { age: 42, kind: \"guest\" } where name = \"dee\""), "1/0");
  EXPECT_EQ(ask("match { $p: Person { name: \"dee\" } } return { $p.age, $p.kind }"),
            R"([42,"guest"])");
  EXPECT_EQ(outcome("delete Person where name = \"dee\""), "1/0");
  EXPECT_EQ(ask("match { $p: Person } return { $p.name } order { $p.name }"),
            R"(["ann"] ["bob"] ["cy"])");
}

TEST_F(Mutations, AnInsertOfAnIdThatIsThereReplacesTheWholeRow) {
  EXPECT_EQ(outcome("insert Person { name: \"ann\", score: 2 }"), "1/0");
  EXPECT_EQ(ask("match { $p: Person { name: \"ann\" } } return { $p.age, $p.email, $p.score }"),
            "[null,null,2.0]");
  EXPECT_EQ(ask("match { $p: Person { name: \"ann\" } $p knows $q } return { $q.name }"),
            R"(["bob"])");
}

TEST_F(Mutations, StatementsSeeTheOnesBefore) {
  EXPECT_EQ(outcome("insert Person { name: \"fay\", age: 1 } "
                    "update Person set { age: 5 } where age = 1 "
                    "update Person set { email: \"f@x\" } where age = 5 "
                    "insert Knows { from: \"fay\", to: \"ann\" }"),
            "3/1");
  EXPECT_EQ(ask("match { $p: Person { name: \"fay\" } $p knows $q } return { $p.age, $p.email, "
                "$q.name }"),
            R"([5,"f@x","ann"])");
  EXPECT_EQ(outcome("insert Note { text: \"a\" } insert Note { text: \"b\" } "
                    "update Note set { n: 2 } where text = \"a\""),
            "3/0");
  EXPECT_EQ(ask("match { $n: Note } return { $n.text, $n.n } order { $n.text }"),
            R"(["a",2] ["b",null])");
}

TEST_F(Mutations, DatesWorkInWhere) {
  EXPECT_EQ(outcome("update Person set { age: 31 } where born = date(\"1990-01-02\")"), "1/0");
  EXPECT_EQ(outcome("update Person set { age: 26 } where seen < $d", "$d: DateTime",
                    R"({"d":"2024-01-02T03:04:05.001Z"})"),
            "1/0");
  EXPECT_EQ(ask("match { $p: Person } return { $p.name, $p.age } order { $p.name }"),
            R"(["ann",31] ["bob",26] ["cy",30])");
}

TEST_F(Mutations, NullMatchesNothingAndIsAValue) {
  EXPECT_EQ(outcome("update Person set { age: 1 } where email != \"zz\""), "1/0");
  EXPECT_EQ(outcome("update Person set { age: 1 } where age = $a", "$a: I32?"), "0/0 none");
  EXPECT_EQ(outcome("update Person set { age: $a } where name = \"cy\"", "$a: I32?"), "1/0");
  EXPECT_EQ(ask("match { $p: Person { name: \"cy\" } } return { $p.age }"), "[null]");
}

TEST_F(Mutations, NodesTakeTheirEdgesAlongOnceEach) {
  EXPECT_EQ(outcome("delete Person where age = 30"), "2/3");
  EXPECT_EQ(ask("match { $p: Person $p knows $q } return { $q.name }"), "");
  EXPECT_EQ(ask("match { $p: Person $p livesIn $c } return { $p.name, $c.name }"),
            R"(["bob","Oslo"])");
  EXPECT_EQ(outcome("delete Knows where from = \"bob\""), "0/0 none");
}

TEST_F(Mutations, SeveralDeletesCountWhatTheyFind) {
  EXPECT_EQ(outcome("delete Knows where since = 2010 delete Knows where since >= 2010 "
                    "delete Person where name = \"cy\" delete Person where age = 30"),
            "2/3");
}

TEST_F(Mutations, WhatDoesNotFitIsRefusedAsAWhole) {
  EXPECT_NE(outcome("update Person set { age: 1 } where name = \"ann\" "
                    "insert Knows { from: \"ann\", to: \"nobody\" }")
                .find("dangling_endpoint: to of Knows: there is no Person \"nobody\""),
            std::string::npos);
  EXPECT_NE(outcome("insert Person { name: \"dee\", age: 151 }").find("range"), std::string::npos);
  EXPECT_NE(outcome("insert Person { name: \"dee\", kind: $k }", "$k: String", R"({"k":"robot"})")
                .find("enum"),
            std::string::npos);
  EXPECT_NE(outcome("insert Person { name: \"dee\", email: \"a@x\" }").find("unique"),
            std::string::npos);
  EXPECT_NE(outcome("update Person set { email: \"same@x\" } where age >= 25").find("unique"),
            std::string::npos);
  EXPECT_EQ(ask("match { $p: Person } return { $p.name, $p.age } order { $p.name }"),
            R"(["ann",30] ["bob",25] ["cy",30])");
}

TEST_F(Mutations, TheLastEdgesOfASourceStayWhereSomeAreNeeded) {
  EXPECT_NE(outcome("delete LivesIn where to = \"Oslo\"").find("cardinality"), std::string::npos);
  EXPECT_NE(outcome("delete City where name = \"Oslo\"").find("Person \"bob\" would have 0 edges"),
            std::string::npos);
  EXPECT_EQ(outcome("delete Person where name = \"bob\""), "1/3");
  EXPECT_EQ(outcome("delete City where name = \"Oslo\""), "1/0");
}

TEST_F(Mutations, MixedKindsAreRefusedBeforeAnythingIsRead) {
  storage::MemoryDisk disk{&clock_};
  storage::MemoryStore empty(disk);
  const catalog::CatalogPlace nowhere = {
      .store = empty, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  const auto mixed = mutate(
      nowhere, ana(),
      {.text = "query m() { insert City { name: \"x\" } delete City where name = \"x\" }"}, {});
  ASSERT_FALSE(mixed.ok());
  EXPECT_EQ(mixed.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(mixed.error().fact("code"), "mixed_mutation");
}

TEST_F(Mutations, HappenOncePerIdempotencyKey) {
  MutationRequest request{.text = "query m($n: String) { insert Note { text: $n } }",
                          .parameters = R"({"n":"one"})"};
  request.idempotency_key = "note-1";
  const auto first = mutate(place(), ana(), request, {});
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  const auto again = mutate(place(), ana(), request, {});
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_TRUE(again->receipt->is_repeated);
  EXPECT_EQ(again->receipt->commit.id, first->receipt->commit.id);
  request.parameters = R"({"n":"two"})";
  const auto other = mutate(place(), ana(), request, {});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(other.error().fact("reason"), "idempotency-key");
  EXPECT_EQ(ask("match { $n: Note } return { count($n) as n }"), "[1]");
}

TEST_F(Mutations, HappenOncePerOperation) {
  const base::Ulid operation = ulid();
  const MutationRequest request{.text = "query m() { insert Note { text: \"once\" } }",
                                .operation = operation};
  const auto first = mutate(place(), ana(), request, {});
  const auto second = mutate(place(), ana(), request, {});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->receipt->commit.id, second->receipt->commit.id);
  EXPECT_TRUE(second->receipt->is_repeated);
  EXPECT_EQ(ask("match { $n: Note } return { count($n) as n }"), "[1]");
}

TEST_F(Mutations, KeepAPreconditionAlsoIfNothingMatches) {
  const base::Ulid other = ulid();
  const auto refused =
      mutate(place(), ana(),
             {.text = "query m() { delete Note where text = \"x\" }", .expected_head = other}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().fact("reason"), "precondition");
}

TEST_F(Mutations, OfTooManyRowsAreRefusedByName) {
  std::string lines;
  for (uint64_t i = 0; i <= kMutationRowsMax; ++i) {
    lines += R"({"type":"Note","data":{"text":"t","n":)" + std::to_string(i) + "}}\n";
  }
  codec::MemoryInputView input(lines);
  ASSERT_TRUE(graph::load(place(), ana(), {.mode = graph::LoadMode::kAppend}, input, {}).ok());
  const auto refused = run("delete Note where text = \"t\"");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(refused.error().fact("rows_max"), "8192");
  EXPECT_EQ(outcome("delete Note where n > 0"), "8192/0");
}

TEST_F(Mutations, OfTooManyBytesAreRefusedByName) {
  std::string lines;
  for (int i = 0; i < 4; ++i) {
    lines += R"({"type":"Note","data":{"n":)" + std::to_string(i) + R"(,"text":")" +
             std::string(kMutationBytesMax / 4, 'x') + "\"}}\n";
  }
  codec::MemoryInputView input(lines);
  ASSERT_TRUE(graph::load(place(), ana(), {.mode = graph::LoadMode::kAppend}, input, {}).ok());
  const auto refused = run("update Note set { n: 9 } where n >= 0");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(refused.error().fact("bytes_max"), "33554432");
  EXPECT_EQ(outcome("update Note set { n: 9 } where n > 0"), "3/0");
}

TEST_F(Mutations, DryRunsWriteNothing) {
  const auto before = graph::open_snapshot(place());
  const size_t objects = store_.list("", true)->size();
  const auto dry = mutate(
      place(), ana(), {.text = "query m() { insert Note { text: \"a\" } }", .dry_run = true}, {});
  ASSERT_TRUE(dry.ok()) << dry.error().to_string();
  EXPECT_EQ(dry->nodes, 1U);
  EXPECT_FALSE(dry->receipt.has_value());
  const auto after = graph::open_snapshot(place());
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ((*before)->commit().id, (*after)->commit().id);
  EXPECT_EQ(store_.list("", true)->size(), objects);
}

// What a mutation inserts or changes is found by the indices of its table, not by reading its rows.
TEST_F(Mutations, ExtendTheIndicesOfTheirTables) {
  EXPECT_EQ(outcome("insert Person { name: \"dee\", email: \"d@x\" }"), "1/0");
  EXPECT_EQ(outcome("update Person set { email: \"b@x\" } where name = \"bob\""), "1/0");
  EXPECT_EQ(outcome("insert LivesIn { from: \"dee\", to: \"Oslo\" }"), "0/1");
  const auto snapshot = graph::open_snapshot(place()).value();
  const auto check = [](const graph::TypeTable& table, const std::string& column) {
    const lance::Snapshot version = table.reader().value()->snapshot();
    const auto entry = graph::value_index_entry(version, {column});
    for (const std::string_view name : {graph::kKeyIndexEntry, std::string_view(entry.value())}) {
      const auto index = graph::key_index_of(version, name);
      ASSERT_TRUE(index.ok());
      EXPECT_EQ(index->row_id_end, version.manifest().next_row_id) << name;
      EXPECT_TRUE(index->gaps.empty()) << name;
    }
  };
  check(*snapshot->find_node("Person"), "email");
  check(*snapshot->find_edge("LivesIn"), "src");
  // The value that bob had is free; the one that he got is not.
  EXPECT_NE(outcome("insert Person { name: \"eve\", email: \"b@x\" }").find("unique"),
            std::string::npos);
  EXPECT_NE(outcome("insert LivesIn { from: \"dee\", to: \"Bern\" }"), "");
  EXPECT_NE(outcome("insert LivesIn { from: \"dee\", to: \"Bern\" }").find("cardinality"),
            std::string::npos);
}

TEST_F(Mutations, FindARowByItsKey) {
  EXPECT_EQ(outcome("update Person set { age: 31 } where name = \"ann\""), "1/0");
  EXPECT_EQ(outcome("update Person set { age: 31 } where name = \"nobody\""), "0/0 none");
  // Rows of this mutation too, once each.
  EXPECT_EQ(outcome("insert Person { name: \"new\" } update Person set { age: 4 } where name = "
                    "\"new\" update Person set { age: 5 } where name = \"ann\" update Person set "
                    "{ age: 6 } where name = \"ann\""),
            "4/0");
}

}  // namespace
}  // namespace weft::gqexec
