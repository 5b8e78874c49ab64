#include "weft/engine/live_graph.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <sys/time.h>
#include <unistd.h>

#include "weft/engine/testing/live_graph_fixture.h"
#include "weft/exec/query.h"
#include "weft/rdfio/input.h"
#include "weft/sparql/parser.h"

namespace weft::engine {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(LiveGraphTest, AnUpdateIsSeenAtOnceAndAfterARestart) {
  auto graph = open();
  const UpdateReceipt receipt = update(*graph, "INSERT DATA { <x:a> <x:p> 1, 2 }");
  EXPECT_EQ(receipt.inserted, 2U);
  EXPECT_EQ(receipt.removed, 0U);
  const std::multiset<std::string> both = {
      "<x:a> <x:p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer>",
      "<x:a> <x:p> \"2\"^^<http://www.w3.org/2001/XMLSchema#integer>"};
  EXPECT_EQ(quads(*graph), both);
  EXPECT_EQ(on_disk(), both);
  graph.reset();
  graph = open();
  EXPECT_EQ(quads(*graph), both);
  EXPECT_EQ(graph->snapshot()->tag(), receipt.tag);
}

TEST_F(LiveGraphTest, CountsSayWhatReallyChanged) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  const UpdateReceipt again = update(*graph, "INSERT DATA { <x:a> <x:p> <x:b>, <x:c> }");
  EXPECT_EQ(again.inserted, 1U);
  const UpdateReceipt none = update(*graph, "DELETE DATA { <x:a> <x:p> <x:nothing> }");
  EXPECT_EQ(none.removed, 0U);
  EXPECT_EQ(none.tag, again.tag);
  const UpdateReceipt back = update(
      *graph, "INSERT DATA { <x:a> <x:p> <x:d> } ; DELETE DATA { <x:a> <x:p> <x:d>, <x:c> }");
  EXPECT_EQ(back.inserted, 0U);
  EXPECT_EQ(back.removed, 1U);
  const UpdateReceipt swapped =
      update(*graph, "DELETE { ?s ?p ?o } INSERT { ?s ?p ?o } WHERE { ?s ?p ?o }");
  EXPECT_EQ(swapped.inserted + swapped.removed, 0U);
  EXPECT_THAT(quads(*graph), ElementsAre("<x:a> <x:p> <x:b>"));
  EXPECT_EQ(graph->snapshot()->quad_count({}).value(), 1U);
}

TEST_F(LiveGraphTest, AFailingOperationUndoesTheWholeRequest) {
  auto graph = open();
  const auto failed =
      graph->update("INSERT DATA { <x:a> <x:p> <x:b> } ; LOAD <http://no.example/>", {});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind(), ErrorKind::kDenied);
  EXPECT_THAT(quads(*graph), IsEmpty());
  // The same insert afterwards is not taken for something that is there already.
  EXPECT_EQ(update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }").inserted, 1U);
  graph.reset();
  EXPECT_THAT(on_disk(), ElementsAre("<x:a> <x:p> <x:b>"));
}

TEST_F(LiveGraphTest, ASnapshotKeepsItsState) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  const auto pinned = graph->snapshot();
  for (int i = 0; i < 1'000; ++i) {
    update(*graph, "INSERT DATA { <x:a> <x:q> " + std::to_string(i) + " }");
  }
  ASSERT_TRUE(graph->seal({}).ok());
  update(*graph, "CLEAR ALL");
  EXPECT_THAT(quads(pinned->fold()), ElementsAre("<x:a> <x:p> <x:b>"));
  EXPECT_THAT(quads(*graph), IsEmpty());
}

