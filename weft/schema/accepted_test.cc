#include "weft/schema/accepted.h"

#include <gmock/gmock.h>

namespace weft::schema {
namespace {

using testing::HasSubstr;

constexpr base::WallTime kNow = {1'700'000'000'000'000};

class Accepted : public testing::Test {
 protected:
  AcceptedSchema good(std::string_view text, const AcceptedSchema* previous = nullptr) {
    auto accepted = accept(text, previous, kNow, random_);
    EXPECT_TRUE(accepted.ok()) << accepted.error().to_string();
    return accepted.ok() ? *std::move(accepted) : AcceptedSchema();
  }
  base::Random random_{7};
};

TEST_F(Accepted, ADocumentIsReadAsItWasWritten) {
  const AcceptedSchema schema = good(
      "// with a comment\ninterface I { x: I32? }\nnode A implements I { k: String @key }\n"
      "edge E: A -> A { n: I32? }");
  const auto again = AcceptedSchema::parse(schema.document());
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_EQ(again->text, schema.text);
  EXPECT_EQ(again->nodes, schema.nodes);
  EXPECT_EQ(again->edges, schema.edges);
  EXPECT_EQ(again->interfaces, schema.interfaces);
  EXPECT_EQ(again->document(), schema.document());
  EXPECT_EQ(schema.nodes.at("A").properties.size(), 2U);
  EXPECT_TRUE(schema.interfaces.at("I").incarnation.is_none());
}

TEST_F(Accepted, NamesThatStayKeepTheirIdsAndNewOnesGetNewOnes) {
  const AcceptedSchema first = good("node A { k: String @key n: I32? }\nedge E: A -> A");
  const AcceptedSchema next =
      good("node B { k: String }\nnode A { k: String @key m: I32? }\nedge E: A -> B", &first);
  EXPECT_EQ(next.nodes.at("A").id, first.nodes.at("A").id);
  EXPECT_EQ(next.nodes.at("A").incarnation, first.nodes.at("A").incarnation);
  EXPECT_EQ(next.nodes.at("A").properties.at("k"), first.nodes.at("A").properties.at("k"));
  EXPECT_NE(next.nodes.at("A").properties.at("m"), first.nodes.at("A").properties.at("n"));
  EXPECT_EQ(next.edges.at("E"), first.edges.at("E"));
  EXPECT_NE(next.nodes.at("B").id, first.nodes.at("A").id);
  // Dropped and declared again: another one.
  const AcceptedSchema without = good("node B { k: String }", &next);
  const AcceptedSchema back = good("node B { k: String }\nnode A { k: String @key }", &without);
  EXPECT_NE(back.nodes.at("A").id, first.nodes.at("A").id);
}

TEST_F(Accepted, ARenamedTypeOrPropertyIsTheSame) {
  const AcceptedSchema first = good("node A { k: String @key n: I32? }");
  const std::string text =
      "node B @rename_from(\"A\") { k: String @key count: I32? @rename_from(\"n\") }";
  const AcceptedSchema next = good(text, &first);
  EXPECT_EQ(next.nodes.at("B").id, first.nodes.at("A").id);
  EXPECT_EQ(next.nodes.at("B").incarnation, first.nodes.at("A").incarnation);
  EXPECT_EQ(next.nodes.at("B").properties.at("count"), first.nodes.at("A").properties.at("n"));
  // The hint may stay.
  EXPECT_EQ(good(text, &next).nodes, next.nodes);
  // The same name wins over a hint.
  EXPECT_EQ(good("node A @rename_from(\"Z\") { k: String @key }", &first).nodes.at("A").id,
            first.nodes.at("A").id);
}

TEST_F(Accepted, ARenameOfNothingOrOfWhatIsTakenIsRefused) {
  const AcceptedSchema first = good("node A { k: String @key }");
  const auto refused = [&](std::string_view text) {
    const auto accepted = accept(text, &first, kNow, random_);
    return accepted.ok() ? "" : accepted.error().to_string();
  };
  EXPECT_THAT(refused("node B @rename_from(\"Z\") { k: String }"), HasSubstr("nothing that was"));
  EXPECT_THAT(refused("node A { k: String }\nnode B @rename_from(\"A\") { k: String }"),
              HasSubstr("another declaration"));
  EXPECT_THAT(refused("node B @rename_from(\"A\") { k: String }\n"
                      "node C @rename_from(\"A\") { k: String }"),
              HasSubstr("another declaration"));
}

TEST_F(Accepted, DamageIsFoundByName) {
  const std::string document = good("node A { k: String @key n: I32? }").document();
  EXPECT_EQ(AcceptedSchema::parse("{").error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(AcceptedSchema::parse("{}").error().kind(), ErrorKind::kCorrupt);
  const auto changed = [&document](const std::string& from, const std::string& to) {
    std::string copy = document;
    copy.replace(copy.find(from), from.size(), to);
    return AcceptedSchema::parse(copy);
  };
  EXPECT_EQ(changed("\"weft_schema\":1", "\"weft_schema\":2").error().kind(),
            ErrorKind::kUnsupported);
  EXPECT_EQ(changed("I32?", "I64?").error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(changed("\"n\":", "\"m\":").error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(changed("\"id\":\"0", "\"id\":\"u").error().kind(), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace weft::schema
