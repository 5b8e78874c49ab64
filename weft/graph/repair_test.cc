// Rows that other programs wrote into the tables of a graph: told, adopted or discarded.
#include "weft/graph/repair.h"

#include <gmock/gmock.h>

#include "weft/catalog/pinned_table.h"
#include "weft/codec/stream.h"
#include "weft/graph/branch.h"
#include "weft/graph/create.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"
#include "weft/graph/testing/graph_place.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/table/refs.h"
#include "weft/ndjson/load_reader.h"

namespace weft::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kBegin = R"({"type":"Person","data":{"name":"Ada","age":36}}
{"type":"Person","data":{"name":"Ben","age":9}}
{"type":"City","data":{"name":"Oslo"}}
{"edge":"LivesIn","from":"Ada","to":"Oslo","data":{"id":"l1"}}
)";

class RepairTest : public testing::Test, public GraphPlace {
 protected:
  void SetUp() override {
    ASSERT_TRUE(create_graph(place(), ana(), {.schema_text = kPeople}).ok());
    ASSERT_TRUE(loaded(kBegin).ok());
  }
  Status loaded(std::string_view lines, LoadMode mode = LoadMode::kAppend,
                const std::string& branch = "main") {
    codec::MemoryInputView input(lines);
    const auto done = load(place(), ana(), {.mode = mode, .branch = branch}, input, {});
    return done.ok() ? ok_status() : Status(done.error());
  }
  std::string exported(const std::string& branch = "main") {
    const auto graph = open_snapshot(place(), {.branch = branch, .at = Newest()});
    codec::StringOutput out;
    EXPECT_TRUE(graph.ok() && export_graph(**graph, {}, out, {}).ok());
    return std::move(out).text();
  }
  lance::RowOptions foreign() {
    lance::RowOptions options;
    options.stage.operation = "foreign";
    options.stage.clock = &clock_;
    options.stage.random = &random_;
    options.write.executor = &executor_;
    return options;
  }
  const TypeTable& table(const GraphSnapshot& graph, std::string_view type) {
    const TypeTable* const node = graph.find_node(type);
    return node != nullptr ? *node : *graph.find_edge(type);
  }
  lance::Snapshot head(std::string_view type, const std::string& branch = "main") {
    const auto graph = open_snapshot(place(), {.branch = branch, .at = Newest()});
    EXPECT_TRUE(graph.ok());
    return *lance::open_latest(catalog::location_of(place(), table(**graph, type).entry()));
  }
  lance::Snapshot commit(Result<lance::StagedTransaction> staged) {
    EXPECT_TRUE(staged.ok()) << (staged.ok() ? "" : staged.error().to_string());
    const auto result = lance::commit(*staged, {foreign().stage, 10, true});
    EXPECT_TRUE(result.ok() && result->outcome == lance::CommitOutcome::kCommitted);
    return *result->snapshot;
  }
  // Rows as a program without weft would have them: of one type, checked by nobody.
  columns::Batch rows(std::string_view type, std::string_view lines) {
    const auto graph = open_snapshot(place());
    ndjson::LoadReader reader((*graph)->schema(), clock_.now(), random_);
    EXPECT_TRUE(reader.feed(lines, {}).ok());
    static_cast<void>(reader.finish({}).ok());
    for (ndjson::TypedBatch& batch : reader.take_batches()) {
      if (batch.type == type) {
        return std::move(batch.rows);
      }
    }
    ADD_FAILURE() << "no rows of " << type;
    return {};
  }
  lance::Snapshot append(std::string_view type, std::string_view lines,
                         const std::string& branch = "main") {
    return commit(lance::stage_append(head(type, branch), {rows(type, lines)}, foreign()));
  }
  lance::Snapshot upsert(std::string_view type, std::string_view lines) {
    return commit(lance::stage_upsert(head(type), rows(type, lines), {.keys = {"id"}}, foreign()));
  }
  lance::Snapshot remove(std::string_view type, std::string_view lines) {
    const columns::Batch all = rows(type, lines);
    auto ids = columns::Batch::make(std::make_shared<const columns::Schema>(columns::Schema{
                                        .fields = {all.schema()->fields[0]}, .metadata = {}}),
                                    {all.column(0)}, all.row_count());
    return commit(lance::stage_delete_keys(head(type), *ids, {"id"}, foreign()));
  }
  Result<RepairResult> repaired(Remedy remedy, const std::string& branch = "main",
                                std::vector<std::string> types = {}) {
    return repair(place(), ana(), {.remedy = remedy, .branch = branch, .types = std::move(types)},
                  {});
  }
  std::vector<ForeignTable> plan(const std::string& branch = "main") {
    auto found = plan_repair(place(), branch, {}, {});
    EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().to_string());
    return found.ok() ? *std::move(found) : std::vector<ForeignTable>();
  }
  std::vector<std::string> violations(const Error& error) {
    std::vector<std::string> found;
    for (const Error::Fact& fact : error.facts()) {
      if (fact.key == "violation") {
        found.push_back(fact.value);
      }
    }
    return found;
  }
  // Heads are what is published, and the next write needs no help.
  void expect_goes_on(const std::string& branch = "main") {
    const auto graph = open_snapshot(place(), {.branch = branch, .at = Newest()});
    for (const auto* const tables : {&(*graph)->nodes(), &(*graph)->edges()}) {
      for (const auto& each : *tables) {
        const auto newest = lance::open_latest(catalog::location_of(place(), each->entry()));
        EXPECT_EQ(newest->version(), each->entry().pin.head_version) << each->name();
        EXPECT_EQ((*lance::TableReader::open(*newest))->row_count(), each->row_count());
        const auto reader = each->reader();
        ASSERT_TRUE(reader.ok());
        EXPECT_TRUE((*reader)->verify().ok());
      }
    }
    EXPECT_TRUE(plan(branch).empty());
    const Status next =
        loaded(R"({"type":"Person","data":{"name":"Next","age":1}})", LoadMode::kMerge, branch);
    EXPECT_TRUE(next.ok()) << next.error().to_string();
  }
};

