#include "weft/graph/create.h"

#include <gmock/gmock.h>

#include "weft/graph/snapshot.h"
#include "weft/graph/testing/graph_place.h"

namespace weft::graph {
namespace {

class CreateTest : public testing::Test, public GraphPlace {};

TEST_F(CreateTest, AGraphHasAnEmptyTableForEachType) {
  const auto made = create_graph(place(), ana(), {.schema_text = kPeople, .message = "begin"});
  ASSERT_TRUE(made.ok()) << made.error().to_string();
  EXPECT_EQ(made->commit.kind, "init");
  EXPECT_EQ(made->commit.actor, "ana");
  EXPECT_EQ(made->commit.message, "begin");
  EXPECT_TRUE(made->has_followed);
  const auto graph = open_snapshot(place());
  ASSERT_TRUE(graph.ok()) << graph.error().to_string();
  EXPECT_EQ((*graph)->commit(), made->commit);
  ASSERT_EQ((*graph)->nodes().size(), 2U);
  const TypeTable* const person = (*graph)->find_node("Person");
  ASSERT_NE(person, nullptr);
  EXPECT_EQ(person->row_count(), 0U);
  EXPECT_EQ(person->key(), "node:Person");
  const auto reader = person->reader();
  ASSERT_TRUE(reader.ok()) << reader.error().to_string();
  EXPECT_EQ((*reader)->schema()->fields[0].name, "id");
  EXPECT_EQ(lance::primary_key((*reader)->snapshot().manifest().fields), std::vector<int32_t>{0});
  const TypeTable* const knows = (*graph)->find_edge("Knows");
  ASSERT_NE(knows, nullptr);
  EXPECT_TRUE(knows->is_edge());
  EXPECT_EQ(knows->columns()->fields[knows->first_property_column()].name, "since");
  EXPECT_EQ((*graph)->find_node("Knows"), nullptr);
}

TEST_F(CreateTest, APlaceThatHasAGraphKeepsIt) {
  ASSERT_TRUE(create_graph(place(), ana(), {.schema_text = kPeople}).ok());
  const auto again = create_graph(place(), ana(), {.schema_text = "node Other { n: String @key }"});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_NE((*open_snapshot(place()))->find_node("Person"), nullptr);
}

TEST_F(CreateTest, ARepeatedOperationReturnsItsReceipt) {
  const CreateRequest request{.schema_text = kPeople, .operation = ulid()};
  const auto first = create_graph(place(), ana(), request);
  const auto second = create_graph(place(), ana(), request);
  ASSERT_TRUE(second.ok()) << second.error().to_string();
  EXPECT_TRUE(second->is_repeated);
  EXPECT_EQ(second->commit, first->commit);
}

TEST_F(CreateTest, ABadSchemaIsToldWithAllItsErrorsAndLeavesNothing) {
  const auto made =
      create_graph(place(), ana(), {.schema_text = "node A { n: Strin @key }\nedge E: A -> B\n"});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(made.error().facts().size(), 2U) << made.error().to_string();
  EXPECT_THAT(store_.list("", true)->size(), 0U);
}

class ReadOnly final : public Policy {
 public:
  Status allow(const PolicyRequest& request) const override {
    return Error(ErrorKind::kDenied, "reading only").with("actor", request.actor);
  }
};

TEST_F(CreateTest, NothingHappensWithoutAnActorOrAgainstThePolicy) {
  EXPECT_EQ(create_graph(place(), {"", everything_}, {.schema_text = kPeople}).error().kind(),
            ErrorKind::kInvalid);
  const ReadOnly policy;
  EXPECT_EQ(create_graph(place(), {"ana", policy}, {.schema_text = kPeople}).error().kind(),
            ErrorKind::kDenied);
  EXPECT_EQ(store_.list("", true)->size(), 0U);
}

TEST_F(CreateTest, ACommitIsFoundByItsIdAndByTime) {
  const auto made = create_graph(place(), ana(), {.schema_text = kPeople});
  const base::Ulid id = made->commit.id;
  EXPECT_EQ((*open_snapshot(place(), {.at = id}))->commit().id, id);
  EXPECT_EQ(open_snapshot(place(), {.at = ulid()}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ((*open_snapshot(place(), {.at = made->commit.created_at}))->commit().id, id);
  const base::WallTime before{made->commit.created_at.microseconds - 1};
  EXPECT_EQ(open_snapshot(place(), {.at = before}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(open_snapshot(place(), {.branch = "other"}).error().kind(), ErrorKind::kNotFound);
}

TEST(ParsePoint, IsACommitOrATimeOrTheNewest) {
  EXPECT_TRUE(std::holds_alternative<Newest>(parse_point("")->at));
  EXPECT_EQ(std::get<base::WallTime>(parse_point("1970-01-02")->at).microseconds, 86'400'000'999);
  EXPECT_TRUE(std::holds_alternative<base::Ulid>(parse_point("01ARZ3NDEKTSV4RRFFQ69G5FAV")->at));
  EXPECT_EQ(parse_point("yesterday").error().kind(), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace weft::graph
