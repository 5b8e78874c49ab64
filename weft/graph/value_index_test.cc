#include "weft/graph/value_index.h"

#include <gmock/gmock.h>

#include "weft/graph/create.h"
#include "weft/graph/load.h"
#include "weft/graph/testing/graph_place.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/storage/counting_store.h"

namespace weft::graph {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSchema = R"(
node Person {
  name: String @key
  mail: String? @unique
  city: String?
  zip: I32?
  @unique(city, zip)
}
node Team { name: String @key }
edge In: Person -> Team @card(0..3)
)";

class ValueIndexTest : public testing::Test, public GraphPlace {
 protected:
  void SetUp() override {
    const auto made = create_graph(place(), ana(), {.schema_text = kSchema});
    ASSERT_TRUE(made.ok()) << made.error().to_string();
  }
  Result<LoadResult> run(std::string_view lines, LoadRequest request = {}) {
    codec::MemoryInputView input(lines);
    return load(place(), ana(), request, input, {});
  }
  // "" if it went well.
  std::string refusal(std::string_view lines, LoadMode mode = LoadMode::kAppend) {
    const auto done = run(lines, {.mode = mode});
    std::string text;
    if (!done.ok()) {
      text = done.error().to_string() + "\n";
      for (const Error::Fact& fact : done.error().facts()) {
        text += fact.value + "\n";
      }
    }
    return text;
  }
  static std::string person(const std::string& name, const std::string& mail) {
    return R"({"type":"Person","data":{"name":")" + name + R"(","mail":")" + mail + "\"}}\n";
  }
  static std::string membership(const std::string& id, const std::string& who) {
    return R"({"edge":"In","from":")" + who + R"(","to":"t","data":{"id":")" + id + "\"}}\n";
  }
  std::string people(int from, int count) {
    std::string lines;
    for (int i = from; i < from + count; ++i) {
      lines += person("p" + std::to_string(i), "m" + std::to_string(i));
    }
    return lines;
  }
};

TEST_F(ValueIndexTest, FindsValuesOverManyCommits) {
  for (int i = 0; i < 300; i += 3) {
    ASSERT_EQ(refusal(people(i, 3)), "");
  }
  for (const int taken : {0, 64, 65, 128, 299}) {
    EXPECT_THAT(refusal(person("new", "m" + std::to_string(taken))),
                HasSubstr("\"m" + std::to_string(taken) + "\" is there already, of \"p" +
                          std::to_string(taken) + "\""));
  }
  EXPECT_EQ(refusal(person("new", "m300")), "");
}

TEST_F(ValueIndexTest, AValueThatWasChangedIsFreeAndTheNewOneIsTaken) {
  ASSERT_EQ(refusal(people(0, 100)), "");
  ASSERT_EQ(refusal(person("p7", "other"), LoadMode::kMerge), "");
  EXPECT_THAT(refusal(person("new", "other")), HasSubstr("of \"p7\""));
  EXPECT_EQ(refusal(person("new", "m7")), "");
  // Its own value is nobody else's.
  EXPECT_EQ(refusal(person("p7", "other"), LoadMode::kMerge), "");
  EXPECT_THAT(refusal(person("p8", "m7"), LoadMode::kMerge), HasSubstr("of \"new\""));
  // Two that change places.
  EXPECT_EQ(refusal(person("p10", "m11") + person("p11", "m10"), LoadMode::kMerge), "");
  EXPECT_THAT(refusal(person("p12", "m10"), LoadMode::kMerge), HasSubstr("of \"p11\""));
}

TEST_F(ValueIndexTest, TuplesWithANullAreNotLookedAt) {
  const auto row = [](const std::string& name, const std::string& rest) {
    return R"({"type":"Person","data":{"name":")" + name + "\"" + rest + "}}\n";
  };
  ASSERT_EQ(refusal(row("a", R"(,"city":"Oslo","zip":1)") + row("b", R"(,"city":"Oslo")") +
                    row("c", R"(,"city":"Oslo")")),
            "");
  EXPECT_EQ(refusal(row("d", R"(,"city":"Oslo","zip":2)")), "");
  EXPECT_THAT(refusal(row("e", R"(,"city":"Oslo","zip":1)")), HasSubstr("@unique(city, zip)"));
}