constexpr std::string_view kCem = R"({"type":"Person","data":{"name":"Cem","age":20}})";

TEST_F(RepairTest, APlanTellsVersionsAndRows) {
  EXPECT_THAT(plan(), IsEmpty());
  append("Person", kCem);
  upsert("Person", R"({"type":"Person","data":{"name":"Ada","age":37}})");
  remove("Person", R"({"type":"Person","data":{"name":"Ben"}})");
  const auto found = plan();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].type, "Person");
  EXPECT_EQ(found[0].published_version, 2U);
  EXPECT_EQ(found[0].head_version, 5U);
  ASSERT_THAT(found[0].versions, SizeIs(3));
  EXPECT_EQ(found[0].versions[0].version, 3U);
  EXPECT_EQ(found[0].versions[0].operation, "Append");
  EXPECT_EQ(found[0].versions[2].operation, "Delete");
  EXPECT_EQ(found[0].added, 1U);
  EXPECT_EQ(found[0].changed, 1U);
  EXPECT_EQ(found[0].removed, 1U);
  EXPECT_THAT(found[0].obstacle, IsEmpty());
  EXPECT_EQ(loaded(kCem).error().fact("reason"), "foreign-version");
  EXPECT_EQ(plan_repair(place(), "main", {"Nobody"}, {}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(RepairTest, RowsAreAdoptedInOneCommit) {
  append("Person", kCem);
  upsert("Person", R"({"type":"Person","data":{"name":"Ada","age":37}})");
  remove("Person", R"({"type":"Person","data":{"name":"Ben"}})");
  append("Knows", R"({"type":"Person","data":{"name":"Cem"}}
{"type":"Person","data":{"name":"Ada"}}
{"edge":"Knows","from":"Cem","to":"Ada","data":{"id":"k1"}})");
  const auto result = repaired(Remedy::kAdopt);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  ASSERT_TRUE(result->receipt.has_value());
  EXPECT_EQ(result->receipt->commit.kind, "adopt");
  EXPECT_EQ(result->receipt->commit.actor, "ana");
  EXPECT_TRUE(result->receipt->has_followed);
  EXPECT_THAT(result->tables, SizeIs(2));
  EXPECT_EQ(exported(), R"({"edge":"Knows","from":"Cem","to":"Ada","data":{"id":"k1","since":null}}
{"edge":"LivesIn","from":"Ada","to":"Oslo","data":{"id":"l1"}}
{"type":"City","data":{"id":"Oslo","name":"Oslo"}}
{"type":"Person","data":{"id":"Ada","age":37,"name":"Ada","tags":null}}
{"type":"Person","data":{"id":"Cem","age":20,"name":"Cem","tags":null}}
)");
  // The key index knows them, and who left is not found.
  EXPECT_EQ(loaded(kCem).error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_TRUE(loaded(R"({"type":"Person","data":{"name":"Ben"}})").ok());
  EXPECT_EQ(head("Person").version(), 7U);
  expect_goes_on();
}

TEST_F(RepairTest, ManyRowsAreAdoptedAndFoundByTheirIds) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) {
    lines += R"({"type":"Person","data":{"name":"p)" + std::to_string(i) + "\"}}\n";
  }
  append("Person", lines);
  const auto result = repaired(Remedy::kAdopt);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(result->tables[0].added, 8192U);  // one batch of the reader
  EXPECT_EQ(loaded(R"({"type":"Person","data":{"name":"p8191"}})").error().kind(),
            ErrorKind::kAlreadyExists);
  EXPECT_TRUE(loaded(R"({"type":"Person","data":{"name":"p8192"}})").ok());
  expect_goes_on();
}