TEST_F(LiveGraphTest, GraphsAreManaged) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> 'd' GRAPH <x:g> { <x:a> <x:p> 'g' } }");
  update(*graph, "COPY <x:g> TO <x:h>");
  EXPECT_THAT(quads(*graph), Contains("<x:a> <x:p> \"g\" <x:h>"));
  update(*graph, "MOVE DEFAULT TO <x:h>");
  EXPECT_THAT(quads(*graph), ElementsAre("<x:a> <x:p> \"d\" <x:h>", "<x:a> <x:p> \"g\" <x:g>"));
  update(*graph, "ADD <x:g> TO <x:h>");
  EXPECT_THAT(quads(*graph), SizeIs(3));
  EXPECT_EQ(graph->update("CREATE GRAPH <x:g>", {}).error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(graph->update("COPY <x:no> TO <x:g>", {}).error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(quads(*graph), SizeIs(3));
  update(*graph, "DROP NAMED");
  EXPECT_THAT(quads(*graph), IsEmpty());
}

TEST_F(LiveGraphTest, BlankNodesOfUpdatesNeverMeet) {
  auto graph = open();
  for (int round = 0; round < 2; ++round) {
    update(*graph, "INSERT DATA { _:x <x:p> 'data' }");
    update(*graph, "INSERT { _:x <x:q> ?o } WHERE { ?s <x:p> ?o }");
    graph.reset();
    graph = open();
  }
  std::set<std::string> subjects;
  for (const std::string& line : quads(*graph)) {
    subjects.insert(line.substr(0, line.find(' ')));
  }
  EXPECT_THAT(subjects, SizeIs(2 + 1 + 2));
}

TEST_F(LiveGraphTest, TheSecondWriterIsToldOfTheFirstAndMayRead) {
  LiveOptions options;
  options.holder = "weft serve :8080";
  const auto first = open(options);
  update(*first, "INSERT DATA { <x:a> <x:p> <x:b> }");
  const auto second = LiveGraph::open(*environment_, target(), {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(std::string(second.error().fact("holder")), HasSubstr("weft serve :8080"));
  LiveOptions reading;
  reading.access = Access::kReadOnly;
  const auto reader = open(reading);
  EXPECT_THAT(quads(*reader), SizeIs(1));
  EXPECT_EQ(reader->update("CLEAR ALL", {}).error().kind(), ErrorKind::kDenied);
  update(*first, "INSERT DATA { <x:a> <x:p> <x:c> }");
  ASSERT_TRUE(reader->refresh().ok());
  EXPECT_THAT(quads(*reader), SizeIs(2));
  ASSERT_TRUE(first->seal({}).ok());
  update(*first, "INSERT DATA { <x:a> <x:p> <x:d> }");
  ASSERT_TRUE(reader->refresh().ok());
  EXPECT_THAT(quads(*reader), SizeIs(3));
}

TEST_F(LiveGraphTest, SealingTurnsTheJournalIntoASegmentAndChangesNothing) {
  auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b>, <x:c> GRAPH <x:g> { <x:a> <x:p> 1 } }");
  const UpdateReceipt last = update(*graph, "DELETE DATA { <x:a> <x:p> <x:b> }");
  const std::multiset<std::string> before = quads(*graph);
  const auto sealed = graph->seal({});
  ASSERT_TRUE(sealed.ok()) << sealed.error().to_string();
  EXPECT_TRUE(sealed->sealed);
  EXPECT_EQ(sealed->added_quads, 2U);
  EXPECT_EQ(sealed->deleted_quads, 0U);
  EXPECT_EQ(quads(*graph), before);
  EXPECT_EQ(on_disk(), before);
  EXPECT_EQ(graph->snapshot()->tag(), last.tag);
  EXPECT_EQ(graph->facts().journal_bytes, 0U);
  EXPECT_FALSE(graph->seal({})->sealed);
  // A deletion of what is sealed.
  update(*graph, "DELETE DATA { <x:a> <x:p> <x:c> }");
  EXPECT_EQ(graph->seal({})->deleted_quads, 1U);
  graph.reset();
  graph = open();
  EXPECT_THAT(quads(*graph), SizeIs(1));
  const auto compacted = graph->compact({});
  ASSERT_TRUE(compacted.ok()) << compacted.error().to_string();
  EXPECT_EQ(graph->facts().log_entries, 1U);
  EXPECT_THAT(quads(*graph), SizeIs(1));
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:new> }");
  EXPECT_THAT(on_disk(), SizeIs(2));
}

TEST_F(LiveGraphTest, AnAddOfAnotherProcessIsNoticed) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  ASSERT_TRUE(graph->seal({}).ok());
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:c> }");
  const std::string before = graph->snapshot()->tag();
  // Another process names the same segment once more, as a deletion.
  manifest::ManifestStore manifests(*store_, "m.json", clock_);
  base::Random random(1);
  ASSERT_TRUE(manifests
                  .update(
                      [](manifest::Manifest& current) {
                        return current.append({.adds = {}, .dels = current.log()[0].adds});
                      },
                      random)
                  .ok());
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:d> }");
  EXPECT_THAT(quads(*graph), ElementsAre("<x:a> <x:p> <x:c>", "<x:a> <x:p> <x:d>"));
  EXPECT_NE(graph->snapshot()->tag().substr(0, 3), before.substr(0, 3));
  EXPECT_EQ(on_disk(), quads(*graph));
}