TEST_F(ValueIndexTest, OverwritingBeginsAnew) {
  ASSERT_EQ(refusal(people(0, 80)), "");
  ASSERT_EQ(refusal(people(1'000, 80), LoadMode::kOverwrite), "");
  EXPECT_EQ(refusal(person("new", "m3")), "");
  EXPECT_THAT(refusal(person("newer", "m1003")), HasSubstr("p1003"));
}

TEST_F(ValueIndexTest, EdgesOfASourceAreCounted) {
  ASSERT_EQ(refusal(people(0, 90) + R"({"type":"Team","data":{"name":"t"}})"), "");
  std::string lines;
  for (int i = 0; i < 90; ++i) {
    lines += membership("a" + std::to_string(i), "p" + std::to_string(i));
  }
  ASSERT_EQ(refusal(lines), "");
  EXPECT_EQ(refusal(membership("b", "p5") + membership("c", "p5")), "");
  EXPECT_THAT(refusal(membership("d", "p5")), HasSubstr("has 4 edges, not 0..3"));
  // One of them goes elsewhere.
  EXPECT_EQ(refusal(membership("b", "p6"), LoadMode::kMerge), "");
  EXPECT_EQ(refusal(membership("d", "p5")), "");
  EXPECT_EQ(refusal(membership("e", "p6")), "");
  EXPECT_THAT(refusal(membership("f", "p6")), HasSubstr("has 4 edges"));
}

// Rows of before there was an index, or of other programs, are read.
TEST_F(ValueIndexTest, RowsThatItDoesNotCoverAreRead) {
  ASSERT_EQ(refusal(people(0, 10)), "");
  const auto graph = open_snapshot(place()).value();
  const TypeTable& table = *graph->find_node("Person");
  const lance::Snapshot snapshot = table.reader().value()->snapshot();
  const std::string entry = value_index_entry(snapshot, {"mail"}).value();
  EXPECT_EQ(key_index_of(snapshot, entry)->row_id_end, 10U);
  RowIndex wanted;
  wanted.add(codec::blake3_16(as_bytes("2:m4")), 0);
  wanted.build();
  const auto found_by = [&](const std::vector<std::string>& columns) {
    std::vector<std::string> ids;
    const Status done = find_by_value(table, columns, ValueDigest::kTuple, wanted,
                                      [&](const ValueRow& row) {
                                        ids.emplace_back(row.batch.columns().back()->text(row.at));
                                        return ok_status();
                                      },
                                      {});
    EXPECT_TRUE(done.ok());
    return ids;
  };
  EXPECT_THAT(found_by({"mail"}), testing::ElementsAre("p4"));
  // No index is over this column.
  EXPECT_THAT(found_by({"name"}), testing::IsEmpty());
  wanted = RowIndex();
  wanted.add(codec::blake3_16(as_bytes("2:p4")), 0);
  wanted.build();
  EXPECT_THAT(found_by({"name"}), testing::ElementsAre("p4"));
}

TEST_F(ValueIndexTest, ALookUpInManyRowsReadsLittle) {
  ASSERT_EQ(refusal(people(0, 40'000)), "");
  storage::StoreCounter counter;
  const auto counted = storage::counting_store(store_, counter);
  const catalog::CatalogPlace at{
      .store = *counted, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  const std::string line = person("new", "m-new");
  codec::MemoryInputView input(line);
  ASSERT_TRUE(load(at, ana(), {}, input, {}).ok());
  const storage::StoreCounts counts = counter.counts();
  EXPECT_LE(counts[storage::Operation::kRead].bytes + counts[storage::Operation::kGet].bytes,
            uint64_t{256} << 10U);
}

}  // namespace
}  // namespace weft::graph