TEST_F(RepairTest, RowsThatDoNotFitAreAllToldAndNothingIsChanged) {
  const std::string before = exported();
  // An id that is there, an end that is not, a second home.
  append("LivesIn", R"({"type":"Person","data":{"name":"Ada"}}
{"type":"Person","data":{"name":"Eve"}}
{"type":"City","data":{"name":"Oslo"}}
{"edge":"LivesIn","from":"Ada","to":"Oslo","data":{"id":"l2"}}
{"edge":"LivesIn","from":"Eve","to":"Oslo","data":{"id":"l3"}})");
  append("Person", R"({"type":"Person","data":{"name":"Ada","age":1}})");
  const auto result = repaired(Remedy::kAdopt);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(violations(result.error()),
              testing::UnorderedElementsAre(HasSubstr("Person \"Ada\": key_conflict"),
                                            HasSubstr("LivesIn \"l2\": cardinality"),
                                            HasSubstr("LivesIn \"l3\": dangling_endpoint")));
  EXPECT_EQ(exported(), before);
  EXPECT_THAT(plan(), SizeIs(2));
}

TEST_F(RepairTest, NodesThatLeaveMustNotHaveEdgesThatStay) {
  remove("Person", R"({"type":"Person","data":{"name":"Ada"}})");
  const auto result = repaired(Remedy::kAdopt);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(violations(result.error()),
              ElementsAre(HasSubstr("dangling_endpoint: from of LivesIn \"l1\"")));
  // Together with the edge they may.
  remove("LivesIn", R"({"type":"Person","data":{"name":"Ada"}}
{"type":"City","data":{"name":"Oslo"}}
{"edge":"LivesIn","from":"Ada","to":"Oslo","data":{"id":"l1"}})");
  ASSERT_TRUE(repaired(Remedy::kAdopt).ok());
  EXPECT_THAT(exported(), testing::Not(HasSubstr("Ada")));
  expect_goes_on();
}

TEST_F(RepairTest, ADiscardPutsThePublishedRowsOnTopAndKeepsWhatWasThere) {
  const std::string before = exported();
  append("Person", kCem);
  const lance::Snapshot theirs = remove("Person", R"({"type":"Person","data":{"name":"Ada"}})");
  const auto result = repaired(Remedy::kDiscard);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(result->receipt->commit.kind, "discard");
  ASSERT_THAT(result->kept, ElementsAre(StartsWith("weft-discarded.4.")));
  EXPECT_EQ(exported(), before);
  EXPECT_EQ(head("Person").version(), 5U);
  const auto kept =
      lance::open_latest({theirs.location().store, theirs.location().root, result->kept[0]});
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->manifest().row_count(), 2U);
  // Ids of rows that were discarded are not given again.
  EXPECT_GE(head("Person").manifest().next_row_id, theirs.manifest().next_row_id);
  EXPECT_GE(head("Person").manifest().next_fragment_id(), theirs.manifest().next_fragment_id());
  expect_goes_on();
  EXPECT_FALSE(repaired(Remedy::kDiscard)->receipt.has_value());
}

TEST_F(RepairTest, RowsThatTookTheNumberOfAPublishedVersionAreAdoptedBesideIt) {
  ASSERT_TRUE(loaded(R"({"type":"Person","data":{"name":"Dee","age":1}}
{"type":"Person","data":{"name":"Ben","age":10}})",
                     LoadMode::kMerge)
                  .ok());
  // The writer died before its head stood.
  const lance::Snapshot unfollowed = head("Person");
  ASSERT_TRUE(
      store_.remove(unfollowed.location().object(lance::manifest_name(unfollowed.version()))).ok());
  append("Person", kCem);
  ASSERT_EQ(head("Person").version(), unfollowed.version());
  ASSERT_THAT(plan(), SizeIs(1));
  EXPECT_EQ(plan()[0].added, 1U);
  EXPECT_EQ(plan()[0].changed + plan()[0].removed, 0U);
  const auto result = repaired(Remedy::kAdopt);
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  for (const std::string_view row : {R"("id":"Ada","age":36)", R"("id":"Ben","age":10)",
                                     R"("id":"Cem","age":20)", R"("id":"Dee","age":1)"}) {
    EXPECT_THAT(exported(), HasSubstr(row));
  }
  expect_goes_on();
}