TEST_F(LiveGraphTest, ASealThatTheManifestForgotIsNotRevived) {
  auto graph = open();
  update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
  const std::string journal = to_text(store_->get("m.json.changes", 10'000)->bytes.view());
  ASSERT_TRUE(graph->seal({}).ok());
  graph.reset();
  // As after a crash before the journal was cut, and a rete that dropped the members it did not
  // know and deleted the quad.
  const auto empty = store_->get("m.json.changes", 10'000).value();
  ASSERT_TRUE(store_->put_if_match("m.json.changes", as_bytes(journal), empty.etag).ok());
  const auto current = store_->get("m.json", 100'000).value();
  auto document = json::parse(as_text(current.bytes.view())).value();
  document.remove("weft");
  auto forgotten = manifest::Manifest::parse(json::write(document)).value();
  ASSERT_TRUE(forgotten.append({.adds = {}, .dels = forgotten.log()[0].adds}).ok());
  ASSERT_EQ(store_->put_if_match("m.json", as_bytes(forgotten.text()), current.etag).value(),
            storage::PutOutcome::kDone);
  EXPECT_THAT(on_disk(), IsEmpty());
  graph = open();
  EXPECT_THAT(quads(*graph), IsEmpty());
}

TEST_F(LiveGraphTest, ConditionalUpdatesAreRefusedOnAnotherState) {
  const auto graph = open();
  UpdateOptions options;
  options.if_tag = graph->snapshot()->tag();
  ASSERT_TRUE(graph->update("INSERT DATA { <x:a> <x:p> <x:b> }", options).ok());
  EXPECT_EQ(graph->update("CLEAR ALL", options).error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(quads(*graph), SizeIs(1));
}

TEST_F(LiveGraphTest, DocumentsAreLoadedAndReplaceGraphs) {
  const auto graph = open();
  const auto load = [&](std::string_view text, const std::string& name, bool replace) {
    codec::MemoryInputView input(text);
    LoadRequest request;
    request.input = &input;
    request.graph = name;
    request.replace = replace;
    return graph->load(request, {});
  };
  EXPECT_EQ(load("<x:a> <x:p> 1, 2, _:b .", "x:g", false)->inserted, 3U);
  const auto replaced = load("<x:a> <x:p> 2, 3 .", "x:g", true);
  ASSERT_TRUE(replaced.ok());
  EXPECT_EQ(replaced->inserted, 1U);
  EXPECT_EQ(replaced->removed, 2U);
  EXPECT_EQ(load("<x:a> <x:p> ", "x:g", true).error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(quads(*graph), SizeIs(2));
  EXPECT_EQ(graph->drop("x:g", {})->removed, 2U);
  EXPECT_EQ(graph->drop("x:g", {}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(LiveGraphTest, ASingleSegmentIsWrittenThroughItsJournal) {
  {
    const auto graph = open();
    update(*graph, "INSERT DATA { <x:a> <x:p> <x:b> }");
    ASSERT_TRUE(graph->compact({}).ok());
  }
  std::string file;
  for (const auto& object : store_->list("", false).value()) {
    file = object.name.ends_with(".rete") ? object.name : file;
  }
  auto graph = LiveGraph::open(*environment_, folder_ / file, {}).value();
  update(*graph, "DELETE DATA { <x:a> <x:p> <x:b> } ; INSERT DATA { <x:a> <x:p> <x:c> }");
  EXPECT_EQ(graph->seal({}).error().kind(), ErrorKind::kUnsupported);
  graph = nullptr;
  graph = LiveGraph::open(*environment_, folder_ / file, {}).value();
  EXPECT_THAT(quads(*graph), ElementsAre("<x:a> <x:p> <x:c>"));
}

class LiveGraphThreads : public LiveGraphTest {};

TEST_F(LiveGraphThreads, ReadModifyWriteIsSerialisable) {
  const auto graph = open();
  update(*graph, "INSERT DATA { <x:counter> <x:value> 0 }");
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) {
        const auto receipt = graph->update(
            "DELETE { <x:counter> <x:value> ?v } INSERT { <x:counter> <x:value> ?w }"
            "WHERE { <x:counter> <x:value> ?v BIND (?v + 1 AS ?w) }",
            {});
        ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
        ASSERT_EQ(receipt->inserted, 1U);
        ASSERT_EQ(receipt->removed, 1U);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const std::string value =
      "<x:counter> <x:value> \"3200\"^^<http://www.w3.org/2001/XMLSchema#integer>";
  EXPECT_THAT(quads(*graph), ElementsAre(value));
  EXPECT_LE(graph->facts().overlay_rows, 1U);
  EXPECT_THAT(on_disk(), ElementsAre(value));
}

TEST_F(LiveGraphThreads, SealsAndCompactionsLoseNoUpdate) {
  const auto graph = open();
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 100; ++k) {
        const auto receipt = graph->update(
            "INSERT DATA { <x:t" + std::to_string(i) + "> <x:n> " + std::to_string(k) + " }", {});
        ASSERT_TRUE(receipt.ok()) << receipt.error().to_string();
        ASSERT_EQ(receipt->inserted, 1U);
      }
    });
  }
  threads.emplace_back([&] {
    for (int round = 0; !done; ++round) {
      const auto sealed = round % 3 == 2 ? graph->compact({}) : graph->seal({});
      ASSERT_TRUE(sealed.ok()) << sealed.error().to_string();
      const auto state = graph->snapshot();
      EXPECT_EQ(quads(state->fold()).size(), state->quad_count({}).value());
    }
  });
  for (int i = 0; i < 4; ++i) {
    threads[static_cast<size_t>(i)].join();
  }
  done = true;
  threads.back().join();
  EXPECT_THAT(quads(*graph), SizeIs(400));
  EXPECT_THAT(on_disk(), SizeIs(400));
}

}  // namespace
}  // namespace weft::engine