TEST_F(RepairTest, ARowThatBothChangedIsAConflict) {
  ASSERT_TRUE(loaded(R"({"type":"Person","data":{"name":"Ben","age":10}})", LoadMode::kMerge).ok());
  const lance::Snapshot unfollowed = head("Person");
  ASSERT_TRUE(
      store_.remove(unfollowed.location().object(lance::manifest_name(unfollowed.version()))).ok());
  upsert("Person", R"({"type":"Person","data":{"name":"Ben","age":11}})");
  const auto result = repaired(Remedy::kAdopt);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(violations(result.error()), ElementsAre(HasSubstr("Person \"Ben\": conflict")));
  ASSERT_TRUE(repaired(Remedy::kDiscard).ok());
  EXPECT_THAT(exported(), HasSubstr(R"("id":"Ben","age":10)"));
  expect_goes_on();
}

TEST_F(RepairTest, OneTypeOfSeveralAndTheOthersStay) {
  append("Person", kCem);
  append("City", R"({"type":"City","data":{"name":"Rome"}})");
  ASSERT_TRUE(repaired(Remedy::kDiscard, "main", {"City"}).ok());
  ASSERT_THAT(plan(), SizeIs(1));
  EXPECT_EQ(plan()[0].type, "Person");
  EXPECT_TRUE(loaded(R"({"type":"City","data":{"name":"Bern"}})").ok());
  ASSERT_TRUE(repaired(Remedy::kAdopt, "main", {"Person"}).ok());
  expect_goes_on();
}

TEST_F(RepairTest, BranchesHaveRowsOfOthersOfTheirOwn) {
  ASSERT_TRUE(create_branch(place(), ana(), "review").ok());
  ASSERT_TRUE(
      loaded(R"({"type":"Person","data":{"name":"Dee"}})", LoadMode::kAppend, "review").ok());
  append("Person", kCem, "review");
  EXPECT_THAT(plan(), IsEmpty());
  ASSERT_THAT(plan("review"), SizeIs(1));
  EXPECT_THAT(plan("review")[0].native_branch, StartsWith("review."));
  ASSERT_TRUE(repaired(Remedy::kAdopt, "review").ok());
  EXPECT_THAT(exported("review"), HasSubstr("Cem"));
  EXPECT_THAT(exported(), testing::Not(HasSubstr("Cem")));
  expect_goes_on("review");
}

TEST_F(RepairTest, OtherColumnsCanOnlyBeDiscarded) {
  const std::string before = exported();
  columns::Schema added;
  added.fields = {{.name = "extra",
                   .type = columns::simple_type(columns::TypeId::kInt64),
                   .nullable = true,
                   .metadata = {}}};
  commit(lance::stage_add_columns(head("Person"), added, foreign()));
  ASSERT_THAT(plan(), SizeIs(1));
  EXPECT_EQ(plan()[0].obstacle, kOtherColumns);
  const auto refused = repaired(Remedy::kAdopt);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(refused.error().fact("reason"), kOtherColumns);
  ASSERT_TRUE(repaired(Remedy::kDiscard).ok());
  EXPECT_EQ(exported(), before);
  expect_goes_on();
}

TEST_F(RepairTest, APinOfARepairThatACompactionOvertookIsRebased) {
  append("Person", kCem);
  ASSERT_TRUE(repaired(Remedy::kAdopt).ok());
  const std::string after = exported();
  const lance::Snapshot adopted = head("Person");
  ASSERT_TRUE(
      store_.remove(adopted.location().object(lance::manifest_name(adopted.version()))).ok());
  auto compaction = lance::stage_compaction(head("Person"), {}, foreign());
  ASSERT_TRUE(compaction.ok() && compaction->has_value());
  ASSERT_EQ(commit(std::move(**compaction)).version(), adopted.version());
  const Status next = loaded(R"({"type":"Person","data":{"name":"Next"}})");
  ASSERT_TRUE(next.ok()) << next.error().to_string();
  EXPECT_THAT(exported(), HasSubstr("Cem"));
  EXPECT_EQ(head("Person").manifest().row_count(), 4U);
  expect_goes_on();
}

// The row of others has the id and the fragment of one that was published beside it, so that the
// repair's pin is no change of what it was staged upon.
TEST_F(RepairTest, APinOfARepairUponATakenNumberIsRebasedAsAWhole) {
  for (const Remedy remedy : {Remedy::kAdopt, Remedy::kDiscard}) {
    const std::string suffix = remedy == Remedy::kAdopt ? "-a" : "-d";
    const auto line = [&](const std::string& name) {
      return R"({"type":"Person","data":{"name":")" + name + suffix + "\"}}";
    };
    const auto remove_head = [&] {
      const lance::Snapshot newest = head("Person");
      const std::string name = newest.location().object(lance::manifest_name(newest.version()));
      ASSERT_TRUE(store_.remove(name).ok());
    };
    ASSERT_TRUE(loaded(line("Dan")).ok());
    remove_head();
    append("Person", line("Cem"));
    ASSERT_TRUE(repaired(remedy).ok());
    const std::string before = exported();
    remove_head();
    auto compaction = lance::stage_compaction(head("Person"), {}, foreign());
    ASSERT_TRUE(compaction.ok() && compaction->has_value());
    commit(std::move(**compaction));
    ASSERT_TRUE(loaded(R"({"type":"City","data":{"name":"C)" + suffix + "\"}}").ok());
    ASSERT_TRUE(loaded(line("Next")).ok());
    EXPECT_THAT(exported(), HasSubstr("Dan" + suffix));
    const std::string cem = R"("id":"Cem)" + suffix;
    EXPECT_EQ(exported().find(cem) != std::string::npos, remedy == Remedy::kAdopt);
    EXPECT_EQ(exported().find(cem), exported().rfind(cem));
    EXPECT_EQ(std::ranges::count(exported(), '\n'), std::ranges::count(before, '\n') + 2);
    expect_goes_on();
  }
}

// Nobody is stuck where an engine's cleanup took from the base of a repair what would tell that its
// number was only taken.
TEST_F(RepairTest, APinWhoseBaseCannotBeReadIsToldAsRowsOfOthers) {
  upsert("Person", R"({"type":"Person","data":{"name":"Ben","age":10}})");
  const lance::Snapshot theirs = head("Person");
  const auto& fragments = theirs.manifest().fragments;
  const auto deleted = std::ranges::find_if(
      fragments, [](const lance::Fragment& each) { return each.deletion_file.has_value(); });
  ASSERT_NE(deleted, fragments.end());
  ASSERT_TRUE(repaired(Remedy::kDiscard).ok());
  const lance::Snapshot ours = head("Person");
  ASSERT_TRUE(store_.remove(ours.location().object(lance::manifest_name(ours.version()))).ok());
  auto compaction = lance::stage_compaction(head("Person"), {}, foreign());
  ASSERT_TRUE(compaction.ok() && compaction->has_value());
  commit(std::move(**compaction));
  ASSERT_TRUE(store_.remove(*theirs.deletion_name(deleted->id, *deleted->deletion_file)).ok());
  const Status refused = loaded(R"({"type":"Person","data":{"name":"Cem"}})");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().fact("reason"), "foreign-version") << refused.error().to_string();
  EXPECT_EQ(repaired(Remedy::kAdopt).error().fact("reason"), kUnknownBeginning);
  ASSERT_TRUE(repaired(Remedy::kDiscard).ok());
  EXPECT_THAT(exported(), HasSubstr(R"("id":"Ben","age":9)"));
  expect_goes_on();
}

TEST_F(RepairTest, AVersionOfOthersThatLacksItsFilesIsDiscarded) {
  ASSERT_TRUE(loaded(kCem).ok());
  const std::string before = exported();
  auto compaction = lance::stage_compaction(head("Person"), {}, foreign());
  ASSERT_TRUE(compaction.ok() && compaction->has_value());
  const lance::Snapshot theirs = commit(std::move(**compaction));
  ASSERT_TRUE(store_.remove(*theirs.data_file_name(theirs.manifest().fragments[0].files[0])).ok());
  const Status refused = loaded(R"({"type":"Person","data":{"name":"Dee"}})");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().fact("reason"), "foreign-version") << refused.error().to_string();
  const auto done = repaired(Remedy::kDiscard);
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_EQ(exported(), before);
  expect_goes_on();
}

TEST_F(RepairTest, AnOperationHappensOnce) {
  append("Person", kCem);
  const base::Ulid operation = ulid();
  const RepairRequest request{.remedy = Remedy::kAdopt, .operation = operation};
  const auto first = repair(place(), ana(), request, {});
  ASSERT_TRUE(first.ok()) << first.error().to_string();
  const auto again = repair(place(), ana(), request, {});
  ASSERT_TRUE(again.ok() && again->receipt.has_value());
  EXPECT_TRUE(again->receipt->is_repeated);
  EXPECT_EQ(again->receipt->commit, first->receipt->commit);
}

}  // namespace
}  // namespace weft::graph
